from pathlib import Path

import pytest

from tools.lint_rules import find_old_words, find_violations

FILE = Path("backend/cart/lines.py")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os\nport = os.environ['PORT']", "reads the environment"),
        ("import os\nport = os.getenv('PORT')", "reads the environment"),
        ("from os import environ", "reads the environment"),
        ("from sqlalchemy.ext.asyncio import create_async_engine", "make engines"),
        ("import sqlalchemy\nengine = sqlalchemy.create_engine('sqlite://')", "make engines"),
        ("from babel.numbers import format_currency", "formats money"),
        ("price = f'$ {amount:,}'", "formats money"),
        ("import datetime\nmoment = datetime.datetime.now(datetime.UTC)", "asks for the time"),
        ("from datetime import date\ntoday = date.today()", "asks for the time"),
        ("total = line.unit_price * line.quantity", "adds up"),
        ("total = item_total + shipping.amount", "adds up"),
        ("base = order.total - order.tax_total", "adds up"),
        ("total = sum(line.unit_price for line in lines)", "adds up"),
        ("total = 0\ntotal += order.item_total", "adds up"),
    ],
)
def test_violation_of_a_lint_rule_is_found(source: str, reason: str) -> None:
    assert [offence for offence in find_violations(FILE, source) if reason in offence] != []


def test_violation_of_a_lint_rule_is_reported_with_file_and_line() -> None:
    assert list(find_violations(FILE, "import os\n\nhome = os.environ")) == [
        "backend/cart/lines.py:3: only backend/core/config/settings.py reads the environment"
    ]


@pytest.mark.parametrize(
    "source",
    [
        "text = 'os.environ is read in settings only'",
        "from backend.core.clock import now\nmoment = now()",
        "from sqlalchemy import select",
        "label = f'{count:>8} {ratio:.2f}'",
        "self.environment.now()",
        "label = format_cop(order.item_total)",
        "units = sum(line.quantity for line in lines)",
        "is_dearer = order.shipping_total < quote.amount",
        "limit = order.shipping_total + settings.label_over_paid",
    ],
)
def test_allowed_code_is_not_reported(source: str) -> None:
    assert list(find_violations(FILE, source)) == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("backend/core/config/settings.py", "import os\nos.environ"),
        ("backend/core/db/database.py", "from sqlalchemy.ext.asyncio import create_async_engine"),
        ("backend/core/money.py", "from babel.numbers import format_currency\ntext = f'{amount:,}'"),
        ("backend/core/clock.py", "from datetime import datetime\nmoment = datetime.now()"),
        ("backend/pricing.py", "total = item_total + line.unit_price * line.quantity"),
    ],
)
def test_module_that_is_exempt_from_a_rule_is_not_reported(file: str, source: str) -> None:
    assert list(find_violations(Path(file), source)) == []


@pytest.mark.parametrize(
    "line",
    [
        "def take_back(units): ...",
        "# what was taken: take back",
        "class TakeBacks:",
        "_take_back_all()",
        "can-take-back",
    ],
)
def test_replaced_word_is_reported_with_its_replacement(line: str) -> None:
    [offence] = find_old_words(FILE, f"x = 1\n{line}")
    assert offence.startswith("backend/cart/lines.py:2: “")
    assert offence.endswith("”: the word is now restock")


@pytest.mark.parametrize(
    "line", ["it may take backups", "mistake_back", "take it back", "at a glancing look"]
)
def test_words_similar_to_a_replaced_word_are_not_reported(line: str) -> None:
    assert list(find_old_words(FILE, line)) == []


def test_replaced_words_in_old_migrations_are_not_reported() -> None:
    assert list(find_old_words(Path("backend/migrations/versions/old.py"), "take_back")) == []
