"""State of the stock screen (Bodega)."""

from dataclasses import dataclass, replace
from typing import ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.texts import _, format_count
from backend.inventory.movements import MovementDetails, Reason, StockCountOutdated
from backend.news.topics import Topic
from backend.office.stock.movements import MovementView, list_movements
from backend.office.stock.page import (
    FIELDS,
    MAX_TEXT_LENGTH,
    SEPARATOR,
    StockPage,
    StockRow,
    read_stock_rows,
    stock_page,
    stock_row,
)
from backend.staff.rights import Actor, Right
from backend.warehouse.service import (
    COUNT_REASONS,
    MAX_RECEIPT_LINES,
    Receipt,
    ReservedForOrders,
    correct_stock,
    receive_units,
    set_low_stock,
)
from storefront.office.components.variant_search import VariantSearch
from storefront.office.list_state import OfficeList
from storefront.office.navigation import STOCK
from storefront.office.state import office_event
from storefront.office.stock.units import parse_units
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_text

MAX_UNITS_TEXT = 100
MAX_KEY_LENGTH = 140
RECEIPT_FIELDS = ("location_id", "supplier", "document", "note")


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """A received variant that is not saved yet.

    `times_added` counts the scans of the variant. Its units field is reset after every scan.
    """

    variant_id: str
    title: str
    detail: str
    picture: str
    units: int
    times_added: int = 0


class StockState(VariantSearch, OfficeList, KnownClientState):
    """Inventory levels by variant and location, and the receipt in progress."""

    content: rx.Field[StockPage | None] = rx.field(None)
    lines: rx.Field[list[ReceiptLine]] = rx.field(default_factory=list)
    """Lines of the receipt in progress. They are lost with the state if they are not saved."""
    open_row_key: rx.Field[str] = rx.field("")
    """Key of the row whose movements are shown."""
    movements: rx.Field[list[MovementView]] = rx.field(default_factory=list)

    _right: ClassVar[Right] = Right.READ_STOCK
    _filter_fields: ClassVar[tuple[str, ...]] = FIELDS
    _max_length: ClassVar[int] = MAX_TEXT_LENGTH
    _path: ClassVar[str] = STOCK
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.STOCK})

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> StockPage:
        async with current_shop().database.read() as session:
            return await stock_page(session, actor, filters, cursor)

    async def _read_content(self, actor: Actor) -> StockPage:
        content = await super()._read_content(actor)
        if self._is_other_list(content):
            self.open_row_key, self.movements = "", []
        return content

    async def _read_current_rows(self, actor: Actor, shown: StockPage) -> tuple[dict[str, StockRow], int]:
        async with current_shop().database.read() as session:
            return await read_stock_rows(session, actor, shown.rows), 0

    @office_event(Right.READ_STOCK, is_press=False)
    async def open_row(self, actor: Actor, key: str) -> None:
        """Show the stock movements of the row's variant."""
        variant_id, _location_id = self._parse_key(key)
        async with current_shop().database.read() as session:
            self.movements = await list_movements(session, actor, variant_id)
        self.open_row_key, self.problems = key, {}

    @office_event(Right.CHANGE_STOCK, is_press=False)
    async def scan(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Add the scanned or typed variant to the receipt. If several variants match, list them."""
        if (found := await self._find_variant(actor, form_data)) is not None:
            self._add_line(found)

    @office_event(Right.CHANGE_STOCK, is_press=False)
    async def choose(self, actor: Actor, variant_id: str) -> None:
        """Add one of the matching variants to the receipt."""
        actor.require(Right.CHANGE_STOCK)
        checked_id(variant_id)
        chosen = next((row for row in self.matches if row.variant_id == variant_id), None)
        if chosen is not None:
            self._add_line(chosen)

    @office_event(Right.CHANGE_STOCK, is_press=False)
    async def remove_line(self, actor: Actor, variant_id: str) -> None:
        """Remove a line from the receipt."""
        actor.require(Right.CHANGE_STOCK)
        checked_id(variant_id)
        self.lines = [line for line in self.lines if line.variant_id != variant_id]

    @office_event(Right.CHANGE_STOCK, is_press=False)
    async def set_line_units(self, actor: Actor, variant_id: str, text: str) -> None:
        """Set the units of a received line. A later scan of the same variant adds one unit."""
        actor.require(Right.CHANGE_STOCK)
        checked_id(variant_id)
        if (units := parse_units(checked_text(text, MAX_UNITS_TEXT))) is not None:
            self._set_units(variant_id, units)

    @office_event(Right.CHANGE_STOCK)
    async def receive(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Save the whole receipt at once. The form has a field for the units of each line."""
        names = [f"units-{line.variant_id}" for line in self.lines]
        typed = checked_fields(form_data, *RECEIPT_FIELDS, *names, max_rows=MAX_RECEIPT_LINES)
        units = {line.variant_id: parse_units(typed[f"units-{line.variant_id}"]) for line in self.lines}
        self.problems = {
            f"units-{variant_id}": _("Un número de 1 en adelante.")
            for variant_id, count in units.items()
            if not count
        }
        if self.problems:
            self._announce(CHECK_FIELDS, "problem")
            return
        receipt = Receipt(
            {variant_id: count or 0 for variant_id, count in units.items()},
            typed["supplier"],
            typed["document"],
            typed["note"],
        )
        async with current_shop().database.transaction() as session:
            await receive_units(session, actor, checked_id(typed["location_id"]), receipt)
        self.lines, self.matches = [], []
        self._announce(
            format_count(sum(receipt.units.values()), _("Llegó {n} unidad."), _("Llegaron {n} unidades."))
        )
        await self._refresh(actor)

    @office_event(Right.CHANGE_STOCK)
    async def correct(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Set the stock of a row to the counted units.

        The form contains the row's `key`, the `seen` and the `counted` units, the `reason` and a `note`.
        """
        typed = checked_fields(form_data, "key", "seen", "counted", "reason", "note")
        row, counted, seen = (
            self._parse_key(typed["key"]),
            parse_units(typed["counted"]),
            parse_units(typed["seen"]),
        )
        self.problems = {}
        if counted is None or typed["reason"] not in COUNT_REASONS:
            self.problems = {"counted": _("Escribe cuántas contaste.")}
            self._announce(CHECK_FIELDS, "problem")
            return
        why = MovementDetails(Reason(typed["reason"]), actor, note=typed["note"])
        try:
            async with current_shop().database.transaction() as session:
                before = await correct_stock(session, actor, row, counted, why, expected=seen)
        except StockCountOutdated as error:
            text = _("Mientras contabas cambió: ahora hay {now}, contaste {counted}. Cuenta otra vez.")
            self.problems = {"counted": text.format(now=error.stocked, counted=counted)}
            self._announce(_("Alguien movió unidades mientras contabas."), "problem")
        except ReservedForOrders as error:
            self._announce(error.text, "problem")
        else:
            self._announce(
                _("Ahora hay {n}.").format(n=counted),
                subject=SEPARATOR.join((*row, str(before), str(counted))),
            )
        await self._refresh_row(actor, typed["key"])

    @office_event(Right.CHANGE_STOCK)
    async def change_low_stock(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Set the product's low-stock threshold in units. An empty number restores the shop's default."""
        typed = checked_fields(form_data, "key", "low_at")
        variant_id, location_id = self._parse_key(typed["key"])
        low_at = parse_units(typed["low_at"]) if typed["low_at"] else None
        if typed["low_at"] and low_at is None:
            self._announce(_("Escribe un número, o nada."), "problem")
            return
        async with current_shop().database.transaction() as session:
            row = await stock_row(session, actor, variant_id, location_id)
            await set_low_stock(session, actor, row.product_id, low_at)
        self._announce(_("Guardado."))
        await self._refresh(actor)

    @office_event(Right.CHANGE_STOCK)
    async def undo(self, actor: Actor, subject: str) -> None:
        """Undo a correction, if the stock has not changed again since."""
        parts = checked_text(subject, MAX_KEY_LENGTH + 20).split(SEPARATOR)
        before, after = (parse_units(part) for part in parts[2:4]) if len(parts) == 4 else (None, None)
        if before is None or after is None:
            return
        row = (checked_id(parts[0]), checked_id(parts[1]))
        why = MovementDetails(Reason.CORRECTION, actor)
        async with current_shop().database.transaction() as session:
            await correct_stock(session, actor, row, before, why, expected=after)
        self._announce(_("Otra vez hay {n}.").format(n=before))
        await self._refresh_row(actor, SEPARATOR.join(row))

    async def _refresh_row(self, actor: Actor, key: str) -> None:
        """Refresh the rows, and the movements of the open row."""
        await self._refresh(actor)
        if self.open_row_key == key:
            async with current_shop().database.read() as session:
                self.movements = await list_movements(session, actor, self._parse_key(key)[0])

    def _parse_key(self, key: object) -> tuple[str, str]:
        variant_id, _separator, location_id = checked_text(key, MAX_KEY_LENGTH).partition(SEPARATOR)
        return checked_id(variant_id), checked_id(location_id)

    def _add_line(self, row: StockRow) -> None:
        self.matches = []
        line = next((line for line in self.lines if line.variant_id == row.variant_id), None)
        if line is not None:
            self._set_units(row.variant_id, line.units + 1, scans=1)
        elif len(self.lines) < MAX_RECEIPT_LINES:
            self.lines = [*self.lines, ReceiptLine(row.variant_id, row.title, row.detail, row.picture, 1)]
        else:
            full = _("Ya van {most} productos: guarda estos y sigue con los demás.")
            self.problems = {"code": full.format(most=MAX_RECEIPT_LINES)}

    def _set_units(self, variant_id: str, units: int, scans: int = 0) -> None:
        """Set the units of a variant's line. `scans` is added to its `times_added`."""
        self.lines = [
            replace(line, units=units, times_added=line.times_added + scans)
            if line.variant_id == variant_id
            else line
            for line in self.lines
        ]
