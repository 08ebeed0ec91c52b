"""Accounts of people who sign in with Google.

An existing account with the same e-mail address is not opened to them: its owner must first enter the password.
"""

from sqlalchemy.exc import IntegrityError

from backend.core.db.database import Database
from backend.core.errors import ShopError
from backend.core.web.contact import clean_name
from backend.customers.auth.accounts import GOOGLE, find_customer, find_login
from backend.customers.auth.google import GooglePerson
from backend.customers.models import Customer, Login
from backend.legal.consents import ConsentContext, give_consents


class ConsentMissing(ShopError):
    """A person from Google has no account yet, and has not given the consents that a new one needs."""


async def find_or_create_account(
    database: Database,
    person: GooglePerson,
    consenting: ConsentContext | None = None,
    *,
    by_program: bool = False,
) -> str | None:
    """Return the id of this person's customer; create the account if there is none.

    Args:
        person: the identity that Google asserts.
        consenting: the page and the IP address to store with the consents of a new account; None if the person was
            not asked yet.
        by_program: True for an API client, which has its own legal texts: it creates accounts without consents.

    Raises:
        ConsentMissing: the account would be new, and the consents are missing.

    Returns:
        The customer's id; None if an account with this address exists that is not linked to Google. The person who
            created that account may not own the address. So its owner must first enter the password (see
            `link_google`).
    """
    try:
        async with database.transaction() as session:
            taken = await find_customer(
                session, person.email
            )  # locked first: after a concurrent call, both of its rows are visible
            login = await find_login(session, GOOGLE, person.subject)
            if login is not None:
                return login.customer_id
            if taken is not None:
                return None
            if consenting is None and not by_program:
                raise ConsentMissing("The consents are missing")
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
    except (
        IntegrityError
    ):  # two concurrent calls: the same person gets the account that the other call created
        async with database.read() as session:
            login = await find_login(session, GOOGLE, person.subject)
        return login.customer_id if login is not None else None


async def link_google(database: Database, proved: str, subject: str, email: str) -> bool:
    """Link the Google identity to the account with the address `proved`, whose owner has just entered the password.

    Returns:
        True if the identity was linked. It is linked only if Google has verified exactly the address of the
            account.
    """
    try:
        async with database.transaction() as session:
            customer = await find_customer(session, proved)
            if customer is None or customer.email != email:
                return False
            if await find_login(session, GOOGLE, subject) is not None:
                return False
            session.add(Login(provider=GOOGLE, subject=subject, customer_id=customer.id))
    except IntegrityError:
        return False
    return True
