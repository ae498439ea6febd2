#!/bin/sh
# Runs a command with its temporary files in memory: tests/in_memory.sh pytest ...
# The databases of tests are thrown away, so they need not wait for a disk. Where the system has no
# folder in memory with 2 GB free in which programs may run, they are where temporary files always are.
set -u
parent=${TMPDIR:-/tmp}
free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${free:-0}" -gt 2000000 ] && program=$(mktemp /dev/shm/blackjack-XXXXXX 2>/dev/null); then
  printf '#!/bin/sh\n' >"$program"
  chmod +x "$program"
  "$program" 2>/dev/null && parent=/dev/shm
  rm "$program"
fi
TMPDIR=$(mktemp -d "$parent/blackjack-XXXXXX") || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM
chmod 711 "$TMPDIR" # PostgreSQL has a user of its own
"$@"
