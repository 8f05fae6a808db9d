#!/usr/bin/env bash
# Installs what ratings are measured against: NumPy, SciPy and pandas in an environment of their own. A second
# run finds them and takes no time.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

folder=$viva_tools/bench-venv
wanted="numpy==2.3.5 scipy==1.16.3 pandas==2.3.3"

if [ "$(cat "$folder/installed" 2>/dev/null)" = "$wanted" ] && [ -x "$folder/bin/python" ]; then
  echo "bench-setup: $wanted in $folder"
  exit
fi
command -v python3 >/dev/null || { echo "bench-setup: Python 3 is missing" >&2 && exit 1; }
echo "bench-setup: installing $wanted into $folder (some 300 MB)"
rm -rf "$folder"
python3 -m venv "$folder" || { echo "bench-setup: no venv; on Debian: apt-get install python3-venv" >&2 && exit 1; }
# shellcheck disable=SC2086 # One argument a package.
"$folder/bin/pip" install --quiet --only-binary :all: $wanted
echo "$wanted" >"$folder/installed"
