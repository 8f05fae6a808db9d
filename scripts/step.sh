# Runs a list of steps: says each one's name and seconds, stops at the first that fails, sums up at the end.
# To be sourced.
#
#   step NAME COMMAND…                     always runs (a function as COMMAND fails by its last command)
#   step_if_changed NAME PATHSPEC… -- COMMAND…
#                                          skips what passed before with the same files and tools.
#                                          FORCE=1 and CI=true run everything.

step_report=()
step_name=
step_since=
step_start=$SECONDS

step_now() { date +%s.%N; }

step_done() { # how it ended
  local seconds
  seconds=$(awk -v a="$step_since" -v b="$(step_now)" 'BEGIN { printf "%.1f", b - a }')
  step_report+=("$(printf '%8s s  %-28s %s' "$seconds" "$step_name" "$1")")
  step_name=
}

step_summary() {
  local code=$?
  [ -z "$step_name" ] || step_done "FAILED"
  [ ${#step_report[@]} -gt 0 ] || return "$code"
  printf '\n== Summary\n'
  printf '%s\n' "${step_report[@]}"
  printf '%8s s  in all\n' "$((SECONDS - step_start))"
  return "$code"
}
trap step_summary EXIT

step() { # NAME COMMAND…
  step_name=$1
  step_since=$(step_now)
  shift
  printf '\n== %s\n' "$step_name"
  "$@" || exit
  step_done ok
}

# A fingerprint of the files that git knows or would know, and of the tools that read them.
step_fingerprint() { # PATHSPEC…
  {
    rustc -V
    node --version
    "$CHROME" --version 2>/dev/null
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
      git ls-files -z --cached --others --exclude-standard -- "$@"
    else
      find . -type f -not -path './target/*' -not -path './dist/*' -not -path './node_modules/*' -print0
    fi | sort -zu | xargs -0 -r sh -c 'for file; do [ ! -f "$file" ] || printf "%s\0" "$file"; done' _ | xargs -0 -r sha256sum
  } | sha256sum | cut -d' ' -f1
}

step_if_changed() { # NAME PATHSPEC… -- COMMAND…
  local name=$1 files=() stamp before
  shift
  while [ "$1" != -- ]; do
    files+=("$1")
    shift
  done
  shift
  stamp=${CARGO_TARGET_DIR:-target}/stamps/$(printf %s "$name" | tr -c 'a-zA-Z0-9' -)
  before=$(step_fingerprint "${files[@]}")
  if [ -z "${FORCE:-}" ] && [ "${CI:-}" != true ] && [ "$(cat "$stamp" 2>/dev/null)" = "$before" ]; then
    step_name=$name
    step_since=$(step_now)
    printf '\n== %s: nothing changed since it passed (FORCE=1 runs it)\n' "$name"
    step_done "unchanged"
    return
  fi
  rm -f "$stamp"
  step "$name" "$@"
  mkdir -p "$(dirname "$stamp")"
  printf '%s\n' "$before" >"$stamp"
}
