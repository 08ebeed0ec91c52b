"""A shopper who acts at random: each step is drawn, done in a real browser, and checked."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, ElementHandle, Error, Locator, Page
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from backend.catalog.models import WRAPPING_SKU
from tests.e2e.conftest import PageWatch
from tests.e2e.shopper import decide_at_bank, fill_in_checkout, go_to_bank, open_checkout
from tests.failure.page_health import POLL_INTERVAL_S, WATCH_SCRIPT, Cart, ShopQueries, expect_health

MAX_TABS = 3
MAX_UNITS = 99
CLICK_TIMEOUT_MS = 10_000
"""Milliseconds until a visible element can be clicked; if it cannot, something covers it."""
CHANGE_TIMEOUT_S = 5.0
"""Seconds until a click must have changed something."""
ARRIVAL_TIMEOUT_S = 3.0
NOT_ATTACHED = "Not attached to an active page"
BANK = "/sandbox/gateway/bank/"
EXPECTED_MESSAGES = (
    "ERR_INTERNET_DISCONNECTED",
    *(f"status of {code}" for code in (400, 401, 404, 410, 422, 429)),
)
"""Browser console messages about missing addresses, forms sent empty, and a lost network."""

PATHS = (
    *(
        "/",
        "/catalog",
        "/catalog?page=2",
        "/catalog?category=munecas-y-peluches",
        "/catalog?q=pelota",
        "/gift",
    ),
    *(
        "/catalog?q=%F0%9F%8E%88",
        "/catalog?sale=1",
        "/age/3-5",
        "/age/99",
        "/brand/la-puntada",
        "/brand/nadie",
        "/collection/hecho-en-colombia",
    ),
    *(
        "/cart",
        "/checkout",
        "/wishlist",
        "/order/find",
        "/order/order_nadie",
        "/pqrs",
        "/legal/datos",
        "/legal/nada",
    ),
    *("/account", "/account/login", "/account/register", "/account/reset", "/product/nada", "/no/such/page"),
)
TEXTS = (
    *(
        "pelota",
        "tren de madera",
        "niña 5 años",
        "zzzz",
        "🎈",
        "<b>hola</b>",
        "' OR 1=1 --",
        "ana@example.com",
    ),
    *("   ", "-1", "300 123 4567", "juguete " * 40),
)
KEYS = ("Escape", "Tab", "Shift+Tab", "PageDown", "Home", "End", "ArrowRight", "ArrowDown")
WIDTHS = (320, 390, 768, 1280)

VISIBLE_SCRIPT = """
    const opened = [...document.querySelectorAll("dialog[open]")].at(-1);
    const inSight = (selector) => [...(opened ?? document).querySelectorAll(selector)].filter((one) => {
        const box = one.getBoundingClientRect();
        const isDrawn = one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        const reacts = getComputedStyle(one).pointerEvents !== "none" && !one.closest("[inert]");
        return isDrawn && box.width > 1 && box.height > 1 && reacts && !one.matches(":disabled");
    });
    const draw = (all) => all[Math.floor(part * all.length)] ?? null;
"""
LINK_SCRIPT = f"""(part) => {{ {VISIBLE_SCRIPT}
    return draw(inSight("main a[href], header a[href], footer a[href], dialog a[href]").filter(
        (link) => link.origin === location.origin && !link.target && !link.hasAttribute("download")));
}}"""
LINK_TARGET_SCRIPT = """(link) => [
    link.pathname + link.search + link.hash,
    link.pathname + link.search !== location.pathname + location.search && !link.dataset.opens
        && link.dataset.testid !== "show-more",  // extends the list of the same page
]"""
RESET_SCRIPT = """() => {
    document.querySelector(".skip-link:focus")?.blur();  // it covers the content that it skips
    window.changes = 0;
}"""
EXCLUDED_BUTTONS = (
    "[data-testid=add-to-cart], [data-testid=quick-add], .add__button, .stepper__button, [data-testid=remove-line],"
    "[data-testid=buy-again],"
    "[data-testid=add-wrapping], [data-testid=share], [data-testid=print-order], [data-testid=place-order],"
    "[data-testid=try-again]"
)
"""Buttons that change the cart, which other steps click, or that leave the page."""
BUTTON_SCRIPT = f"""(part) => {{ {VISIBLE_SCRIPT}
    return draw(inSight("button, summary, label:has([type=checkbox]), label:has([type=radio])").filter(
        (one) => !one.matches("{EXCLUDED_BUTTONS}, [aria-current=true]") && !one.querySelector(":checked, :disabled")));
}}"""
FIELD_SCRIPT = f"""(part) => {{ {VISIBLE_SCRIPT}
    return draw(inSight("input[type=text], input[type=search], input[type=email], input:not([type]), textarea").filter(
        (one) => !one.matches("[data-testid=quantity]") && !one.readOnly));
}}"""
OPTIONS_SCRIPT = "(select) => [...select.options].filter((one) => !one.disabled).map((one) => one.index)"
IN_FRONT_SCRIPT = """(all) => {
    const at = document.querySelector("dialog[open]");
    return all.map((one) => !at || at.contains(one));
}"""
"""Script: return for each element whether no dialog covers it."""
SELECT_SCRIPT = f"(part) => {{ {VISIBLE_SCRIPT} return draw(inSight('select')); }}"


class Wanderer:
    """One visit to the shop. `history` describes the steps; `cart` holds the units that the shopper added."""

    def __init__(
        self, context: BrowserContext, books: ShopQueries, watch: PageWatch, rng: random.Random
    ) -> None:
        self.history: list[str] = []
        self.cart: Cart = {}
        self._cart_before_loss: Cart | None = None
        self._context = context
        self._books = books
        self._watch = watch
        self._rng = rng
        self._is_offline = False
        self._handles = books.list_handles()
        self._steps: dict[Callable[[], Awaitable[str]], int] = {
            self._open_path: 8,
            self._follow_link: 14,
            self._click_button: 20,
            self._choose_option: 3,
            self._type_text: 8,
            self._press_key: 5,
            self._go_back: 6,
            self._reload: 3,
            self._resize: 3,
            self._open_tab: 2,
            self._change_tab: 3,
            self._add_product: 14,
            self._change_line: 14,
            self._move_wish_to_cart: 2,
            self._add_from_card: 2,
            self._add_wrapping: 2,
            self._buy: 1,
            self._lose_network: 3,
            self._lose_network_while_adding: 2,
        }
        self._offline_steps = {
            self._click_button: 4,
            self._follow_link: 2,
            self._type_text: 1,
            self._add_product: 2,
            self._change_line: 2,
            self._restore_network: 4,
        }

    @property
    def page(self) -> Page:
        """Return the tab in front."""
        return self._context.pages[-1]

    async def begin(self) -> None:
        """Open the shop's home page."""
        for text in EXPECTED_MESSAGES:
            self._watch.expect(text)
        await self._context.add_init_script(WATCH_SCRIPT)
        await self._new_page("/")
        await self.check_pages()

    async def step(self) -> None:
        """Do one random step, and check all pages.

        Raises:
            AssertionError: a check failed.
        """
        steps = self._offline_steps if self._is_offline else self._steps
        (step,) = self._rng.choices(list(steps), list(steps.values()))
        self.history.append(step.__name__.strip("_"))  # names a step that never ends
        self.history[-1] += (
            f": {await step()} ({urlsplit(self.page.url).path}, {len(self._context.pages)} tabs)"
        )
        await self.check_pages()

    async def check_pages(self) -> None:
        """Check every tab."""
        if not self._is_offline and self._cart_before_loss is not None:
            await self._update_cart_after_loss(self._cart_before_loss)
        for page in self._context.pages:
            await expect_health(page, self._books, self.cart, is_offline=self._is_offline)
        problems = self._watch.list_unexpected()
        assert not problems, f"{self.page.url}: {problems}"

    # navigation

    async def _open_path(self) -> str:
        path = self._rng.choice((*PATHS, *(f"/product/{self._rng.choice(self._handles)}" for _ in range(8))))
        try:
            await self.page.goto(path)
        except Error as error:
            if "ERR_ABORTED" not in error.message:
                raise
            await self.page.goto(path)  # the previous page was just redirecting
        return path

    async def _follow_link(self) -> str:
        link = await self._pick_element(LINK_SCRIPT)
        if link is None:
            return "nothing"
        page, before = self.page, self.page.url
        target, opens_page = await link.evaluate(LINK_TARGET_SCRIPT)
        result = await self._click(link)
        if opens_page and not result and not self._is_offline:
            await page.wait_for_url(lambda url: url != before, wait_until="commit", timeout=CLICK_TIMEOUT_MS)
        return f"{target} {result}"

    async def _go_back(self) -> str:
        target = self._rng.choice(("back", "back", "forward"))
        before = self.page.url
        try:
            await (self.page.go_back() if target == "back" else self.page.go_forward())
        except Error as error:
            if NOT_ATTACHED not in error.message:
                raise
            await self._new_page(before)  # Chromium lost this tab between two documents
            await self._context.pages[-2].close()
        if self.page.url == "about:blank":
            await self.page.goto(before)
        elif BANK in self.page.url:  # not a page of the shop's
            await self.page.get_by_test_id("bank-return").click()
            await self.page.wait_for_url("**/order/*")
        return target

    async def _reload(self) -> str:
        await self.page.reload()
        return ""

    async def _resize(self) -> str:
        width = self._rng.choice(WIDTHS)
        await self.page.set_viewport_size({"width": width, "height": 800})
        return str(width)

    async def _open_tab(self) -> str:
        if len(self._context.pages) < MAX_TABS:
            path = self._rng.choice(PATHS)
            await self._new_page(path)
            return path
        await self._context.pages[0].close()
        return "closed the oldest"

    async def _change_tab(self) -> str:
        if len(self._context.pages) == 1:
            return "nothing"
        await self.page.close()
        return "closed"

    # clicking and typing anywhere

    async def _click_button(self) -> str:
        button = await self._pick_element(BUTTON_SCRIPT)
        if button is None:
            return "nothing"
        name = await button.evaluate(
            "(one) => (one.ariaLabel || one.innerText || one.outerHTML).slice(0, 60)"
        )
        return f"{name!r} {await self._click(button)}"

    async def _choose_option(self) -> str:
        select = await self._pick_element(SELECT_SCRIPT)
        if select is None:
            return "nothing"
        with suppress(Error):  # the page may remove it in the meantime
            places = await select.evaluate(OPTIONS_SCRIPT)
            if not places:
                return "nothing"
            place = self._rng.choice(places)
            await select.select_option(index=place, timeout=CLICK_TIMEOUT_MS)
            return f"choice {place}"
        return "gone"

    async def _type_text(self) -> str:
        field = await self._pick_element(FIELD_SCRIPT)
        if field is None:
            return "nothing"
        text, is_sent = self._rng.choice(TEXTS), self._rng.random() < 0.4
        with suppress(Error):  # the page may remove it while the text is typed
            await field.fill(text, timeout=CLICK_TIMEOUT_MS)
            if is_sent:
                await field.press("Enter")
        return f"{text[:20]!r}{' and sent' if is_sent else ''}"

    async def _press_key(self) -> str:
        key = self._rng.choice(KEYS)
        await self.page.keyboard.press(key)
        return key

    # the cart

    async def _add_product(self) -> str:
        try:
            return await self._try_to_add_product()
        except PlaywrightTimeoutError:
            if await self.page.get_by_test_id("add-to-cart").count():
                raise
            return "gone"  # an earlier search has opened another page

    async def _try_to_add_product(self) -> str:
        if not self._is_offline and self._rng.random() < 0.7:
            await self.page.goto(f"/product/{self._rng.choice(self._handles)}")
            await self.check_pages()
        await self._close_suggestions()
        button = self.page.locator("[data-testid=add-to-cart]:not(:disabled)")
        if not await self._is_visible(button) or await button.get_attribute("data-step") == "adding":
            return "nothing"
        more = self.page.locator(".product__buy").get_by_role("button", name="Agregar una unidad")
        for _ in range(self._rng.choice((0, 0, 1, 2))):
            if await more.is_enabled():
                await more.click(timeout=CLICK_TIMEOUT_MS)
        units = int(await self.page.locator(".product__buy [data-testid=quantity]").input_value())
        sku = self.page.locator(".product__facts dt", has_text="Referencia").locator("+ dd")
        variant = self._books.find_variant(await sku.inner_text())
        await button.click(timeout=CLICK_TIMEOUT_MS)
        self._add_to_cart(variant, units)
        return f"{units} of {variant}"

    async def _change_line(self) -> str:
        if not self.cart:
            return await self._add_product()
        if not self._is_offline and self._rng.random() < 0.6:
            await self.page.goto("/cart")
            await self.check_pages()
        await self._close_suggestions()
        lines = self.page.locator("[data-testid=cart-line]")
        variants, are_in_front = list(self.cart), await lines.evaluate_all(IN_FRONT_SCRIPT)
        count = len(are_in_front)
        if not all(are_in_front) or not count:
            return "nothing"
        assert count == len(variants), f"{count} of {len(variants)} lines are displayed"
        place = self._rng.randrange(count)
        change = self._rng.choice(("more", "more", "fewer", "type", "remove"))
        try:
            await self._apply_to_line(lines.nth(place), variants[place], change)
        except PlaywrightTimeoutError:
            if await lines.count():
                raise
            return "gone"  # the panel was closing
        return f"{change} of {variants[place]}"

    async def _apply_to_line(self, line: Locator, variant: str, change: str) -> None:
        if change == "remove" and not self._is_offline:
            await line.locator("[data-testid=remove-line]").click(timeout=CLICK_TIMEOUT_MS)
            self._remove_from_cart(variant)
        elif change in ("more", "fewer"):
            name = "Agregar una unidad" if change == "more" else "Quitar una unidad"
            button = line.get_by_role("button", name=name)
            if await button.count() and await button.is_enabled():
                await button.click(timeout=CLICK_TIMEOUT_MS)
                self.cart = {**self.cart, variant: self.cart[variant] + (1 if change == "more" else -1)}
        elif await line.locator("[data-testid=quantity]").count():
            typed = self._rng.randrange(1, 8)
            await line.locator("[data-testid=quantity]").fill(str(typed), timeout=CLICK_TIMEOUT_MS)
            self.cart = {**self.cart, variant: min(typed, self._books.count_available(variant), MAX_UNITS)}

    async def _move_wish_to_cart(self) -> str:
        return await self._click_on_card("/wishlist", "wish-to-cart")

    async def _add_from_card(self) -> str:
        return await self._click_on_card("/catalog", "quick-add")

    async def _click_on_card(self, path: str, test_id: str) -> str:
        await self.page.goto(path)
        await self.check_pages()
        card = self.page.locator(f"li:has([data-testid={test_id}])").first
        if not await card.count():
            return "nothing"
        link = str(await card.locator("a.card__link").get_attribute("href"))
        variant = self._books.find_only_variant(urlsplit(link).path.rsplit("/", 1)[-1])
        if variant is None:
            return "nothing"
        await card.get_by_test_id(test_id).click(timeout=CLICK_TIMEOUT_MS)
        self._add_to_cart(variant, 1)
        return variant

    async def _add_wrapping(self) -> str:
        await self.page.goto("/cart")
        await self.check_pages()
        button = self.page.get_by_test_id("add-wrapping")
        if not await button.count():
            return "nothing"
        await button.click(timeout=CLICK_TIMEOUT_MS)
        self._add_to_cart(self._books.find_variant(WRAPPING_SKU), 1)
        return ""

    async def _buy(self) -> str:
        if not self.cart:
            return "nothing"
        for page in self._context.pages[:-1]:
            await page.close()
        decision = self._rng.choice(("approve", "reject"))
        await open_checkout(self.page)
        await fill_in_checkout(self.page)
        await go_to_bank(self.page)
        await decide_at_bank(self.page, decision)
        if decision == "approve":
            self.cart = {}
        else:
            await self.page.get_by_test_id("try-again").click()
            await self.page.wait_for_url("**/checkout")
        return decision

    # the network

    async def _lose_network(self) -> str:
        await self._context.set_offline(True)
        self._is_offline = True
        return ""

    async def _restore_network(self) -> str:
        await self._context.set_offline(False)
        self._is_offline = False
        return ""

    async def _update_cart_after_loss(self, before: Cart) -> None:
        """Wait for the change that was made without a network. `before` is the cart before that change.

        If it does not arrive within `ARRIVAL_TIMEOUT_S`, expect the cart `before` from now on.
        """
        deadline = time.monotonic() + ARRIVAL_TIMEOUT_S
        cart_id = str(await self.page.evaluate("localStorage.getItem('trompo_cart') ?? ''"))
        while self._books.read_lines(cart_id) != self.cart and time.monotonic() < deadline:
            await asyncio.sleep(POLL_INTERVAL_S)
            cart_id = str(await self.page.evaluate("localStorage.getItem('trompo_cart') ?? ''"))
        if self._books.read_lines(cart_id) != self.cart:
            self.cart = before
        self._cart_before_loss = None

    async def _lose_network_while_adding(self) -> str:
        before = self.cart
        result = await self._add_product()
        if self.cart != before:
            self._cart_before_loss = before  # it may not have arrived
        await self._lose_network()
        return result

    # helpers

    async def _new_page(self, path: str) -> None:
        page = await self._context.new_page()
        self._watch.attach(page)
        await page.goto(path)

    async def _pick_element(self, script: str) -> ElementHandle | None:
        picked = await self.page.evaluate_handle(script, self._rng.random())
        return picked.as_element()

    async def _click(self, element: ElementHandle) -> str:
        """Click the element, and check that something changes."""
        page, before = self.page, self.page.url
        await page.evaluate(RESET_SCRIPT)
        try:
            await element.click(timeout=CLICK_TIMEOUT_MS)
        except PlaywrightTimeoutError as error:
            if await _is_gone(element):
                return "gone"
            if 'from <header class="header">' in error.message:
                await page.keyboard.press("Escape")
                return "covered by search suggestions"
            if 'class="notices' in error.message:
                return "covered by a notice"  # it stays while the pointer is over it
            raise AssertionError(f"it cannot be clicked: {error.message[-600:]}") from error
        except Error:
            return "gone"  # the page removed it
        deadline = time.monotonic() + CHANGE_TIMEOUT_S
        while not self._is_offline and page.url == before and not await _has_changed(page):
            assert time.monotonic() < deadline, (
                f"nothing changed: {await element.evaluate('e => e.outerHTML')}"
            )
            await asyncio.sleep(POLL_INTERVAL_S)
        return ""

    async def _close_suggestions(self) -> None:
        """Touch the page, as a shopper does to close a list of suggestions that covers it."""
        await self.page.evaluate("document.dispatchEvent(new PointerEvent('pointerdown'))")

    async def _is_visible(self, element: Locator) -> bool:
        return (
            await element.count() == 1
            and await element.is_visible()
            and await element.evaluate_all(IN_FRONT_SCRIPT) == [True]
        )

    def _add_to_cart(self, variant: str, units: int) -> None:
        total = self.cart.get(variant, 0) + units
        if total <= min(self._books.count_available(variant), MAX_UNITS):
            self.cart = {**self.cart, variant: total}

    def _remove_from_cart(self, variant: str) -> None:
        remaining = {held: units for held, units in self.cart.items() if held != variant}
        self.cart = {} if set(remaining) == {self._books.find_variant(WRAPPING_SKU)} else remaining


async def _is_gone(element: ElementHandle) -> bool:
    try:
        return not await element.evaluate(
            "(one) => one.isConnected && one.checkVisibility() && !one.closest('[inert]')"
        )
    except Error:
        return True


async def _has_changed(page: Page) -> bool:
    try:
        return bool(await page.evaluate("() => window.changes > 0"))
    except Error:  # the page is being closed
        return True
