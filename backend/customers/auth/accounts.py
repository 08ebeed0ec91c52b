"""Accounts: their forms, registering, proving a password, changing a profile, and what pages show of a customer.

Pages register a customer in one step; programs first a login and then its customer (wire: commerce-api, Customers and
auth).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database, locked
from backend.core.errors import Duplicate, InvalidData, Unauthorized
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import (
    AccountEmail,
    FirstName,
    LastName,
    OptionalPhone,
    clean_name,
    invalid,
    read_form,
    tidy_email,
)
from backend.core.web.passwords import (
    MAX_LENGTH,
    MIN_LENGTH,
    TOO_COMMON,
    hash_password,
    is_common,
    is_password,
)
from backend.customers.auth.sessions import close_all, customer_of
from backend.customers.events import PasswordChanged, PasswordChosen
from backend.customers.models import Customer, Login, ResetLink
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner
from backend.edge.auth.devices import DeviceAccount, Visitor
from backend.legal.consents import Consenting, give_consents, missing_ticks, require_ticks
from backend.rate_limit import limiter
from backend.rate_limit.limiter import RateLimit


class WrongPassword(Unauthorized):
    """No account has this address and password. The error does not say which of the two is wrong."""

    shopper_text = _("El correo o la contraseña no coinciden.")

    def __init__(self) -> None:
        super().__init__("Invalid email or password")


class AddressTaken(InvalidData):
    """There is an account with this address already."""

    def __init__(self) -> None:
        super().__init__(
            "Identity with email already exists",
            fields={
                "email": _(
                    "No podemos crear una cuenta con este correo. ¿Ya tienes una? Entra con tu contraseña."
                )
            },
        )


class LinkUsed(InvalidData):
    """A link for a new password that was used, is over, or never was."""

    shopper_text = _("Este enlace ya se usó o venció. Pide uno nuevo.")

    def __init__(self) -> None:
        super().__init__("The link is not valid")


def require_password(value: Any) -> str:
    """A new password. Any character counts, and space at its ends too.

    Raises:
        PydanticCustomError: it is too short, too long or too common.
    """
    password = value if isinstance(value, str) else ""
    if len(password) < MIN_LENGTH:
        raise invalid(_("Usa al menos {count} caracteres.").format(count=MIN_LENGTH))
    if len(password) > MAX_LENGTH:
        raise invalid(_("Usa máximo {count} caracteres.").format(count=MAX_LENGTH))
    if is_common(password):
        raise invalid(TOO_COMMON)
    return password


Password = Annotated[str, BeforeValidator(require_password)]


class AccountForm(BaseModel):
    """A form whose fields may all be missing: what is missing is told like what is wrong. Read by `read_form`."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)


class Registration(AccountForm):
    """A new account."""

    first_name: FirstName = ""
    last_name: LastName = ""
    email: AccountEmail = ""
    password: Password = ""


class Profile(AccountForm):
    """What an account's owner may change."""

    first_name: FirstName = ""
    last_name: LastName = ""
    phone: OptionalPhone = ""


class ResetRequest(AccountForm):
    """Whose password was forgotten."""

    email: AccountEmail = ""


class NewPassword(AccountForm):
    """The new password of an owner who followed a mail's link."""

    password: Password = ""


class PasswordChange(AccountForm):
    """The new password of an owner who knows the current one."""

    new_password: Password = ""


@dataclass(frozen=True, slots=True)
class ShopperView:
    """The customer who is signed in, for pages. It holds no token and nothing else that opens an account."""

    id: str = ""
    email: str = ""
    first_name: str = ""
    last_name: str = ""
    phone: str = ""


async def shopper_with(database: Database, token: str) -> ShopperView | None:
    """The customer of this session token; None when there is no such session."""
    if not token:
        return None
    async with database.read() as session:
        customer = await customer_of(session, token)
    return shopper_view(customer) if customer is not None else None


def shopper_view(customer: Customer) -> ShopperView:
    """The customer as pages see one."""
    first_name, last_name = clean_name(customer.first_name), clean_name(customer.last_name)
    return ShopperView(customer.id, customer.email, first_name, last_name, customer.phone)


EMAILPASS, GOOGLE = "emailpass", "google"
LOGINS = RateLimit("login", per_pair=5, per_client=60, per_subject=50, per_day=100)
"""Wrong passwords. docs/security.md counts what that leaves to who guesses."""
PASSWORD_CHANGES = RateLimit("password change", per_pair=5, per_client=60, per_subject=5, per_day=10)
"""Of a customer who is signed in: each change causes a mail to an address that nobody may have proved."""
REGISTRATIONS = RateLimit("registration", per_pair=5, per_client=60, per_subject=0)
WRONG_NOW = _("Esta no es tu contraseña actual.")


async def register(
    database: Database, typed: Mapping[str, Any], *, visitor: Visitor, consenting: Consenting
) -> str:
    """Make an account.

    A password is hashed whether or not the address is free: it takes as long either way.

    Args:
        typed: the form, with its boxes.
        visitor: who wants it, as limits count them.
        consenting: whose consents are stored with the account.

    Returns:
        The customer's id.

    Raises:
        InvalidData: `fields` says what is wrong, in Spanish; `AddressTaken` that somebody has this address.
        TooManyRequests: too many tries lately.
    """
    form = _registration(typed)
    await limiter.hit(database, REGISTRATIONS, form.email, visitor.client)
    hashed = await hash_password(form.password)
    try:
        async with database.transaction() as session:
            if await customer_with(session, form.email) is not None:
                raise AddressTaken
            customer = Customer(email=form.email, first_name=form.first_name, last_name=form.last_name)
            session.add(customer)
            await session.flush()
            await _set_password(session, customer, hashed)
            await give_consents(session, consenting, customer_id=customer.id)
    except IntegrityError:  # two at once with the same address
        raise AddressTaken from None
    return customer.id


def _registration(typed: Mapping[str, Any]) -> Registration:
    """What was typed; the boxes that are not ticked are told with everything else that is wrong."""
    missing = missing_ticks(typed)
    try:
        form = read_form(Registration, typed)
    except InvalidData as error:
        raise InvalidData(error.message, fields={**error.fields, **missing}) from None
    require_ticks(typed)
    return form


async def prove(database: Database, email: str, password: str, *, visitor: Visitor) -> Login:
    """The login with this address and password. An unknown address is answered like a wrong password, in the same time.

    Raises:
        WrongPassword: there is no such login.
        TooManyRequests: too many tries lately.
    """
    address = tidy_email(email)
    async with database.read() as session:
        login = await login_of(session, EMAILPASS, address)
    client = visitor.known_to(device_account(login))
    await limiter.hit(database, LOGINS, address, client)
    if not await is_password(password, login.password_hash if login else None) or login is None:
        raise WrongPassword
    await limiter.refund(database, LOGINS, address, client)
    return login


async def change_password(
    database: Database, customer_id: str, current: str, new: str, *, visitor: Visitor
) -> None:
    """Give the account a new password, sign it out everywhere, and end its links for a new one.

    Raises:
        InvalidData: the current password is wrong or the new one no good; `fields` says which.
        TooManyRequests: too many tries lately.
    """
    read_form(PasswordChange, {"new_password": new})
    async with database.read() as session:
        login = await password_login(session, customer_id)
    wrong = InvalidData("Wrong password", fields={"password": WRONG_NOW})
    if login is not None:  # who came by Google only has none yet
        try:
            login = await prove(database, login.subject, current, visitor=visitor)
        except WrongPassword:
            raise wrong from None
    await limiter.hit(database, PASSWORD_CHANGES, customer_id, visitor.client)
    proved = login.password_hash if login is not None else None
    hashed = await hash_password(new)
    async with database.transaction() as session:
        owner = await locked_account(session, customer_id)
        login = await password_login(session, customer_id)
        # another may have been chosen while this one was being checked, by a link for instance
        if owner is None or (login.password_hash if login is not None else None) != proved:
            raise wrong
        await set_password(session, owner, hashed)


async def locked_account(session: AsyncSession, customer_id: str) -> Customer | None:
    """The customer, locked before the account's password and links; None when it was deleted.

    Whoever is being signed in refers to the customer's row, and does not wait for this lock.
    """
    return await session.get(Customer, customer_id, with_for_update={"key_share": True})


async def set_password(session: AsyncSession, customer: Customer, hashed: str) -> None:
    """Give the (locked) account the password with this hash, sign it out everywhere, and end the links that are out.

    The caller has proved to be its owner.
    """
    await _set_password(session, customer, hashed)
    await publish(session, PasswordChanged(customer.id))
    await session.execute(delete(ResetLink).where(ResetLink.customer_id == customer.id))
    await close_all(session, customer.id)


async def change_profile(session: AsyncSession, customer_id: str, typed: Mapping[str, Any]) -> None:
    """Change name and telephone.

    Raises:
        InvalidData: `fields` says what is wrong, in Spanish.
    """
    form = read_form(Profile, typed)
    customer = await session.get_one(Customer, customer_id, with_for_update=True)
    customer.first_name, customer.last_name, customer.phone = form.first_name, form.last_name, form.phone


async def customer_with(session: AsyncSession, address: str) -> Customer | None:
    """The customer with this address, locked; None when there is none."""
    return (
        await session.execute(locked(select(Customer).where(Customer.email == address)))
    ).scalar_one_or_none()


async def login_of(session: AsyncSession, provider: str, subject: str) -> Login | None:
    """The login with this subject at this provider (`emailpass` or `google`)."""
    found = await session.execute(select(Login).where(Login.provider == provider, Login.subject == subject))
    return found.scalar_one_or_none()


def device_account(login: Login | None) -> DeviceAccount | None:
    """The account that a browser's device is known to; None where there is no password to guess."""
    if login is None or login.password_hash is None:
        return None
    return DeviceAccount("customer", login.subject, login.password_hash)


async def password_login(session: AsyncSession, customer_id: str) -> Login | None:
    """The login by which this customer enters with a password. An account made with Google has none at first.

    A program may have begun a login for the customer's address; that one is nobody's.
    """
    own = select(Login).where(Login.customer_id == customer_id, Login.provider == EMAILPASS)
    return (await session.execute(own)).scalar_one_or_none()


async def has_proved(session: AsyncSession, customer_id: str | None, address: str) -> bool:
    """Whether the address is this customer's own, as Google has verified: whoever registers may type any address."""
    proved = (
        select(Login.id)
        .join(Customer, Customer.id == Login.customer_id)
        .where(Customer.id == customer_id, Customer.email == tidy_email(address), Login.provider == GOOGLE)
    )
    return (await session.execute(proved.limit(1))).first() is not None


async def _set_password(session: AsyncSession, customer: Customer, hashed: str) -> None:
    login = await login_of(session, EMAILPASS, customer.email)
    if login is None:
        login = Login(provider=EMAILPASS, subject=customer.email)
    login.password_hash, login.customer_id = hashed, customer.id
    session.add(login)
    await session.flush()
    await publish(session, PasswordChosen(customer.email))


TAKEN = "Identity with email already exists"


async def register_identity(database: Database, email: str, password: str, *, visitor: Visitor) -> TokenOwner:
    """A login without a customer yet. Made again before there is one, it replaces the first, whose tokens end with it.

    Raises:
        Unauthorized: somebody has an account with this address.
        InvalidData: the password is too long or too common.
        TooManyRequests: too many tries lately.
    """
    if len(password) > MAX_LENGTH:
        raise InvalidData(f"A password has at most {MAX_LENGTH} characters")
    if is_common(password):
        raise InvalidData("This password is too common", fields={"password": "too common"})
    address = tidy_email(email)
    await limiter.hit(database, REGISTRATIONS, address, visitor.client)
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
    return TokenOwner("", CUSTOMER, login.id)


async def create_customer(database: Database, owner: TokenOwner, email: str, values: dict[str, Any]) -> str:
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
        taken = await customer_with(session, address)  # locked before the login, as by a new password
        login = await session.get(Login, owner.identity, with_for_update=True)
        if login is None:
            raise Unauthorized("Unauthorized")
        if taken is not None or login.customer_id is not None:
            raise Duplicate("Customer with this email already has an account")
        if address != login.subject:
            raise InvalidData("The email must be the one that was registered")
        customer = Customer(email=address, **values)
        session.add(customer)
        await session.flush()
        login.customer_id = customer.id
    return customer.id
