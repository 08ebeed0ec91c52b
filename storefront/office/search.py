"""The office's search: suggestions while somebody types, of whatever their role may see."""

import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import reflex as rx

from backend.staff.rights import Actor
from storefront.office.navigation import PLACES
from storefront.office.staff_session import actor_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_text, event

LONGEST = 80
MOST_HITS = 8
PAUSE_MS = 120


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that may be meant, and where it is."""

    label: str
    detail: str
    icon: str
    path: str


Finder = Callable[[Actor, str], Awaitable[Sequence[Hit]]]
FINDERS: list[Finder] = []
"""Who finds things beside places, the most likely first. A screen adds its own; it checks the actor's rights."""


class OfficeSearchState(KnownClientState):
    """The last results, and the text they are for."""

    hits: rx.Field[list[Hit]] = rx.field(default_factory=list)
    answered: rx.Field[str] = rx.field("")

    @event(supersedes=True, debounce=PAUSE_MS)
    async def find(self, text: str) -> None:
        """Look for what has been typed so far. Nobody who is not signed in finds anything."""
        async with errors_as_notices(self):
            actor = await actor_at(self)
            text = checked_text(text, LONGEST)
            self.hits, self.answered = await _found(actor, text), text


async def _found(actor: Actor | None, text: str) -> list[Hit]:
    """What an actor may see of what a text may mean; nothing for nobody."""
    if actor is None:
        return []
    hits = places_named(actor, text)
    for find in FINDERS:
        if len(hits) < MOST_HITS:
            hits.extend(await find(actor, text))
    return hits[:MOST_HITS]


def places_named(actor: Actor, text: str) -> list[Hit]:
    """The places whose name has a word that begins like this."""
    wanted = _plain(text)
    return [
        Hit(place.label, "", place.icon, place.path)
        for place in PLACES
        if actor.may(place.right) and any(word.startswith(wanted) for word in _words(place.label))
    ]


def _words(label: str) -> list[str]:
    plain = _plain(label)
    return [plain, *plain.split()]


def _plain(text: str) -> str:
    """Without accents and capitals."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).strip()
