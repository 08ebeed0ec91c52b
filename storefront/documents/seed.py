"""The seed of a document: what the browser's state starts with, so that it shows at once what the server drew.

Only what everybody may see goes into it. The seed of a page that is not public says nothing of the page's content.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson
from reflex_base.constants.state import FIELD_MARKER

from backend.catalog.views import CategoryNode
from storefront.pages.loading import PageData
from storefront.pages.routes import Page
from storefront.plugins.seed import SEED_ID
from storefront.state.frame import FrameState

ESCAPES = ((b"&", b"\\u0026"), (b"<", b"\\u003c"))
"""What means something in the text of an element."""


def seed_of(page: Page, data: PageData[Any], departments: list[CategoryNode]) -> bytes:
    """The values that the states of a page and its frame start with, as JSON that is safe as an element's text."""
    seed = {FrameState.get_full_name(): _as_sent({"departments": departments})}
    if page.state is not None:
        facts = replace(data.facts, structured_data="")  # for those who read the document, not for the page
        values = data.as_state() if page.is_public else {}
        seed[page.state.get_full_name()] = _as_sent({**values, "facts": facts})
    text = orjson.dumps(seed)
    for character, escape in ESCAPES:
        text = text.replace(character, escape)
    return text


def carrier_of(seed: bytes) -> str:
    """The element that carries a seed to the browser.

    It is nothing that runs, and nothing that React draws: among the scripts it would take it for one of its own.
    """
    return f'<template id="{SEED_ID}">{seed.decode()}</template>'


def _as_sent(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values by the names they have on the way to the browser."""
    return {name + FIELD_MARKER: value for name, value in values.items()}
