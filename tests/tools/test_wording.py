import pytest

from tools import wording
from tools.wording import find_in_python, find_in_text, read_limits


def kinds_in(source: str, place: str = "backend/cart/lines.py") -> list[str]:
    return [finding.kind for finding in find_in_python(place, source, "")]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ('"""What a cart costs."""', "question_words"),
        ('class Cart:\n    """Whose a cart is."""', "question_words"),
        ('def f():\n    """Whether it is done."""', "question_words"),
        ('async def f():\n    """The lines of a cart."""', "noun_starts"),
        ('def f():\n    """Return the lines, told anew."""', "dialect_words"),
        ("def _shown(): ...", "bare_functions"),
        ("class Thing: ...", "bare_classes"),
        ("MOST_LINES = 5", "private_constants"),
        ("_ANSWERED_WITHIN: int = 5", "private_constants"),
    ],
)
def test_private_language_is_found(source: str, kind: str) -> None:
    assert kind in kinds_in(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""The lines of a cart."""',
        'class Cart:\n    """A cart of one customer."""',
        'def f():\n    """Return the lines of a cart."""',
        "def show_lines(): ...",
        "class CartView: ...",
        "MAX_LINES = 5\nother = MOST_LINES",
    ],
)
def test_field_english_passes(source: str) -> None:
    assert kinds_in(source) == []


def test_riddle_module_is_found_by_its_name() -> None:
    assert kinds_in("", "backend/imports/judging.py") == ["riddle_modules"]


def test_dialect_in_a_document_is_found_with_its_line() -> None:
    found = list(find_in_text("docs/api.md", "# API\nWhoever asks is told so."))
    assert [(finding.place, finding.text) for finding in found] == [
        ("docs/api.md:2", "Whoever"),
        ("docs/api.md:2", "told"),
    ]


def test_count_above_its_limit_fails_and_names_the_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {**read_limits(), "noun_starts": 0}
    monkeypatch.setattr(wording, "read_limits", lambda: limits)
    findings = list(find_in_python("backend/x.py", 'def f():\n    """The lines."""', ""))
    monkeypatch.setattr(wording, "find_all", lambda: findings)
    with pytest.raises(SystemExit, match="noun_starts"):
        wording.main([])


def test_kind_without_a_limit_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "read_limits", dict)
    monkeypatch.setattr(wording, "find_all", lambda: list(find_in_text("docs/a.md", "It lasts.")))
    with pytest.raises(SystemExit, match="docs_dialect_words"):
        wording.main([])
