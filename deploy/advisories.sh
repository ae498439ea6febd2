#!/bin/sh
# Looks up the packages of lock files in the public list of known vulnerabilities, which only pypi.org
# has: deploy/advisories.sh requirements/scale.txt ...
# Exits with 0 if there are none, with 1 if there are any, and with 2 if it could not look them up.
# pip-audit is installed into a separate environment.
set -u
folder=.venv/advisories
python=${PYTHON:-python3}

can_be_reached() {
  "$python" -c 'import json, urllib.request as r; \
    json.load(r.urlopen("https://pypi.org/pypi/daphne/4.2.0/json", timeout=20))["vulnerabilities"]' 2>/dev/null
}

can_be_reached || {
  echo "The list at https://pypi.org is out of reach from here: NOTHING was looked up."
  exit 2
}
{ "$python" -m venv "$folder" && "$folder/bin/pip" install --quiet pip-audit; } || {
  echo "pip-audit cannot be installed: NOTHING was looked up."
  exit 2
}
report=$(mktemp)
trap 'rm -f "$report"' EXIT
found=0
for lock in "$@"; do
  echo "$lock"
  : >"$report"
  "$folder/bin/pip-audit" --strict --disable-pip --require-hashes -r "$lock" --output "$report" || {
    # It ends with 1 also if a package cannot be looked up; then there is no report.
    [ -s "$report" ] || exit 2
    cat "$report"
    found=1
  }
done
exit $found
