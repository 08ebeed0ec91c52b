"""Lines of documents match the sold and refunded amounts to the peso; and the customer party."""

from collections import defaultdict
from datetime import UTC, date, datetime
from typing import Any

import pytest

from backend.app import Shop
from backend.core.config.settings import Identity
from backend.core.errors import InvalidData
from backend.core.events import publish
from backend.invoices.document_lines import build_credit_lines, build_invoice_lines
from backend.invoices.documents import DocumentLine, sum_by_rate
from backend.invoices.parties import build_customer_party, build_seller
from backend.orders.models import Order
from backend.orders.money.refunds import list_order_refunds
from backend.orders.service import read_order
from backend.payment.events import RefundBooked
from backend.pricing import SHIPPING_RATE
from backend.reports.ledger import read_ledger
from backend.reports.periods import Period
from tests.backend.invoices.desk import Desk, book_refund, enable_invoices, list_documents, place_paid_order
from tests.backend.reports.selling import store_orders, store_refunded_payment
from tests.backend.reports.test_ledger import random_orders
from tests.store_defaults import Defaults

YEARS = Period("rango", date(2026, 1, 1), date(2027, 12, 31))
LATER = datetime(2099, 1, 1, tzinfo=UTC)


async def test_documents_match_orders_and_iva_report_to_the_peso(shop: Shop, shop_defaults: Defaults) -> None:
    """Cover orders of every kind whose payment equals their total, with promotions and refunds."""
    orders = [
        one
        for one in random_orders(600 if shop.database.is_sqlite else 60)
        if one.has_order and [pesos for _at, pesos in one.captures] == [one.totals.total]
    ]
    async with shop.database.transaction() as session:
        await store_orders(session, orders)
    sold: defaultdict[int, list[DocumentLine]] = defaultdict(list)
    back: defaultdict[int, list[DocumentLine]] = defaultdict(list)
    notes = 0
    async with shop.database.read() as session:
        for one in orders:
            order = await read_order(session, f"order_{one.number}")
            lines = await build_invoice_lines(session, order)
            assert sum(line.total for line in lines) == order.total
            assert sum(base + tax for _rate, base, tax in sum_by_rate(lines)) == order.total
            assert sum(line.tax for line in lines) == one.totals.tax_total
            for line in lines:
                assert 0 <= line.discount <= line.gross
                sold[line.rate].append(line)
            for refund in await list_order_refunds(session, order):
                credited = await build_credit_lines(session, order, refund)
                assert sum(line.total for line in credited) == refund.amount
                assert min(line.total for line in credited) > 0
                notes += 1
                for line in credited:
                    back[line.rate].append(line)
        books = await read_ledger(session, YEARS)
    assert len(orders) > 30
    assert notes > 10
    for rate in (0, 5, 19):
        whole = books.items[rate].total, books.items[rate].tax
        shipping = books.shipping[SHIPPING_RATE] if rate == SHIPPING_RATE else None
        if shipping is not None:
            whole = whole[0] + shipping.total, whole[1] + shipping.tax
        assert (sum(line.total for line in sold[rate]), sum(line.tax for line in sold[rate])) == whole
        assert (sum(line.total for line in back[rate]), sum(line.tax for line in back[rate])) == (
            books.refunded_sums[rate].total,
            books.refunded_sums[rate].tax,
        )


async def test_refund_of_a_second_payment_adds_no_invoice_document(
    shop: Shop, shop_defaults: Defaults
) -> None:
    """Refund the paid order fully; then refund a second payment that was approved late."""
    await enable_invoices(shop, Desk())
    sold = await place_paid_order(shop)
    await book_refund(shop, sold, 258_000, {})
    async with shop.database.transaction() as session:
        await publish(session, RefundBooked(await store_refunded_payment(session, sold, LATER, 258_000)))
    assert [(one.kind, one.amount) for one in await list_documents(shop)] == [
        ("invoice", 258_000),
        ("credit_note", 258_000),
    ]


def order(payer: dict[str, Any] | None, **address: str) -> Order:
    billing = {"first_name": "Ana", "last_name": "Gómez", "address_1": "Calle 80 # 1-2", **address}
    return Order(id="order_1", email="ana@example.com", payer=payer, billing_address=billing)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("payer", "says"),
    [
        ({"doc_type": "CC", "doc_number": "1.020.304.050"}, ("Ana Gómez", "13", "1020304050", "", False)),
        ({"doc_type": "CE", "doc_number": "123456"}, ("Ana Gómez", "22", "123456", "", False)),
        ({"doc_type": "PPN", "doc_number": "ab 12345"}, ("Ana Gómez", "41", "AB12345", "", False)),
        ({"doc_type": "PPT", "doc_number": "1234567"}, ("Ana Gómez", "48", "1234567", "", False)),
        ({"doc_type": "RFC", "doc_number": "GODE561231GR8"}, ("Ana Gómez", "50", "GODE561231GR8", "", False)),
        ({"doc_type": "NIT", "doc_number": "900123456"}, ("La Peonza SAS", "31", "900123456", "8", True)),
        ({"doc_type": "NIT", "doc_number": "9001234568"}, ("La Peonza SAS", "31", "900123456", "8", True)),
        ({"doc_type": "NIT", "doc_number": "1020304050"}, ("La Peonza SAS", "31", "1020304050", "8", True)),
        (None, ("consumidor final", "13", "222222222222", "", False)),
        ({"doc_type": "CC"}, ("consumidor final", "13", "222222222222", "", False)),
        ({"doc_type": "??", "doc_number": "1"}, ("consumidor final", "13", "222222222222", "", False)),
    ],
)
def test_customer_on_the_invoice_is_the_payer(payer: dict[str, Any] | None, says: tuple[object, ...]) -> None:
    buyer = build_customer_party(order(payer, company="La Peonza SAS"))
    assert (buyer.name, buyer.document_type, buyer.document, buyer.check_digit, buyer.is_company) == says


def test_municipality_of_the_customer_is_on_the_invoice_only_if_known() -> None:
    payer = {"doc_type": "CC", "doc_number": "1020304050"}
    known = build_customer_party(order(payer, city="Leticia", province="Amazonas")).place
    assert known is not None
    assert (known.code, known.name, known.department_code) == ("91001", "Leticia", "91")
    assert build_customer_party(order(payer, city="Atlantis", province="Amazonas")).place is None


def test_seller_without_a_valid_nit_and_municipality_is_refused() -> None:
    shop = Identity()
    seller = build_seller(shop, "R-99-PN")
    assert (seller.document, seller.check_digit, seller.tax_scheme) == ("900123456", "8", "01")
    assert seller.place is not None
    assert seller.place.code == "11001"
    for wrong in ({"store_nit": "900.123.456-7"}, {"carrier_origin_dane_code": "99999999"}):
        with pytest.raises(InvalidData):
            build_seller(shop.model_copy(update=wrong), "R-99-PN")
