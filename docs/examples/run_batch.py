#!/usr/bin/env python3
"""Runs a batch file in OpenAI's format against any compatible server, one request a line.

    python3 run_batch.py requests.jsonl results.jsonl --base-url http://127.0.0.1:8080/v1

Results are written in OpenAI's output format, in whatever order they come. Run the same command again
after a break, and only what has no result yet is asked; what failed is asked once more. A key is read from
the environment (VIVA_API_KEY, or the variable named by --key-env) and goes to that server only.

Needs Python 3.9 or later and nothing else.
"""

import argparse
import http.client
import json
import os
import random
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

# Statuses that may be another one the next time.
PASSING = {408, 409, 425, 429, 498, 500, 502, 503, 504, 529}
# Refusals of the request itself. A key or an address can be mended, and then it is worth asking again.
FINAL = {400, 413, 422}
LONGEST_WAIT = 300


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("requests", help="batch file, one request a line")
    parser.add_argument("results", help="file of results; what is in it already is not asked again")
    parser.add_argument("--base-url", required=True, help="address up to the version, such as http://127.0.0.1:8080/v1")
    parser.add_argument("--key-env", default="VIVA_API_KEY", help="environment variable that holds the key, if there is one")
    parser.add_argument("--key-header", default="Authorization", help="header for the key; Azure wants api-key")
    parser.add_argument("--concurrency", type=int, default=4, help="requests at the same time")
    parser.add_argument("--tries", type=int, default=4, help="tries of a request, the first included")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one reply")
    return parser.parse_args()


def read_requests(path: str) -> list:
    """The requests in order. A broken file is refused whole: a part of a batch would pass for all of it."""
    requests = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                request = json.loads(line)
                request["custom_id"], request["url"], request["body"]
            except (ValueError, KeyError, TypeError):
                sys.exit(f"{path}, line {number}: not a request in OpenAI's batch format")
            requests.append(request)
    return requests


def finished(path: str) -> set:
    """Ids that need not be asked again: of replies, and of refusals that would come again.

    A last line that was cut when the program ended is taken off, so that the next one begins on its own.
    """
    done = set()
    if not os.path.exists(path):
        return done
    with open(path, "rb+") as file:
        end = 0
        for line in file:
            if not line.endswith(b"\n"):
                break
            end += len(line)
            try:
                result = json.loads(line)
                response = result.get("response")
                if response and (response["status_code"] < 300 or response["status_code"] in FINAL):
                    done.add(result["custom_id"])
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
        file.truncate(end)
    return done


def address(base: str, url: str) -> str:
    """Lines name the path of OpenAI's own API; the base address has its own beginning."""
    return base.rstrip("/") + (url[3:] if url.startswith("/v1/") else url)


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key to wherever it points; its status is the answer."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirects)


def send(options: argparse.Namespace, key: str, request: dict) -> tuple:
    """One exchange: a result without its id, and the seconds that the server asks to be left alone for."""
    headers = {"Content-Type": "application/json"}
    if key:
        headers[options.key_header] = f"Bearer {key}" if options.key_header == "Authorization" else key
    call = urllib.request.Request(
        address(options.base_url, request["url"]),
        data=json.dumps(request["body"], ensure_ascii=False).encode(),
        headers=headers,
        method="POST",
    )
    try:
        with OPENER.open(call, timeout=options.timeout) as reply:
            status, text, asked = reply.status, reply.read(), None
    except urllib.error.HTTPError as error:
        status, text, asked = error.code, error.read(), error.headers.get("Retry-After")
    except TimeoutError:
        return {"response": None, "error": {"code": "timeout", "message": f"no reply within {options.timeout:g} s"}}, None
    except (OSError, http.client.HTTPException) as error:
        return {"response": None, "error": {"code": "unreachable", "message": str(error)}}, None
    text = text.decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except ValueError:
        body = text
    response = {"status_code": status, "request_id": uuid.uuid4().hex, "body": body}
    return {"response": response, "error": None}, float(asked) if asked and asked.isdigit() else None


def ask(options: argparse.Namespace, key: str, request: dict, stop: threading.Event) -> dict:
    """One request to its end: a reply, a refusal that would come again, or the last failure."""
    for attempt in range(1, options.tries + 1):
        result, asked = send(options, key, request)
        response = result["response"]
        if (response and response["status_code"] not in PASSING) or attempt == options.tries:
            break
        pause = random.uniform(0, min(60, 2**attempt)) + min(asked or 0, LONGEST_WAIT)
        if stop.wait(pause):
            break
    return {"id": f"batch_req_{uuid.uuid4().hex}", "custom_id": request["custom_id"], **result}


def main() -> None:
    options = arguments()
    key = os.environ.get(options.key_env, "")
    requests = read_requests(options.requests)
    done = finished(options.results)
    todo = [request for request in requests if request["custom_id"] not in done]
    print(f"{len(requests)} requests, {len(requests) - len(todo)} with a result, {len(todo)} to ask", flush=True)
    stop = threading.Event()
    asked = failed = 0
    told = time.monotonic()
    with open(options.results, "a", encoding="utf-8") as results, ThreadPoolExecutor(max(1, options.concurrency)) as pool:
        waiting, rest = set(), iter(todo)
        try:
            while True:
                # No more are handed over than can run, so that a break loses none but those under way.
                while len(waiting) < max(1, options.concurrency):
                    request = next(rest, None)
                    if request is None:
                        break
                    waiting.add(pool.submit(ask, options, key, request, stop))
                if not waiting:
                    break
                ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in ended:
                    result = future.result()
                    results.write(json.dumps(result, ensure_ascii=False, separators=(",", ":")) + "\n")
                    asked += 1
                    response = result["response"]
                    failed += not (response and response["status_code"] < 300)
                # Written down before more is asked: a reply that is paid for is not lost.
                results.flush()
                if 10 < time.monotonic() - told:
                    told = time.monotonic()
                    print(f"{asked} of {len(todo)}", flush=True)
        except KeyboardInterrupt:
            stop.set()
            print("stopping: waiting for what is under way", flush=True)
            for future in waiting:
                results.write(json.dumps(future.result(), ensure_ascii=False, separators=(",", ":")) + "\n")
    print(f"{asked} asked, {failed} without a reply", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
