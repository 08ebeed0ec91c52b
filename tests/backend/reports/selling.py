"""Stored orders with captures and refunds at any time that a test states."""

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart, LineItem
from backend.channels.models import Region, SalesChannel
from backend.orders.models import Order, OrderLine
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.transitions import GIVEN_BACK
from backend.pricing import SHIPPING, Adjustment, CartTotals, PricedLine, ShippingCharge, price_cart

_numbers = count(1)


@dataclass
class Sold:
    """An order that a test creates. `captures` are `(moment, pesos)`, `refunds` `(moment, pesos, units by line)`."""

    lines: list[PricedLine]
    shipping: int = 0
    adjustments: list[Adjustment] = field(default_factory=list)
    captures: list[tuple[datetime, int]] = field(default_factory=list)
    refunds: list[tuple[datetime, int, dict[str, int]]] = field(default_factory=list)
    placed: datetime | None = None
    status: str = "pending"
    has_order: bool = True
    titles: dict[str, str] = field(default_factory=dict)
    costs: dict[str, int] = field(default_factory=dict)
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def totals(self) -> CartTotals:
        """Return the order's totals."""
        return price_cart(self.lines, ShippingCharge(self.shipping), self.adjustments)

    def line_id(self, name: str) -> str:
        """Return the id of the order's line."""
        return f"ordli_{self.number}_{name}"


def paid_order(*lines: PricedLine, at: datetime, **more: Any) -> Sold:
    """Return an order that was fully paid at this moment."""
    sold = Sold(list(lines), **more)
    return replace(sold, captures=[(at, sold.totals.total)])


async def store_orders(session: AsyncSession, orders: list[Sold]) -> None:
    """Store orders with their carts and payments."""
    region = (await session.execute(select(Region.id))).scalar_one()
    channel = (await session.execute(select(SalesChannel.id))).scalar_one()
    rows: dict[Any, list[dict[str, Any]]] = {
        model: [] for model in (Cart, Order, OrderLine, PaymentCollection, PaymentSession, Refund)
    }
    for one in orders:
        _add(rows, one, {"region_id": region, "sales_channel_id": channel})
    for model, made in rows.items():
        if made:
            await session.execute(insert(model), made)


def _add(rows: dict[Any, list[dict[str, Any]]], one: Sold, places: dict[str, str]) -> None:
    number, totals = one.number, one.totals
    placed = one.placed or min(at for at, _pesos in one.captures)
    stamps = {"created_at": placed, "updated_at": placed}
    order_id, cart_id = f"order_{number}", f"cart_{number}"
    rows[Cart].append(
        {
            "id": cart_id,
            "order_id": order_id,
            "completed_at": placed if one.has_order else None,
            **places,
            **stamps,
        }
    )
    if one.has_order:
        taken = [
            asdict(replace(adjustment, target=target))
            for target, part in [
                *((one.line_id(line.id), line) for line in totals.lines),
                (SHIPPING, totals.shipping),
            ]
            for adjustment in part.adjustments
        ]
        rows[Order].append(
            {
                "id": order_id,
                "cart_id": cart_id,
                **places,
                "email": f"{number}@example.com",
                "status": one.status,
                "payment_status": "captured" if one.captures else "awaiting",
                "item_total": totals.item_total,
                "shipping_total": totals.shipping_total,
                "total": totals.total,
                "adjustments": taken,
                "shipping_name": "Envío",
                "paid_at": one.captures[0][0] if one.captures else None,
                **stamps,
            }
        )
        rows[OrderLine] += [
            {
                "id": one.line_id(line.id),
                "order_id": order_id,
                "product_id": f"prod_{line.id}",
                "variant_id": f"variant_{line.id}",
                "title": one.titles.get(line.id, line.id),
                "product_handle": line.id,
                "quantity": line.quantity,
                "unit_price": line.unit_price,
                "unit_cost": one.costs.get(line.id),
                "tax_rate": line.tax_rate,
                "returned": sum(units.get(line.id, 0) for _at, _pesos, units in one.refunds),
                **stamps,
            }
            for line in one.lines
        ]
    collection_id = f"pay_col_{number}"
    rows[PaymentCollection].append(
        {"id": collection_id, "cart_id": cart_id, "amount": totals.total, **stamps}
    )
    session_ids = []
    for place, (at, pesos) in enumerate(one.captures):
        session_ids.append(f"payses_{number}_{place}")
        rows[PaymentSession].append(
            {
                "id": session_ids[-1],
                "collection_id": collection_id,
                "provider_id": "gateway_pse",
                "state": "captured",
                "amount": totals.total,
                "captured_amount": pesos,
                "captured_at": at,
                "invoice": f"TR{number}-{place}",
                **stamps,
            }
        )
    rows[Refund] += [
        {
            "id": f"ref_{number}_{place}",
            "payment_session_id": session_ids[0],
            "order_id": order_id if one.has_order else None,
            "amount": pesos,
            "reference": f"T{number}-{place}",
            "lines": [
                {"line_id": one.line_id(name), "quantity": units, "restock": True}
                for name, units in named.items()
            ],
            "created_by": "user_1",
            "created_at": at,
            "updated_at": at,
        }
        for place, (at, pesos, named) in enumerate(one.refunds)
    ]


async def store_refunded_payment(session: AsyncSession, sold: Sold, at: datetime, pesos: int) -> str:
    """Store a second payment of the order and its refund, both made at `at`. Return the refund's id."""
    payment = PaymentSession(
        collection_id=f"pay_col_{sold.number}",
        provider_id="gateway_pse",
        state="captured",
        amount=pesos,
        captured_amount=pesos,
        captured_at=at,
        invoice=f"TR{sold.number}-back",
        data={GIVEN_BACK: True},
    )
    session.add(payment)
    await session.flush()
    refund = Refund(
        payment_session_id=payment.id,
        order_id=f"order_{sold.number}",
        amount=pesos,
        reference="T-back",
        created_by="user_1",
        created_at=at,
    )
    session.add(refund)
    await session.flush()
    return refund.id


async def store_cart(
    session: AsyncSession, variant_id: str, at: datetime, replaces: str | None = None
) -> str:
    """Store an unpaid cart with an item, and return its id."""
    region = (await session.execute(select(Region.id))).scalar_one()
    channel = (await session.execute(select(SalesChannel.id))).scalar_one()
    cart = Cart(region_id=region, sales_channel_id=channel, created_at=at, replaces_cart_id=replaces)
    session.add(cart)
    await session.flush()
    session.add(LineItem(cart_id=cart.id, variant_id=variant_id, quantity=1))
    await session.flush()
    return cart.id
