"""The office's search: suggestions while the staff member types, limited to what their role may see."""

import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import reflex as rx

from backend.staff.rights import Actor
from storefront.office.navigation import PLACES
from storefront.office.staff_session import find_actor
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_text, event

MAX_TEXT_LENGTH = 80
MAX_HITS = 8
DEBOUNCE_MS = 120


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A suggestion of the office's search, and the address of its screen."""

    label: str
    detail: str
    icon: str
    path: str


Finder = Callable[[Actor, str], Awaitable[Sequence[SearchHit]]]
FINDERS: list[Finder] = []
"""Functions that search for objects such as orders, the most likely first.

The places of the office are searched before them.

Each function checks the actor's rights. Each screen adds its own function.
"""


class OfficeSearchState(KnownClientState):
    """The latest results of the office's search, and the text that was searched."""

    hits: rx.Field[list[SearchHit]] = rx.field(default_factory=list)
    answered_text: rx.Field[str] = rx.field("")

    @event(supersedes=True, debounce=DEBOUNCE_MS)
    async def find(self, text: str) -> None:
        """Search for the typed text. If no staff member is signed in, the result is empty."""
        async with errors_as_notices(self):
            actor = await find_actor(self)
            text = checked_text(text, MAX_TEXT_LENGTH)
            self.hits, self.answered_text = await _find_hits(actor, text), text


async def _find_hits(actor: Actor | None, text: str) -> list[SearchHit]:
    """Return the hits that the actor may see. If there is no actor, the result is empty."""
    if actor is None:
        return []
    hits = find_places(actor, text)
    for find in FINDERS:
        if len(hits) < MAX_HITS:
            hits.extend(await find(actor, text))
    return hits[:MAX_HITS]


def find_places(actor: Actor, text: str) -> list[SearchHit]:
    """Return the places of the office whose name has a word that starts with the text."""
    prefix = _fold_text(text)
    return [
        SearchHit(place.label, "", place.icon, place.path)
        for place in PLACES
        if actor.may(place.right) and any(word.startswith(prefix) for word in _searchable_words(place.label))
    ]


def _searchable_words(label: str) -> list[str]:
    plain = _fold_text(label)
    return [plain, *plain.split()]


def _fold_text(text: str) -> str:
    """Return the text without accents and capitals."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).strip()
