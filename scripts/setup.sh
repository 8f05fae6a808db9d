#!/usr/bin/env bash
# Installs what building and testing needs, by the ordinary ways, and says what and where.
# A second run finds everything in place and takes about a second.
#
#   VIVA_TOOLS    where the command line tools go     (default: ~/.cache/viva-tools)
#   CHROME        the Chrome or Chromium to use       (default: the first found)
#   CHROMEDRIVER  its chromedriver                    (default: the first found)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

target=wasm32-unknown-unknown
trunk_version=0.21.14 # 0.22 asks for a newer compiler than `rust-version` names
bindgen_version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"$/\1/p;}' Cargo.lock)

say() { printf 'setup: %s\n' "$*"; }
fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}
installed=0
# install WHAT COMMAND…: says what is done, does it, and says how long it took.
install() {
  local what=$1 start=$SECONDS
  shift
  say "installing $what"
  "$@" || fail "could not install $what"
  say "installed $what in $((SECONDS - start)) s"
  installed=1
}

# One set-up at a time: several checkouts share the tools' folder.
mkdir -p "$viva_tools"
if command -v flock >/dev/null; then
  exec 9>"$viva_tools/.lock"
  flock -n 9 || { say "waiting for another set-up to end" && flock 9; }
fi

for need in cargo rustc node npm; do
  command -v "$need" >/dev/null || fail "$need is missing: install rustup (stable) and Node 20 or newer"
done
node_major=$(node -p 'process.versions.node.split(".")[0]')
[ "$node_major" -ge 20 ] || fail "Node $node_major is too old: 20 or newer is needed"

# 1. Rust: the target's standard library, rustfmt, clippy.
std_is_there() { ls "$(rustc --print target-libdir --target $target 2>/dev/null)"/libstd-*.rlib >/dev/null 2>&1; }
std_is_there || install "Rust's $target (rustup)" rustup target add $target
for part in rustfmt clippy; do
  command="cargo-$([ $part = rustfmt ] && echo fmt || echo $part)"
  [ -x "$(rustc --print sysroot)/bin/$command" ] || command -v "$command" >/dev/null || install "$part (rustup)" rustup component add "$part"
done

# 2. Tools by cargo. They run seconds in all, so they are compiled quickly rather than well: a quarter of
#    the time of their own profiles, and their output is byte for byte the same.
quick_install() {
  env -u CARGO_TARGET_DIR -u CARGO_BUILD_TARGET -u RUSTFLAGS \
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0 \
    cargo install --quiet --force --root "$viva_tools" "$@"
}
version_of() { "$viva_tools/bin/$1" --version 2>/dev/null | awk '{ print $2 }'; }
[ "$(version_of trunk)" = "$trunk_version" ] ||
  install "trunk $trunk_version into $viva_tools/bin (cargo, some three minutes)" \
    quick_install trunk --version "$trunk_version" --locked --no-default-features --features rustls
# Trunk and the test runner want exactly the version of the lock file. Without --locked: the tool's own
# lock file names releases that have been withdrawn.
[ "$(version_of wasm-bindgen)" = "$bindgen_version" ] ||
  install "wasm-bindgen-cli $bindgen_version into $viva_tools/bin (cargo, a minute or two)" \
    quick_install wasm-bindgen-cli --version "$bindgen_version" --no-default-features

# 3. npm: wasm-opt, a minifier, a driver for Chromium, an accessibility checker.
packages=$(cat package.json package-lock.json | cksum)
[ "$(cat node_modules/.installed 2>/dev/null)" = "$packages" ] ||
  { install "npm packages into ./node_modules (binaryen, esbuild, playwright-core, axe-core)" npm ci --loglevel=error --no-audit --no-fund --ignore-scripts && echo "$packages" >node_modules/.installed; }

# 4. Crates, so that everything after this works without a network.
cargo fetch --quiet --locked --offline 2>/dev/null || install "crates of Cargo.lock (cargo fetch)" cargo fetch --quiet --locked

# 5. A browser and its driver: what is here, else Debian's.
works() { [ -n "$1" ] && "$1" --version >/dev/null 2>&1; }
apt_get() {
  if [ "$(id -u)" = 0 ]; then DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
  else sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"; fi
}
chromium_by_apt() { apt_get update && apt_get install --no-install-recommends -y chromium chromium-driver >/dev/null; }
may_apt() { command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; }
if ! { works "$CHROME" && works "$CHROMEDRIVER"; } && may_apt; then
  install "chromium and chromium-driver (apt)" chromium_by_apt
  CHROME='' CHROMEDRIVER=''
  viva_find_browser
fi
works "$CHROME" && works "$CHROMEDRIVER" || fail \
  "no Chrome with its chromedriver was found, and none could be installed." \
  "Debian: apt-get install chromium chromium-driver. Elsewhere: Google Chrome and the chromedriver of the same" \
  "version; name them in CHROME and CHROMEDRIVER if they are not on PATH."
# A driver starts only a browser of its own major version.
major() { "$1" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -1 | cut -d. -f1; }
[ "$(major "$CHROME")" = "$(major "$CHROMEDRIVER")" ] || fail \
  "$CHROME is version $(major "$CHROME"), and $CHROMEDRIVER is version $(major "$CHROMEDRIVER"): install a pair, or name one in CHROME and CHROMEDRIVER"

say "rustc $(rustc --version | awk '{ print $2 }'), trunk $trunk_version, wasm-bindgen $bindgen_version, $(node_modules/.bin/wasm-opt --version), node $(node --version), $("$CHROME" --version 2>/dev/null | sed 's/ built on.*//;s/ *$//') at $CHROME"
say "$([ $installed = 1 ] && echo done || echo 'everything was in place') ($SECONDS s)"
