"""The filters of the office's lists, which their addresses hold by the names of their fields."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from backend.office.views import ActiveFilter


def address_with(asked: Mapping[str, str], path: str = "", **changed: str) -> str:
    """The address of the list with these fields changed; empty ones are left out."""
    query = urlencode({name: value for name, value in {**asked, **changed}.items() if value})
    return f"{path}?{query}" if query else path


def label_of(choices: Mapping[str, tuple[str, Any]], name: str) -> str:
    """What a choice is called; empty where there is none of that name."""
    return choices[name][0] if name in choices else ""


def active_filters(asked: Mapping[str, str], **labels: str) -> list[ActiveFilter]:
    """The filters that are on: the search `q`, and those of the other fields that have a label."""
    text = asked["q"].strip()
    said = {"q": f"«{text}»" if text else "", **labels}
    return [ActiveFilter(label, address_with(asked, **{name: ""})) for name, label in said.items() if label]
