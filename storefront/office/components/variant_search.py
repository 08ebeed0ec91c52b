"""The search for a variant by its scanned code, or by words of its name."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.office.stock.page import StockRow, find_variants
from backend.staff.rights import Actor
from storefront.office.components.forms import office_field
from storefront.office.components.lists import product_picture
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import checked_fields, checked_id


class VariantSearch(OfficeScreen, mixin=True):
    """State of a screen with `variant_search`. Its events are `scan`, with the form's data, and `choose`."""

    matches: rx.Field[list[StockRow]] = rx.field(default_factory=list)
    """Variants that match the scanned or typed text."""

    async def _find_variant(self, actor: Actor, form_data: dict[str, str]) -> StockRow | None:
        """Return the variant if exactly one matches; otherwise None.

        Several matches are listed. If there is none, the field displays an error message.
        """
        text = checked_fields(form_data, "code")["code"]
        self.problems, self.matches = {}, []
        if not text:
            return None
        async with current_shop().database.read() as session:
            found = await find_variants(session, actor, text)
        if len(found) == 1:
            return found[0]
        if found:
            self.matches = found
        else:
            self.problems = {"code": _("Ningún producto tiene este código o este nombre.")}
        return None


class VariantAdder(VariantSearch, mixin=True):
    """State of a screen that adds the variant that its search finds, or one of the matches."""

    @office_event()
    async def scan(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Add the scanned or typed variant. If several variants match, list them."""
        if (found := await self._find_variant(actor, form_data)) is not None:
            await self._add(actor, found.variant_id)

    @office_event()
    async def choose(self, actor: Actor, variant_id: str) -> None:
        """Add one of the matching variants."""
        checked_id(variant_id)
        self.problems, self.matches = {}, []
        await self._add(actor, variant_id)

    async def _add(self, actor: Actor, variant_id: str) -> None:
        """Add the variant, and show the screen again."""
        raise NotImplementedError


def variant_search(state: Any, form: str, *, data_testid: str) -> rx.Component:
    """Render the field for the code or the name, and the matches.

    Args:
        state: the screen's state.
        form: the name of the screen, for the id of the field.
        data_testid: the field's test id.
    """

    def match_row(row: ObjectVar[StockRow]) -> rx.Component:
        words = rx.el.span(
            row.title, rx.el.span(row.detail, class_name="o-row__detail"), class_name="o-stock__words"
        )
        return rx.el.li(
            rx.el.button(
                product_picture(row.picture),
                words,
                type="button",
                class_name="o-stock__match",
                on_click=state.choose(row.variant_id),
            ),
            key=row.variant_id,
        )

    return rx.fragment(
        rx.el.form(
            office_field(
                state,
                form,
                "code",
                _("Escanea el código o escribe el nombre"),
                auto_complete="off",
                enter_key_hint="done",
                data_testid=data_testid,
            ),
            rx.el.button(_("Agregar"), type="submit", class_name="button button--small button--dark"),
            class_name="o-stock__scan",
            no_validate=True,
            reset_on_submit=True,
            on_submit=state.scan,
        ),
        rx.cond(
            state.matches.length() > 0,
            rx.el.ul(rx.foreach(state.matches, match_row), class_name="o-stock__matches"),
        ),
    )
