"""Streaming iteration of XML: each element is cleared when it ends, to save memory."""

from collections.abc import Iterator
from typing import IO
from xml.etree.ElementTree import Element, iterparse

from backend.spreadsheet_reader.models import Refusal, UnreadableSpreadsheet

MAX_DEPTH = 64
RETAINED_ELEMENTS = frozenset({"c", "si"})
"""Elements (cells and shared texts) whose content is retained until they end."""


def iter_elements(file: IO[bytes]) -> Iterator[tuple[str, Element]]:
    """Yield `("start", element)` and `("end", element)`. At its start, an element has only its attributes.

    Raises:
        UnreadableSpreadsheet: elements are nested too deeply.
        ParseError: the content is not XML.
    """
    stack: list[Element] = []
    retained = 0
    for event, element in iterparse(file, events=("start", "end")):  # noqa: S314 - limited by the process
        if event == "start":
            stack.append(element)
            if len(stack) > MAX_DEPTH:
                raise UnreadableSpreadsheet(Refusal.DAMAGED, "nested too deeply")
            retained += get_local_name(element) in RETAINED_ELEMENTS
            yield event, element
            continue
        yield event, element
        stack.pop()
        retained -= get_local_name(element) in RETAINED_ELEMENTS
        if stack and not retained:
            stack[-1].clear()


def get_local_name(element: Element) -> str:
    """Return an element's name without its namespace.

    The namespace differs between the two variants of the format, Strict and Transitional.
    """
    return element.tag.rpartition("}")[2]
