"""Random shoppers wander through the shop, and after each step it is looked whether all is well.

`python -m tests.failure.wandering --actions 20000` goes on where the run of this seed before it ended; `--visit 17`
does one visit again. A failure is printed with its seed, visit and last steps, and its picture kept beside the figures.
What must hold: see `tests.failure.page_health`; every press changes something, and the cart holds what was pressed.
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

from tests.e2e.conftest import ShopServer, Watch
from tests.failure.page_health import Books
from tests.failure.progress import Progress
from tests.failure.wanderer import WIDTHS, Wanderer
from tools.browser import launch

A_VISIT = 40
"""Actions of one shopper; the next one is new to the shop."""
LAST = 12
"""Actions that are told of a failure."""
KEPT = Path("test-results/wandering")


@dataclass
class Figures(Progress):
    """Progress of the run of a seed: visits and actions."""

    visits: int = 0
    actions: int = 0


async def visit(shop: ShopServer, browser: Browser, figures: Figures, folder: Path, steps: int) -> None:
    """One shopper's visit, which ends with the first failure."""
    name = f"{figures.seed}-{figures.visits}"
    dice = random.Random(name)
    watch, width = Watch(), dice.choice(WIDTHS)
    context = await browser.new_context(
        base_url=shop.url, viewport={"width": width, "height": 800}, locale="es-CO"
    )
    books = Books(shop.folder / "data" / "trompo.db")
    shopper = Wanderer(context, books, watch, dice)
    try:
        await shopper.begin()
        for _ in range(steps):
            await shopper.step()
            figures.actions += 1
    except (AssertionError, BrowserError) as error:
        last = "\n  ".join(shopper.told[-LAST:])
        wrong = f"seed {figures.seed}, visit {figures.visits}, step {len(shopper.told)}: {error}\n  {last}"
        figures.failures.append(wrong)
        print(wrong, flush=True)
        with suppress(BrowserError):  # where the browser itself failed there is no picture
            await shopper.page.screenshot(path=folder / f"{name}.png")
    finally:
        figures.visits += 1
        await context.close()


async def wander(figures: Figures, folder: Path, actions: int, *, a_visit: int = A_VISIT) -> None:
    """Visits to a shop of their own, which is stocked and killed with them, until `actions` were done in all."""
    with tempfile.TemporaryDirectory() as place:
        shop = ShopServer(Path(place))
        shop.start()
        try:
            async with async_playwright() as playwright:
                browser = await launch(playwright)
                while figures.actions < actions:
                    await visit(shop, browser, figures, folder, min(a_visit, actions - figures.actions))
                    figures.write(folder)
        finally:
            shop.stop()


def main() -> None:
    """Run from the command line; ends with 1 when something went wrong."""
    parser = argparse.ArgumentParser(description="Random shoppers.")
    parser.add_argument("--actions", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--visit", type=int, help="this visit alone, once more")
    asked = parser.parse_args()
    if asked.visit is None:
        figures, folder = Figures.read(KEPT, asked.seed), KEPT
        until = asked.actions
    else:
        figures, folder = Figures(asked.seed, asked.visit), KEPT / "again"
        until = A_VISIT
    began, before = time.monotonic(), figures.actions
    asyncio.run(wander(figures, folder, until))
    seconds = time.monotonic() - began
    print(
        f"seed {figures.seed}: {figures.actions} actions in {figures.visits} visits ({figures.actions - before} now, in"
        f" {seconds:.0f} s), {len(figures.failures)} failures"
    )
    sys.exit(bool(figures.failures))


if __name__ == "__main__":
    main()
