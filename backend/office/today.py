"""What waits in the shop today, and what it has sold, by numbers that stay quick with 100,000 orders.

A query names the statuses as literals where an index holds only the rows of those statuses (`Order.__table_args__`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.models import Attention
from backend.catalog.models import Product, Variant, for_sale
from backend.core.config.settings import Settings
from backend.core.dates import TIME_ZONE, day_label
from backend.core.db.database import database_now, db_now
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.inventory.models import InventoryLevel
from backend.office.reviews import waiting_reviews
from backend.office_settings import demo_problems, read_low_stock
from backend.orders.models import Order
from backend.orders.search import TO_PACK, is_one_of
from backend.reports.figures import flows
from backend.reports.periods import Piece
from backend.shipping.models import StockLocation
from backend.staff.models import Staff
from backend.staff.rights import Actor, Right

MOST_LOW = 5
"""Toys that are named."""
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class LowToy:
    """A toy of which few units are left."""

    product_id: str
    title: str
    units: int


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do before the shop opens. `name` is what links and drawings know it by."""

    name: str
    title: str
    text: str
    is_done: bool


@dataclass(frozen=True, slots=True)
class TodayView:
    """What waits and what was sold.

    Attributes:
        day: today, in words.
        reviews: those that nobody has read yet.
        waits_since: the day since which the oldest order waits to be packed; empty when none does.
        attention_late: of the open rows of attention, those whose deadline is over.
        change: by how much today's sales differ from those until the same time a week ago, in percent; None when
            nothing was sold then.
        is_quiet: whether nothing waits for anybody.
        steps: what is to be done before the shop opens; empty when all is, and for whoever may not change settings.
    """

    day: str
    to_pack: int
    waits_since: str
    awaiting_bank: int
    attention: int
    attention_late: int
    low_stock: int
    reviews: int
    low: list[LowToy]
    sold_label: str
    orders: int
    sold_last_week_label: str
    orders_last_week: int
    change: int | None
    is_quiet: bool
    steps: list[Step]


async def today(session: AsyncSession, actor: Actor, settings: Settings) -> TodayView:
    """What waits in the shop, and what it has sold today.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    moment = await database_now(session)
    begin = moment.astimezone(TIME_ZONE).replace(hour=0, minute=0, second=0, microsecond=0)
    to_pack, oldest = (
        await session.execute(select(func.count(), func.min(Order.paid_at)).where(TO_PACK))
    ).one()
    waits = is_one_of(Order.payment_status, "awaiting") & is_one_of(Order.status, "pending")
    awaiting = (await session.execute(select(func.count()).where(waits))).scalar_one()
    is_late = func.count().filter(Attention.due_at < db_now())
    attention, late = (
        await session.execute(select(func.count(), is_late).where(Attention.resolved_at.is_(None)))
    ).one()
    low_count, low = await _low(session)
    reviews = await waiting_reviews(session)
    sold, orders = await _sold(session, begin, moment)
    sold_before, orders_before = await _sold(session, begin - WEEK, moment - WEEK)
    return TodayView(
        day=day_label(moment),
        to_pack=to_pack,
        waits_since=day_label(oldest) if oldest else "",
        awaiting_bank=awaiting,
        attention=attention,
        attention_late=late,
        low_stock=low_count,
        reviews=reviews,
        low=low,
        sold_label=format_cop(sold),
        orders=orders,
        sold_last_week_label=format_cop(sold_before),
        orders_last_week=orders_before,
        change=round((sold - sold_before) * 100 / sold_before) if sold_before > 0 else None,
        is_quiet=not (to_pack or awaiting or attention or low_count or reviews),
        steps=await _steps(session, actor, settings) if actor.may(Right.CHANGE_SETTINGS) else [],
    )


async def _sold(session: AsyncSession, begin: datetime, end: datetime) -> tuple[Cop, int]:
    """Return what was captured between two moments less what was refunded, and how many orders were paid."""
    (flow,) = await flows(session, [Piece("", begin, end)])
    paid = (Order.paid_at >= begin) & (Order.paid_at < end) & (Order.status == "pending")
    orders = (await session.execute(select(func.count()).select_from(Order).where(paid))).scalar_one()
    return flow.captured - flow.refunded, orders


async def _low(session: AsyncSession) -> tuple[int, list[LowToy]]:
    """How many toys on sale have few units left at a location, and those with the fewest."""
    usual = await read_low_stock(session)
    free = (InventoryLevel.stocked - InventoryLevel.reserved).label("free")
    few = (
        select(Product.id, Product.title, func.min(free).label("units"))
        .join(Variant, Variant.product_id == Product.id)
        .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
        .where(free <= func.coalesce(Product.low_stock_at, usual), for_sale())
        .group_by(Product.id, Product.title)
    )
    count = (await session.execute(select(func.count()).select_from(few.subquery()))).scalar_one()
    if not count:
        return 0, []
    rows = await session.execute(few.order_by("units", Product.title).limit(MOST_LOW))
    return count, [LowToy(row.id, row.title, row.units) for row in rows]


async def _steps(session: AsyncSession, actor: Actor, settings: Settings) -> list[Step]:
    """What is to be done before the shop opens; nothing once all is."""
    has_toy, has_order, has_place, has_code = (
        await session.execute(
            select(
                exists(select(Product.id).where(for_sale())),
                exists(select(Order.id)),
                exists(select(StockLocation.id)),
                exists(select(Staff.id).where(Staff.id == actor.id, Staff.totp_secret.is_not(None))),
            )
        )
    ).one()
    steps = [
        Step(
            "code",
            _("El código de tu teléfono"),
            _("Sin él no se devuelve dinero ni se cambia el equipo."),
            bool(has_code),
        ),
        Step("warehouse", _("La bodega"), _("De dónde salen los paquetes."), bool(has_place)),
        Step("toy", _("El primer juguete"), _("Con foto, precio y unidades."), bool(has_toy)),
        Step(
            "purchase",
            _("Una compra de prueba"),
            _("Compra un juguete como lo haría un cliente."),
            bool(has_order),
        ),
        Step(
            "legal",
            _("Los datos de la tienda"),
            _("Razón social y NIT, como salen en los textos legales."),
            not demo_problems(settings),
        ),
        Step(
            "mail",
            _("El correo"),
            _("Para que cada pedido llegue al correo de quien compra."),
            bool(settings.smtp_host),
        ),
    ]
    return [] if all(step.is_done for step in steps) else steps
