from pathlib import Path

import pytest

from tools.house_rules import offences_in

ROOM = Path("backend/cart/service.py")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os\nport = os.environ['PORT']", "reads the environment"),
        ("import os\nport = os.getenv('PORT')", "reads the environment"),
        ("from os import environ", "reads the environment"),
        ("from sqlalchemy.ext.asyncio import create_async_engine", "makes engines"),
        ("import sqlalchemy\nengine = sqlalchemy.create_engine('sqlite://')", "makes engines"),
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
def test_an_offence_is_found(source: str, reason: str) -> None:
    assert [offence for offence in offences_in(ROOM, source) if reason in offence] != []


def test_an_offence_names_its_place() -> None:
    assert list(offences_in(ROOM, "import os\n\nhome = os.environ")) == [
        "backend/cart/service.py:3: only backend/settings.py reads the environment"
    ]


@pytest.mark.parametrize(
    "source",
    [
        "text = 'os.environ is read in settings only'",
        "from backend.clock import now\nmoment = now()",
        "from sqlalchemy import select",
        "label = f'{count:>8} {ratio:.2f}'",
        "self.environment.now()",
        "label = format_cop(order.item_total)",
        "units = sum(line.quantity for line in lines)",
        "is_dearer = order.shipping_total < quote.amount",
        "limit = order.shipping_total + settings.label_over_paid",
    ],
)
def test_what_is_allowed_is_no_offence(source: str) -> None:
    assert list(offences_in(ROOM, source)) == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("backend/settings.py", "import os\nos.environ"),
        ("backend/database.py", "from sqlalchemy.ext.asyncio import create_async_engine"),
        ("backend/money.py", "from babel.numbers import format_currency\ntext = f'{amount:,}'"),
        ("backend/clock.py", "from datetime import datetime\nmoment = datetime.now()"),
        ("backend/pricing.py", "total = item_total + line.unit_price * line.quantity"),
    ],
)
def test_the_one_place_may(file: str, source: str) -> None:
    assert list(offences_in(Path(file), source)) == []
