"""The checklist of a shop that opens: a step is ticked when its task is done; with all done, the list is hidden."""

from dataclasses import dataclass

import httpx
import pytest
from sqlalchemy import select, update
from sqlmodel import SQLModel

from backend.app import Shop
from backend.catalog.models import Category, Product, ProductCategory
from backend.content.areas import Area, BrandBody
from backend.content.versions import save_content
from backend.core.db.database import database_now
from backend.invoices.earlier_orders import invoice_earlier_orders
from backend.legal.texts import LegalKind, current_texts, save_text
from backend.mail.models import Mail, MailKind
from backend.office.opening_steps import read_opening_steps
from backend.office_settings import MUST_BE_OWN, OWN_WAREHOUSE
from backend.operations.backup.models import Backup
from backend.orders.models import Order
from backend.payment.models import PaymentSession, Refund
from backend.payment.providers.base import ProviderState
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, Actor, Role
from tests.backend.invoices.desk import enable_invoices
from tests.backend.orders.paying import place_order_at_bank, report_payment
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get

OWN = dict.fromkeys((*MUST_BE_OWN, *OWN_WAREHOUSE), "6044441234")
REAL = {**OWN, "smtp_host": "smtp.example", "carrier_sandbox": False, "carrier_api_key": "key"}


@dataclass
class OpeningShop:
    """A shop that opens step by step."""

    shop: Shop
    defaults: Defaults
    store: httpx.AsyncClient
    owner: Actor

    async def read_done(self) -> set[str]:
        """Return the names of the finished steps."""
        async with self.shop.database.read() as session:
            steps = await read_opening_steps(session, self.owner, self.shop.settings)
        return {step.name for step in steps if step.is_done}

    async def add(self, *rows: SQLModel) -> None:
        """Insert these rows into the database."""
        async with self.shop.database.transaction() as session:
            session.add_all(rows)

    async def add_product_for_sale(self) -> None:
        """Add a product for sale."""
        async with self.shop.database.transaction() as session:
            await add_product(session, self.defaults, "trompo", stock=10)

    async def add_category(self) -> None:
        """Create a category with the product."""
        category = Category(name="Madera", handle="madera")
        await self.add(category)
        async with self.shop.database.transaction() as session:
            product_id = (await session.execute(select(Product.id))).scalar_one()
            session.add(ProductCategory(product_id=product_id, category_id=category.id))

    async def confirm_legal_texts(self) -> None:
        """Save each legal text as confirmed by a lawyer."""
        for kind in LegalKind:
            async with self.shop.database.transaction() as session:
                text = (await current_texts(session))[kind]
                await save_text(session, COMMAND_LINE, kind, text.source, seen=text.version, is_reviewed=True)

    async def set_up_code(self) -> None:
        """Set up the second factor."""
        async with self.shop.database.transaction() as session:
            await session.execute(update(Staff).values(totp_secret="secret"))

    async def pay_order(self) -> None:
        """Buy the product; the bank approves."""
        listed = await get(self.store, "/store/products?fields=*variants")
        variant = listed["products"][0]["variants"][0]["id"]
        _order_id, payment = await place_order_at_bank(self.shop, self.store, variant)
        await report_payment(self.shop, payment, ProviderState.CAPTURED)

    async def book_refund(self) -> None:
        """Record a refund of the order."""
        async with self.shop.database.read() as session:
            payment = (await session.execute(select(PaymentSession.id))).scalar_one()
        await self.add(
            Refund(payment_session_id=payment, amount=1_000, reference="A-1", created_by=self.owner.id)
        )

    async def send_notice(self) -> None:
        """Send a notice to staff."""
        async with self.shop.database.read() as session:
            moment = await database_now(session)
        await self.add(Mail(kind=MailKind.STAFF_NOTICE, about="batch_1", sent_at=moment))

    async def issue_invoices(self) -> None:
        """Choose who issues the invoices, and issue the one of the order that was paid before."""
        await enable_invoices(self.shop)
        assert "invoice" not in await self.read_done()
        async with self.shop.database.transaction() as session:
            order_id = (await session.execute(select(Order.id))).scalar_one()
            assert await invoice_earlier_orders(session, Actor(self.owner.id, Role.OWNER), [order_id]) == 1

    async def publish_brand(self) -> None:
        """Publish the shop's brand."""
        async with self.shop.database.transaction() as session:
            await save_content(session, COMMAND_LINE, Area.BRAND, BrandBody(headline="Libros"), seen=0)

    async def back_up(self) -> None:
        """Record a backup."""
        async with self.shop.database.read() as session:
            moment = await database_now(session)
        await self.add(Backup(made_at=moment, size=1))


@pytest.fixture
async def opening(shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient) -> OpeningShop:
    owner = Staff(email="duena@trompo.example", password_hash="x", role=Role.OWNER)
    async with shop.database.transaction() as session:
        session.add(owner)
    return OpeningShop(shop, shop_defaults, store, Actor(owner.id, Role.OWNER))


async def test_each_opening_step_is_ticked_when_its_task_is_done(opening: OpeningShop) -> None:
    done = {"warehouse"}
    assert await opening.read_done() == done
    for name, do in (
        ("product", opening.add_product_for_sale),
        ("category", opening.add_category),
        ("legal", opening.confirm_legal_texts),
        ("code", opening.set_up_code),
        ("purchase", opening.pay_order),
        ("refund", opening.book_refund),
        ("notice", opening.send_notice),
        ("backup", opening.back_up),
        ("brand", opening.publish_brand),
        ("invoice", opening.issue_invoices),
    ):
        await do()
        done.add(name)
        assert await opening.read_done() == done
    settings = opening.shop.settings
    async with opening.shop.database.read() as session:
        steps = await read_opening_steps(session, opening.owner, settings)
        assert {step.name for step in steps} - done == {"data", "mail", "labels"}
        real = type(settings).model_validate({**settings.model_dump(), **REAL})
        assert await read_opening_steps(session, opening.owner, real) == []
