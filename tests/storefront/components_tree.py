"""The components of a page, for tests that check every page."""

from collections.abc import Iterator
from typing import Any

from reflex.components.component import BaseComponent


def walk(component: BaseComponent) -> Iterator[Any]:
    """Yield a component and all components below it, with those of all cases of `rx.match`."""
    yield component
    part: Any = component
    cases: list[BaseComponent] = []
    if hasattr(part, "match_cases"):
        cases = [*(result for _conditions, result in part.match_cases), part.default]
    for child in (*component.children, *cases):
        yield from walk(child)


def find_by_test_id(component: BaseComponent, test_id: str) -> list[Any]:
    """Return the components that have this test id."""
    return [part for part in walk(component) if test_id in str(part.custom_attrs.get("data-testid", ""))]


def list_links(component: BaseComponent) -> list[str]:
    """Return the addresses of all links in a component."""
    found = (getattr(part, name, None) for part in walk(component) for name in ("href", "to"))
    return [str(address).strip('"') for address in found if address is not None]
