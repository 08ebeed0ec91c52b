"""Shoppers who act at random in the shop; after each step every page is checked.

`python -m tests.failure.wandering --actions 20000` continues the run of this seed; `--visit 17` repeats one visit.
A failure is printed with its seed, visit and latest steps, and its screenshot is stored next to the figures. The
checks: see `tests.failure.page_health`; every click changes something, and the cart holds the units that were
added.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, async_playwright
from playwright.async_api import Error as BrowserError

from tests.e2e.conftest import PageWatch, ShopServer
from tests.failure.page_health import ShopQueries
from tests.failure.progress import Progress
from tests.failure.wanderer import WIDTHS, Wanderer
from tools.browser import launch

ACTIONS_PER_VISIT = 40
"""Actions of one shopper; the next shopper has a new browser."""
MAX_PRINTED_STEPS = 12
"""Number of actions printed with a failure."""
RESULTS_FOLDER = Path("test-results/wandering")


@dataclass
class Figures(Progress):
    """Progress of a run: visits and actions so far."""

    visits: int = 0
    actions: int = 0


async def visit(shop: ShopServer, browser: Browser, figures: Figures, folder: Path, steps: int) -> None:
    """Simulate one shopper's visit, which ends with the first failure."""
    name = f"{figures.seed}-{figures.visits}"
    rng = random.Random(name)
    watch, width = PageWatch(), rng.choice(WIDTHS)
    context = await browser.new_context(
        base_url=shop.url, viewport={"width": width, "height": 800}, locale="es-CO", service_workers="block"
    )
    books = ShopQueries(shop.folder / "data" / "trompo.db")
    shopper = Wanderer(context, books, watch, rng)
    try:
        await shopper.begin()
        for _ in range(steps):
            await shopper.step()
            figures.actions += 1
    except (AssertionError, BrowserError) as error:
        last = "\n  ".join(shopper.history[-MAX_PRINTED_STEPS:])
        report = (
            f"seed {figures.seed}, visit {figures.visits}, step {len(shopper.history)}: {error}\n  {last}"
        )
        figures.failures.append(report)
        print(report, flush=True)
        with suppress(BrowserError):  # a browser that has failed takes no screenshot
            await shopper.page.screenshot(path=folder / f"{name}.png")
    finally:
        figures.visits += 1
        await context.close()


async def wander(
    figures: Figures, folder: Path, actions: int, *, actions_per_visit: int = ACTIONS_PER_VISIT
) -> None:
    """Simulate visits to a new shop until `actions` were done in total."""
    with tempfile.TemporaryDirectory() as temporary:
        shop = ShopServer(Path(temporary))
        shop.start()
        try:
            async with async_playwright() as playwright:
                browser = await launch(playwright)
                while figures.actions < actions:
                    await visit(
                        shop, browser, figures, folder, min(actions_per_visit, actions - figures.actions)
                    )
                    figures.write(folder)
        finally:
            shop.stop()


def main() -> None:
    """Run from the command line; exit with 1 on failures."""
    parser = argparse.ArgumentParser(
        description="Let shoppers act at random in the shop, and check every page."
    )
    parser.add_argument("--actions", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--visit", type=int, help="repeat only this visit")
    arguments = parser.parse_args()
    if arguments.visit is None:
        figures, folder = Figures.read(RESULTS_FOLDER, arguments.seed), RESULTS_FOLDER
        until = arguments.actions
    else:
        figures, folder = Figures(arguments.seed, visits=arguments.visit), RESULTS_FOLDER / "again"
        until = ACTIONS_PER_VISIT
    started, before = time.monotonic(), figures.actions
    asyncio.run(wander(figures, folder, until))
    seconds = time.monotonic() - started
    print(
        f"seed {figures.seed}: {figures.actions} actions in {figures.visits} visits ({figures.actions - before} now, in"
        f" {seconds:.0f} s), {len(figures.failures)} failures"
    )
    sys.exit(bool(figures.failures))


if __name__ == "__main__":
    main()
