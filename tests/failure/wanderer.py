"""A shopper who does anything at all: each step is drawn, done in a real browser, and looked after."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, ElementHandle, Error, Locator, Page
from playwright.async_api import TimeoutError as TooLate

from backend.catalog.models import WRAPPING_SKU
from tests.e2e.conftest import Watch
from tests.e2e.shopper import decide, fill_in, go_to_bank, open_checkout
from tests.failure.page_health import EVERY, WATCH, Books, Cart, expect_health

MOST_TABS = 3
MOST_UNITS = 99
REACHED_MS = 10_000
"""Milliseconds until what can be seen can be pressed; when it cannot, something lies over it."""
STIRRED_WITHIN = 5.0
"""Seconds until a press must have changed something."""
ARRIVES_WITHIN = 3.0
NOT_ATTACHED = "Not attached to an active page"
BANK = "/sandbox/gateway/bank/"
PROVOKED = ("ERR_INTERNET_DISCONNECTED", *(f"status of {code}" for code in (400, 401, 404, 410, 422, 429)))
"""What the browser's console says of addresses that do not exist, of forms sent empty, and of a lost network."""

PLACES = (
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
TYPED = (
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

IN_SIGHT = """
    const opened = [...document.querySelectorAll("dialog[open]")].at(-1);
    const inSight = (selector) => [...(opened ?? document).querySelectorAll(selector)].filter((one) => {
        const box = one.getBoundingClientRect();
        const isDrawn = one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        return isDrawn && box.width > 1 && box.height > 1 && !one.closest("[inert]") && !one.matches(":disabled");
    });
    const draw = (all) => all[Math.floor(part * all.length)] ?? null;
"""
LINK = f"""(part) => {{ {IN_SIGHT}
    return draw(inSight("main a[href], header a[href], footer a[href], dialog a[href]").filter(
        (link) => link.origin === location.origin && !link.target && !link.hasAttribute("download")));
}}"""
LEADS = """(link) => [
    link.pathname + link.search + link.hash,
    link.pathname + link.search !== location.pathname + location.search && !link.dataset.opens
        && link.dataset.testid !== "show-more",  // adds to the list that is there
]"""
READY = """() => {
    document.querySelector(".skip-link:focus")?.blur();  // it lies over what the keyboard skips
    window.stirred = 0;
}"""
ELSEWHERE = (
    "[data-testid=add-to-cart], .add__button, .stepper__button, [data-testid=remove-line], [data-testid=buy-again],"
    "[data-testid=add-wrapping], [data-testid=share], [data-testid=print-order], [data-testid=place-order],"
    "[data-testid=try-again]"
)
"""Buttons that change the cart, which are pressed by steps of their own, or lead out of the page."""
BUTTON = f"""(part) => {{ {IN_SIGHT}
    return draw(inSight("button, summary, label:has([type=checkbox]), label:has([type=radio])").filter(
        (one) => !one.matches("{ELSEWHERE}, [aria-current=true]") && !one.querySelector(":checked, :disabled")));
}}"""
FIELD = f"""(part) => {{ {IN_SIGHT}
    return draw(inSight("input[type=text], input[type=search], input[type=email], input:not([type]), textarea").filter(
        (one) => !one.matches("[data-testid=quantity]") && !one.readOnly));
}}"""
CHOICES = "(select) => [...select.options].filter((one) => !one.disabled).map((one) => one.index)"
IN_FRONT = """(all) => {
    const at = document.querySelector("dialog[open]");
    return all.map((one) => !at || at.contains(one));
}"""
"""Whether each is not behind a dialog."""
CHOICE = f"(part) => {{ {IN_SIGHT} return draw(inSight('select')); }}"


class Wanderer:
    """One visit to the shop. `told` is what was done, in words; `cart` what was pressed into the cart."""

    def __init__(self, context: BrowserContext, books: Books, watch: Watch, dice: random.Random) -> None:
        self.told: list[str] = []
        self.cart: Cart = {}
        self._maybe: Cart | None = None
        self._context = context
        self._books = books
        self._watch = watch
        self._dice = dice
        self._is_offline = False
        self._handles = books.handles()
        self._steps: dict[Callable[[], Awaitable[str]], int] = {
            self._go: 8,
            self._follow: 14,
            self._press: 20,
            self._choose: 3,
            self._type: 8,
            self._key: 5,
            self._back: 6,
            self._reload: 3,
            self._resize: 3,
            self._open_tab: 2,
            self._change_tab: 3,
            self._add: 14,
            self._change_line: 14,
            self._wish_to_cart: 2,
            self._wrap: 2,
            self._buy: 1,
            self._lose_network: 3,
            self._lose_network_while_adding: 2,
        }
        self._without_network = {
            self._press: 4,
            self._follow: 2,
            self._type: 1,
            self._add: 2,
            self._change_line: 2,
            self._find_network: 4,
        }

    @property
    def page(self) -> Page:
        """The tab in front."""
        return self._context.pages[-1]

    async def begin(self) -> None:
        """Come in."""
        for text in PROVOKED:
            self._watch.expect(text)
        await self._context.add_init_script(WATCH)
        await self._new_page("/")
        await self.look()

    async def step(self) -> None:
        """Do something, and see that all is well.

        Raises:
            AssertionError: it is not.
        """
        steps = self._without_network if self._is_offline else self._steps
        (step,) = self._dice.choices(list(steps), list(steps.values()))
        self.told.append(step.__name__.strip("_"))  # for who looks at a step that never came back
        self.told[-1] += f": {await step()} ({urlsplit(self.page.url).path}, {len(self._context.pages)} tabs)"
        await self.look()

    async def look(self) -> None:
        """See that all is well, in every tab."""
        if not self._is_offline and self._maybe is not None:
            await self._see_what_arrived(self._maybe)
        for page in self._context.pages:
            await expect_health(page, self._books, self.cart, is_offline=self._is_offline)
        problems = self._watch.unexpected()
        assert not problems, f"{self.page.url}: {problems}"

    # going about

    async def _go(self) -> str:
        path = self._dice.choice(
            (*PLACES, *(f"/product/{self._dice.choice(self._handles)}" for _ in range(8)))
        )
        try:
            await self.page.goto(path)
        except Error as error:
            if "ERR_ABORTED" not in error.message:
                raise
            await self.page.goto(path)  # the page before it was just going somewhere by itself
        return path

    async def _follow(self) -> str:
        link = await self._draw(LINK)
        if link is None:
            return "nothing"
        page, before = self.page, self.page.url
        where, leads_on = await link.evaluate(LEADS)
        said = await self._click(link)
        if leads_on and not said and not self._is_offline:
            await page.wait_for_url(lambda url: url != before, wait_until="commit", timeout=REACHED_MS)
        return f"{where} {said}"

    async def _back(self) -> str:
        where = self._dice.choice(("back", "back", "forward"))
        before = self.page.url
        try:
            await (self.page.go_back() if where == "back" else self.page.go_forward())
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
        return where

    async def _reload(self) -> str:
        await self.page.reload()
        return ""

    async def _resize(self) -> str:
        width = self._dice.choice(WIDTHS)
        await self.page.set_viewport_size({"width": width, "height": 800})
        return str(width)

    async def _open_tab(self) -> str:
        if len(self._context.pages) < MOST_TABS:
            path = self._dice.choice(PLACES)
            await self._new_page(path)
            return path
        await self._context.pages[0].close()
        return "closed the oldest"

    async def _change_tab(self) -> str:
        if len(self._context.pages) == 1:
            return "nothing"
        await self.page.close()
        return "closed"

    # pressing and typing whatever there is

    async def _press(self) -> str:
        button = await self._draw(BUTTON)
        if button is None:
            return "nothing"
        name = await button.evaluate(
            "(one) => (one.ariaLabel || one.innerText || one.outerHTML).slice(0, 60)"
        )
        return f"{name!r} {await self._click(button)}"

    async def _choose(self) -> str:
        select = await self._draw(CHOICE)
        if select is None:
            return "nothing"
        with suppress(Error):  # the page may take it away meanwhile
            places = await select.evaluate(CHOICES)
            if not places:
                return "nothing"
            place = self._dice.choice(places)
            await select.select_option(index=place, timeout=REACHED_MS)
            return f"choice {place}"
        return "gone"

    async def _type(self) -> str:
        field = await self._draw(FIELD)
        if field is None:
            return "nothing"
        text, is_sent = self._dice.choice(TYPED), self._dice.random() < 0.4
        with suppress(Error):  # the page may take it away while it is typed into
            await field.fill(text, timeout=REACHED_MS)
            if is_sent:
                await field.press("Enter")
        return f"{text[:20]!r}{' and sent' if is_sent else ''}"

    async def _key(self) -> str:
        key = self._dice.choice(KEYS)
        await self.page.keyboard.press(key)
        return key

    # the cart

    async def _add(self) -> str:
        try:
            return await self._try_to_add()
        except TooLate:
            if await self.page.get_by_test_id("add-to-cart").count():
                raise
            return "gone"  # a search that was sent before has led away

    async def _try_to_add(self) -> str:
        if not self._is_offline and self._dice.random() < 0.7:
            await self.page.goto(f"/product/{self._dice.choice(self._handles)}")
            await self.look()
        button = self.page.locator("[data-testid=add-to-cart]:not(:disabled)")
        if not await self._is_in_sight(button) or await button.get_attribute("data-step") == "adding":
            return "nothing"
        more = self.page.locator(".product__buy").get_by_role("button", name="Agregar una unidad")
        for _ in range(self._dice.choice((0, 0, 1, 2))):
            if await more.is_enabled():
                await more.click(timeout=REACHED_MS)
        units = int(await self.page.locator(".product__buy [data-testid=quantity]").input_value())
        sku = self.page.locator(".product__facts dt", has_text="Referencia").locator("+ dd")
        variant = self._books.variant(await sku.inner_text())
        await button.click(timeout=REACHED_MS)
        self._put(variant, units)
        return f"{units} of {variant}"

    async def _change_line(self) -> str:
        if not self.cart:
            return await self._add()
        if not self._is_offline and self._dice.random() < 0.6:
            await self.page.goto("/cart")
            await self.look()
        lines = self.page.locator("[data-testid=cart-line]")
        variants, are_in_sight = list(self.cart), await lines.evaluate_all(IN_FRONT)
        count = len(are_in_sight)
        if not all(are_in_sight) or not count:
            return "nothing"
        assert count == len(variants), f"{count} lines of {len(variants)} are shown"
        place = self._dice.randrange(count)
        what = self._dice.choice(("more", "more", "fewer", "type", "remove"))
        try:
            await self._do_to_line(lines.nth(place), variants[place], what)
        except TooLate:
            if await lines.count():
                raise
            return "gone"  # the panel was just closing
        return f"{what} of {variants[place]}"

    async def _do_to_line(self, line: Locator, variant: str, what: str) -> None:
        if what == "remove" and not self._is_offline:
            await line.locator("[data-testid=remove-line]").click(timeout=REACHED_MS)
            self._take_out(variant)
        elif what in ("more", "fewer"):
            name = "Agregar una unidad" if what == "more" else "Quitar una unidad"
            button = line.get_by_role("button", name=name)
            if await button.count() and await button.is_enabled():
                await button.click(timeout=REACHED_MS)
                self.cart = {**self.cart, variant: self.cart[variant] + (1 if what == "more" else -1)}
        elif await line.locator("[data-testid=quantity]").count():
            typed = self._dice.randrange(1, 8)
            await line.locator("[data-testid=quantity]").fill(str(typed), timeout=REACHED_MS)
            self.cart = {**self.cart, variant: min(typed, self._books.available(variant), MOST_UNITS)}

    async def _wish_to_cart(self) -> str:
        await self.page.goto("/wishlist")
        await self.look()
        card = self.page.locator("li:has([data-testid=wish-to-cart])").first
        if not await card.count():
            return "nothing"
        path = str(await card.locator("a.card__link").get_attribute("href"))
        variant = self._books.only_variant(urlsplit(path).path.rsplit("/", 1)[-1])
        if variant is None:
            return "nothing"
        await card.get_by_test_id("wish-to-cart").click(timeout=REACHED_MS)
        self._put(variant, 1)
        return variant

    async def _wrap(self) -> str:
        await self.page.goto("/cart")
        await self.look()
        button = self.page.get_by_test_id("add-wrapping")
        if not await button.count():
            return "nothing"
        await button.click(timeout=REACHED_MS)
        self._put(self._books.variant(WRAPPING_SKU), 1)
        return ""

    async def _buy(self) -> str:
        if not self.cart:
            return "nothing"
        for page in self._context.pages[:-1]:
            await page.close()
        decision = self._dice.choice(("approve", "reject"))
        await open_checkout(self.page)
        await fill_in(self.page)
        await go_to_bank(self.page)
        await decide(self.page, decision)
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

    async def _find_network(self) -> str:
        await self._context.set_offline(False)
        self._is_offline = False
        return ""

    async def _see_what_arrived(self, before: Cart) -> None:
        """What was asked while the network went away is done within `ARRIVES_WITHIN`, or all is as `before`."""
        deadline = time.monotonic() + ARRIVES_WITHIN
        cart_id = str(await self.page.evaluate("localStorage.getItem('trompo_cart') ?? ''"))
        while self._books.lines(cart_id) != self.cart and time.monotonic() < deadline:
            await asyncio.sleep(EVERY)
            cart_id = str(await self.page.evaluate("localStorage.getItem('trompo_cart') ?? ''"))
        if self._books.lines(cart_id) != self.cart:
            self.cart = before
        self._maybe = None

    async def _lose_network_while_adding(self) -> str:
        before = self.cart
        said = await self._add()
        if self.cart != before:
            self._maybe = before  # nobody knows whether it arrived
        await self._lose_network()
        return said

    # how

    async def _new_page(self, path: str) -> None:
        page = await self._context.new_page()
        self._watch.over(page)
        await page.goto(path)

    async def _draw(self, script: str) -> ElementHandle | None:
        drawn = await self.page.evaluate_handle(script, self._dice.random())
        return drawn.as_element()

    async def _click(self, element: ElementHandle) -> str:
        """Press it, and see that something comes of it."""
        page, before = self.page, self.page.url
        await page.evaluate(READY)
        try:
            await element.click(timeout=REACHED_MS)
        except TooLate as error:
            if await _is_gone(element):
                return "gone"
            if 'from <header class="header">' in error.message:
                await page.keyboard.press("Escape")
                return "covered by what the search suggests"
            if 'class="notices' in error.message:
                return "covered by a notice"  # which rests while it is pointed at
            raise AssertionError(f"it cannot be pressed: {error.message[-600:]}") from error
        except Error:
            return "gone"  # the page took it away
        deadline = time.monotonic() + STIRRED_WITHIN
        while not self._is_offline and page.url == before and not await _has_stirred(page):
            assert time.monotonic() < deadline, (
                f"nothing came of it: {await element.evaluate('e => e.outerHTML')}"
            )
            await asyncio.sleep(EVERY)
        return ""

    async def _is_in_sight(self, one: Locator) -> bool:
        return (
            await one.count() == 1 and await one.is_visible() and await one.evaluate_all(IN_FRONT) == [True]
        )

    def _put(self, variant: str, units: int) -> None:
        wanted = self.cart.get(variant, 0) + units
        if wanted <= min(self._books.available(variant), MOST_UNITS):
            self.cart = {**self.cart, variant: wanted}

    def _take_out(self, variant: str) -> None:
        left = {held: units for held, units in self.cart.items() if held != variant}
        self.cart = {} if set(left) == {self._books.variant(WRAPPING_SKU)} else left


async def _is_gone(element: ElementHandle) -> bool:
    try:
        return not await element.evaluate(
            "(one) => one.isConnected && one.checkVisibility() && !one.closest('[inert]')"
        )
    except Error:
        return True


async def _has_stirred(page: Page) -> bool:
    try:
        return bool(await page.evaluate("() => window.stirred > 0"))
    except Error:  # it is being left
        return True
