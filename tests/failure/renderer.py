"""Killing the renderer (SIGKILL) while shoppers read, and looking at what they are sent.

`python -m tests.failure.renderer --kills 100` prints the figures. The shop is the real one, in a process of its own.
Every address is a new one, so that each document asks for a drawing.
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

READERS = 8
LONGEST_LIFE = 3.0
SECONDS_TO_COME_BACK = 30.0
AGENTS = ("Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (compatible; Googlebot/2.1)")
"""A browser with scripts, which does not wait long for the renderer, and a crawler, which does."""
METRICS_TOKEN = "a token of those who watch"
WATCHER = {"authorization": f"Bearer {METRICS_TOKEN}"}
TITLES = {
    "/": "Juguetes hechos con cuidado · Trompo",
    "/catalog": "Todos los juguetes · Trompo",
    "/product/trompo-de-madera": "Trompo de madera · Trompo",
    "/product/yoyo-de-madera": "Yoyo de madera · Trompo",
}


@dataclass
class Figures:
    """What came of it; times in milliseconds."""

    kills: int = 0
    rendered: int = 0
    shells: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)


async def run(kills: int) -> Figures:
    """Kill the renderer again and again, each time at a random moment of its life, while others read."""
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder), {"METRICS_TOKEN": METRICS_TOKEN})
        shop.start()
        try:
            return await _kill_while_they_read(shop, kills)
        finally:
            shop.stop()


async def _kill_while_they_read(shop: ShopServer, kills: int) -> Figures:
    figures = Figures()
    numbers = count()
    async with httpx.AsyncClient(base_url=shop.url, timeout=30) as client:
        readers = [
            asyncio.create_task(_read(client, {"user-agent": AGENTS[number % 2]}, numbers, figures))
            for number in range(READERS)
        ]
        for _ in range(kills):
            renderer = await _next_renderer(client, shop)
            await asyncio.sleep(random.uniform(0, LONGEST_LIFE))  # the moment of its life at which it dies
            renderer.kill()
            figures.kills += 1
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
    return figures


async def _next_renderer(client: httpx.AsyncClient, shop: ShopServer) -> psutil.Process:
    """The renderer's process, once there is one that can be asked."""
    assert shop.process is not None
    deadline = time.monotonic() + SECONDS_TO_COME_BACK
    while True:
        assert time.monotonic() < deadline, "the renderer did not come back"
        is_up = (await client.get("/health", headers=WATCHER)).json()["renderer"]["status"] == "up"
        children = psutil.Process(shop.process.pid).children(recursive=True)
        living = [child for child in children if _is_living_renderer(child)]
        if is_up and living:
            return living[0]


def _is_living_renderer(process: psutil.Process) -> bool:
    try:
        return "renderer.mjs" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # the one just killed, which ends while it is looked at
        return False


async def _read(
    client: httpx.AsyncClient, headers: dict[str, str], numbers: "count[int]", figures: Figures
) -> None:
    """One reader after the other, without a pause."""
    while True:
        path = random.choice(list(TITLES))
        began = time.perf_counter()
        answer = await client.get(path, params={"n": next(numbers)}, headers=headers)
        figures.times.append((time.perf_counter() - began) * 1000)
        if problem := _problem(path, answer):
            figures.wrong[problem] += 1
        elif "data-stand-in" not in answer.text:
            figures.rendered += 1
        else:
            figures.shells += 1


def _problem(path: str, answer: httpx.Response) -> str:
    """What a shopper would call an error; empty when there is none."""
    if answer.status_code != 200:
        return f"{path}: {answer.status_code}"
    if f">{TITLES[path]}</title>" not in answer.text:
        return f"{path}: another title"
    if '<template id="initial-state"' not in answer.text or not answer.text.endswith("</html>"):
        return f"{path}: not whole"
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
