"""How many documents a second the shop sends, and how soon: `python -m tests.bench.bench_documents`.

The whole shop as users run it, two workers on the demo toys. *Kept*: nothing has changed since the document was
drawn. *Drawn*: every address is a new one, so that each document is loaded and rendered.
"""

import argparse
import asyncio
import os
import tempfile
from pathlib import Path

from pydantic import SecretStr

from backend.core.config.settings import Settings
from tests.bench.load import Connection, Task, connect, get, measure
from tests.bench.scene import redis_server, shop_process
from tests.ports import free_port

PATHS = {"home": "/", "list": "/catalog", "product": "/product/trompo-de-madera"}
AT_ONCE = 16
WARM = 0.5
"""Seconds in which every worker draws the document for the first time."""
METRICS_TOKEN = "a token of those who watch"
WATCHER = {"authorization": f"Bearer {METRICS_TOKEN}"}
UNPACKED = {"accept-encoding": "gzip"}


def _cached(path: str) -> Task:
    request = get(path, UNPACKED)

    async def task(connection: Connection, _number: int) -> None:
        await connection.ask(request)

    return task


def _rendered(path: str) -> Task:
    async def task(connection: Connection, number: int) -> None:
        await connection.ask(get(f"{path}?n={number}", UNPACKED))

    return task


async def run(seconds: float, workers: int) -> None:
    """Open the shop, measure, and print a line for each page."""
    with tempfile.TemporaryDirectory() as folder, redis_server() as redis_url:
        settings = Settings(
            data_dir=Path(folder),
            port=free_port(),
            workers=workers,
            redis_url=redis_url,
            metrics_token=SecretStr(METRICS_TOKEN),
        )
        async with shop_process(settings) as (_process, opening):
            print(f"{workers} workers, open after {opening:.1f} s, load average {os.getloadavg()[0]:.1f}")
            for name, path in PATHS.items():
                await measure(settings.port, _cached(path), at_once=AT_ONCE, seconds=WARM)
                alone = await measure(settings.port, _cached(path), at_once=1, seconds=seconds / 4)
                cached = await measure(settings.port, _cached(path), at_once=AT_ONCE, seconds=seconds)
                rendered = await measure(settings.port, _rendered(path), at_once=AT_ONCE, seconds=seconds)
                print(
                    f"{name:8} alone {alone.median:5.1f} ms"
                    f"   cached {cached.rate:6.0f}/s (p95 {cached.at(0.95):4.0f} ms)"
                    f"   loaded and rendered {rendered.rate:5.0f}/s (p95 {rendered.at(0.95):4.0f} ms)",
                    flush=True,
                )
            connection = await connect(settings.port)
            renderer = (await connection.ask_json(get("/health", WATCHER)))["renderer"]
            connection.close()
            print(f"one worker's renderer holds {renderer['memory_mib']} MiB, {renderer['starts']} started")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the documents.")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    asyncio.run(run(asked.seconds, asked.workers))


if __name__ == "__main__":
    main()
