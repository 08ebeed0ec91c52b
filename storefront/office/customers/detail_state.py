"""What the screen of one customer knows, and what can be done there."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.errors import NotAllowed
from backend.core.texts import _
from backend.core.web.contact import read_form
from backend.customers.auth.accounts import Profile
from backend.customers.directory import change_person
from backend.customers.notes import LONGEST_NOTE, add_note
from backend.news.topics import Topic
from backend.office.customers.detail import CustomerDetail, customer_detail
from backend.privacy.erasure import erase
from backend.staff.rights import Actor, Right
from storefront.office.navigation import CUSTOMERS
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

PROFILE = ("first_name", "last_name", "phone")


class CustomerState(OfficeScreen, KnownClientState):
    """One customer or guest."""

    content: rx.Field[CustomerDetail | None] = rx.field(None)
    noted: rx.Field[int] = rx.field(0)
    """How many notes were written here."""

    _right: ClassVar[Right] = Right.READ_CUSTOMERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS})

    async def _content(self, actor: Actor) -> CustomerDetail:
        async with current_shop().database.read() as session:
            return await customer_detail(session, actor, self._id())

    @office_event(Right.CHANGE_CUSTOMERS)
    async def correct(self, actor: Actor, form: dict[str, Any]) -> None:
        """Correct a name or a telephone."""
        profile = read_form(Profile, checked_fields(form, *PROFILE))
        async with current_shop().database.transaction() as session:
            await change_person(session, actor, self._id(), profile.model_dump())
        await self._done(actor, _("Datos corregidos."))

    @office_event(Right.CHANGE_CUSTOMERS)
    async def note(self, actor: Actor, form: dict[str, Any]) -> None:
        """Write a note for the others."""
        text = checked_fields(form, "text", longest=LONGEST_NOTE)["text"]
        async with current_shop().database.transaction() as session:
            await add_note(session, actor, self._id(), text)
        self.noted += 1
        await self._done(actor, _("Nota guardada."))

    @office_event(Right.ERASE_PERSONAL_DATA)
    async def erase(self, actor: Actor, form: dict[str, Any]) -> Any:
        """Delete what is held on them, whose `email` was typed again."""
        typed = checked_fields(form, "email")["email"]
        try:
            async with current_shop().database.transaction() as session:
                await erase(session, actor, self._id(), typed)
        except NotAllowed as error:
            await self._show(actor)
            self._tell(error.message, "problem")
            return None
        return rx.redirect(CUSTOMERS, replace=True)
