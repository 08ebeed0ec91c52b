"""What holds for every page of the shop whatever its shopper did, and what the books say of the cart."""

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

PATIENCE = 20.0
"""Seconds until all must hold: the shop and its browser share two cores with others."""
EVERY = 0.05

WATCH = """
    window.stirred = 1;  // this document is new itself
    new MutationObserver((all) => {
        window.stirred += all.filter(
            ({ target }) =>
                !target.parentElement?.closest("[data-testid=banner]") || target.closest?.(".banner__pause"),
        ).length;
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (const name of ["focusin", "scroll", "toggle", "input"])
        addEventListener(name, () => { window.stirred += 1; }, true);
"""
"""What a press changed is counted in `stirred`, but for the banner's slides, which move by themselves."""

LOOK = """() => {
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
class Books:
    """A look into the shop's database, which is the SQLite file here."""

    file: Path

    def lines(self, cart_id: str) -> Cart:
        """What lies in the cart, in the order in which it is shown."""
        query = "SELECT variant_id, quantity FROM line_item WHERE cart_id = ? ORDER BY id"
        return {str(variant): int(quantity) for variant, quantity in self._ask(query, cart_id)}

    def variant(self, sku: str) -> str:
        """The id of the variant with this code."""
        return str(self._ask("SELECT id FROM variant WHERE sku = ?", sku)[0][0])

    def only_variant(self, handle: str) -> str | None:
        """The variant of a toy that has one alone."""
        of_toy = "SELECT v.id FROM variant v JOIN product p ON p.id = v.product_id WHERE p.handle = ?"
        found = self._ask(of_toy, handle)
        return str(found[0][0]) if len(found) == 1 else None

    def available(self, variant_id: str) -> int:
        """Units that can be sold now."""
        query = "SELECT coalesce(sum(stocked - reserved), 0) FROM inventory_level WHERE variant_id = ?"
        return int(self._ask(query, variant_id)[0][0])

    def handles(self) -> list[str]:
        """The toys for sale."""
        query = "SELECT handle FROM product WHERE status = 'published' AND deleted_at IS NULL ORDER BY handle"
        return [str(handle) for (handle,) in self._ask(query)]

    def _ask(self, query: str, *values: object) -> list[Any]:
        with closing(sqlite3.connect(self.file, timeout=10)) as books:
            return books.execute(query, values).fetchall()


async def expect_health(page: Page, books: Books, cart: Cart, *, is_offline: bool) -> None:
    """Wait until nothing is wrong with the page; without a network what was pressed still waits to be sent.

    Args:
        page: where the shopper is, on any page of the shop.
        books: the shop's.
        cart: what was pressed into the cart.
        is_offline: whether there is no network.

    Raises:
        AssertionError: something is still wrong after `PATIENCE`.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            look = await page.evaluate(LOOK)
        except Error as error:  # the page is just being left
            wrong = f"cannot be asked: {error.message}"
        else:
            held = books.lines(look["cart"])
            wrong = _of_page(look, is_offline) or ("" if is_offline else _of_cart(look, held, cart))
        if not wrong:
            return
        assert time.monotonic() < deadline, f"{page.url}: {wrong}"
        await asyncio.sleep(EVERY)


def _of_page(look: dict[str, Any], is_offline: bool) -> str:
    """What is wrong with what the page shows; empty when nothing is."""
    found = {
        "it is not open": not look["isOpen"],
        "an error page": look["isBroken"] or look["hasFailed"],
        f"a failure is told: {look['notice']}": FAILURE in look["notice"],
        "no heading": not look["hasTitle"] and not is_offline,
        f"{look['outside']} pixels stick out": look["outside"] > 0,
        "it says that there is no connection": look["isCutOff"] and not is_offline,
        "it does not say that there is no connection": is_offline and not look["isCutOff"],
        "something is waited for without an end": not is_offline and (look["isBusy"] or look["isWaiting"]),
    }
    return next((wrong for wrong, is_found in found.items() if is_found), "")


def _of_cart(look: dict[str, Any], held: Cart, pressed: Cart) -> str:
    if held != pressed:
        return f"the cart holds {held}, and what was pressed comes to {pressed}"
    if look["units"] is not None and look["units"] != str(sum(held.values())):
        return f"the cart holds {sum(held.values())} units, and {look['units']} are shown"
    return ""
