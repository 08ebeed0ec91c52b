"""The rules for the English of the project."""

import ast

import pytest

from tools.wording import find_in_tree, find_offences

PLACE = "backend/cart/lines.py"


def texts_in(source: str, place: str = PLACE) -> list[str]:
    return [finding.text for finding in find_in_tree(place, ast.parse(source))]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('"""What a cart costs."""', "What a cart costs."),
        ('class Cart:\n    """Whose a cart is."""', "Whose a cart is."),
        ('def f():\n    """Whether it is done."""', "Whether it is done."),
        ('async def f():\n    """The lines of a cart."""', "The lines of a cart."),
        ("def _shown(): ...", "_shown"),
        ("class Thing: ...", "Thing"),
        ("MOST_LINES = 5", "MOST_LINES"),
        ("_ANSWERED_WITHIN: int = 5", "_ANSWERED_WITHIN"),
        ("FILES_AT_ONCE = 5", "FILES_AT_ONCE"),
    ],
)
def test_private_language_in_a_docstring_is_found(source: str, text: str) -> None:
    assert texts_in(source) == [text]


@pytest.mark.parametrize(
    "source",
    [
        '"""The lines of a cart."""',
        'class Cart:\n    """A cart of one customer."""',
        'class Cart:\n    @property\n    def lines(self):\n        """The lines of the cart."""',
        'def f():\n    """Return the lines of a cart."""',
        "def show_lines(): ...",
        "class CartView: ...",
        "MAX_LINES = 5\nother = MOST_LINES",
    ],
)
def test_plain_english_is_not_reported(source: str) -> None:
    assert texts_in(source) == []


def test_module_with_an_unclear_name_is_found() -> None:
    assert texts_in("", "backend/imports/judging.py") == ["judging"]


@pytest.mark.parametrize(
    ("place", "text", "line"),
    [
        ("docs/api.md", "# API\nThe caller is told so.", 2),
        (PLACE, '"""Serve lines.\n\nNo line stands alone.\n"""', 3),
        (PLACE, "lines = 1\n# somebody reads them", 2),
        (PLACE, 'LINES = 1\n"""Meanwhile none."""', 2),
    ],
)
def test_dialect_word_is_reported_with_its_line(place: str, text: str, line: int) -> None:
    assert [(finding.place, finding.line) for finding in find_offences({place: text})] == [(place, line)]


def test_rare_dialect_word_in_a_large_package_is_not_reported() -> None:
    plain = '"""' + "Return the lines of a cart. " * 400 + '"""'
    files = {PLACE: plain, "backend/cart/service.py": "# somebody reads them"}
    assert list(find_offences(files)) == []
    assert len(list(find_offences({**files, "backend/orders/service.py": "# somebody reads them"}))) == 1
