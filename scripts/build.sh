#!/usr/bin/env bash
# Builds the page into dist/ and opens it in Chromium. `--if-changed`: only where a file of it changed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

# Everything but the tests can end up in the page.
inputs() {
  . scripts/step.sh
  trap - EXIT
  step_fingerprint . ':!tests' ':!.ci' ':(exclude,glob)*.md'
  find dist -type f -not -path 'dist/.*' -print0 2>/dev/null | sort -z | xargs -0 -r sha256sum | sha256sum
}
stamp=${CARGO_TARGET_DIR:-target}/stamps/dist
if [ "${1:-}" = --if-changed ] && [ -z "${FORCE:-}" ] && [ "${CI:-}" != true ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(inputs)" ]; then
  echo "dist is up to date (FORCE=1 builds it again)"
  exit
fi
rm -f "$stamp"
trunk build --release
node scripts/smoke.mjs
mkdir -p "$(dirname "$stamp")"
inputs >"$stamp"
