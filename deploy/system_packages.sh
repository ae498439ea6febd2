#!/bin/sh
# What `make scale` starts besides Python: PostgreSQL, redis-server and nginx. Installed with apt where
# this runs as root on Debian; elsewhere `make scale` says which one is missing.
set -eu
missing=""
command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="$missing postgresql"
command -v redis-server >/dev/null || missing="$missing redis-server"
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
[ -n "$missing" ] || exit 0
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 0
echo "Installing$missing"
# Debian starts what it installs; nobody asked for servers on ports 80, 5432 and 6379.
if [ ! -e /usr/sbin/policy-rc.d ]; then
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null
