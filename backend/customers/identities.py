"""Accounts as programs make them: first the login, then the customer (wire: commerce-api, Customers and auth)."""

from typing import Any

from sqlalchemy.exc import IntegrityError

from backend import rate_limit
from backend.contact import tidy_email
from backend.customers.accounts import EMAILPASS, REGISTRATIONS, customer_with, login_of
from backend.customers.models import Customer, Login
from backend.customers.passwords import MAX_LENGTH, hash_password
from backend.database import Database
from backend.edge.actors import CUSTOMER, Actor
from backend.errors import Duplicate, InvalidData, Unauthorized

TAKEN = "Identity with email already exists"


async def register_identity(database: Database, email: str, password: str, *, client: str) -> Actor:
    """A login without a customer yet. Made again before there is one, it replaces the first, whose tokens end with it.

    Raises:
        Unauthorized: somebody has an account with this address.
        InvalidData: the password is longer than any.
        TooManyRequests: too many tries lately.
    """
    if len(password) > MAX_LENGTH:
        raise InvalidData(f"A password has at most {MAX_LENGTH} characters")
    address = tidy_email(email)
    await rate_limit.hit(database, REGISTRATIONS, address, client)
    hashed = await hash_password(password)
    try:
        async with database.transaction() as session:
            known = await login_of(session, EMAILPASS, address)
            if (known and known.customer_id) or await customer_with(session, address) is not None:
                raise Unauthorized(TAKEN)
            if known is not None:
                await session.delete(known)
                await session.flush()
            login = Login(provider=EMAILPASS, subject=address, password_hash=hashed)
            session.add(login)
    except IntegrityError:  # two at once
        raise Unauthorized(TAKEN) from None
    return Actor("", CUSTOMER, login.id)


async def create_customer(database: Database, actor: Actor, email: str, values: dict[str, Any]) -> str:
    """The customer of a login that has none.

    Returns:
        The customer's id.

    Raises:
        Unauthorized: there is no such login.
        InvalidData: the address is not the login's.
        Duplicate: there is a customer with this address already.
    """
    address = tidy_email(email)
    async with database.transaction() as session:
        login = await session.get(Login, actor.identity, with_for_update=True)
        if login is None:
            raise Unauthorized("Unauthorized")
        if login.customer_id is not None or await customer_with(session, address) is not None:
            raise Duplicate("Customer with this email already has an account")
        if address != login.subject:
            raise InvalidData("The email must be the one that was registered")
        customer = Customer(email=address, **values)
        session.add(customer)
        await session.flush()
        login.customer_id = customer.id
    return customer.id
