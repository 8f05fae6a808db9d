#!/usr/bin/env bash
# Compares ratings with those of other programs on data that are not part of this product:
# llmfao.csv, battles18.csv and battles18-exact.json in the folder that is given.
set -euo pipefail
data=$(cd "${1:?give the folder of the data}" && pwd) || exit 1
cd "$(dirname "$0")/.."
. scripts/env.sh

for name in llmfao.csv battles18.csv battles18-exact.json; do
  [ -f "$data/$name" ] || { echo "check-external: $name is not in $data" >&2 && exit 1; }
done

folder=$viva_tools/external-venv
wanted="evalica==0.4.2 numpy==2.3.5 scipy==1.16.3 pandas==2.3.3"
if [ "$(cat "$folder/installed" 2>/dev/null)" != "$wanted" ] || [ ! -x "$folder/bin/python" ]; then
  command -v python3 >/dev/null || { echo "check-external: Python 3 is missing" >&2 && exit 1; }
  echo "check-external: installing $wanted into $folder (some 300 MB)"
  rm -rf "$folder"
  python3 -m venv "$folder" || { echo "check-external: no venv; on Debian: apt-get install python3-venv" >&2 && exit 1; }
  # shellcheck disable=SC2086 # One argument a package.
  "$folder/bin/pip" install --quiet --only-binary :all: $wanted
  echo "$wanted" >"$folder/installed"
fi

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
for name in llmfao.csv battles18.csv; do
  VIVA_BATTLES=$data/$name VIVA_RATINGS=$made/$name.json \
    cargo test --locked --quiet --test it -- --ignored --exact battles::rate_a_file >"$made/log" 2>&1 ||
    { cat "$made/log" >&2 && exit 1; }
done
"$folder/bin/python" bench/external.py "$data" "$made"
