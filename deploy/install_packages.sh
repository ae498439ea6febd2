#!/bin/sh
# Installs the packages of a lock file: deploy/install_packages.sh .venv/bin/python requirements/run.txt
# uv takes a tenth of pip's time for it. Where uv cannot be installed, or reaches no registry, pip does
# it. Both check every hash.
set -eu
python=$1
pip() { "$python" -m pip install --quiet --disable-pip-version-check --require-hashes "$@"; }

install_with_uv() {
  pip --retries 1 -r "$(dirname "$0")/../requirements/uv.txt" || return 1
  index=${PIP_INDEX_URL:-$("$python" -m pip config get global.index-url || true)}
  [ -z "$index" ] || export UV_DEFAULT_INDEX="$index"
  UV_SYSTEM_CERTS=1 UV_HTTP_CONNECT_TIMEOUT=5 UV_HTTP_RETRIES=1 \
    "$(dirname "$python")/uv" pip install --python "$python" --quiet --require-hashes -r "$1"
}

install_with_uv "$2" 2>/dev/null || pip -r "$2"
