"""A PgBouncer in transaction mode in front of a test's PostgreSQL server."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url

from tests.ports import find_free_port

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
needs_pgbouncer = pytest.mark.skipif(
    PROGRAM is None, reason="pgbouncer is not installed (apt-get install pgbouncer)"
)
POOL_SIZE = 3
"""A small number, so that transactions of one client run on another client's connection."""
CONFIGURATION = """\
[databases]
* = host={host} user={user} pool_size={size}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_round_robin = 1
max_client_conn = 500
"""
OPEN_TIMEOUT_S = 20


@contextmanager
def run_pooler(url: str) -> Iterator[str]:
    """Run PgBouncer in front of the database at `url`. Yield the URL through the pooler."""
    server, port = make_url(url), find_free_port()
    host = str(server.query["host"])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pgbouncer.ini"
        file.write_text(CONFIGURATION.format(host=host, user=server.username, size=POOL_SIZE, port=port))
        # pgbouncer refuses to run as root, and only the server's own user can open its socket
        other_user = ["-u", Path(host).owner()] if os.geteuid() == 0 else []
        process = subprocess.Popen(
            [str(PROGRAM), "--quiet", *other_user, str(file)], stderr=subprocess.DEVNULL
        )
        try:
            _wait_until_open(port, process)
            yield server.set(host="127.0.0.1", port=port, query={}).render_as_string(hide_password=False)
        finally:
            process.terminate()
            process.wait()


def _wait_until_open(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + OPEN_TIMEOUT_S
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, "pgbouncer did not start"
        assert time.monotonic() < deadline, "pgbouncer did not open"
        time.sleep(0.02)
