"""Accounts: forms, registration, password checks, changes of an account, and the view of the customer for pages.

Pages register a customer in one step; API clients first create a login and then its customer (wire: commerce-api,
Customers and auth).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database, lock_rows
from backend.core.errors import Duplicate, InvalidData, Unauthorized
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import (
    AccountEmail,
    FirstName,
    LastName,
    OptionalPhone,
    clean_name,
    field_error,
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
from backend.customers.auth.sessions import close_all, find_session_customer
from backend.customers.events import PasswordChanged, PasswordChosen
from backend.customers.models import Customer, Login, ResetLink
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner
from backend.edge.auth.devices import DeviceAccount, Visitor
from backend.legal.consents import ConsentContext, give_consents, missing_ticks, require_ticks
from backend.rate_limit import limiter
from backend.rate_limit.limiter import RateLimit


class WrongPassword(Unauthorized):
    """No account has this address and password. The message does not reveal which of the two is wrong."""

    shopper_text = _("El correo o la contraseña no coinciden.")

    def __init__(self) -> None:
        super().__init__("Invalid email or password")


class AddressTaken(InvalidData):
    """There is already an account with this e-mail address."""

    def __init__(self) -> None:
        super().__init__(
            "Identity with email already exists",
            fields={
                "email": _(
                    "No podemos crear una cuenta con este correo. ¿Ya tienes una? Entra con tu contraseña."
                )
            },
        )


class InvalidResetLink(InvalidData):
    """The link for a new password was used, has expired, or never existed."""

    shopper_text = _("Este enlace ya se usó o venció. Pide uno nuevo.")

    def __init__(self) -> None:
        super().__init__("The link is not valid")


def require_password(value: Any) -> str:
    """Check a new password and return it. All characters are kept, also spaces at its ends.

    Raises:
        PydanticCustomError: it is too short, too long or too common.
    """
    password = value if isinstance(value, str) else ""
    if len(password) < MIN_LENGTH:
        raise field_error(_("Usa al menos {count} caracteres.").format(count=MIN_LENGTH))
    if len(password) > MAX_LENGTH:
        raise field_error(_("Usa máximo {count} caracteres.").format(count=MAX_LENGTH))
    if is_common(password):
        raise field_error(TOO_COMMON)
    return password


Password = Annotated[str, BeforeValidator(require_password)]


class AccountForm(BaseModel):
    """Base class of the forms about accounts. Parse a form with `read_form`.

    All fields have defaults, so a missing field gets the same error as an invalid one.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)


Form = TypeVar("Form", bound=AccountForm)


class Registration(AccountForm):
    """The form that creates an account."""

    first_name: FirstName = ""
    last_name: LastName = ""
    email: AccountEmail = ""
    password: Password = ""


class Profile(AccountForm):
    """The form with the fields that a customer may change."""

    first_name: FirstName = ""
    last_name: LastName = ""
    phone: OptionalPhone = ""


class ResetRequest(AccountForm):
    """The address of the account whose password was forgotten."""

    email: AccountEmail = ""


class NewPassword(AccountForm):
    """The new password of a customer who followed a mailed link."""

    password: Password = ""


class PasswordChange(AccountForm):
    """The new password of a customer who knows the current one."""

    new_password: Password = ""


@dataclass(frozen=True, slots=True)
class ShopperView:
    """The signed-in customer, for pages. It has no token and nothing else that gives access to the account."""

    id: str = ""
    email: str = ""
    first_name: str = ""
    last_name: str = ""
    phone: str = ""


async def find_shopper(database: Database, token: str) -> ShopperView | None:
    """Return the customer of this session token; None if there is no such session."""
    if not token:
        return None
    async with database.read() as session:
        customer = await find_session_customer(session, token)
    return shopper_view(customer) if customer is not None else None


def shopper_view(customer: Customer) -> ShopperView:
    """Return the view of a customer for pages."""
    first_name, last_name = clean_name(customer.first_name), clean_name(customer.last_name)
    return ShopperView(customer.id, customer.email, first_name, last_name, customer.phone)


EMAILPASS, GOOGLE = "emailpass", "google"
LOGINS = RateLimit("login", per_pair=5, per_client=60, per_subject=50, per_day=100)
"""Limits of wrong passwords. docs/security.md calculates how many guesses they allow."""
PASSWORD_CHANGES = RateLimit("password change", per_pair=5, per_client=60, per_subject=5, per_day=10)
"""Limits for a signed-in customer: each change sends a mail to an address that may be unverified."""
REGISTRATIONS = RateLimit("registration", per_pair=5, per_client=60, per_subject=0)
WRONG_CURRENT_PASSWORD = _("Esta no es tu contraseña actual.")


async def register(
    database: Database, typed: Mapping[str, Any], *, visitor: Visitor, consenting: ConsentContext
) -> str:
    """Create an account.

    A password is hashed even if the address is taken, so that the answer takes the same time.

    Args:
        typed: the form, with its checkboxes.
        visitor: the visitor, for the rate limits.
        consenting: the page and the IP address to store with the account's consents.

    Returns:
        The customer's id.

    Raises:
        InvalidData: `fields` has the errors, in the store's language.
        AddressTaken: the address has an account.
        TooManyRequests: too many recent attempts.
    """
    form = parse_with_ticks(Registration, typed)
    await limiter.hit(database, REGISTRATIONS, form.email, visitor.client)
    hashed = await hash_password(form.password)
    try:
        async with database.transaction() as session:
            customer = Customer(email=form.email, first_name=form.first_name, last_name=form.last_name)
            await store_account(session, customer, hashed, consenting)
    except IntegrityError:  # concurrent registration with the same address
        raise AddressTaken from None
    return customer.id


async def store_account(
    session: AsyncSession, customer: Customer, hashed: str, consenting: ConsentContext
) -> None:
    """Store a new customer with a password and the consents. `hashed` is the hash of the password.

    Raises:
        AddressTaken: the address has an account.
        IntegrityError: a concurrent transaction creates an account with the same address.
    """
    if await find_customer(session, customer.email) is not None:
        raise AddressTaken
    session.add(customer)
    await session.flush()
    await _store_password(session, customer, hashed)
    await give_consents(session, consenting, customer_id=customer.id)


def parse_with_ticks(form_type: type[Form], typed: Mapping[str, Any]) -> Form:
    """Parse a form that creates an account. Report required checkboxes that are not ticked together with other errors.

    Raises:
        InvalidData: `fields` has the errors, in the store's language.
    """
    missing = missing_ticks(typed)
    try:
        form = read_form(form_type, typed)
    except InvalidData as error:
        raise InvalidData(error.message, fields={**error.fields, **missing}) from None
    require_ticks(typed)
    return form


async def authenticate(database: Database, email: str, password: str, *, visitor: Visitor) -> Login:
    """Return the login with this address and password.

    An unknown address gets the same answer as a wrong password, in the same time.

    Raises:
        WrongPassword: no login has this address and password.
        TooManyRequests: too many recent attempts.
    """
    address = tidy_email(email)
    async with database.read() as session:
        login = await find_login(session, EMAILPASS, address)
    client = visitor.client_for(device_account(login))
    await limiter.hit(database, LOGINS, address, client)
    if not await is_password(password, login.password_hash if login else None) or login is None:
        raise WrongPassword
    await limiter.refund(database, LOGINS, address, client)
    return login


async def change_password(
    database: Database, customer_id: str, current: str, new: str, *, visitor: Visitor
) -> None:
    """Set a new password, sign the account out everywhere, and delete its links for a new password.

    Raises:
        InvalidData: the current password is wrong or the new one is not allowed; `fields` names the field.
        TooManyRequests: too many recent attempts.
    """
    read_form(PasswordChange, {"new_password": new})
    async with database.read() as session:
        login = await find_password_login(session, customer_id)
    wrong = InvalidData("Wrong password", fields={"password": WRONG_CURRENT_PASSWORD})
    if login is not None:  # an account that was created with Google has no password at first
        try:
            login = await authenticate(database, login.subject, current, visitor=visitor)
        except WrongPassword:
            raise wrong from None
    await limiter.hit(database, PASSWORD_CHANGES, customer_id, visitor.client)
    checked_hash = login.password_hash if login is not None else None
    hashed = await hash_password(new)
    async with database.transaction() as session:
        owner = await lock_account(session, customer_id)
        login = await find_password_login(session, customer_id)
        # the password may have changed during the check, for example by a link
        if owner is None or (login.password_hash if login is not None else None) != checked_hash:
            raise wrong
        await set_password(session, owner, hashed)


async def lock_account(session: AsyncSession, customer_id: str) -> Customer | None:
    """Return the customer, locked; None if the customer was deleted.

    Call this before you lock the customer's password or reset links. The lock does not block a concurrent sign-in,
    which inserts a row that refers to the customer.
    """
    return await session.get(Customer, customer_id, with_for_update={"key_share": True})


async def set_password(session: AsyncSession, customer: Customer, hashed: str) -> None:
    """Set the password of the locked account, sign it out everywhere, and delete its links for a new password.

    The caller must have checked that the person owns the account. `hashed` is the hash of the password.
    """
    await _store_password(session, customer, hashed)
    await publish(session, PasswordChanged(customer.id))
    await session.execute(delete(ResetLink).where(ResetLink.customer_id == customer.id))
    await close_all(session, customer.id)


async def change_profile(session: AsyncSession, customer_id: str, typed: Mapping[str, Any]) -> None:
    """Change the customer's name and telephone number.

    Raises:
        InvalidData: `fields` has the errors, in the store's language.
    """
    form = read_form(Profile, typed)
    customer = await session.get_one(Customer, customer_id, with_for_update=True)
    customer.first_name, customer.last_name, customer.phone = form.first_name, form.last_name, form.phone


async def find_customer(session: AsyncSession, address: str) -> Customer | None:
    """Lock and return the customer with this e-mail address; None if there is none."""
    return (
        await session.execute(lock_rows(select(Customer).where(Customer.email == address)))
    ).scalar_one_or_none()


async def find_login(session: AsyncSession, provider: str, subject: str) -> Login | None:
    """Return the login with this subject at this provider (`emailpass` or `google`)."""
    found = await session.execute(select(Login).where(Login.provider == provider, Login.subject == subject))
    return found.scalar_one_or_none()


def device_account(login: Login | None) -> DeviceAccount | None:
    """Return the account that remembers the browser after a sign-in; None if the login has no password."""
    if login is None or login.password_hash is None:
        return None
    return DeviceAccount("customer", login.subject, login.password_hash)


async def find_password_login(session: AsyncSession, customer_id: str) -> Login | None:
    """Return the customer's login with a password; None if there is none, as after a registration with Google.

    A login for the same address that is not linked to the customer does not count.
    """
    own = select(Login).where(Login.customer_id == customer_id, Login.provider == EMAILPASS)
    return (await session.execute(own)).scalar_one_or_none()


async def has_verified_email(session: AsyncSession, customer_id: str | None, address: str) -> bool:
    """Return True if Google has verified that the address belongs to this customer.

    A registration with a password does not verify the address.
    """
    if customer_id is None:
        return False
    proved = (
        select(Login.id)
        .join(Customer, Customer.id == Login.customer_id)
        .where(Customer.id == customer_id, Customer.email == tidy_email(address), Login.provider == GOOGLE)
    )
    return (await session.execute(proved.limit(1))).first() is not None


async def _store_password(session: AsyncSession, customer: Customer, hashed: str) -> None:
    login = await find_login(session, EMAILPASS, customer.email)
    if login is None:
        login = Login(provider=EMAILPASS, subject=customer.email)
    login.password_hash, login.customer_id = hashed, customer.id
    session.add(login)
    await session.flush()
    await publish(session, PasswordChosen(customer.email))


EMAIL_TAKEN = "Identity with email already exists"


async def register_identity(database: Database, email: str, password: str, *, visitor: Visitor) -> TokenOwner:
    """Create a login that is not linked to a customer yet. Registering again replaces it and revokes its tokens.

    Raises:
        Unauthorized: there is an account with this address.
        InvalidData: the password is too long or too common.
        TooManyRequests: too many recent attempts.
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
            known = await find_login(session, EMAILPASS, address)
            if (known and known.customer_id) or await find_customer(session, address) is not None:
                raise Unauthorized(EMAIL_TAKEN)
            if known is not None:
                await session.delete(known)
                await session.flush()
            login = Login(provider=EMAILPASS, subject=address, password_hash=hashed)
            session.add(login)
    except IntegrityError:  # concurrent registration
        raise Unauthorized(EMAIL_TAKEN) from None
    return TokenOwner("", CUSTOMER, login.id)


async def create_customer(database: Database, owner: TokenOwner, email: str, values: dict[str, Any]) -> str:
    """Create the customer of a login that has none.

    Returns:
        The customer's id.

    Raises:
        Unauthorized: the login does not exist.
        InvalidData: the address is not the login's.
        Duplicate: the login has a customer, or there is already a customer with this address.
    """
    address = tidy_email(email)
    async with database.transaction() as session:
        taken = await find_customer(
            session, address
        )  # locked before the login, in the same order as in `set_password`
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
