"""Kill the renderer (SIGKILL) while shoppers load pages, and check the documents they receive.

`python -m tests.failure.renderer --kills 100` prints the figures. The shop is the real one, in a separate process.
Every address is new, so that each document needs the renderer.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import httpx
import psutil

from tests.e2e.conftest import ShopServer

CONCURRENCY = 8
MAX_LIFE_S = 3.0
RESTART_TIMEOUT_S = 30.0
AGENTS = ("Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (compatible; Googlebot/2.1)")
"""A browser with scripts, which waits shortly for the renderer, and a crawler, which waits longer."""
METRICS_TOKEN = "a metrics token"
METRICS_HEADERS = {"authorization": f"Bearer {METRICS_TOKEN}"}
TITLES = {
    "/": "Juguetes hechos con cuidado · Trompo",
    "/catalog": "Todos los juguetes · Trompo",
    "/product/trompo-de-madera": "Trompo de madera · Trompo",
    "/product/yoyo-de-madera": "Yoyo de madera · Trompo",
}


@dataclass
class Figures:
    """Results of a run; times in milliseconds."""

    kills: int = 0
    rendered: int = 0
    shells: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)


async def run(kills: int) -> Figures:
    """Kill the renderer repeatedly, at random moments after its start, while clients load pages."""
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder), {"METRICS_TOKEN": METRICS_TOKEN})
        shop.start()
        try:
            return await _kill_during_requests(shop, kills)
        finally:
            shop.stop()


async def _kill_during_requests(shop: ShopServer, kills: int) -> Figures:
    figures = Figures()
    numbers = count()
    async with httpx.AsyncClient(base_url=shop.url, timeout=30) as client:
        readers = [
            asyncio.create_task(_send_requests(client, {"user-agent": AGENTS[number % 2]}, numbers, figures))
            for number in range(CONCURRENCY)
        ]
        for _ in range(kills):
            renderer = await _find_renderer(client, shop)
            await asyncio.sleep(
                random.uniform(0, MAX_LIFE_S)
            )  # the renderer dies at a random moment of its life
            renderer.kill()
            figures.kills += 1
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
    return figures


async def _find_renderer(client: httpx.AsyncClient, shop: ShopServer) -> psutil.Process:
    """Return the renderer's process as soon as one is ready."""
    assert shop.process is not None
    deadline = time.monotonic() + RESTART_TIMEOUT_S
    while True:
        assert time.monotonic() < deadline, "the renderer did not come back"
        is_up = (await client.get("/health", headers=METRICS_HEADERS)).json()["renderer"]["status"] == "up"
        children = psutil.Process(shop.process.pid).children(recursive=True)
        living = [child for child in children if _is_living_renderer(child)]
        if is_up and living:
            return living[0]


def _is_living_renderer(process: psutil.Process) -> bool:
    try:
        return "renderer.mjs" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # the killed process ends during this check
        return False


async def _send_requests(
    client: httpx.AsyncClient, headers: dict[str, str], numbers: "count[int]", figures: Figures
) -> None:
    """Request one document after the other, without a pause."""
    while True:
        path = random.choice(list(TITLES))
        started = time.perf_counter()
        answer = await client.get(path, params={"n": next(numbers)}, headers=headers)
        figures.times.append((time.perf_counter() - started) * 1000)
        if problem := _find_problem(path, answer):
            figures.wrong[problem] += 1
        elif "data-stand-in" not in answer.text:
            figures.rendered += 1
        else:
            figures.shells += 1


def _find_problem(path: str, answer: httpx.Response) -> str:
    """Return the error that a shopper would see; empty if there is none."""
    if answer.status_code != 200:
        return f"{path}: {answer.status_code}"
    if f">{TITLES[path]}</title>" not in answer.text:
        return f"{path}: another title"
    if '<template id="initial-state"' not in answer.text or not answer.text.endswith("</html>"):
        return f"{path}: incomplete"
    if "<h1" not in answer.text:
        return f"{path}: empty"
    return ""


def main() -> None:
    """Run from the command line and print the figures."""
    parser = argparse.ArgumentParser(description="Kill the renderer while shoppers read.")
    parser.add_argument("--kills", type=int, default=100)
    figures = asyncio.run(run(parser.parse_args().kills))
    times = sorted(figures.times)
    print(
        f"{figures.kills} kills, {len(times)} documents: {figures.rendered} rendered, {figures.shells} shells"
    )
    print(f"wrong: {dict(figures.wrong)}")
    median, p99 = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(f"{median:.0f} ms (median), {p99:.0f} ms (p99), {times[-1]:.0f} ms (slowest)")


if __name__ == "__main__":
    main()
