"""An S3 server for tests: moto, in a separate process."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import httpx

from tests.ports import find_free_port

OPEN_TIMEOUT_S = 60
KEY_ID, SECRET = "AKIAEXAMPLE", "se/cret+key"


@contextmanager
def s3_server() -> Iterator[str]:
    """Run the server until the block ends. Yield its URL."""
    port = find_free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "MOTO_S3_DEFAULT_KEY_BUFFER_SIZE": "10000000"},
    )
    try:
        deadline = time.monotonic() + OPEN_TIMEOUT_S
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, "moto did not start"
            assert time.monotonic() < deadline, "moto did not open"
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def create_bucket(server: str) -> str:
    """Create an empty bucket. Return the URL of a folder in it, as a value for PICTURES_URL."""
    bucket = f"products-{uuid4().hex}"
    httpx.put(f"{server}/{bucket}").raise_for_status()
    return f"{server.replace('//', f'//{KEY_ID}:se%2Fcret%2Bkey@')}/{bucket}/shop"
