"""Checks that hold for every page of the shop after any step, and the cart as stored in the database."""

import asyncio
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Error, Page

from backend.core.error_texts import FAILURE

Cart = dict[str, int]
"""Units by variant id."""

TIMEOUT_S = 120.0
"""Seconds until all must hold. The shop and its browser share two cores with others."""
POLL_INTERVAL_S = 0.05

WATCH_SCRIPT = """
    window.changes = 1;  // a new document counts as a change
    new MutationObserver((all) => {
        window.changes += all.filter(
            ({ target }) =>
                !target.parentElement?.closest("[data-testid=banner]") || target.closest?.(".banner__pause"),
        ).length;
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (const name of ["focusin", "scroll", "toggle", "input"])
        addEventListener(name, () => { window.changes += 1; }, true);
"""
"""Script that counts the page's changes in `changes`, except the banner's slides, which move by themselves."""

HEALTH_SCRIPT = """() => {
    const one = (selector) => document.querySelector(selector);
    const text = document.body?.innerText ?? "";
    return {
        isOpen: Boolean(window.__reflex) && document.readyState === "complete",
        hasTitle: Boolean(one("h1")),
        hasFailed: Boolean(one("[data-testid=page-failed]")),
        isBroken: /Application Error|se nos enredó|Internal Server Error/.test(text),
        notice: one("[data-testid=notice]")?.innerText.trim() ?? "",
        isCutOff: Boolean(one(".connection")),
        isBusy: Boolean(one("[aria-busy=true], [data-step=adding]")),
        isWaiting: [...document.querySelectorAll("main .bone")].some((bone) => bone.checkVisibility()),
        outside: document.documentElement.scrollWidth - innerWidth,
        units: one("[data-testid=cart-count]")?.textContent ?? null,
        cart: localStorage.getItem("trompo_cart") ?? "",
    };
}"""


@dataclass(frozen=True)
class ShopQueries:
    """Queries to the shop's SQLite file."""

    file: Path

    def read_lines(self, cart_id: str) -> Cart:
        """Return the cart's lines in display order."""
        query = "SELECT variant_id, quantity FROM line_item WHERE cart_id = ? ORDER BY id"
        return {str(variant): int(quantity) for variant, quantity in self._query(query, cart_id)}

    def find_variant(self, sku: str) -> str:
        """Return the id of the variant with this SKU."""
        return str(self._query("SELECT id FROM variant WHERE sku = ?", sku)[0][0])

    def find_only_variant(self, handle: str) -> str | None:
        """Return the variant of a product that has exactly one."""
        query = "SELECT v.id FROM variant v JOIN product p ON p.id = v.product_id WHERE p.handle = ?"
        rows = self._query(query, handle)
        return str(rows[0][0]) if len(rows) == 1 else None

    def count_available(self, variant_id: str) -> int:
        """Return the units that can be sold now."""
        query = "SELECT coalesce(sum(stocked - reserved), 0) FROM inventory_level WHERE variant_id = ?"
        return int(self._query(query, variant_id)[0][0])

    def list_handles(self) -> list[str]:
        """Return the handles of the products for sale."""
        query = "SELECT handle FROM product WHERE status = 'published' AND deleted_at IS NULL ORDER BY handle"
        return [str(handle) for (handle,) in self._query(query)]

    def _query(self, query: str, *values: object) -> list[Any]:
        with closing(sqlite3.connect(self.file, timeout=TIMEOUT_S)) as books:
            return books.execute(query, values).fetchall()


async def expect_health(page: Page, books: ShopQueries, cart: Cart, *, is_offline: bool) -> None:
    """Wait until the page and the cart have no problem; offline, added units may still wait to be sent.

    Args:
        page: the shopper's page, any page of the shop.
        books: the shop's database.
        cart: the units that the shopper has added.
        is_offline: true if there is no network.

    Raises:
        AssertionError: something is still wrong after `TIMEOUT_S`, or the page shows the notice of a failure, which
            would disappear by itself.
    """
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            page_state = await page.evaluate(HEALTH_SCRIPT)
        except Error as error:  # the page is being closed
            wrong = f"cannot be evaluated: {error.message}"
        else:
            assert FAILURE not in page_state["notice"], (
                f"{page.url}: it shows a failure: {page_state['notice']}"
            )
            held = books.read_lines(page_state["cart"])
            wrong = _find_page_problem(page_state, is_offline) or (
                "" if is_offline else _find_cart_problem(page_state, held, cart)
            )
        if not wrong:
            return
        assert time.monotonic() < deadline, f"{page.url}: {wrong}"
        await asyncio.sleep(POLL_INTERVAL_S)


def _find_page_problem(page_state: dict[str, Any], is_offline: bool) -> str:
    """Return the first problem of the displayed page; empty if there is none."""
    problems = {
        "it has not loaded": not page_state["isOpen"],
        "an error page": page_state["isBroken"] or page_state["hasFailed"],
        "no heading": not page_state["hasTitle"] and not is_offline,
        f"{page_state['outside']} pixels are wider than the window": page_state["outside"] > 0,
        "it says that there is no connection": page_state["isCutOff"] and not is_offline,
        "it does not say that there is no connection": is_offline and not page_state["isCutOff"],
        "it never stops waiting": not is_offline and (page_state["isBusy"] or page_state["isWaiting"]),
    }
    return next((wrong for wrong, is_found in problems.items() if is_found), "")


def _find_cart_problem(page_state: dict[str, Any], held: Cart, expected: Cart) -> str:
    if held != expected:
        return f"the cart holds {held}, expected {expected}"
    if page_state["units"] is not None and page_state["units"] != str(sum(held.values())):
        return f"the cart holds {sum(held.values())} units, but {page_state['units']} are displayed"
    return ""
