#!/bin/sh
# A quick part of the tests on every other Python that is found here: the engine and the proofs,
# sockets, and a round at a real server that is killed meanwhile. `make test` has run everything on
# one Python by then, the one whose environment is named: tests/other_pythons.sh .venv/bin/python
#
# Each has an environment of its own, .venv-3.X, that is kept for the next time. Where it cannot be
# made, as without a network, that Python is left out, and a line says so; with STRICT=1 that fails.
set -eu
cd "$(dirname "$0")/.."
QUICK="tests/engine/test_fair.py tests/engine/test_proof.py tests/engine/test_*_scenarios.py
  tests/lib/test_eager_task.py tests/realtime/test_publishing.py tests/realtime/test_sockets.py
  tests/servers/test_server.py::test_a_server_that_is_killed_in_mid_hand_goes_on_with_the_same_cards"

# Whether this program is there, runs, and is that Python. Those of pyenv's that are in the PATH may be
# there and do nothing but say where the real one is missing.
is_python() {
  [ -x "$1" ] && "$1" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$2')" >/dev/null 2>&1
}

find_python() {
  IFS=:
  for folder in $PATH; do
    if is_python "$folder/python$1" "$1"; then echo "$folder/python$1" && return; fi
  done
  unset IFS
  for program in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python"$1"; do
    if is_python "$program" "$1"; then echo "$program" && return; fi
  done
}

make_environment() {
  if is_python "$2/bin/python" "$3" && cmp -s requirements/dev.txt "$2/dev.txt"; then return; fi
  echo "Python $3: making $2 with $1"
  rm -rf "$2"
  "$1" -m venv "$2" && deploy/install_packages.sh "$2/bin/python" requirements/dev.txt &&
    cp requirements/dev.txt "$2/dev.txt"
}

# Prints what came of one Python. Fails if its tests do, or with STRICT=1 if it cannot be tested.
test_python() {
  python=$(find_python "$1")
  if [ -z "$python" ]; then
    echo "Python $1: not found"
  elif make_environment "$python" ".venv-$1" "$1"; then
    echo "Python $1: the quick part"
    # shellcheck disable=SC2086
    BLACKJACK_TEST_STRICT="${STRICT:-}" ".venv-$1/bin/python" -m pytest -q $QUICK
  elif [ -n "${STRICT:-}" ]; then
    echo "Python $1: .venv-$1 cannot be made"
    return 1
  else
    echo "Python $1: left out, as .venv-$1 cannot be made"
  fi
}

own=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
# All at the same time, each in one process: half of the quick part waits for clocks.
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
running=
for version in 3.11 3.12 3.13 3.14; do
  [ "$version" != "$own" ] || continue
  test_python "$version" >"$output/$version" 2>&1 &
  running="$running $version:$!"
done
failed=0
for one in $running; do
  wait "${one#*:}" || failed=1
  cat "$output/${one%:*}"
done
exit "$failed"
