"""What every screen of the office has: who is asking, its content, what came of what was done, and live news.

A screen's state is a substate of `KnownClientState`, so that it is made on demand
(`storefront.reflex_ext.on_demand_states`):

    class TodayState(OfficeScreen, KnownClientState):
        content: rx.Field[TodayView | None] = rx.field(None)

Its handlers are made by `office_event(right)`, which asks who is signed in, refuses whoever may not, and passes the
`Actor` on as the first argument; the service checks the right again.
"""

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, TypeVar
from urllib.parse import quote

import reflex as rx

from backend.app import current_shop
from backend.core.error_texts import FAILURE, OFFICE, text_for
from backend.core.errors import InvalidData, NotFound, ShopError
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.office.attention import count_open
from backend.presses.service import PressUsed, current_press_id, require_unused_press
from backend.staff.rights import RIGHTS, ROLE_NAMES, Actor, Right
from storefront.live.open_pages import Showing, address_of, open_pages
from storefront.office.navigation import ENTER
from storefront.office.staff_session import actor_at
from storefront.reflex_ext.socket_guard import count_failure
from storefront.reflex_ext.state_loss import KnownClientState, document_number
from storefront.state.frame import COMING_BACK
from storefront.state.handlers import Resend, checked_id, event, next_number

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Told:
    """What came of what was done.

    Attributes:
        number: tells one from the next.
        tone: `problem` or `news`.
        subject: what the screen's event that undoes it is called with; empty where it cannot be undone.
    """

    number: int = 0
    tone: str = "news"
    text: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Who:
    """Who is signed in. `rights` are the names of what their role may do."""

    id: str = ""
    role: str = ""
    rights: list[str] = field(default_factory=list)


class StaffState(KnownClientState):
    """Who works at this browser, and the numbers beside the places."""

    who: rx.Field[Who | None] = rx.field(None)
    counts: rx.Field[dict[str, int]] = rx.field(default_factory=dict)


Method = TypeVar("Method", bound=Callable[..., Any])


def office_event(
    right: Right | None = None,
    *,
    supersedes: bool = False,
    debounce: int | None = None,
    is_press: bool = True,
) -> Callable[[Method], Any]:
    """Make a method `(self, actor, …)` of a screen an event handler `(self, …)` of the office.

    Nothing of it runs unless somebody is signed in whose role has the right; without one, the screen's own. Any error
    is told on the screen, and what is wrong in a form stands beside its fields. For `supersedes` and `debounce` see
    `storefront.state.handlers.event`.

    A page that is connected again sends it again, until it is confirmed, unless it only shows something (`is_press` is
    False, or it supersedes): whatever the shop's people change is audited, and so done once.
    """
    press = Resend.SAME_PAGE if is_press and not supersedes else None

    def decorate(method: Method) -> Any:
        @wraps(method)
        async def guarded(self: Any, *arguments: Any, **named: Any) -> Any:
            try:
                actor = await actor_at(self)
                if actor is None:
                    return to_sign_in(self)
                actor.require(right or self._right)
                if press is not None and current_press_id():
                    async with current_shop().database.read() as session:
                        await require_unused_press(session)
                return await method(self, actor, *arguments, **named)
            except PressUsed:
                await self._show_done_before(actor)
            except ShopError as error:
                log.info("an event of the office was refused: %s: %s", type(error).__name__, error.message)
                self._refuse(error)
            except DatabaseUnavailable:
                self._tell(COMING_BACK, "problem")
            except Exception:
                log.exception("an event of the office failed")
                count_failure()
                self._tell(FAILURE, "problem")
            return None

        _hide_actor(guarded, method)
        setattr(guarded, RIGHT, right)
        return event(supersedes=supersedes, debounce=debounce, press=press)(guarded)

    return decorate


CONTENT = "content"
"""The variable of every screen that holds what it shows."""
RIGHT = "office_right"
"""The attribute of a handler's function that names its right; None for its screen's own."""


def _hide_actor(guarded: Any, method: Callable[..., Any]) -> None:
    """Give `guarded` the signature of the method without the actor: Reflex reads which arguments a browser sends."""
    signature = inspect.signature(method)
    kept = [one for number, one in enumerate(signature.parameters.values()) if number != 1]
    hidden = list(signature.parameters)[1]
    guarded.__signature__ = signature.replace(parameters=kept)
    guarded.__annotations__ = {name: kind for name, kind in method.__annotations__.items() if name != hidden}
    del guarded.__wrapped__


def to_sign_in(state: rx.State) -> Any:
    """Lead to the sign-in page, and from there back to where one was."""
    address = state.router.url
    here = f"{address.path}?{address.query}" if address.query else address.path
    return rx.redirect(f"{ENTER}?next={quote(here)}", replace=True)


DONE_BEFORE = _("La conexión se cortó, pero lo que pediste llegó. Mira cómo quedó.")


class Tells(rx.State, mixin=True):
    """A state whose handlers are made by `office_event`: it says what came of what was done."""

    told: rx.Field[Told | None] = rx.field(None)

    def _tell(self, text: str, tone: str = "news", *, subject: str = "") -> None:
        """Say what came of something; with a subject, offer to undo it."""
        self.told = Told(next_number(self.told.number if self.told else 0), tone, text, subject)

    def _refuse(self, error: ShopError) -> None:
        """Say why it was not done."""
        self._tell(text_for(error, OFFICE), "problem")

    async def _show_done_before(self, actor: Actor) -> None:  # noqa: ARG002 - screens show it to the actor
        """Say that what was pressed reached the shop before the connection broke."""
        self._tell(DONE_BEFORE)


class OfficeScreen(Tells, mixin=True):
    """The state of one screen. Screens add `content` and say in `_content` what it is.

    Every variable is compiled into the office's pages as its default, so defaults are small: `None`, not an empty view.
    """

    is_ready: rx.Field[bool] = rx.field(False)
    problem: rx.Field[str] = rx.field("")
    """Why the screen cannot be shown: `failed`, `forbidden`, `missing` or `ended` (the session)."""
    fresh: rx.Field[int] = rx.field(0)
    """How many things have come that the screen does not show yet."""
    problems: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    """What is wrong in the form that was sent last, by field."""

    _right: ClassVar[Right]
    """Who may see the screen."""
    _topics: ClassVar[frozenset[str]] = frozenset()
    """What the screen shows: see `backend.news.topics`."""
    _document: int = 0
    """The document that it was shown in last."""

    @event()
    async def load(self) -> Any:
        """Show the screen at the browser's address, to whoever may see it."""
        # all of it is sent: a state that was made just now is not what the browser shows (see
        # storefront.reflex_ext.on_demand_states)
        self.dirty_vars.update(self.base_vars)
        self._mark_dirty()
        if self._document != (document := await document_number(self)):
            self._document, self.told = document, None  # what an earlier document told is no news in this one
        actor = await actor_at(self)
        if actor is None:
            self._forget("")
            return to_sign_in(self)
        await self._greet(actor)
        if not actor.may(self._right):
            self._forget("forbidden")
            return None
        try:
            await self._show(actor)
        except NotFound:
            self._forget("missing")
        except Exception:
            log.exception("a screen of the office could not be loaded: %s", self.router.url.path)
            self._forget("failed")
        return None

    async def _content(self, actor: Actor) -> Any:
        """What the screen shows at its address (`self.router.url`)."""
        raise NotImplementedError

    async def _show(self, actor: Actor) -> None:
        """Read the content, and show it."""
        self._put(await self._content(actor))
        self.is_ready, self.problem, self.fresh = True, "", 0

    async def _update(self) -> None:
        """Something of the screen's topics has changed: see `storefront.live.refresh`."""
        actor = await actor_at(self)
        if actor is None:
            self._forget("ended")
        elif not actor.may(self._right):
            self._forget("forbidden")
        else:
            await self._refresh(actor)

    async def _refresh(self, actor: Actor) -> None:
        """Show what has changed. A list must not move under a finger: it says in `fresh` how many are new instead."""
        content = await self._content(actor)
        if content != self._shown():
            self._put(content)

    def _forget(self, problem: str) -> None:
        """Show nothing more, and say why."""
        self._put(None)
        self.is_ready, self.problem = False, problem

    def _refuse(self, error: ShopError) -> None:
        """Say why it was not done, and what is wrong beside each field."""
        if isinstance(error, InvalidData) and error.fields:
            self.problems = dict(error.fields)
        super()._refuse(error)

    async def _done(self, actor: Actor, text: str) -> None:
        """Say that it is done, and show how things stand now."""
        self.problems = {}
        self._tell(text)
        await self._show(actor)

    async def _show_done_before(self, actor: Actor) -> None:
        await self._done(actor, DONE_BEFORE)

    def _id(self) -> str:
        """The id at the end of the address."""
        return checked_id(str(self.router.url.path).rstrip("/").rpartition("/")[2])

    def _put(self, content: Any) -> None:
        setattr(self, CONTENT, content)
        if content is not None and (watched := self._watched()):
            _watch(self, watched)

    def _watched(self) -> frozenset[str]:
        """Return the topics and the ids of products whose changes have the screen read again."""
        return self._topics

    def _shown(self) -> Any:
        return getattr(self, CONTENT)

    async def _greet(self, actor: Actor) -> None:
        staff = await self.get_state(StaffState)
        who = Who(actor.id, ROLE_NAMES[actor.role], sorted(right.name for right in RIGHTS[actor.role]))
        async with current_shop().database.read() as session:
            counts = {"attention": await count_open(session, actor)}
        # both are sent in any case: see `load`
        staff.who, staff.counts = who, counts


def answers(state: Any) -> Any:
    """A number that changes with everything that the screen tells: what was asked for has been answered."""
    return rx.cond(state.told, state.told.number, 0)


def _watch(state: rx.State, watched: frozenset[str]) -> None:
    """Remember what this screen shows now, so that `_update` is called when it changes."""
    token = state.router.session.client_token
    if token:
        open_pages.note(token, Showing(state.__class__, watched, address_of(state)))


def may(right: Right) -> rx.Var[bool]:
    """Whether the role of whoever is signed in has the right, as a variable, for what is shown only.

    True until it is known who is signed in: what is shown to most stays where it is then.
    """
    who = StaffState.who
    return who.is_none() | who.rights.contains(right.name)


def number_at(name: str) -> rx.Var[int]:
    """The number of this name that stands beside a place."""
    return StaffState.counts[name].to(int)
