#!/usr/bin/env bash
# The environment of a build: `. scripts/env.sh` sets it, `bash scripts/env.sh` prints it.
# Changes no shell option and ends nothing, so that it can be sourced anywhere.

viva_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
viva_tools=${VIVA_TOOLS:-$HOME/.cache/viva-tools}

# The first of the candidates that is a command here.
viva_first() {
  local candidate
  for candidate in "$@"; do
    [ -n "$candidate" ] && command -v "$candidate" 2>/dev/null && return
  done
  return 1
}

viva_find_browser() {
  CHROME=$(viva_first "${CHROME:-}" chromium google-chrome google-chrome-stable chromium-browser \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome") || CHROME=
  # Hosted runners name chromedriver's folder in CHROMEWEBDRIVER.
  CHROMEDRIVER=$(viva_first "${CHROMEDRIVER:-}" "${CHROMEWEBDRIVER:+$CHROMEWEBDRIVER/chromedriver}" chromedriver) || CHROMEDRIVER=
}

viva_environment() {
  viva_find_browser
  # The project's tools first: Trunk takes what it finds on PATH, and a distribution's wasm-opt is too old.
  local first=$viva_tools/bin:$viva_root/node_modules/.bin:
  PATH=$first${PATH#"$first"}
  export PATH CHROME CHROMEDRIVER
  export VIVA_TOOLS=$viva_tools
  # Everything that Trunk needs is installed by setup.sh; it shall download nothing behind our back.
  export TRUNK_OFFLINE=true TRUNK_SKIP_VERSION_CHECK=true
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=wasm-bindgen-test-runner
  # Trunk 0.21 takes NO_COLOR=1 for a wrong argument.
  unset NO_COLOR
}

viva_environment
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  for name in PATH VIVA_TOOLS CHROME CHROMEDRIVER TRUNK_OFFLINE TRUNK_SKIP_VERSION_CHECK CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER; do
    printf 'export %s=%q\n' "$name" "${!name}"
  done
  echo 'unset NO_COLOR'
fi
