"""Kinds of export files: the columns, the required right, and the rows of each kind, read in batches.

Money is in whole pesos including IVA, times are in Colombia's time zone.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import OPTION_CELLS
from backend.catalog.importer.headings import get_label
from backend.catalog.models import Product, Variant, variant_name
from backend.catalog.products.options import read_named_values
from backend.core.cursors import format_cursor, parse_cursor
from backend.core.dates import TIME_ZONE
from backend.core.texts import _
from backend.customers.models import Customer, GuestCustomer
from backend.exports.platform_products import Cells, build_product_cells, parse_product_conditions
from backend.exports.product_files import (
    SHOPIFY_COLUMNS,
    WOOCOMMERCE_COLUMNS,
    build_shopify_cells,
    build_woocommerce_cells,
)
from backend.imports.files import FILE_COLUMNS, list_product_rows
from backend.imports.rows.changes import format_option_cells
from backend.inventory.models import InventoryLevel, StockMovement
from backend.invoices.export import DOCUMENT_COLUMNS, LINE_COLUMNS, list_document_rows, list_line_rows
from backend.invoices.models import Invoice
from backend.orders.admin.export import COLUMNS as ORDER_COLUMNS
from backend.orders.admin.export import order_rows
from backend.orders.models import Order, OrderLine
from backend.orders.search import find_orders_with_money_to_accept
from backend.orders.service import compute_order_totals
from backend.orders.state_labels import ORDER_LABELS, get_payment_label
from backend.shipping.models import StockLocation
from backend.staff.models import Staff
from backend.staff.rights import Right

PLATFORM = "platform"
"""Kind of the file that programs request over the platform's API."""
PAGE_SIZE = 500
"""Records that are read at a time."""
Row = Sequence[object]


@dataclass(frozen=True, slots=True)
class Source:
    """A table whose records an export reads, in the order of their creation. Either `rows` or `cells` must be set."""

    model: Any
    rows: Callable[[AsyncSession, Sequence[Any]], Awaitable[Sequence[Row]]] | None = None
    cells: Callable[[AsyncSession, Sequence[Any], str], Awaitable[Sequence[Cells]]] | None = None
    """Function that replaces `rows`: it also gets the shop's base URL, and returns the cells of each row by column."""
    is_by_period: bool = True
    """True if only records created in the period are read."""
    time_column: str = "created_at"
    """Column of the time that is compared with the period and sorts the records."""

    @property
    def moment(self) -> Any:
        """Return the column named by `time_column`."""
        return getattr(self.model, self.time_column)

    def where(self, begin: datetime, end: datetime) -> list[ColumnElement[bool]]:
        """Return the conditions for the records to read: the period or, for products, that they are not deleted."""
        if self.model is Product:
            return [Product.deleted_at.is_(None)]
        return [self.moment >= begin, self.moment < end] if self.is_by_period else []


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of export file: its title, columns and tables, and the right that a staff member needs to request it."""

    title: str
    right: Right
    columns: Sequence[str]
    sources: Sequence[Source]
    is_for_programs: bool = False
    """True if another program reads the file: CSV with commas, without a byte order mark."""
    is_offered: bool = True
    """True if the office offers this kind."""


@dataclass(frozen=True, slots=True)
class Contents:
    """Selection of records for a file: a period or, if the kind has `is_for_programs`, a query for products."""

    begin: datetime
    end: datetime
    query: str = ""
    columns: Sequence[str] = ()
    base_url: str = ""


async def count_records(session: AsyncSession, kind: Kind, contents: Contents) -> int:
    """Count the records that a file of this kind with this selection would contain."""
    count = 0
    for source in kind.sources:
        query = (
            select(func.count())
            .select_from(source.model)
            .where(*await _build_conditions(session, source, contents))
        )
        count += (await session.execute(query)).scalar_one()
    return count


async def read_batch(
    session: AsyncSession, kind: Kind, contents: Contents, place: str
) -> tuple[int, Sequence[Row], str | None]:
    """Read the next records after the position `place`.

    Returns:
        The number of these records, their rows, and the next position, which is None at the end.
    """
    number, _separator, cursor = place.partition(" ")
    source = kind.sources[int(number or 0)]
    model = source.model
    query = select(model).where(*await _build_conditions(session, source, contents))
    if cursor:
        query = query.where(tuple_(source.moment, model.id) > parse_cursor(cursor))
    found = (await session.execute(query.order_by(source.moment, model.id).limit(PAGE_SIZE))).scalars().all()
    rows: Sequence[Row] = await source.rows(session, found) if source.rows is not None else []
    if source.cells is not None:
        columns = kind.columns or contents.columns
        cells = await source.cells(session, found, contents.base_url)
        rows = [[one.get(name) for name in columns] for one in cells]
    if len(found) == PAGE_SIZE:
        return (
            PAGE_SIZE,
            rows,
            f"{number or 0} {format_cursor(getattr(found[-1], source.time_column), found[-1].id)}",
        )
    next_source = int(number or 0) + 1
    return len(found), rows, f"{next_source} " if next_source < len(kind.sources) else None


async def _build_conditions(
    session: AsyncSession, source: Source, contents: Contents
) -> list[ColumnElement[bool]]:
    conditions = source.where(contents.begin, contents.end)
    return (
        [*conditions, *await parse_product_conditions(session, contents.query)]
        if contents.query
        else conditions
    )


def _format_moment(moment: datetime) -> str:
    return moment.astimezone(TIME_ZONE).strftime("%Y-%m-%d %H:%M")


async def _line_rows(session: AsyncSession, orders: Sequence[Order]) -> list[Row]:
    of_order: dict[str, list[OrderLine]] = {order.id: [] for order in orders}
    lines = select(OrderLine).where(OrderLine.order_id.in_(of_order)).order_by(OrderLine.id)
    for line in (await session.execute(lines)).scalars():
        of_order[line.order_id].append(line)
    unaccepted = await find_orders_with_money_to_accept(session, list(of_order))
    rows: list[Row] = []
    for order in orders:
        totals = compute_order_totals(order, of_order[order.id]).by_line
        payment = get_payment_label(order.payment_status, has_money_to_accept=order.id in unaccepted)
        for line in of_order[order.id]:
            total = totals[line.id]
            rows.append(
                (
                    order.number,
                    _format_moment(order.created_at),
                    ORDER_LABELS[order.status],
                    payment,
                    line.sku,
                    line.title,
                    variant_name(line.variant_title),
                    line.quantity,
                    line.withdrawn + line.returned,
                    line.unit_price,
                    total.discount_total,
                    total.total,
                    line.tax_rate,
                    total.tax_total,
                )
            )
    return rows


async def _customer_rows(_session: AsyncSession, customers: Sequence[Customer | GuestCustomer]) -> list[Row]:
    return [
        (
            one.first_name,
            one.last_name,
            one.email,
            one.phone,
            one.company_name,
            _("sí") if isinstance(one, Customer) else _("no"),
            _format_moment(one.created_at),
        )
        for one in customers
    ]


async def _product_rows(session: AsyncSession, products: Sequence[Product]) -> list[Row]:
    by_id = {product.id: product for product in products}
    query = (
        select(
            Variant,
            func.coalesce(func.sum(InventoryLevel.stocked), 0),
            func.coalesce(func.sum(InventoryLevel.reserved), 0),
        )
        .outerjoin(InventoryLevel, InventoryLevel.variant_id == Variant.id)
        .where(Variant.product_id.in_(by_id))
        .group_by(Variant.id)
    )
    found = (await session.execute(query)).all()
    places = {product.id: place for place, product in enumerate(products)}
    found = sorted(found, key=lambda row: (places[row[0].product_id], row[0].rank, row[0].id))
    of_products: dict[str, list[Variant]] = {product.id: [] for product in products}
    for variant, _stocked, _reserved in found:
        of_products[variant.product_id].append(variant)
    named = await read_named_values(session, of_products)
    return [
        (
            by_id[variant.product_id].title,
            variant_name(variant.title),
            *(format_option_cells(tuple(named[variant.id].items())).get(name) for name in OPTION_CELLS),
            by_id[variant.product_id].handle,
            _("sí") if by_id[variant.product_id].status == "published" else _("no"),
            variant.sku,
            variant.ean,
            variant.price,
            variant.compare_at_price,
            _("sí") if variant.is_free else _("no"),
            by_id[variant.product_id].tax_rate,
            int(stocked),
            int(reserved),
            by_id[variant.product_id].weight,
            by_id[variant.product_id].brand,
            by_id[variant.product_id].age_range,
        )
        for variant, stocked, reserved in found
    ]


async def _movement_rows(session: AsyncSession, movements: Sequence[StockMovement]) -> list[Row]:
    titled = select(Variant.id, Variant.sku, Product.title, Variant.title).join(
        Product, Product.id == Variant.product_id
    )
    found = await session.execute(titled.where(Variant.id.in_({one.variant_id for one in movements})))
    products = {id_: (sku, title, variant_name(variant_title)) for id_, sku, title, variant_title in found}
    located = select(StockLocation.id, StockLocation.name)
    places = dict((await session.execute(located)).all())
    numbered = select(Order.id, Order.number).where(Order.id.in_({one.order_id for one in movements}))
    orders = dict((await session.execute(numbered)).all())
    named = select(Staff.id, Staff.email).where(Staff.id.in_({one.actor_id for one in movements}))
    staff = dict((await session.execute(named)).all())
    return [
        (
            _format_moment(one.created_at),
            *products.get(one.variant_id, ("", one.variant_id, "")),
            places.get(one.location_id, one.location_id),
            one.delta,
            one.stocked,
            one.reason,
            one.note,
            one.supplier,
            one.document,
            orders.get(one.order_id or ""),
            staff.get(one.actor_id, one.actor_id),
        )
        for one in movements
    ]


KINDS: dict[str, Kind] = {
    "orders": Kind(_("Pedidos"), Right.EXPORT_PERSONAL_DATA, ORDER_COLUMNS, [Source(Order, order_rows)]),
    "lines": Kind(
        _("Productos vendidos"),
        Right.READ_REPORTS,
        (
            _("Pedido"),
            _("Fecha"),
            _("Estado"),
            _("Pago"),
            _("SKU"),
            _("Producto"),
            _("Presentación"),
            _("Unidades"),
            _("Devueltas"),
            _("Precio"),
            _("Descuento"),
            _("Total"),
            _("Tarifa de IVA"),
            _("IVA"),
        ),
        [Source(Order, _line_rows)],
    ),
    "invoices": Kind(
        _("Facturas y notas crédito"),
        Right.EXPORT_PERSONAL_DATA,
        DOCUMENT_COLUMNS,
        [Source(Invoice, list_document_rows, time_column="issued_at")],
    ),
    "invoice_lines": Kind(
        _("Renglones de las facturas"),
        Right.READ_INVOICES,
        LINE_COLUMNS,
        [Source(Invoice, list_line_rows, time_column="issued_at")],
    ),
    "customers": Kind(
        _("Clientes"),
        Right.EXPORT_PERSONAL_DATA,
        (
            _("Nombre"),
            _("Apellido"),
            _("Correo"),
            _("Teléfono"),
            _("Empresa"),
            _("Con cuenta"),
            _("Desde"),
        ),
        [
            Source(Customer, _customer_rows, is_by_period=False),
            Source(GuestCustomer, _customer_rows, is_by_period=False),
        ],
    ),
    "products": Kind(
        _("Productos"),
        Right.READ_CATALOG,
        (
            _("Producto"),
            _("Presentación"),
            *(get_label(name) for name in OPTION_CELLS),
            _("Dirección"),
            _("Publicado"),
            _("SKU"),
            _("Código de barras"),
            _("Precio"),
            _("Precio antes"),
            _("Gratis"),
            _("Tarifa de IVA"),
            _("Unidades"),
            _("Reservadas"),
            _("Peso (kg)"),
            _("Marca"),
            _("Edad"),
        ),
        [Source(Product, _product_rows, is_by_period=False)],
    ),
    "import": Kind(
        _("Productos, para cambiarlos e importarlos"),
        Right.READ_CATALOG,
        [get_label(name) for name in FILE_COLUMNS],
        [Source(Product, list_product_rows, is_by_period=False)],
    ),
    PLATFORM: Kind(
        _("Productos, para programas"),
        Right.READ_CATALOG,
        (),
        [Source(Product, cells=build_product_cells, is_by_period=False)],
        is_for_programs=True,
        is_offered=False,
    ),
    "shopify": Kind(
        _("Productos, para llevarlos a Shopify"),
        Right.READ_CATALOG,
        SHOPIFY_COLUMNS,
        [Source(Product, cells=build_shopify_cells, is_by_period=False)],
        is_for_programs=True,
    ),
    "woocommerce": Kind(
        _("Productos, para llevarlos a WooCommerce"),
        Right.READ_CATALOG,
        WOOCOMMERCE_COLUMNS,
        [Source(Product, cells=build_woocommerce_cells, is_by_period=False)],
        is_for_programs=True,
    ),
    "movements": Kind(
        _("Movimientos de bodega"),
        Right.READ_STOCK,
        (
            _("Fecha"),
            _("SKU"),
            _("Producto"),
            _("Presentación"),
            _("Bodega"),
            _("Cambio"),
            _("Quedan"),
            _("Motivo"),
            _("Nota"),
            _("Proveedor"),
            _("Documento"),
            _("Pedido"),
            _("Quién"),
        ),
        [Source(StockMovement, _movement_rows)],
    ),
}
"""The kinds of files, by name."""
