"""State of the product list, in which prices and units can be edited, and of bulk changes."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.catalog.bulk import service as planning
from backend.catalog.bulk.changes import CATEGORIES, Action
from backend.catalog.bulk.service import MAX_SELECTED_PRODUCTS, Selection
from backend.core.errors import InvalidData
from backend.core.money import parse_pesos
from backend.core.texts import _
from backend.inventory.movements import MovementDetails, Reason, StockCountOutdated
from backend.news.topics import Topic
from backend.office.products.bulk import (
    BulkView,
    PreviewView,
    TargetOption,
    collection_options,
    list_bulk_changes,
    parse_change_form,
    preview_view,
)
from backend.office.products.listing import (
    FIELDS,
    MAX_TEXT_LENGTH,
    Price,
    PriceChanged,
    ProductRow,
    ProductsView,
    parse_product_filter,
    price_label,
    products_view,
    read_product_rows,
    set_price,
)
from backend.office.stock.page import SEPARATOR, stock_row
from backend.staff.rights import Actor, Right
from backend.warehouse.service import ReservedForOrders, correct_stock, move_units
from storefront.office.list_state import OfficeList
from storefront.office.navigation import PRODUCTS
from storefront.office.state import office_event
from storefront.office.stock.units import parse_units
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_text, checked_texts

MAX_SUBJECT_LENGTH = 200
REASONS = {
    Reason.COUNT: _("Conteo"),
    Reason.RECEIVED: _("Llegaron"),
    Reason.DAMAGED: _("Dañadas"),
    Reason.LOST: _("Perdidas"),
}
"""Reasons to change units in the list."""
PRICE, UNITS = "price", "units"
MORE_ACTIONS = "more"
"""Value of the button after which the staff member chooses one of the other actions."""
ACTIONS_WITH_FORM = frozenset({*CATEGORIES, Action.COLLECTION, Action.SALE, Action.PRICES})
"""Actions that need more data than the products."""


@dataclass(frozen=True, slots=True)
class BulkDraft:
    """A bulk change that is being prepared.

    Attributes:
        ids: the products that were selected one by one.
        filters: the list's filters, if the change applies to every matching product; None if it applies to `ids`.
        count: number of selected products.
        action: the action; empty until it is chosen.
        target: the handle of the category or the collection.
    """

    ids: list[str]
    count: int
    filters: dict[str, str] | None = None
    action: str = ""
    target: str = ""
    percent: int = 0
    step: int = 50


class ProductsState(OfficeList, KnownClientState):
    """The products that match the filters in the URL."""

    content: rx.Field[ProductsView | None] = rx.field(None)
    draft: rx.Field[BulkDraft | None] = rx.field(None)
    draft_count: rx.Field[int] = rx.field(0)
    """Number of drafts so far. From its change, the browser detects the answer to its request."""
    plan: rx.Field[PreviewView | None] = rx.field(None)
    """Preview of the draft."""
    changes: rx.Field[list[BulkView]] = rx.field(default_factory=list)
    """The latest bulk changes."""
    collections: rx.Field[list[TargetOption]] = rx.field(default_factory=list)

    _right: ClassVar[Right] = Right.READ_CATALOG
    _filter_fields: ClassVar[tuple[str, ...]] = FIELDS
    _max_length: ClassVar[int] = MAX_TEXT_LENGTH
    _path: ClassVar[str] = PRODUCTS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.BULK_CHANGES, Topic.STOCK})

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> ProductsView:
        async with current_shop().database.read() as session:
            return await products_view(session, actor, filters, cursor)

    async def _read_content(self, actor: Actor) -> ProductsView:
        content = await super()._read_content(actor)
        if self._is_other_list(content):
            self.problems, self.draft, self.plan = {}, None, None
        async with current_shop().database.read() as session:
            self.changes = await list_bulk_changes(session, actor)
            self.collections = await collection_options(session)
        return content

    def _get_watched(self) -> frozenset[str]:
        rows = self.content.rows if self.content is not None else []
        return self._topics | {row.id for row in rows}

    async def _read_current_rows(
        self, actor: Actor, shown: ProductsView
    ) -> tuple[dict[str, ProductRow], int]:
        async with current_shop().database.read() as session:
            self.changes = await list_bulk_changes(session, actor)
            return await read_product_rows(session, actor, [row.id for row in shown.rows]), 0

    @office_event(Right.CHANGE_CATALOG)
    async def change_price(self, actor: Actor, form: dict[str, Any]) -> None:
        """Change a price. The form contains the variant's id, the new price, and the price that was displayed."""
        typed = checked_fields(form, "variant_id", "price", "old_price", "seen", "seen_old", max_length=40)
        variant_id = checked_id(typed["variant_id"])
        amount, old = parse_pesos(typed["price"]), parse_pesos(typed["old_price"])
        problem = ""
        if not amount:
            problem = _("Escribe un precio en pesos, por ejemplo 45.000.")
        elif typed["old_price"] and old is None:
            problem = _("Escribe el precio anterior en pesos, o nada.")
        elif old and old <= amount:
            problem = _("El precio anterior tiene que ser más alto que el precio.")
        if problem:
            self._show_problem(f"{PRICE}-{variant_id}", problem)
            return
        new_price, seen = Price(amount or 0, old or None), _parse_price(typed["seen"], typed["seen_old"])
        await self._set_price(actor, variant_id, new_price, seen, can_be_undone=True)

    @office_event(Right.CHANGE_STOCK)
    async def change_units(self, actor: Actor, form: dict[str, Any]) -> None:
        """Set the units at a location. If the typed number has a sign, add or remove units instead.

        The form contains the variant, the location, the units that were displayed, and the reason.
        """
        names = ("variant_id", "location_id", "units", "seen", "reason")
        typed = checked_fields(form, *names, max_length=64)
        row = (checked_id(typed["variant_id"]), checked_id(typed["location_id"]))
        field, written = f"{UNITS}-{row[0]}", typed["units"].replace("−", "-")
        count, seen = parse_units(written.removeprefix("+").removeprefix("-")), parse_units(typed["seen"])
        if count is None or typed["reason"] not in REASONS:
            self._show_problem(
                field, _("Escribe cuántas hay (12), cuántas llegaron (+3) o cuántas salieron (-2).")
            )
            return
        reason = Reason(typed["reason"])
        try:
            async with current_shop().database.transaction() as session:
                if written[:1] in {"+", "-"}:
                    delta = count if written[0] == "+" else -count
                    if delta > 0 and reason is Reason.COUNT:
                        reason = Reason.RECEIVED
                    await move_units(session, actor, row, delta, MovementDetails(reason, actor))
                    after = (await stock_row(session, actor, *row)).stocked
                    before = after - delta
                else:
                    details = MovementDetails(reason, actor)
                    before = await correct_stock(session, actor, row, count, details, expected=seen)
                    after = count
        except StockCountOutdated as error:
            template = _(
                "Mientras escribías cambió: ahora hay {now}, escribiste {n}. Guarda otra vez si es así."
            )
            self._show_problem(field, template.format(now=error.stocked, n=count))
        except ReservedForOrders as error:
            self._show_problem(field, error.text)
        else:
            self.problems = {}
            subject = SEPARATOR.join((UNITS, *row, str(before), str(after)))
            self._announce(_("Ahora hay {n}.").format(n=after), subject=subject)
        await self._refresh(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def start_draft(self, actor: Actor, action: str, product_ids: list[str]) -> None:
        """Start a bulk change of these products and preview it. If `action` is empty, ask for the action first."""
        ids = checked_texts(product_ids, MAX_SELECTED_PRODUCTS)
        self.draft, self.draft_count = (
            BulkDraft(ids, len(ids), action=_parse_action(action)),
            self.draft_count + 1,
        )
        await self._preview_draft(actor, is_complete=self.draft.action not in ACTIONS_WITH_FORM)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def choose_action(self, actor: Actor, action: str) -> None:
        """Set the action of the bulk change, clear its target and percentage, and preview it."""
        if self.draft is not None:
            self.draft = replace(self.draft, action=_parse_action(action), target="", percent=0)
            await self._preview_draft(actor, is_complete=action not in ACTIONS_WITH_FORM)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def toggle_all_matching(self, actor: Actor) -> None:
        """Switch the draft between all matching products and the selected ones."""
        if self.draft is not None and self.content is not None:
            filters = None if self.draft.filters is not None else self.content.filters
            self.draft = replace(self.draft, filters=filters)
            await self._preview_draft(actor, is_complete=self.plan is not None)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def show_plan(self, actor: Actor, form: dict[str, Any]) -> None:
        """Preview the bulk change with the category, collection or percentage of the form."""
        typed = checked_fields(form, "target", "percent", "step", max_length=MAX_TEXT_LENGTH)
        if self.draft is None:
            return
        percent = typed["percent"].replace("−", "-").removesuffix("%").strip()
        self.draft = replace(
            self.draft,
            target=typed["target"],
            percent=_parse_percent(percent),
            step=parse_units(typed["step"]) or 0,
        )
        await self._preview_draft(actor, is_complete=True)

    @office_event(Right.CHANGE_CATALOG)
    async def begin_change(self, actor: Actor) -> None:
        """Start the bulk change as it was previewed."""
        draft, plan = self.draft, self.plan
        if draft is None or plan is None or not plan.changed:
            return
        self.draft, self.plan = None, None
        async with current_shop().database.transaction() as session:
            change = await parse_change_form(session, draft.action, draft.target, draft.percent, draft.step)
            await planning.start_bulk_change(
                session, actor, change, _to_selection(draft), datetime.fromisoformat(plan.seen_at)
            )
        self._announce(_("Empezó. Abajo se ve cómo va y se puede deshacer."))
        await self._refresh(actor)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def discard_draft(self, _actor: Actor) -> None:
        """Discard the bulk change that is being prepared."""
        self.draft, self.plan, self.problems = None, None, {}

    @office_event(Right.CHANGE_CATALOG)
    async def undo_change(self, actor: Actor, bulk_id: str) -> None:
        """Undo a bulk change."""
        bulk_id = checked_id(bulk_id)
        async with current_shop().database.transaction() as session:
            await planning.undo_bulk_change(session, actor, bulk_id)
        self._announce(_("Se está deshaciendo. Lo que alguien cambió después queda como está."))
        await self._refresh(actor)

    async def _preview_draft(self, actor: Actor, *, is_complete: bool) -> None:
        """Preview the bulk change. Only clear the old preview if the action or its form is not filled in."""
        self.plan, self.problems = None, {}
        draft = self.draft
        if draft is None or not draft.action or not is_complete:
            return
        try:
            async with current_shop().database.read() as session:
                change = await parse_change_form(
                    session, draft.action, draft.target, draft.percent, draft.step
                )
                self.plan = await preview_view(session, actor, change, _to_selection(draft))
        except InvalidData:
            is_percent = draft.action in {Action.SALE, Action.PRICES}
            problem = _("Un porcentaje entero: de 1 a 90 para una oferta, de −90 a 300 para los precios.")
            self.problems = {"percent": problem} if is_percent else {"target": _("Elige una de la lista.")}

    @office_event(Right.READ_CATALOG)
    async def undo(self, actor: Actor, subject: str) -> None:
        """Undo a change of a price or of a number of units, if the value has not changed again since."""
        kind, *parts = checked_text(subject, MAX_SUBJECT_LENGTH).split(SEPARATOR)
        if kind == PRICE and len(parts) == 5:
            before, after = _parse_price(*parts[1:3]), _parse_price(*parts[3:5])
            await self._set_price(actor, checked_id(parts[0]), before, after, can_be_undone=False)
        elif kind == UNITS and len(parts) == 4:
            before_units, after_units = parse_units(parts[2]), parse_units(parts[3])
            if before_units is None:
                return
            row = (checked_id(parts[0]), checked_id(parts[1]))
            async with current_shop().database.transaction() as session:
                why = MovementDetails(Reason.CORRECTION, actor)
                await correct_stock(session, actor, row, before_units, why, expected=after_units)
            self._announce(_("Otra vez hay {n}.").format(n=before_units))
            await self._refresh(actor)

    async def _set_price(
        self, actor: Actor, variant_id: str, new_price: Price, seen: Price, *, can_be_undone: bool
    ) -> None:
        try:
            async with current_shop().database.transaction() as session:
                await set_price(session, actor, variant_id, new_price, seen=seen)
        except PriceChanged as error:
            template = _(
                "Mientras escribías alguien puso {now}; tú escribiste {yours}. Guarda otra vez si es así."
            )
            text = template.format(now=price_label(error.price), yours=price_label(new_price))
            self._show_problem(f"{PRICE}-{variant_id}", text)
        else:
            self.problems = {}
            parts = (PRICE, variant_id, *_price_parts(seen), *_price_parts(new_price))
            self._announce(
                _("Ahora cuesta {price}.").format(price=price_label(new_price)),
                subject=SEPARATOR.join(parts) if can_be_undone else "",
            )
        await self._refresh(actor)

    def _show_problem(self, field: str, problem: str) -> None:
        self.problems = {field: problem}
        self._announce(problem, "problem")


def _parse_action(value: object) -> str:
    action = checked_text(value, 40)
    action = "" if action == MORE_ACTIONS else action
    if action and action not in tuple(Action):
        raise InvalidData("not an action on products")
    return action


def _to_selection(draft: BulkDraft) -> Selection:
    return (
        Selection(draft.ids)
        if draft.filters is None
        else Selection(None, parse_product_filter(draft.filters))
    )


def _parse_percent(text: str) -> int:
    """Return the typed whole number, or 0 for anything else."""
    digits = text.removeprefix("-").removeprefix("+")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 3:
        return 0
    return -int(digits) if text.startswith("-") else int(digits)


def _price_parts(price: Price) -> tuple[str, str]:
    return str(price.amount), str(price.before or 0)


def _parse_price(amount: str, before: str) -> Price:
    """Return the typed price (0 if invalid) and the price before a sale (None if invalid)."""
    return Price(parse_pesos(amount) or 0, parse_pesos(before) or None)
