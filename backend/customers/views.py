"""What pages are told of a customer."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.customers.models import Customer
from backend.customers.sessions import customer_of
from backend.database import Database


@dataclass(frozen=True, slots=True)
class ShopperView:
    """Whoever is signed in. There is no token here, nor anything else that opens an account."""

    id: str = ""
    email: str = ""
    first_name: str = ""
    last_name: str = ""
    phone: str = ""


async def shopper_with(database: Database, token: str) -> ShopperView | None:
    """Whose browser has this session token, as the database knows it now; None for nobody's."""
    if not token:
        return None
    async with database.read() as session:
        customer = await customer_of(session, token)
    return shopper_view(customer) if customer is not None else None


def shopper_view(customer: Customer) -> ShopperView:
    """The customer as pages see one."""
    return ShopperView(customer.id, customer.email, customer.first_name, customer.last_name, customer.phone)


async def read_shopper(session: AsyncSession, customer_id: str) -> ShopperView:
    """The customer with this id, who exists."""
    return shopper_view(await session.get_one(Customer, customer_id))
