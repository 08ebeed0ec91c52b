"""A visitor of the shop in one window of a browser that WebDriver controls, and the steps of a purchase."""

from collections.abc import Callable
from typing import TypeVar

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from tests.e2e.shopper import ANA, BANK, MEDELLIN

TIMEOUT_S = 60
"""The tests share two cores with other servers and browsers."""
POLL_S = 0.05
BEFORE_THE_CLICK = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
"""Errors that WebDriver raises before it clicks: the element has moved, or is replaced."""
FIND = "return document.querySelector(arguments[0])"
READ_VALUE = f"{FIND}?.value"
LIST_VISIBLE = """
    const [css, text] = arguments;
    const isVisible = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length;
    const hasText = (one) => one.textContent.replaceAll("\\u00a0", " ").includes(text);
    return [...document.querySelectorAll(css)].filter((one) => isVisible(one) && hasText(one));
"""
SCROLL_TO = """
    arguments[0].scrollIntoView({ block: "center", behavior: "instant" });
    return Object.values(arguments[0].getBoundingClientRect().toJSON());
"""
IS_IN_VIEW = """
    const { top, bottom } = arguments[0].getBoundingClientRect();
    return top < innerHeight && bottom > 0;
"""
MARK_DEPARTURE = "document.documentElement.dataset.departure = arguments[0]"
HAS_LEFT = """
    const { readyState, documentElement: { dataset } } = document;
    return readyState === "complete" && dataset.departure !== String(arguments[0]);
"""
MARK_DOCUMENT = """
    const { dataset } = document.documentElement;
    dataset.restored = "no";
    addEventListener("pageshow", ({ persisted }) => { if (persisted) dataset.restored = "yes"; });
"""
READ_TEXT = "return document.body.innerText"
READ_MARK = "return document.documentElement.dataset.restored ?? 'new document'"
WIDTH_OVERFLOWS = "return document.documentElement.scrollWidth > innerWidth"

T = TypeVar("T")


def by_id(test_id: str) -> str:
    """Return the CSS selector of the elements with this `data-testid`."""
    return f'[data-testid="{test_id}"]'


def by_name(name: str) -> str:
    """Return the CSS selector of a form's field."""
    return f'[name="{name}"]'


class Visitor:
    """A visitor of the shop at `url`."""

    def __init__(self, driver: WebDriver, url: str) -> None:
        self.driver = driver
        self.url = url
        self._departures = 0

    def open(self, path: str) -> None:
        """Open a path of the shop as a new document."""
        self._change_document(lambda: self.driver.get(f"{self.url}{path}"))

    def reload(self) -> None:
        """Load the page again."""
        self._change_document(self.driver.refresh)

    def go_back(self) -> None:
        """Press the browser's Back button, which leads to another document."""
        self._change_document(self.driver.back)

    def go_forward(self) -> None:
        """Press the browser's Forward button, which leads to another document."""
        self._change_document(self.driver.forward)

    def _change_document(self, navigate: Callable[[], None]) -> None:
        """Navigate, and wait for the other document, because WebKit's driver does not wait for it."""
        self._departures += 1
        self.driver.execute_script(MARK_DEPARTURE, self._departures)
        navigate()
        self.wait_until(
            lambda: self.driver.execute_script(HAS_LEFT, self._departures), "the document does not change"
        )

    def wait_until(self, is_reached: Callable[[], T], message: str) -> T:
        """Wait until the function returns a true value, and return it.

        The function is called again if an element was replaced while it ran.

        Raises:
            TimeoutException: the function returned no true value within `TIMEOUT_S`.
        """
        wait = WebDriverWait(self.driver, TIMEOUT_S, POLL_S, [StaleElementReferenceException])
        try:
            return wait.until(lambda _driver: is_reached(), message)
        except TimeoutException as error:
            error.add_note(f"{self.driver.current_url} shows:\n{self.driver.execute_script(READ_TEXT)}")
            raise

    def list_visible(self, css: str, text: str = "") -> list[WebElement]:
        """Return the visible elements that contain `text`, in the document's order."""
        elements: list[WebElement] = self.driver.execute_script(LIST_VISIBLE, css, text)
        return elements

    def find(self, css: str, text: str = "") -> WebElement:
        """Wait for a visible element that contains `text`, and return the first one."""
        return self.wait_until(lambda: self.list_visible(css, text), f"{css} with {text!r} is not visible")[0]

    def click(self, css: str, text: str = "") -> None:
        """Scroll a visible element that contains `text` to the center, and click it once it no longer moves."""

        def press() -> bool:
            element = self.find(css, text)
            if self.driver.execute_script(SCROLL_TO, element) != self.driver.execute_script(
                SCROLL_TO, element
            ):
                return False
            try:
                element.click()
            except BEFORE_THE_CLICK:
                return False
            return True

        self.wait_until(press, f"{css} cannot be clicked")

    def type(self, name: str, text: str) -> None:
        """Type a text into a field that is empty or has another text."""
        field = self.find(by_name(name))
        if field.get_property("value"):
            field.clear()
        field.send_keys(text)
        self.wait_for_value(by_name(name), text)

    def choose(self, css: str, value: str) -> None:
        """Wait until a select element has the option with this value, and choose it."""
        option = f'{css} option[value="{value}"]'
        self.wait_until(lambda: self.driver.execute_script(FIND, option), f"{option} does not exist").click()
        self.wait_for_value(css, value)

    def wait_for_text(self, css: str, text: str) -> None:
        """Wait until a visible element contains the text."""
        self.find(css, text)

    def read_text(self, css: str) -> str:
        """Return the text of a visible element."""
        return str(self.find(css).get_property("textContent"))

    def wait_for_value(self, css: str, value: str) -> None:
        """Wait until a field, which may be hidden, has the value."""

        def has_value() -> bool:
            return bool(self.driver.execute_script(READ_VALUE, css) == value)

        self.wait_until(has_value, f"{css} does not have the value {value!r}")

    def wait_for_count(self, css: str, count: int) -> None:
        """Wait until this number of elements is visible."""
        self.wait_until(lambda: len(self.list_visible(css)) == count, f"{css} is not visible {count} times")

    def wait_for_address(self, text: str) -> None:
        """Wait until the address of the page contains the text."""
        self.wait_until(lambda: text in self.driver.current_url, f"the address does not contain {text!r}")

    def wait_for_status(self, status: str) -> None:
        """Wait until the order's page shows this status."""
        self.find(f'{by_id("order-status")}[data-status="{status}"]')

    def scroll_to(self, element: WebElement) -> object:
        """Scroll the element to the center of the window. Return its position."""
        position: object = self.driver.execute_script(SCROLL_TO, element)
        return position

    def is_in_view(self, element: WebElement) -> bool:
        """Return True if a part of the element is inside the window."""
        return bool(self.driver.execute_script(IS_IN_VIEW, element))

    def require_no_overflow(self) -> None:
        """Check that nothing is wider than the window."""
        assert not self.driver.execute_script(WIDTH_OVERFLOWS)

    def mark_document(self) -> None:
        """Mark the open document, so that `is_restored` recognizes it."""
        self.driver.execute_script(MARK_DOCUMENT)

    def is_restored(self) -> bool:
        """Return True if the open document is the marked one, from the back/forward cache, and False if it is new.

        Raises:
            AssertionError: the marked document was never left.
        """
        mark = self.driver.execute_script(READ_MARK)
        assert mark in {"yes", "new document"}
        return bool(mark == "yes")

    def put_in_cart(self, handle: str) -> None:
        """Add a product to the cart, and wait until it is there."""
        self.open(f"/product/{handle}")
        self.click(by_id("add-to-cart"))
        self.find(by_id("added-notice"))

    def open_checkout(self) -> None:
        """Go to the checkout and wait for its form."""
        self.open("/checkout")
        self.find(by_name("email"))

    def fill_in_checkout(self, email: str) -> None:
        """Fill in the whole form, and wait for the price."""
        for name, text in {**ANA, "email": email}.items():
            self.type(name, text)
        self.pick_town()
        self.choose(by_id("bank-select"), BANK)
        self.accept_terms()

    def pick_town(self) -> None:
        """Type the beginning of a municipality's name and pick it from the list."""
        typed, name, code = MEDELLIN
        self.type("town", typed)
        self.click(by_id("town-option"), name)
        self.wait_for_value(by_name("town"), name)
        self.wait_for_value(by_name("dane_code"), code)

    def accept_terms(self) -> None:
        """Wait for the price, which moves the elements below it, and tick the consents that every purchase needs."""
        self.wait_for_text(by_id("place-order"), "Pagar $")
        for box in ("consent-data", "consent-terms"):
            self.click(by_id(box))
            self.find(f"{by_id(box)}:checked")

    def prepare_payment(self, handle: str, email: str) -> None:
        """Add a product to the cart, and fill in the whole checkout."""
        self.put_in_cart(handle)
        self.open_checkout()
        self.fill_in_checkout(email)

    def go_to_bank(self) -> str:
        """Click the payment button and wait for the bank's page. Return its address."""
        self.click(by_id("place-order"))
        self.find(by_id("bank-approve"))
        return self.driver.current_url

    def decide_at_bank(self, decision: str, status: str) -> None:
        """Decide at the bank, and wait for the order's page with this status."""
        self.click(by_id(f"bank-{decision}"))
        self.wait_for_status(status)
