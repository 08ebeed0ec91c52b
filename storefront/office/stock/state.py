"""What Bodega shows, and what can be done there."""

from dataclasses import dataclass, replace
from typing import ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.texts import _, counted
from backend.inventory.movements import Reason, StockMoved, Why
from backend.news.topics import Topic
from backend.office.stock.movements import MovementView, movements_of
from backend.office.stock.page import (
    FIELDS,
    MAX_TEXT_LENGTH,
    SEPARATOR,
    StockPage,
    StockRow,
    rows_now,
    stock_page,
    stock_row,
    variants_found,
)
from backend.staff.rights import Actor, Right
from backend.warehouse.service import (
    CORRECTING,
    MOST_LINES,
    Receipt,
    ReservedForOrders,
    correct,
    receive,
    set_low_stock,
)
from storefront.office.list_state import OfficeList
from storefront.office.navigation import STOCK
from storefront.office.state import office_event
from storefront.office.stock.units import typed_units
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_text

LONGEST = 100
LONGEST_KEY = 140
RECEIPT = ("location_id", "supplier", "document", "note")


@dataclass(frozen=True, slots=True)
class Line:
    """A toy that came, before it is saved. `added`: how often it was put in again, which its field shows."""

    variant_id: str
    title: str
    detail: str
    picture: str
    units: int
    added: int = 0


class StockState(OfficeList, KnownClientState):
    """Units by toy and location, and what is being received."""

    content: rx.Field[StockPage | None] = rx.field(None)
    lines: rx.Field[list[Line]] = rx.field(default_factory=list)
    """What is being received. It is lost with the state, as a paper that nobody signed."""
    matches: rx.Field[list[StockRow]] = rx.field(default_factory=list)
    """What a text that was scanned or typed may mean."""
    opened: rx.Field[str] = rx.field("")
    """The key of the row whose movements are shown."""
    movements: rx.Field[list[MovementView]] = rx.field(default_factory=list)

    _right: ClassVar[Right] = Right.READ_STOCK
    _fields: ClassVar[tuple[str, ...]] = FIELDS
    _longest: ClassVar[int] = MAX_TEXT_LENGTH
    _place: ClassVar[str] = STOCK
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.STOCK})

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> StockPage:
        async with current_shop().database.read() as session:
            return await stock_page(session, actor, asked, cursor)

    async def _content(self, actor: Actor) -> StockPage:
        self.opened, self.movements = "", []
        return await super()._content(actor)

    async def _rows_again(self, actor: Actor, shown: StockPage) -> tuple[dict[str, StockRow], int]:
        async with current_shop().database.read() as session:
            return await rows_now(session, actor, shown.rows), 0

    @office_event(Right.READ_STOCK, is_press=False)
    async def open_row(self, actor: Actor, key: str) -> None:
        """Show the movements of a row."""
        variant_id, _location_id = self._parts(key)
        async with current_shop().database.read() as session:
            self.movements = await movements_of(session, actor, variant_id)
        self.opened, self.problems = key, {}

    @office_event(Right.CHANGE_STOCK, is_press=False)
    async def scan(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Add what was scanned or typed to what is being received, or ask which of several it is."""
        text = checked_fields(form_data, "code")["code"]
        self.problems, self.matches = {}, []
        if not text:
            return
        async with current_shop().database.read() as session:
            found = await variants_found(session, actor, text)
        if len(found) == 1:
            self._add(found[0])
        elif found:
            self.matches = found
        else:
            self.problems = {"code": _("Ningún juguete tiene este código o este nombre.")}

    @office_event(Right.CHANGE_STOCK, is_press=False)
    async def choose(self, actor: Actor, variant_id: str) -> None:
        """Add one of those that the text may have meant."""
        actor.require(Right.CHANGE_STOCK)
        checked_id(variant_id)
        chosen = next((row for row in self.matches if row.variant_id == variant_id), None)
        if chosen is not None:
            self._add(chosen)

    @office_event(Right.CHANGE_STOCK, is_press=False)
    async def drop(self, actor: Actor, variant_id: str) -> None:
        """Take a line out again."""
        actor.require(Right.CHANGE_STOCK)
        checked_id(variant_id)
        self.lines = [line for line in self.lines if line.variant_id != variant_id]

    @office_event(Right.CHANGE_STOCK, is_press=False)
    async def note_units(self, actor: Actor, variant_id: str, text: str) -> None:
        """So many of a line came: put in again, it is one more than what was typed."""
        actor.require(Right.CHANGE_STOCK)
        checked_id(variant_id)
        if (units := typed_units(checked_text(text, LONGEST))) is not None:
            self._put_in(variant_id, units)

    @office_event(Right.CHANGE_STOCK)
    async def receive(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Save all that came, at once. The form has a field for the units of each line."""
        names = [f"units-{line.variant_id}" for line in self.lines]
        typed = checked_fields(form_data, *RECEIPT, *names, rows=MOST_LINES)
        units = {line.variant_id: typed_units(typed[f"units-{line.variant_id}"]) for line in self.lines}
        self.problems = {
            f"units-{variant_id}": _("Un número de 1 en adelante.")
            for variant_id, count in units.items()
            if not count
        }
        if self.problems:
            self._tell(CHECK_FIELDS, "problem")
            return
        receipt = Receipt(
            {variant_id: count or 0 for variant_id, count in units.items()},
            typed["supplier"],
            typed["document"],
            typed["note"],
        )
        async with current_shop().database.transaction() as session:
            await receive(session, actor, checked_id(typed["location_id"]), receipt)
        self.lines, self.matches = [], []
        self._tell(counted(sum(receipt.units.values()), _("Llegó {n} unidad."), _("Llegaron {n} unidades.")))
        await self._refresh(actor)

    @office_event(Right.CHANGE_STOCK)
    async def correct(self, actor: Actor, form_data: dict[str, str]) -> None:
        """So many are stocked there. The form names the row, what it showed, and the reason."""
        typed = checked_fields(form_data, "key", "seen", "counted", "reason", "note")
        row, counted, seen = (
            self._parts(typed["key"]),
            typed_units(typed["counted"]),
            typed_units(typed["seen"]),
        )
        self.problems = {}
        if counted is None or typed["reason"] not in CORRECTING:
            self.problems = {"counted": _("Escribe cuántas contaste.")}
            self._tell(CHECK_FIELDS, "problem")
            return
        why = Why(Reason(typed["reason"]), actor, note=typed["note"])
        try:
            async with current_shop().database.transaction() as session:
                before = await correct(session, actor, row, counted, why, seen=seen)
        except StockMoved as error:
            told = _("Mientras contabas cambió: ahora hay {now}, contaste {counted}. Cuenta otra vez.")
            self.problems = {"counted": told.format(now=error.stocked, counted=counted)}
            self._tell(_("Alguien movió unidades mientras contabas."), "problem")
        except ReservedForOrders as error:
            self._tell(error.text, "problem")
        else:
            self._tell(
                _("Ahora hay {n}.").format(n=counted),
                subject=SEPARATOR.join((*row, str(before), str(counted))),
            )
        await self._again(actor, typed["key"])

    @office_event(Right.CHANGE_STOCK)
    async def set_low(self, actor: Actor, form_data: dict[str, str]) -> None:
        """From how many units on the toy counts as running out. The form names the row."""
        typed = checked_fields(form_data, "key", "low_at")
        variant_id, location_id = self._parts(typed["key"])
        low_at = typed_units(typed["low_at"]) if typed["low_at"] else None
        if typed["low_at"] and low_at is None:
            self._tell(_("Escribe un número, o nada."), "problem")
            return
        async with current_shop().database.transaction() as session:
            row = await stock_row(session, actor, variant_id, location_id)
            await set_low_stock(session, actor, row.product_id, low_at)
        self._tell(_("Guardado."))
        await self._refresh(actor)

    @office_event(Right.CHANGE_STOCK)
    async def undo(self, actor: Actor, subject: str) -> None:
        """Put the number back that was there before a correction, if nobody has moved units since."""
        parts = checked_text(subject, LONGEST_KEY + 20).split(SEPARATOR)
        before, after = (typed_units(one) for one in parts[2:4]) if len(parts) == 4 else (None, None)
        if before is None or after is None:
            return
        row = (checked_id(parts[0]), checked_id(parts[1]))
        why = Why(Reason.CORRECTION, actor)
        async with current_shop().database.transaction() as session:
            await correct(session, actor, row, before, why, seen=after)
        self._tell(_("Otra vez hay {n}.").format(n=before))
        await self._again(actor, SEPARATOR.join(row))

    async def _again(self, actor: Actor, key: str) -> None:
        """Show the numbers as they are, and the movements of the row that is open."""
        await self._refresh(actor)
        if self.opened == key:
            async with current_shop().database.read() as session:
                self.movements = await movements_of(session, actor, self._parts(key)[0])

    def _parts(self, key: object) -> tuple[str, str]:
        variant_id, _separator, location_id = checked_text(key, LONGEST_KEY).partition(SEPARATOR)
        return checked_id(variant_id), checked_id(location_id)

    def _add(self, row: StockRow) -> None:
        self.matches = []
        line = next((one for one in self.lines if one.variant_id == row.variant_id), None)
        if line is not None:
            self._put_in(row.variant_id, line.units + 1, times=1)
        elif len(self.lines) < MOST_LINES:
            self.lines = [*self.lines, Line(row.variant_id, row.title, row.detail, row.picture, 1)]
        else:
            full = _("Ya van {most} juguetes: guarda estos y sigue con los demás.")
            self.problems = {"code": full.format(most=MOST_LINES)}

    def _put_in(self, variant_id: str, units: int, times: int = 0) -> None:
        """Let the line of this variant be so many units. `times`: how often it was put in again for that."""
        self.lines = [
            replace(line, units=units, added=line.added + times) if line.variant_id == variant_id else line
            for line in self.lines
        ]
