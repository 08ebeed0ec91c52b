"""Accounts: making one, proving to be its owner, and what its owner may change."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend import rate_limit
from backend.contact import read_form, tidy_email
from backend.customers.errors import AddressTaken, WrongPassword
from backend.customers.forms import PasswordChange, Profile, Registration
from backend.customers.models import Customer, Login
from backend.customers.passwords import hash_password, is_password
from backend.customers.sessions import close_all
from backend.database import Database, locked
from backend.errors import InvalidData
from backend.rate_limit import RateLimit
from backend.texts import _

EMAILPASS, GOOGLE = "emailpass", "google"
LOGINS = RateLimit("login", per_pair=5, per_client=20, per_subject=50)
REGISTRATIONS = RateLimit("registration", per_pair=5, per_client=20, per_subject=20)
WRONG_NOW = _("Esta no es tu contraseña actual.")


async def register(database: Database, typed: Mapping[str, Any], *, client: str) -> str:
    """Make an account.

    A password is hashed whether or not the address is free: it takes as long either way.

    Returns:
        The customer's id.

    Raises:
        InvalidData: `fields` says what is wrong, in Spanish; `AddressTaken` that somebody has this address.
        TooManyRequests: too many tries lately.
    """
    form = read_form(Registration, typed)
    await rate_limit.hit(database, REGISTRATIONS, form.email, client)
    hashed = await hash_password(form.password)
    try:
        async with database.transaction() as session:
            if await customer_with(session, form.email) is not None:
                raise AddressTaken
            customer = Customer(email=form.email, first_name=form.first_name, last_name=form.last_name)
            session.add(customer)
            await session.flush()
            await _set_password(session, customer, hashed)
    except IntegrityError:  # two at once with the same address
        raise AddressTaken from None
    return customer.id


async def prove(database: Database, email: str, password: str, *, client: str) -> Login:
    """Whose address and password these are. An unknown address is answered as a wrong password, and takes as long.

    Raises:
        WrongPassword: nobody's.
        TooManyRequests: too many tries lately.
    """
    address = tidy_email(email)
    await rate_limit.hit(database, LOGINS, address, client)
    async with database.read() as session:
        login = await login_of(session, EMAILPASS, address)
    if not await is_password(password, login.password_hash if login else None) or login is None:
        raise WrongPassword
    await rate_limit.refund(database, LOGINS, address, client)
    return login


async def change_password(
    database: Database, customer_id: str, current: str, new: str, *, client: str
) -> None:
    """Give the account a new password and sign it out everywhere.

    Raises:
        InvalidData: the current password is wrong or the new one no good; `fields` says which.
        TooManyRequests: too many tries lately.
    """
    read_form(PasswordChange, {"new_password": new})
    async with database.read() as session:
        customer = await session.get_one(Customer, customer_id)
        login = await login_of(session, EMAILPASS, customer.email)
    if login is not None:  # who came by Google only has none yet
        try:
            await prove(database, customer.email, current, client=client)
        except WrongPassword:
            raise InvalidData("Wrong password", fields={"password": WRONG_NOW}) from None
    await set_password(database, customer_id, new)


async def set_password(database: Database, customer_id: str, password: str) -> None:
    """Give the account this password and sign it out everywhere. The caller has proved to be its owner."""
    hashed = await hash_password(password)
    async with database.transaction() as session:
        await _set_password(session, await session.get_one(Customer, customer_id), hashed)
        await close_all(session, customer_id)


async def change_profile(session: AsyncSession, customer_id: str, typed: Mapping[str, Any]) -> None:
    """Change name and telephone.

    Raises:
        InvalidData: `fields` says what is wrong, in Spanish.
    """
    form = read_form(Profile, typed)
    customer = await session.get_one(Customer, customer_id, with_for_update=True)
    customer.first_name, customer.last_name, customer.phone = form.first_name, form.last_name, form.phone


async def customer_with(session: AsyncSession, address: str) -> Customer | None:
    """Whoever has an account with this address, locked."""
    return (
        await session.execute(locked(select(Customer).where(Customer.email == address)))
    ).scalar_one_or_none()


async def login_of(session: AsyncSession, provider: str, subject: str) -> Login | None:
    """The login that `provider` knows by this name."""
    found = await session.execute(select(Login).where(Login.provider == provider, Login.subject == subject))
    return found.scalar_one_or_none()


async def has_password(session: AsyncSession, address: str) -> bool:
    """Whether the account with this address has one; who came by Google only has none until they choose one."""
    return await login_of(session, EMAILPASS, address) is not None


async def _set_password(session: AsyncSession, customer: Customer, hashed: str) -> None:
    login = await login_of(session, EMAILPASS, customer.email)
    if login is None:
        login = Login(provider=EMAILPASS, subject=customer.email)
    login.password_hash, login.customer_id = hashed, customer.id
    session.add(login)
    await session.flush()
