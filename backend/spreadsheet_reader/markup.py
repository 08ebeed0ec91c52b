"""Walking through XML without keeping it: each element is emptied when it ends."""

from collections.abc import Iterator
from typing import IO
from xml.etree.ElementTree import Element, iterparse

from backend.spreadsheet_reader.models import Refusal, UnreadableSpreadsheet

MAX_DEPTH = 64
KEPT = frozenset({"c", "si"})
"""Cells and texts keep what is in them until they end."""


def iter_elements(file: IO[bytes]) -> Iterator[tuple[str, Element]]:
    """Yield `("start", element)` and `("end", element)`; at its start an element has its attributes only.

    Raises:
        UnreadableSpreadsheet: elements are nested too deeply.
        ParseError: it is no XML.
    """
    stack: list[Element] = []
    kept = 0
    for event, element in iterparse(file, events=("start", "end")):  # noqa: S314 - limited by the process
        if event == "start":
            stack.append(element)
            if len(stack) > MAX_DEPTH:
                raise UnreadableSpreadsheet(Refusal.DAMAGED, "nested too deeply")
            kept += local_name(element) in KEPT
            yield event, element
            continue
        yield event, element
        stack.pop()
        kept -= local_name(element) in KEPT
        if stack and not kept:
            stack[-1].clear()


def local_name(element: Element) -> str:
    """Return an element's name without its namespace: Strict and Transitional files have different ones."""
    return element.tag.rpartition("}")[2]
