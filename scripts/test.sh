#!/usr/bin/env bash
# Everything that must hold, in the order in which it fails soonest.
#
#   test.sh          format, lints, native tests, browser tests, build, end-to-end tests
#   test.sh llm      the end-to-end tests with a real language model
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/step.sh

step "set-up" bash scripts/setup.sh
. scripts/env.sh

wasm=wasm32-unknown-unknown
node_tests() { node --test --test-reporter=spec --test-timeout=900000 "$@"; }
browser_tests() {
  # The same browser for all tests: chromedriver would look for one of its own.
  mkdir -p "${CARGO_TARGET_DIR:-target}"
  WASM_BINDGEN_TEST_WEBDRIVER_JSON=$(realpath "${CARGO_TARGET_DIR:-target}")/webdriver.json
  export WASM_BINDGEN_TEST_WEBDRIVER_JSON
  sed "s|\"args\"|\"binary\": \"$CHROME\", &|" webdriver.json >"$WASM_BINDGEN_TEST_WEBDRIVER_JSON"
  cargo test --locked --target $wasm --features browser --test web
}

if [ "${1:-}" = llm ]; then
  step "model" bash scripts/llm-setup.sh
  step "build" bash scripts/build.sh --if-changed
  # One file at a time: a model on a few cores answers one caller well and two badly.
  step "end-to-end with a model" node_tests --test-concurrency=1 tests/e2e/llm/*.test.mjs
  exit
fi

step "format" cargo fmt --check
step "format, fuzz targets" cargo fmt --check --manifest-path fuzz/Cargo.toml
step "sample" node scripts/check-sample.mjs
step "lints, native" cargo clippy --locked --quiet --all-targets --features parquet -- -D warnings
# --all-targets would compile the native tests for a browser.
step "lints, wasm" cargo clippy --locked --quiet --target $wasm --features app,parquet --lib --bins --test web -- -D warnings
native_tests() {
  # Then the pure parts of the views, which the core's own tests do not build.
  cargo test --locked --features parquet && cargo test --locked --features app --lib ui::
}
step_if_changed "native tests" . ':!tests/e2e' ':!tests/web*' -- native_tests
step_if_changed "browser tests" . ':!tests/e2e' ':!tests/it' ':(exclude,glob)*.md' -- browser_tests
step "build" bash scripts/build.sh --if-changed
step_if_changed "end-to-end tests" . ':!tests/it' ':!tests/e2e/llm' ':(exclude,glob)*.md' -- node_tests tests/e2e/*.test.mjs
