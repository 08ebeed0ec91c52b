"""Title and text of the order's page, as the browser evaluates them."""

import json
import subprocess
from typing import Any

from storefront.pages.order import texts
from storefront.pages.order.layout import status_text, status_title
from storefront.pages.order.state import OrderState
from tests.node_packages import NODE_FOLDER

PAID = {
    "total": 45_800,
    "status": "paid",
    "journey": "preparing",
    "missing_label": "",
    "is_held": False,
    "has_dismissed_money": False,
    "delivery_note": "",
    "payment": {"instructions": ""},
}
"""The fields of a paid order on which its words depend."""
IN_PART = {"missing_label": "$ 1"}
FAILED = {"journey": "", "has_dismissed_money": True}


CASES: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({}, texts.TITLES["paid"], texts.EXPLANATIONS["paid"]),
    ({"is_held": True}, texts.TITLES["review"], texts.HELD_WORDS),
    (IN_PART, texts.PART_TITLE, texts.EXPLANATIONS["paid"]),
    ({"is_held": True, **IN_PART}, texts.PART_TITLE, texts.PART_WORDS),
    (
        {"is_held": True, "journey": "shipped"},
        texts.JOURNEY_TITLES["shipped"],
        texts.JOURNEY_WORDS["shipped"],
    ),
    ({"status": "rejected", **FAILED}, texts.TITLES["rejected"], texts.DISMISSED_MONEY),
    ({"status": "canceled", **FAILED}, texts.TITLES["canceled"], texts.DISMISSED_MONEY),
)
"""Changed fields, and the title and the text of the page."""


def test_words_of_an_order_depend_on_its_money_and_on_decisions_of_staff() -> None:
    state = OrderState.get_full_name().replace(".", "__")
    words = ", ".join(str(words(OrderState.content.order)) for words in (status_title, status_text))
    orders = json.dumps([{**PAID, **changes} for changes, _title, _text in CASES])
    script = (
        "const pyAnd = (a, b) => a ? b() : a;"  # as in the pages that Reflex builds
        f"const read = ({state}) => [{words}];"
        f"const shown = {orders}.map((order) => read({{content_rx_state_: {{order}}}}));"
        "console.log(JSON.stringify(shown));"
    )
    node = [str(NODE_FOLDER / "node"), "-e", script]
    shown = subprocess.run(node, capture_output=True, check=True, timeout=60)
    assert json.loads(shown.stdout) == [[str(title), str(text)] for _changes, title, text in CASES]
