"""What the screen of a sale shows, and what can be done there."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.catalog.price_lists.saving import end_sale
from backend.errors import InvalidData
from backend.office.offer_form import CATEGORY_FIELD
from backend.office.sales import (
    SaleForm,
    SalePage,
    SalePreview,
    move_end,
    preview_sale,
    sale_page,
    save_seen,
)
from backend.staff.rights import Actor, Right
from backend.texts import _
from storefront.live.state_loss import KnownClientState
from storefront.office.offers.state import LONGEST, NEW
from storefront.office.places import SALES
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import MAX_ID, checked_fields, checked_id

FIELDS = ("title", "method", "value", "target", "toys", "starts", "ends")


class SaleState(OfficeScreen, KnownClientState):
    """One sale, or a new one, and what it would change."""

    content: rx.Field[SalePage | None] = rx.field(None)
    preview: rx.Field[SalePreview | None] = rx.field(None)
    """What the form that was looked at last would change: that, and nothing else, is what `save` stores."""

    _right: ClassVar[Right] = Right.READ_CATALOG
    _looked_at: SaleForm | None = None
    _seen: str = ""

    async def _content(self, actor: Actor) -> SalePage:
        self.preview, self._looked_at, self.problems = None, None, {}
        async with current_shop().database.read() as session:
            return await sale_page(session, actor, self._id())

    @office_event(Right.CHANGE_PROMOTIONS)
    async def look(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Show what the form would change."""
        typed = checked_fields(form_data, *FIELDS, longest=LONGEST)
        ticked = [
            name for name, value in form_data.items() if name.startswith(CATEGORY_FIELD) and value == "on"
        ]
        ids = [name.removeprefix(CATEGORY_FIELD) for name in ticked]
        form = SaleForm(**typed, categories=[one for one in ids if 0 < len(one) <= MAX_ID])
        self.preview, self._looked_at, self.problems = None, None, {}
        try:
            async with current_shop().database.read() as session:
                self.preview = await preview_sale(session, actor, form, self._id())
        except InvalidData as error:
            self._refuse(error)
            return
        self._looked_at, self._seen = form, self.preview.seen

    @office_event(Right.CHANGE_PROMOTIONS)
    async def save(self, actor: Actor) -> Any:
        """Store what was looked at."""
        if self._looked_at is None:
            self.preview = None
            self._tell(_("Mira otra vez qué cambia antes de guardar."), "problem")
            return None
        try:
            async with current_shop().database.transaction() as session:
                saved = await save_seen(session, actor, self._looked_at, self._seen, self._id())
        except InvalidData as error:
            self._refuse(error)
            return None
        if isinstance(saved, SalePreview):
            self.preview, self._seen = saved, saved.seen
            self._tell(_("Algún precio cambió mientras tanto: mira otra vez qué cambia."), "problem")
            return None
        self._looked_at = None  # pressed again, it is not stored twice
        self._tell(_("Rebaja guardada."))
        return rx.redirect(f"{SALES}/{saved}", replace=True)

    @office_event(Right.CHANGE_PROMOTIONS)
    async def move_end(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Have it end with another day."""
        typed = checked_fields(form_data, "last_day")
        try:
            async with current_shop().database.transaction() as session:
                await move_end(session, actor, self._id(), typed["last_day"])
        except InvalidData as error:
            self._refuse(error)
            return
        await self._show(actor)
        self._tell(_("Rebaja guardada."))

    @office_event(Right.CHANGE_PROMOTIONS)
    async def end(self, actor: Actor) -> None:
        """End it now: the prices of before come back."""
        async with current_shop().database.transaction() as session:
            await end_sale(session, actor, self._id())
        await self._show(actor)
        self._tell(_("Rebaja terminada: los precios de antes vuelven en menos de un minuto."))

    def _refuse(self, error: InvalidData) -> None:
        self.problems = error.fields
        self._tell(
            _("Revisa los datos marcados.") if error.fields else _("Ningún precio bajaría."), "problem"
        )

    def _id(self) -> str:
        """The sale's id at this address; empty for a new one."""
        last = checked_id(self.router.url.path.rstrip("/").rpartition("/")[2])
        return "" if last == NEW else last
