"""Served documents per second, and their delay: `python -m tests.bench.bench_documents`.

The whole shop runs as users run it, with two workers and the demo products. *Cached*: nothing has changed since the
document was rendered. *Loaded and rendered*: every address is new, so that each document is loaded and rendered.
"""

import argparse
import asyncio
import os
import tempfile
from pathlib import Path

from pydantic import SecretStr

from backend.core.config.settings import Settings
from tests.bench.load import Connection, Task, build_get, connect, measure
from tests.bench.servers import start_redis, start_shop
from tests.ports import find_free_port

PATHS = {"home": "/", "list": "/catalog", "product": "/product/trompo-de-madera"}
CONCURRENCY = 16
WARM_UP_S = 0.5
"""Seconds in which every worker renders the document for the first time."""
METRICS_TOKEN = "a metrics token"
METRICS_HEADERS = {"authorization": f"Bearer {METRICS_TOKEN}"}
GZIP_HEADERS = {"accept-encoding": "gzip"}


def _request_cached(path: str) -> Task:
    request = build_get(path, GZIP_HEADERS)

    async def task(connection: Connection, _number: int) -> None:
        await connection.send(request)

    return task


def _request_rendered(path: str) -> Task:
    async def task(connection: Connection, number: int) -> None:
        await connection.send(build_get(f"{path}?n={number}", GZIP_HEADERS))

    return task


async def run(seconds: float, workers: int) -> None:
    """Open the shop, measure, and print a line for each page."""
    with tempfile.TemporaryDirectory() as folder, start_redis() as redis_url:
        settings = Settings(
            data_dir=Path(folder),
            port=find_free_port(),
            workers=workers,
            redis_url=redis_url,
            metrics_token=SecretStr(METRICS_TOKEN),
        )
        async with start_shop(settings) as (_process, opening):
            print(f"{workers} workers, open after {opening:.1f} s, load average {os.getloadavg()[0]:.1f}")
            for name, path in PATHS.items():
                await measure(
                    settings.port, _request_cached(path), concurrency=CONCURRENCY, seconds=WARM_UP_S
                )
                single = await measure(
                    settings.port, _request_cached(path), concurrency=1, seconds=seconds / 4
                )
                cached = await measure(
                    settings.port, _request_cached(path), concurrency=CONCURRENCY, seconds=seconds
                )
                rendered = await measure(
                    settings.port, _request_rendered(path), concurrency=CONCURRENCY, seconds=seconds
                )
                print(
                    f"{name:8} alone {single.median:5.1f} ms"
                    f"   cached {cached.rate:6.0f}/s (p95 {cached.percentile(0.95):4.0f} ms)"
                    f"   loaded and rendered {rendered.rate:5.0f}/s (p95 {rendered.percentile(0.95):4.0f} ms)",
                    flush=True,
                )
            connection = await connect(settings.port)
            renderer = (await connection.send_json(build_get("/health", METRICS_HEADERS)))["renderer"]
            connection.close()
            print(f"one worker's renderer holds {renderer['memory_mib']} MiB, {renderer['starts']} started")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the documents.")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    asyncio.run(run(arguments.seconds, arguments.workers))


if __name__ == "__main__":
    main()
