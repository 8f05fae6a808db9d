#!/usr/bin/env bash
# Runs each fuzz target for some seconds, from what earlier runs found and from the fixtures.
#
#   fuzz.sh [TARGET…]   all where none is named
#
#   SECONDS_EACH   how long each runs (default: 20); bash counts in SECONDS itself
#
# With a nightly toolchain where there is one, which brings the address sanitizer; with stable otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

fuzz_version=0.13.2
seconds=${SECONDS_EACH:-20}

say() { printf 'fuzz: %s\n' "$*"; }

if [ "$(cargo-fuzz --version 2>/dev/null | awk '{ print $2 }')" != "$fuzz_version" ]; then
  say "installing cargo-fuzz $fuzz_version into $viva_tools/bin (cargo, a minute)"
  # As in setup.sh: compiled quickly rather than well.
  env -u CARGO_TARGET_DIR -u CARGO_BUILD_TARGET -u RUSTFLAGS \
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0 \
    cargo install --quiet --force --root "$viva_tools" --locked cargo-fuzz --version "$fuzz_version"
fi

toolchain=$(rustup toolchain list 2>/dev/null | awk '/^nightly/ { print $1; exit }') || true
if [ -n "$toolchain" ]; then
  export RUSTUP_TOOLCHAIN=$toolchain
  sanitizer=address
  say "$(rustc --version), with the address sanitizer"
else
  sanitizer=none
  say "$(rustc --version), without a sanitizer: no nightly toolchain is installed (rustup toolchain install nightly)"
fi

targets=$*
[ -n "$targets" ] || targets=$(cd fuzz/targets && for file in *.rs; do echo "${file%.rs}"; done)

# Seeds of a target: its own, and the fixtures of the tests that it reads.
seeds() {
  local fixtures=tests/fixtures
  case $1 in
    batch) ls $fixtures/batch/*results* ;;
    datasets) ls $fixtures/dataset/*.json ;;
    battles) ls $fixtures/ratings/*.json ;;
    parquet) find $fixtures/parquet -name '*.parquet' -size -8k ;;
  esac
  ls fuzz/seeds/"$1"/* 2>/dev/null || true
}

mkdir -p fuzz/corpus
say "building (the first time a few minutes)"
cargo fuzz build --fuzz-dir fuzz --sanitizer $sanitizer >fuzz/corpus/build.log 2>&1 || {
  tail -40 fuzz/corpus/build.log
  exit 1
}

failed=
for target in $targets; do
  corpus=fuzz/corpus/$target
  mkdir -p "$corpus"
  for seed in $(seeds "$target"); do cp "$seed" "$corpus/seed-$(basename "$seed")"; done
  log=fuzz/corpus/$target.log
  # Large inputs find nothing that small ones do not, and are slow.
  if cargo fuzz run --fuzz-dir fuzz --sanitizer $sanitizer "$target" -- \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -dict=fuzz/words.dict \
    -use_value_profile=1 -print_final_stats=1 >"$log" 2>&1; then
    say "$target: $(awk '/number_of_executed_units/ { n = $2 } /average_exec_per_sec/ { e = $2 } / cov: / { c = $4 } END { printf "%d inputs, %d a second, %d edges, no finding", n, e, c }' "$log")"
  else
    failed="$failed $target"
    say "$target: FOUND something"
    grep -aE 'panicked at|ERROR|SUMMARY|Test unit written|Minimize test case' -A2 "$log" || tail -20 "$log"
  fi
done
[ -z "$failed" ] || {
  say "findings:$failed. The inputs are in fuzz/artifacts."
  exit 1
}
