"""The accounts of people who come from Google. An address alone opens no account that is there already."""

from sqlalchemy.exc import IntegrityError

from backend.core.db.database import Database
from backend.core.errors import ShopError
from backend.core.web.contact import clean_name
from backend.customers.auth.accounts import GOOGLE, customer_with, login_of
from backend.customers.auth.google import GooglePerson
from backend.customers.models import Customer, Login
from backend.legal.consents import Consenting, give_consents


class ConsentMissing(ShopError):
    """Whoever comes from Google has no account yet, and has not agreed to what one needs."""


async def account_of(
    database: Database,
    person: GooglePerson,
    consenting: Consenting | None = None,
    *,
    by_program: bool = False,
) -> str | None:
    """The customer this person is, made now if there is none.

    Args:
        person: who Google says it is.
        consenting: whose consents are stored with a new account; None where nobody was asked yet.
        by_program: a program with texts of its own asks: it makes accounts without them.

    Raises:
        ConsentMissing: the account would be new, and nobody was asked.

    Returns:
        The customer's id; None when an account with this address is there and its owner has to prove to be it first
        (see `join`): whoever made it may not be who owns the address.
    """
    try:
        async with database.transaction() as session:
            taken = await customer_with(session, person.email)  # first: who is quicker has both by then
            login = await login_of(session, GOOGLE, person.subject)
            if login is not None:
                return login.customer_id
            if taken is not None:
                return None
            if consenting is None and not by_program:
                raise ConsentMissing("Nobody was asked for their consent")
            customer = Customer(
                email=person.email,
                first_name=clean_name(person.first_name),
                last_name=clean_name(person.last_name),
            )
            session.add(customer)
            await session.flush()
            session.add(Login(provider=GOOGLE, subject=person.subject, customer_id=customer.id))
            await session.flush()
            if consenting is not None:
                await give_consents(session, consenting, customer_id=customer.id)
            return customer.id
    except IntegrityError:  # two at once: who is the same person has the account that the other made
        async with database.read() as session:
            login = await login_of(session, GOOGLE, person.subject)
        return login.customer_id if login is not None else None


async def join(database: Database, proved: str, subject: str, email: str) -> bool:
    """Let the person from Google enter the account of the address `proved`: its owner has just shown to be it.

    Returns:
        Whether it was joined: only an account with the very address that Google verified is.
    """
    try:
        async with database.transaction() as session:
            customer = await customer_with(session, proved)
            if customer is None or customer.email != email:
                return False
            if await login_of(session, GOOGLE, subject) is not None:
                return False
            session.add(Login(provider=GOOGLE, subject=subject, customer_id=customer.id))
    except IntegrityError:
        return False
    return True
