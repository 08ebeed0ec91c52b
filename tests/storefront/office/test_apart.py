"""The shop's pages of the production build contain no office code: no script, no style, no state."""

import json
import re
from pathlib import Path

import pytest

from storefront.server.build import CLIENT, WEB

SHOP_PAGES = ("index.html", "checkout.html", "cart.html", "account.html", "catalog.html", "wishlist.html")
FILES = re.compile(r"/(assets/[\w.-]+\.(?:js|css))")
IMPORTS = re.compile(r'["\'](?:\./|/assets/)([\w.-]+\.js)["\']')
OFFICE_CODE = re.compile(r"oficina|office|\.o-\w|attention-row", re.IGNORECASE)
PATH_WITHOUT_WORKER = "`oficina`"
"""The only name of the office in the shop's scripts: `assets/scripts/offline.jsx` registers no worker there."""
STATES = re.compile(r"^export const initialState = (.*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def built() -> Path:
    """Return the folder of the browser's files in the build."""
    if not (CLIENT / "oficina.html").exists():
        pytest.fail("the pages are not built: run `make pages`")
    return CLIENT


def list_files(page: str, built: Path) -> set[str]:
    """Return the scripts and styles that a page loads at first, and their imports."""
    found = set(FILES.findall((built / page).read_text("utf-8")))
    waiting = list(found)
    while waiting:
        text = (built / waiting.pop()).read_text("utf-8")
        for name in {f"assets/{imported}" for imported in IMPORTS.findall(text)} - found:
            found.add(name)
            waiting.append(name)
    return found


@pytest.mark.parametrize("page", SHOP_PAGES)
def test_shop_page_loads_no_office_code(page: str, built: Path) -> None:
    files = list_files(page, built)
    assert len(files) > 5
    for name in files:
        text = (built / name).read_text("utf-8").replace(PATH_WITHOUT_WORKER, "", 1)
        assert OFFICE_CODE.findall(text) == [], name


def test_office_screen_loads_office_code(built: Path) -> None:
    text = "".join((built / name).read_text("utf-8") for name in list_files("oficina.html", built))
    assert OFFICE_CODE.search(text)


def test_no_office_state_is_compiled_into_every_page() -> None:
    found = STATES.search((WEB / "utils" / "context.jsx").read_text("utf-8"))
    assert found is not None
    assert [name for name in json.loads(found[1]) if "office" in name] == []
