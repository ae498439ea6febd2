#!/bin/sh
# Builds the image `blackjack` with buildah, or with Docker if its engine answers. Variables, all optional:
# BASE, another Debian 13 to build from; PIP_INDEX_URL, a package registry of your own; PIP_CERT, the
# file with the certificates to trust there (buildah only).
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
revision=$(git rev-parse HEAD 2>/dev/null || true)
set -- --file deploy/Dockerfile --tag "blackjack:$version" --tag blackjack:latest \
  --build-arg "VERSION=$version" --build-arg "REVISION=$revision"
[ -z "${BASE:-}" ] || set -- "$@" --build-arg "BASE=$BASE"
[ -z "${PIP_INDEX_URL:-}" ] || set -- "$@" --build-arg "PIP_INDEX_URL=$PIP_INDEX_URL"
if command -v buildah >/dev/null; then
  [ -z "${PIP_CERT:-}" ] || set -- "$@" --build-arg PIP_CERT=/run/certificates.pem \
    --volume "$PIP_CERT:/run/certificates.pem:ro"
  # The format of OCI has no health check.
  exec buildah build --layers --format docker "$@" .
fi
if docker version >/dev/null 2>&1; then
  exec docker build "$@" .
fi
echo "Neither buildah nor a running Docker is here. As root on Debian: apt-get install buildah" >&2
exit 1
