#!/bin/sh
# What tests need besides Python packages: a Chromium, gettext, Caddy, systemd's own check of its units,
# promtool, and what `make scale` starts.
# Installed with apt where this runs as root on Debian; elsewhere tests that need a missing one are
# skipped, and say so.
set -eu
"$(dirname "$0")/../deploy/system_packages.sh"

has() { command -v "$1" >/dev/null; }
has_browser() { has chromium-headless-shell || has chromium || has chromium-browser || has google-chrome; }

missing=""
has caddy || missing="$missing caddy"
has xgettext || missing="$missing gettext"
has systemd-analyze || missing="$missing systemd"
if [ "$(id -u)" != 0 ] || ! has apt-get; then
  has_browser || missing="$missing chromium"
  has promtool || missing="$missing promtool"
  [ -z "$missing" ] || echo "Not found, so the tests that need it are skipped:$missing"
  exit 0
fi
# Of Prometheus only the program that checks rules: its package would start a server and needs 100 MB.
get_promtool() {
  folder=$(mktemp -d)
  (cd "$folder" && apt-get download -qq prometheus 2>/dev/null &&
    dpkg-deb --fsys-tarfile prometheus_*.deb | tar -xO ./usr/bin/promtool >promtool) || true
  if [ -s "$folder/promtool" ]; then
    install -m 755 "$folder/promtool" /usr/local/bin/promtool
  else
    echo "promtool could not be downloaded, so the tests that need it are skipped"
  fi
  rm -r "$folder"
}
# The Chromium that has no windows does the same with two thirds of the processor's time.
has chromium-headless-shell || missing="$missing chromium-headless-shell"
if [ -z "$missing" ] && has promtool; then exit 0; fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
has promtool || get_promtool
if ! has chromium-headless-shell && ! apt-cache show chromium-headless-shell >/dev/null 2>&1; then
  missing=$(echo "$missing" | sed 's/ chromium-headless-shell//')
  has_browser || missing="$missing chromium"
fi
[ -n "$missing" ] || exit 0
echo "Installing$missing"
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing fonts-dejavu-core >/dev/null
