#!/bin/sh
# What tests need besides Python packages: a Chromium, gettext, Caddy, and what `make scale` starts.
# Installed with apt where this runs as root on Debian; elsewhere tests that need a missing one are
# skipped, and say so.
set -eu
"$(dirname "$0")/../deploy/system_packages.sh"
missing=""
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || missing="$missing chromium"
command -v caddy >/dev/null || missing="$missing caddy"
command -v xgettext >/dev/null || missing="$missing gettext"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "Not found, so the tests that need it are skipped:$missing"
  exit 0
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing fonts-dejavu-core >/dev/null
