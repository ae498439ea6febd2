#!/bin/sh
# What tests need besides Python packages: a Chromium, gettext, Caddy, systemd's own check of its units, and
# what `make scale` starts.
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
  [ -z "$missing" ] || echo "Not found, so the tests that need it are skipped:$missing"
  exit 0
fi
# The Chromium that has no windows does the same with two thirds of the processor's time.
has chromium-headless-shell || missing="$missing chromium-headless-shell"
[ -n "$missing" ] || exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
if ! has chromium-headless-shell && ! apt-cache show chromium-headless-shell >/dev/null 2>&1; then
  missing=$(echo "$missing" | sed 's/ chromium-headless-shell//')
  has_browser || missing="$missing chromium"
fi
[ -n "$missing" ] || exit 0
echo "Installing$missing"
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing fonts-dejavu-core >/dev/null
