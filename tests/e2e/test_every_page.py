"""Rules for every page in every state: no overflow, accessible to everyone, no layout shift while it loads."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error, FloatRect, Page, expect

from storefront.reflex_ext.office_bundle import END, START
from storefront.server.build import CLIENT
from tests.e2e.chromium import close_within_limit
from tests.e2e.conftest import WIDTHS, OpenPage, PageWatch
from tests.e2e.scenes import PAGE_SCENES, PHONE_SCENES, visit
from tests.e2e.shopper import put_in_cart, resize
from tests.node_packages import find_packages

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
VIOLATIONS = """async (rules) =>
    (await axe.run({ runOnly: rules, resultTypes: ["violations"] })).violations
"""
MAX_SCRIPT_BYTES = 170 * 1024
"""Bytes of compressed JavaScript on a page of the shop."""
LISTS = {"catalog", "age/:slug", "brand/:slug", "collection/:slug"}
PAGES_OF_SCRIPTS = {
    "catalog": LISTS,
    "product_card": {*LISTS, "", "*", "cart", "gift", "product/:slug", "wishlist"},
    "product_suggestions": {*LISTS, "", "*", "cart", "product/:slug", "wishlist"},
    "promo_code": {"cart", "checkout"},
    "sharing": {"product/:slug"},
    "shipping_estimate": {"cart", "product/:slug"},
    "slides": {"", "product/:slug"},
}
"""The pages that use a script, by its name in the build."""
FOCUS_RING = """() => {
    const at = document.activeElement;
    if (!at || at === document.body) return null;
    const around = [at, at.parentElement, at.nextElementSibling, at.closest("label")].filter(Boolean);
    const drawn = around.flatMap((one) => [null, "::before", "::after"].map((part) => getComputedStyle(one, part)));
    return {
        what: at.outerHTML.slice(0, 120),
        isRinged: drawn.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2),
    };
}"""
COVER_PAGE = """() => document.body.insertAdjacentHTML(
    "beforeend", '<p style="position: absolute; inset: 0; height: 1000px; z-index: 59; background: white">')
"""
RECORD_SHIFTS = """
    window.shifts = [];
    window.moved = [];
    {
        const box = (one) => [one.x, one.y, one.width, one.height].map(Math.round).join(" ");
        const text = (node) => (node?.outerHTML ?? node?.textContent ?? "gone").slice(0, 120);
        const told = (one) => `${text(one.node)}: ${box(one.previousRect)} -> ${box(one.currentRect)}`;
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) {
                window.shifts.push(entry.value);
                window.moved.push(...entry.sources.map(told));
            }
        }).observe({ type: "layout-shift", buffered: true });
    }
"""


@pytest.fixture(scope="session")
def axe() -> str:
    """Return the accessibility checker's script."""
    return (find_packages(Path(__file__).parent / "axe") / "node_modules/axe-core/axe.min.js").read_text(
        "utf-8"
    )


@pytest.mark.timeout(3600)  # every screen in sequence
async def test_screens_have_no_overflow_and_are_accessible(
    open_page: OpenPage, watch: PageWatch, axe: str
) -> None:
    """Check for overflow, and for WCAG 2.2 AA as far as a program can (spec: Storefront view rules 8).

    One crawl over all screens: each has a new tab and a new visitor, in one browser that keeps its cache.
    """
    watch.expect("404")
    watch.expect("400")  # a form that was sent empty
    failures: dict[str, str] = {}
    async with open_page(*WIDTHS["320"]) as first:
        for name, scene in {**PAGE_SCENES, **PHONE_SCENES}.items():
            page = await first.context.new_page()
            watch.attach(page)
            await page.emulate_media(
                reduced_motion="reduce"
            )  # a half faded-in element does not have its contrast yet
            try:
                await scene(page)
                await check_screen(page, axe, ["320"] if name in PHONE_SCENES else list(WIDTHS))
            except (AssertionError, Error) as error:
                failures[name] = str(error)
            await close_within_limit(page)
            await forget_visitor(first)
    assert failures == {}


async def check_screen(page: Page, axe: str, widths: Sequence[str]) -> None:
    """Check that the screen has no overflow and no accessibility violation at each width, without loading it again."""
    await page.evaluate(axe)
    await page.mouse.move(
        0, 0
    )  # otherwise it may hover over another element at another width and change its colours
    for width in widths:
        await resize(page, *WIDTHS[width])
        await page.evaluate("scrollTo(0, 0)")  # further down, the header covers parts of the page
        inner = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        assert await page.evaluate(inner) == [int(width), int(width)]
        violations = await page.evaluate(VIOLATIONS, RULES)
        assert [format_violation(violation) for violation in violations] == [], width


async def forget_visitor(page: Page) -> None:
    """Delete the cookies and the storage of a browser whose other tabs are closed."""
    await page.goto("/robots.txt")  # of the same origin, without scripts
    await page.evaluate("localStorage.clear()")
    await page.context.clear_cookies()


def format_violation(violation: dict[str, Any]) -> str:
    nodes = [f"{node['target']}: {node['failureSummary']}" for node in violation["nodes"]]
    return f"{violation['id']} ({violation['impact']}): {nodes}"


async def test_focus_is_visible_on_every_element(page: Page) -> None:
    for path in ("/", "/catalog", "/product/trompo-de-madera", "/account/login"):
        await visit(page, path)
        unseen = []
        stops = 0
        while True:
            await page.keyboard.press("Tab")
            stop = await page.evaluate(FOCUS_RING)
            if stop is None:
                break
            stops += 1
            if not stop["isRinged"]:
                unseen.append(stop["what"])
        assert stops > 10, path
        assert unseen == [], path


async def test_skip_link_is_visible_only_with_the_keyboard_focus(page_320: Page) -> None:
    """Check also that the link is not above the window, because pictures of whole pages would show it there."""
    await visit(page_320, "/product/trompo-de-madera")
    await page_320.evaluate("document.activeElement.blur(); scrollTo(0, 400)")
    await page_320.evaluate(COVER_PAGE)  # covers content that still loads, below the link
    link = page_320.get_by_role("link", name="Saltar al contenido", include_hidden=True)
    place = await link.bounding_box()
    assert place is not None
    clip = FloatRect(x=place["x"], y=place["y"] + 400, width=place["width"], height=place["height"])

    async def picture() -> bytes:
        return await page_320.screenshot(full_page=True, clip=clip, animations="disabled")

    unfocused = await picture()
    await link.evaluate("(link) => { link.style.visibility = 'hidden' }")
    assert unfocused == await picture()
    await link.evaluate("(link) => { link.style.visibility = ''; link.focus() }")
    await expect(link).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    "path", ["/", "/catalog", "/catalog?category=munecas-y-peluches", "/product/trompo-de-madera"]
)
async def test_layout_does_not_shift_while_loading(page: Page, path: str) -> None:
    await page.add_init_script(RECORD_SHIFTS)
    await visit(page, path)
    await expect(page.get_by_test_id("cart-count")).to_be_attached()
    # the remaining shift is a word that moves by the width of a letter when its font loads late
    assert sum(await page.evaluate("window.shifts")) < 0.01


async def test_scripts_that_the_browser_loads_on_a_shop_page_fit_the_limit(page_320: Page) -> None:
    """Add up all scripts of each page, also those that the browser has cached from an earlier page."""
    await put_in_cart(page_320, "trompo-de-madera")
    for path in ("/", "/catalog", "/product/trompo-de-madera", "/gift", "/cart", "/checkout"):
        await visit(page_320, path)
        scripts = "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.js'))"
        sizes = await page_320.evaluate(f"{scripts}.map((one) => one.encodedBodySize)")
        assert len(sizes) > 3
        assert min(sizes) > 0
        assert sum(sizes) <= MAX_SCRIPT_BYTES, path


async def test_scripts_built_for_every_shop_page_fit_the_limit(production_build: None) -> None:
    sizes = {path: sum(map(read_served_size, files)) for path, files in list_page_scripts().items()}
    assert {"", "checkout", "order/:id", "account", "*"} < set(sizes)
    assert {path: size for path, size in sizes.items() if size > MAX_SCRIPT_BYTES} == {}


async def test_scripts_of_some_pages_are_not_loaded_by_others(production_build: None) -> None:
    loaded = {
        name: {
            path for path, files in list_page_scripts().items() if any(f"/{name}-" in file for file in files)
        }
        for name in PAGES_OF_SCRIPTS
    }
    assert loaded == PAGES_OF_SCRIPTS


def list_page_scripts() -> dict[str, set[str]]:
    """Return the addresses of all scripts of each page of the shop, by the path of its route."""
    (file,) = (CLIENT / "assets").glob("manifest-*.js")
    manifest = json.loads(file.read_text("utf-8").removeprefix(START).removesuffix(END))
    routes = manifest["routes"]
    parts = {name: {route["module"], *route["imports"]} for name, route in routes.items()}
    shared = {
        manifest["entry"]["module"],
        *manifest["entry"]["imports"],
        *parts["root"],
        f"/assets/{file.name}",
    }
    return {route.get("path") or "": shared | parts[name] for name, route in routes.items() if name != "root"}


def read_served_size(address: str) -> int:
    """Return the size of a script as browsers get it: compressed, if the build has compressed it."""
    file = CLIENT / address.removeprefix("/")
    packed = file.with_name(f"{file.name}.br")
    return (packed if packed.exists() else file).stat().st_size
