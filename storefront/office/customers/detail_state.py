"""State of a customer's screen."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.errors import NotAllowed
from backend.core.texts import _
from backend.core.web.contact import read_form
from backend.customers.auth.accounts import Profile
from backend.customers.directory import change_person
from backend.customers.notes import MAX_NOTE_LENGTH, add_note
from backend.news.topics import Topic
from backend.office.customers.detail import CustomerDetail, customer_detail
from backend.privacy.erasure import erase_person
from backend.staff.rights import Actor, Right
from storefront.office.navigation import CUSTOMERS
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

PROFILE = ("first_name", "last_name", "phone")


class CustomerState(OfficeScreen, KnownClientState):
    """State of the screen of a customer or a guest."""

    content: rx.Field[CustomerDetail | None] = rx.field(None)
    note_count: rx.Field[int] = rx.field(0)
    """Number of notes added on this page."""

    _right: ClassVar[Right] = Right.READ_CUSTOMERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS})

    async def _read_content(self, actor: Actor) -> CustomerDetail:
        async with current_shop().database.read() as session:
            return await customer_detail(session, actor, self._id_in_url())

    @office_event(Right.CHANGE_CUSTOMERS)
    async def correct(self, actor: Actor, form: dict[str, Any]) -> None:
        """Correct the customer's name or telephone."""
        profile = read_form(Profile, checked_fields(form, *PROFILE))
        async with current_shop().database.transaction() as session:
            await change_person(session, actor, self._id_in_url(), profile.model_dump())
        await self._announce_done(actor, _("Datos corregidos."))

    @office_event(Right.CHANGE_CUSTOMERS)
    async def add_staff_note(self, actor: Actor, form: dict[str, Any]) -> None:
        """Add a note for the staff."""
        text = checked_fields(form, "text", max_length=MAX_NOTE_LENGTH)["text"]
        async with current_shop().database.transaction() as session:
            await add_note(session, actor, self._id_in_url(), text)
        self.note_count += 1
        await self._announce_done(actor, _("Nota guardada."))

    @office_event(Right.ERASE_PERSONAL_DATA)
    async def erase(self, actor: Actor, form: dict[str, Any]) -> Any:
        """Delete the customer's data. As a confirmation, the form must contain the customer's `email`."""
        typed = checked_fields(form, "email")["email"]
        try:
            async with current_shop().database.transaction() as session:
                await erase_person(session, actor, self._id_in_url(), typed)
        except NotAllowed as error:
            await self._show(actor)
            self._announce(error.message, "problem")
            return None
        return rx.redirect(CUSTOMERS, replace=True)
