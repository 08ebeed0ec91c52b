"""A PgBouncer in transaction mode before a test's PostgreSQL server."""

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

from tests.ports import free_port

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
needs_pgbouncer = pytest.mark.skipif(
    PROGRAM is None, reason="there is no pgbouncer on this machine (apt-get install pgbouncer)"
)
CONNECTIONS = 3
"""So few that transactions of one client land on another's connection."""
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
SECONDS_TO_OPEN = 20


@contextmanager
def pooled(url: str) -> Iterator[str]:
    """The address by which the database at `url` is reached through the pooler, until the block ends."""
    server, port = make_url(url), free_port()
    host = str(server.query["host"])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pgbouncer.ini"
        file.write_text(CONFIGURATION.format(host=host, user=server.username, size=CONNECTIONS, port=port))
        # it refuses to be root, and only the server's own user gets to its socket
        other_user = ["-u", Path(host).owner()] if os.geteuid() == 0 else []
        process = subprocess.Popen(
            [str(PROGRAM), "--quiet", *other_user, str(file)], stderr=subprocess.DEVNULL
        )
        try:
            _wait(port, process)
            yield server.set(host="127.0.0.1", port=port, query={}).render_as_string(hide_password=False)
        finally:
            process.terminate()
            process.wait()


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + SECONDS_TO_OPEN
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, "pgbouncer did not start"
        assert time.monotonic() < deadline, "pgbouncer did not open"
        time.sleep(0.02)
