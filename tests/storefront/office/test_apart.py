"""The shop's pages of the production build hold nothing of the office: no script, no style, no state."""

import json
import re
from pathlib import Path

import pytest

from storefront.server.build import CLIENT, WEB

SHOP = ("index.html", "checkout.html", "cart.html", "account.html", "catalog.html", "wishlist.html")
FILES = re.compile(r"/(assets/[\w.-]+\.(?:js|css))")
IMPORTS = re.compile(r'["\'](?:\./|/assets/)([\w.-]+\.js)["\']')
OF_THE_OFFICE = re.compile(r"oficina|office|\.o-\w|attention-row", re.IGNORECASE)
STATES = re.compile(r"^export const initialState = (.*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def built() -> Path:
    """The build's files for the browser."""
    if not (CLIENT / "oficina.html").exists():
        pytest.fail("the pages are not built: run `make pages`")
    return CLIENT


def files_of(page: str, built: Path) -> set[str]:
    """The scripts and styles that a page loads before anything is pressed, and what they import."""
    found = set(FILES.findall((built / page).read_text("utf-8")))
    waiting = list(found)
    while waiting:
        text = (built / waiting.pop()).read_text("utf-8")
        for name in {f"assets/{one}" for one in IMPORTS.findall(text)} - found:
            found.add(name)
            waiting.append(name)
    return found


@pytest.mark.parametrize("page", SHOP)
def test_a_page_of_the_shop_loads_nothing_of_the_office(page: str, built: Path) -> None:
    files = files_of(page, built)
    assert len(files) > 5
    for name in files:
        assert OF_THE_OFFICE.findall((built / name).read_text("utf-8")) == [], name


def test_a_screen_of_the_office_loads_its_own(built: Path) -> None:
    text = "".join((built / name).read_text("utf-8") for name in files_of("oficina.html", built))
    assert OF_THE_OFFICE.search(text)


def test_no_state_of_the_office_is_compiled_into_every_page() -> None:
    found = STATES.search((WEB / "utils" / "context.jsx").read_text("utf-8"))
    assert found is not None
    assert [name for name in json.loads(found[1]) if "office" in name] == []
