"""Base of every office screen's state: the actor, the content, announcements and live updates.

A screen's state is a substate of `KnownClientState`, so that it is created on demand
(`storefront.reflex_ext.on_demand_states`):

    class TodayState(OfficeScreen, KnownClientState):
        content: rx.Field[TodayView | None] = rx.field(None)

Its event handlers are decorated with `office_event(right)`. The decorator finds the signed-in staff member, refuses
the event if they do not have the right, and passes the `Actor` as the first argument. The service checks the right
again.
"""

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, TypeVar
from urllib.parse import parse_qsl, quote

import reflex as rx

from backend.app import current_shop
from backend.core.error_texts import FAILURE, OFFICE, text_for
from backend.core.errors import InvalidData, NotFound, ShopError
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.waiting import NavigationCounts, read_navigation_counts
from backend.presses.service import PressUsed, current_press_id, require_unused_press
from backend.staff.rights import Actor, Right
from storefront.live.open_pages import Seen, Showing, address_of, digest_of, open_pages, watch
from storefront.office.navigation import SIGN_IN
from storefront.office.staff_session import find_actor
from storefront.reflex_ext.socket_guard import count_failure
from storefront.reflex_ext.state_loss import KnownClientState, document_number
from storefront.state.frame import SHOP_UNAVAILABLE
from storefront.state.handlers import Resend, checked_id, event, next_number

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Announcement:
    """A message about the result of an action.

    Attributes:
        number: a number that is different for every message.
        tone: `problem` or `news`.
        subject: the argument of the screen's undo event; empty if the action cannot be undone.
    """

    number: int = 0
    tone: str = "news"
    text: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class SignedInStaff:
    """The signed-in staff member. `rights` are the names of the role's rights."""

    id: str = ""
    role: str = ""
    rights: list[str] = field(default_factory=list)


class StaffState(KnownClientState):
    """The staff member who is signed in in this browser, and the numbers next to the places in the navigation.

    Live updates change the numbers on every screen.
    """

    member: rx.Field[SignedInStaff | None] = rx.field(None)
    counts: rx.Field[dict[str, int]] = rx.field(default_factory=dict)
    deadlines: rx.Field[dict[str, str]] = rx.field(default_factory=dict)

    async def _show_counts(self, actor: Actor) -> None:
        """Read the numbers, display them, and watch the topics that change them."""
        counts = await _read_counts(actor)
        # assign both so that they are sent even if unchanged: see `OfficeScreen.load`
        self.counts, self.deadlines = counts.numbers, counts.deadlines
        seen = Seen(("office counts", actor.rights), lambda: _read_counts(actor), digest_of(counts))
        watch(self, None, COUNTED_TOPICS, seen=seen)

    async def _update(self) -> None:
        """Refresh the numbers after a change of one of their topics: see `storefront.live.refresh`."""
        actor = await find_actor(self)
        if actor is not None:
            await self._show_counts(actor)


COUNTED_TOPICS = frozenset({Topic.ORDERS, Topic.ATTENTION, Topic.PQRS, Topic.RETURNS, Topic.REVIEWS})
"""The topics that change the numbers next to the places in the navigation."""


async def _read_counts(actor: Actor) -> NavigationCounts:
    async with current_shop().database.read() as session:
        return await read_navigation_counts(session, actor)


Method = TypeVar("Method", bound=Callable[..., Any])


def office_event(
    right: Right | None = None,
    *,
    supersedes: bool = False,
    debounce: int | None = None,
    is_press: bool = True,
) -> Callable[[Method], Any]:
    """Make a screen's method `(self, actor, …)` an event handler `(self, …)` of the office.

    The method runs only if the signed-in staff member has the right; the default is the screen's own right. A
    browser without a session is redirected to the sign-in page. Every error is announced on the screen, and the errors
    of a form are displayed next to its fields. For `supersedes` and `debounce` see `storefront.state.handlers.event`.

    After a reconnection, the page sends an unconfirmed event again. The method still runs only once, so that no change
    is made or audited twice. Events that change nothing need no such protection: set `is_press` to False or
    `supersedes` to True for them.
    """
    press = Resend.SAME_PAGE if is_press and not supersedes else None

    def decorate(method: Method) -> Any:
        @wraps(method)
        async def guarded(self: Any, *arguments: Any, **named: Any) -> Any:
            try:
                actor = await find_actor(self)
                if actor is None:
                    return redirect_to_sign_in(self)
                actor.require(right or self._right)
                if press is not None and current_press_id():
                    async with current_shop().database.read() as session:
                        await require_unused_press(session)
                return await method(self, actor, *arguments, **named)
            except PressUsed:
                await self._announce_repeated_press(actor)
            except ShopError as error:
                log.info("an event of the office was refused: %s: %s", type(error).__name__, error.message)
                self._announce_error(error)
            except DatabaseUnavailable:
                self._announce(SHOP_UNAVAILABLE, "problem")
            except Exception:
                log.exception("an event of the office failed")
                count_failure()
                self._announce(FAILURE, "problem")
            return None

        _hide_actor(guarded, method)
        setattr(guarded, RIGHT_ATTRIBUTE, right)
        return event(supersedes=supersedes, debounce=debounce, press=press)(guarded)

    return decorate


CONTENT_VARIABLE = "content"
"""The name of every screen's variable that holds its content."""
RIGHT_ATTRIBUTE = "office_right"
"""The attribute of a handler's function that holds its right; None for its screen's right."""


def _hide_actor(guarded: Any, method: Callable[..., Any]) -> None:
    """Give `guarded` the signature of the method without the actor.

    Reflex derives the arguments of the event from it.
    """
    signature = inspect.signature(method)
    parameters = [parameter for number, parameter in enumerate(signature.parameters.values()) if number != 1]
    hidden = list(signature.parameters)[1]
    guarded.__signature__ = signature.replace(parameters=parameters)
    guarded.__annotations__ = {name: kind for name, kind in method.__annotations__.items() if name != hidden}
    del guarded.__wrapped__


def redirect_to_sign_in(state: rx.State) -> Any:
    """Redirect to the sign-in page. After the sign-in, the browser returns to the current address."""
    address = state.router.url
    here = f"{address.path}?{address.query}" if address.query else address.path
    return rx.redirect(f"{SIGN_IN}?next={quote(here)}", replace=True)


REPEATED_PRESS_TEXT = _("La conexión se cortó, pero lo que pediste llegó. Mira cómo quedó.")


class AnnouncingState(rx.State, mixin=True):
    """A state that announces the results of its event handlers (see `office_event`)."""

    announcement: rx.Field[Announcement | None] = rx.field(None)

    def _announce(self, text: str, tone: str = "news", *, subject: str = "") -> None:
        """Announce the result of an action. If `subject` is given, offer to undo the action."""
        self.announcement = Announcement(
            next_number(self.announcement.number if self.announcement else 0), tone, text, subject
        )

    def _announce_error(self, error: ShopError) -> None:
        """Announce why the action was refused."""
        self._announce(text_for(error, OFFICE), "problem")

    async def _announce_repeated_press(self, actor: Actor) -> None:  # noqa: ARG002 - screens show it to the actor
        """Announce that the action had reached the shop before the connection broke."""
        self._announce(REPEATED_PRESS_TEXT)


class OfficeScreen(AnnouncingState, mixin=True):
    """State of one screen. Subclasses declare `content` and return it from `_read_content`.

    Reflex compiles the default of every variable into the office's pages. So defaults must be small: `None`, not an
    empty view.
    """

    is_ready: rx.Field[bool] = rx.field(False)
    problem: rx.Field[str] = rx.field("")
    """Reason why the screen cannot be shown: `failed`, `forbidden`, `missing` or `ended` (the session)."""
    new_count: rx.Field[int] = rx.field(0)
    """Number of new items that the screen does not show yet."""
    problems: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    """Problems of the most recently sent form, by field."""

    _right: ClassVar[Right]
    """The right that is required to see the screen."""
    _topics: ClassVar[frozenset[str]] = frozenset()
    """The topics that the screen shows: see `backend.news.topics`."""
    _document: int = 0
    """Number of the document that showed the screen most recently."""

    @event()
    async def load(self) -> Any:
        """Load the screen at the browser's address, if the staff member has the right to see it."""
        # Send every variable: the browser does not show the defaults of a newly created state (see
        # storefront.reflex_ext.on_demand_states)
        self.dirty_vars.update(self.base_vars)
        self._mark_dirty()
        if self._document != (document := await document_number(self)):
            self._document, self.announcement = document, None  # announcements belong to one document
        actor = await find_actor(self)
        if actor is None:
            self._clear_content("")
            return redirect_to_sign_in(self)
        await self._load_staff(actor)
        if not actor.may(self._right):
            self._clear_content("forbidden")
            return None
        try:
            await self._show(actor)
        except NotFound:
            self._clear_content("missing")
        except Exception:
            log.exception("a screen of the office could not be loaded: %s", self.router.url.path)
            self._clear_content("failed")
        return None

    async def _read_content(self, actor: Actor) -> Any:
        """Return the screen's content for its address (`self.router.url`)."""
        raise NotImplementedError

    async def _show(self, actor: Actor) -> None:
        """Read the screen's content and display it."""
        self._set_content(await self._read_content(actor))
        self.is_ready, self.problem, self.new_count = True, "", 0

    async def _update(self) -> None:
        """Refresh the screen after a change of one of the topics that it watches: see `storefront.live.refresh`."""
        actor = await find_actor(self)
        if actor is None:
            self._clear_content("ended")
        elif not actor.may(self._right):
            self._clear_content("forbidden")
        else:
            await self._refresh(actor)

    async def _refresh(self, actor: Actor) -> None:
        """Display the changed content.

        Lists override this: they count new rows in `new_count`, because displayed rows must not move.
        """
        content = await self._read_content(actor)
        if content != self._get_content():
            self._set_content(content)

    def _clear_content(self, problem: str) -> None:
        """Show the screen's `problem` instead of its content."""
        self._set_content(None)
        self.is_ready, self.problem = False, problem

    def _announce_error(self, error: ShopError) -> None:
        """Announce why the action was refused, and display the error of each field."""
        if isinstance(error, InvalidData) and error.fields:
            self.problems = dict(error.fields)
        super()._announce_error(error)

    async def _announce_done(self, actor: Actor, text: str) -> None:
        """Announce that the action is done, and read the content again."""
        self.problems = {}
        self._announce(text)
        await self._show(actor)

    async def _announce_problem(self, actor: Actor, text: str) -> None:
        """Read the content again, and announce why the action was refused."""
        await self._show(actor)
        self._announce(text, "problem")

    async def _announce_repeated_press(self, actor: Actor) -> None:
        await self._announce_done(actor, REPEATED_PRESS_TEXT)

    def _id_in_url(self) -> str:
        """Return the id at the end of the address."""
        return checked_id(str(self.router.url.path).rstrip("/").rpartition("/")[2])

    def _order_in_query(self) -> str:
        """Return the id of the order in the address's query; an id that no order has, if the query has none."""
        return checked_id(self._parameter_in_url("pedido") or "-")

    def _parameter_in_url(self, name: str) -> str:
        """Return a parameter of the address's query; empty if the query does not have it."""
        return dict(parse_qsl(str(self.router.url.query), max_num_fields=10)).get(name, "")

    def _set_content(self, content: Any) -> None:
        setattr(self, CONTENT_VARIABLE, content)
        if content is not None and (watched := self._get_watched()):
            _watch_page(self, watched)

    def _get_watched(self) -> frozenset[str]:
        """Return the topics and product ids whose changes refresh the screen."""
        return self._topics

    def _get_content(self) -> Any:
        return getattr(self, CONTENT_VARIABLE)

    async def _load_staff(self, actor: Actor) -> None:
        staff = await self.get_state(StaffState)
        member = SignedInStaff(actor.id, actor.role_name, sorted(right.name for right in actor.rights))
        staff.member = member  # assigned even if unchanged, so that it is sent: see `load`
        await staff._show_counts(actor)  # noqa: SLF001 - a public method would be an event


def answer_number(state: Any) -> Any:
    """Return the latest announcement's number, by which the page detects a new answer; 0 at first."""
    return rx.cond(state.announcement, state.announcement.number, 0)


def _watch_page(state: rx.State, watched: frozenset[str]) -> None:
    """Register the screen, so that `_update` is called when one of the `watched` topics or products changes."""
    token = state.router.session.client_token
    if token:
        open_pages.note(token, Showing(state.__class__, watched, address_of(state)))


def has_right(right: Right) -> rx.Var[bool]:
    """Return a variable that is True if the staff member's role has the right. Use it only for display.

    It is also True while the staff member is not loaded yet, so that little of the page moves afterwards.
    """
    member = StaffState.member
    return member.is_none() | member.rights.contains(right.name)


def place_count(name: str) -> rx.Var[int]:
    """Return the number next to an entry of the office's menu, such as the orders to pack."""
    return StaffState.counts[name].to(int)


def place_deadline(name: str) -> rx.Var[str]:
    """Return a text about the nearest legal deadline of a menu entry: the days that remain, or that it has passed."""
    return StaffState.deadlines[name].to(str)
