"""What Productos shows, and prices and units that are changed in the list."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.catalog.bulk import service as planning
from backend.catalog.bulk.changes import CATEGORIES, Action
from backend.catalog.bulk.service import MOST_CHOSEN, Selection
from backend.core.errors import InvalidData
from backend.core.money import typed_pesos
from backend.core.texts import _
from backend.inventory.movements import Reason, StockMoved, Why
from backend.news.topics import Topic
from backend.office.products.bulk import (
    BulkView,
    PreviewView,
    TargetOption,
    change_named,
    collection_options,
    last_changes,
    preview_view,
)
from backend.office.products.listing import (
    FIELDS,
    LONGEST_TEXT,
    Price,
    PriceMoved,
    ProductRow,
    ProductsView,
    filter_of,
    price_label,
    products_view,
    rows_now,
    set_price,
)
from backend.office.stock.page import SEPARATOR, stock_row
from backend.staff.rights import Actor, Right
from backend.warehouse.service import ReservedForOrders, correct, move
from storefront.office.list_state import OfficeList
from storefront.office.navigation import PRODUCTS
from storefront.office.state import office_event
from storefront.office.stock.units import typed_units
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_text, checked_texts

LONGEST_SUBJECT = 200
REASONS = {
    Reason.COUNT: _("Conteo"),
    Reason.RECEIVED: _("Llegaron"),
    Reason.DAMAGED: _("Dañadas"),
    Reason.LOST: _("Perdidas"),
}
"""Why somebody changes the units in the list."""
PRICE, UNITS = "price", "units"
MORE = "more"
"""What the button for all other changes asks for."""
WITH_FORM = frozenset({*CATEGORIES, Action.COLLECTION, Action.SALE, Action.PRICES})
"""What needs to be said more about than which products."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A change of many products that is being put together.

    Attributes:
        ids: the products that were chosen one by one.
        asked: what the list was asked for, when the products are all that meet it; None for those chosen.
        count: how many those that were chosen are.
        action: what is to be done; empty until it is chosen.
        target: the handle of the category or the collection.
    """

    ids: list[str]
    count: int
    asked: dict[str, str] | None = None
    action: str = ""
    target: str = ""
    percent: int = 0
    step: int = 50


class ProductsState(OfficeList, KnownClientState):
    """The products that the address asks for."""

    content: rx.Field[ProductsView | None] = rx.field(None)
    draft: rx.Field[Draft | None] = rx.field(None)
    drafts: rx.Field[int] = rx.field(0)
    """How many drafts there have been: what was asked for has been answered."""
    plan: rx.Field[PreviewView | None] = rx.field(None)
    """What the draft would do."""
    changes: rx.Field[list[BulkView]] = rx.field(default_factory=list)
    """The last changes of many products."""
    collections: rx.Field[list[TargetOption]] = rx.field(default_factory=list)

    _right: ClassVar[Right] = Right.READ_CATALOG
    _fields: ClassVar[tuple[str, ...]] = FIELDS
    _longest: ClassVar[int] = LONGEST_TEXT
    _place: ClassVar[str] = PRODUCTS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.BULK_CHANGES, Topic.STOCK})

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> ProductsView:
        async with current_shop().database.read() as session:
            return await products_view(session, actor, asked, cursor)

    async def _content(self, actor: Actor) -> ProductsView:
        self.problems, self.draft, self.plan = {}, None, None
        async with current_shop().database.read() as session:
            self.changes = await last_changes(session, actor)
            self.collections = await collection_options(session)
        return await super()._content(actor)

    def _watched(self) -> frozenset[str]:
        rows = self.content.rows if self.content is not None else []
        return self._topics | {row.id for row in rows}

    async def _rows_again(self, actor: Actor, shown: ProductsView) -> tuple[dict[str, ProductRow], int]:
        async with current_shop().database.read() as session:
            self.changes = await last_changes(session, actor)
            return await rows_now(session, actor, [row.id for row in shown.rows]), 0

    @office_event(Right.CHANGE_CATALOG)
    async def price(self, actor: Actor, form: dict[str, Any]) -> None:
        """Change a price. The form names the variant, and says which price it showed."""
        typed = checked_fields(form, "variant_id", "price", "old_price", "seen", "seen_old", longest=40)
        variant_id = checked_id(typed["variant_id"])
        amount, old = typed_pesos(typed["price"]), typed_pesos(typed["old_price"])
        problem = ""
        if not amount:
            problem = _("Escribe un precio en pesos, por ejemplo 45.000.")
        elif typed["old_price"] and old is None:
            problem = _("Escribe el precio anterior en pesos, o nada.")
        elif old and old <= amount:
            problem = _("El precio anterior tiene que ser más alto que el precio.")
        if problem:
            self._mark(f"{PRICE}-{variant_id}", problem)
            return
        wanted, seen = Price(amount or 0, old or None), _price(typed["seen"], typed["seen_old"])
        await self._set_price(actor, variant_id, wanted, seen, can_be_undone=True)

    @office_event(Right.CHANGE_STOCK)
    async def units(self, actor: Actor, form: dict[str, Any]) -> None:
        """So many units are stocked there, or (with a sign) came or left. The form names variant and location."""
        names = ("variant_id", "location_id", "units", "seen", "reason")
        typed = checked_fields(form, *names, longest=64)
        row = (checked_id(typed["variant_id"]), checked_id(typed["location_id"]))
        field, written = f"{UNITS}-{row[0]}", typed["units"].replace("−", "-")
        count, seen = typed_units(written.removeprefix("+").removeprefix("-")), typed_units(typed["seen"])
        if count is None or typed["reason"] not in REASONS:
            self._mark(field, _("Escribe cuántas hay (12), cuántas llegaron (+3) o cuántas salieron (-2)."))
            return
        reason = Reason(typed["reason"])
        try:
            async with current_shop().database.transaction() as session:
                if written[:1] in {"+", "-"}:
                    delta = count if written[0] == "+" else -count
                    if delta > 0 and reason is Reason.COUNT:
                        reason = Reason.RECEIVED
                    await move(session, actor, row, delta, Why(reason, actor))
                    after = (await stock_row(session, actor, *row)).stocked
                    before = after - delta
                else:
                    before = await correct(session, actor, row, count, Why(reason, actor), seen=seen)
                    after = count
        except StockMoved as error:
            told = _("Mientras escribías cambió: ahora hay {now}, escribiste {n}. Guarda otra vez si es así.")
            self._mark(field, told.format(now=error.stocked, n=count))
        except ReservedForOrders as error:
            self._mark(field, error.text)
        else:
            self.problems = {}
            subject = SEPARATOR.join((UNITS, *row, str(before), str(after)))
            self._tell(_("Ahora hay {n}.").format(n=after), subject=subject)
        await self._refresh(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def act(self, actor: Actor, action: str, product_ids: list[str]) -> None:
        """Show what would be done with these products; with no action, ask for it."""
        ids = checked_texts(product_ids, MOST_CHOSEN)
        self.draft, self.drafts = Draft(ids, len(ids), action=_action(action)), self.drafts + 1
        await self._plan(actor, is_complete=self.draft.action not in WITH_FORM)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def pick(self, actor: Actor, action: str) -> None:
        """Choose what is to be done."""
        if self.draft is not None:
            self.draft = replace(self.draft, action=_action(action), target="", percent=0)
            await self._plan(actor, is_complete=action not in WITH_FORM)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def widen(self, actor: Actor) -> None:
        """Do it with all products that meet what the list is asked for, or again with those that were chosen."""
        if self.draft is not None and self.content is not None:
            asked = None if self.draft.asked is not None else self.content.asked
            self.draft = replace(self.draft, asked=asked)
            await self._plan(actor, is_complete=self.plan is not None)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def show_plan(self, actor: Actor, form: dict[str, Any]) -> None:
        """Show what would be done with this place, or these percent."""
        typed = checked_fields(form, "target", "percent", "step", longest=LONGEST_TEXT)
        if self.draft is None:
            return
        percent = typed["percent"].replace("−", "-").removesuffix("%").strip()
        self.draft = replace(
            self.draft,
            target=typed["target"],
            percent=_percent(percent),
            step=typed_units(typed["step"]) or 0,
        )
        await self._plan(actor, is_complete=True)

    @office_event(Right.CHANGE_CATALOG)
    async def begin_change(self, actor: Actor) -> None:
        """Have it done, as it was shown."""
        draft, plan = self.draft, self.plan
        if draft is None or plan is None or not plan.changed:
            return
        self.draft, self.plan = None, None
        async with current_shop().database.transaction() as session:
            change = await change_named(session, draft.action, draft.target, draft.percent, draft.step)
            await planning.begin(
                session, actor, change, _selection(draft), datetime.fromisoformat(plan.seen_at)
            )
        self._tell(_("Empezó. Abajo se ve cómo va y se puede deshacer."))
        await self._refresh(actor)

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def drop(self, _actor: Actor) -> None:
        """Change nothing."""
        self.draft, self.plan, self.problems = None, None, {}

    @office_event(Right.CHANGE_CATALOG)
    async def undo_change(self, actor: Actor, bulk_id: str) -> None:
        """Have a change of many products undone."""
        bulk_id = checked_id(bulk_id)
        async with current_shop().database.transaction() as session:
            await planning.undo(session, actor, bulk_id)
        self._tell(_("Se está deshaciendo. Lo que alguien cambió después queda como está."))
        await self._refresh(actor)

    async def _plan(self, actor: Actor, *, is_complete: bool) -> None:
        """Show what the draft would do, once it says all that is needed for that."""
        self.plan, self.problems = None, {}
        draft = self.draft
        if draft is None or not draft.action or not is_complete:
            return
        try:
            async with current_shop().database.read() as session:
                change = await change_named(session, draft.action, draft.target, draft.percent, draft.step)
                self.plan = await preview_view(session, actor, change, _selection(draft))
        except InvalidData:
            is_percent = draft.action in {Action.SALE, Action.PRICES}
            problem = _("Un porcentaje entero: de 1 a 90 para una oferta, de −90 a 300 para los precios.")
            self.problems = {"percent": problem} if is_percent else {"target": _("Elige una de la lista.")}

    @office_event(Right.READ_CATALOG)
    async def undo(self, actor: Actor, subject: str) -> None:
        """Put a price or a number of units back, if nobody has changed it since."""
        kind, *parts = checked_text(subject, LONGEST_SUBJECT).split(SEPARATOR)
        if kind == PRICE and len(parts) == 5:
            before, after = _price(*parts[1:3]), _price(*parts[3:5])
            await self._set_price(actor, checked_id(parts[0]), before, after, can_be_undone=False)
        elif kind == UNITS and len(parts) == 4:
            before_units, after_units = typed_units(parts[2]), typed_units(parts[3])
            if before_units is None:
                return
            row = (checked_id(parts[0]), checked_id(parts[1]))
            async with current_shop().database.transaction() as session:
                why = Why(Reason.CORRECTION, actor)
                await correct(session, actor, row, before_units, why, seen=after_units)
            self._tell(_("Otra vez hay {n}.").format(n=before_units))
            await self._refresh(actor)

    async def _set_price(
        self, actor: Actor, variant_id: str, wanted: Price, seen: Price, *, can_be_undone: bool
    ) -> None:
        try:
            async with current_shop().database.transaction() as session:
                await set_price(session, actor, variant_id, wanted, seen=seen)
        except PriceMoved as error:
            told = _(
                "Mientras escribías alguien puso {now}; tú escribiste {yours}. Guarda otra vez si es así."
            )
            said = told.format(now=price_label(error.price), yours=price_label(wanted))
            self._mark(f"{PRICE}-{variant_id}", said)
        else:
            self.problems = {}
            parts = (PRICE, variant_id, *_written(seen), *_written(wanted))
            self._tell(
                _("Ahora cuesta {price}.").format(price=price_label(wanted)),
                subject=SEPARATOR.join(parts) if can_be_undone else "",
            )
        await self._refresh(actor)

    def _mark(self, field: str, problem: str) -> None:
        self.problems = {field: problem}
        self._tell(problem, "problem")


def _action(value: object) -> str:
    action = checked_text(value, 40)
    action = "" if action == MORE else action
    if action and action not in tuple(Action):
        raise InvalidData("nothing of that name can be done")
    return action


def _selection(draft: Draft) -> Selection:
    return Selection(draft.ids) if draft.asked is None else Selection(None, filter_of(draft.asked))


def _percent(text: str) -> int:
    """The whole number that was typed; 0 for anything else."""
    digits = text.removeprefix("-").removeprefix("+")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 3:
        return 0
    return -int(digits) if text.startswith("-") else int(digits)


def _written(price: Price) -> tuple[str, str]:
    return str(price.amount), str(price.before or 0)


def _price(amount: str, before: str) -> Price:
    """The price that a form showed."""
    return Price(typed_pesos(amount) or 0, typed_pesos(before) or None)
