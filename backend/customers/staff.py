"""Staff: the accounts that may use the Admin API."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend import rate_limit
from backend.contact import is_email, tidy_email
from backend.customers.models import Staff
from backend.customers.passwords import MAX_LENGTH, MIN_LENGTH, hash_password, is_password
from backend.database import Database
from backend.edge.authentication import USER, Actor
from backend.errors import Duplicate, InvalidData, Unauthorized
from backend.rate_limit import RateLimit
from backend.settings import Settings

WRONG = "Invalid email or password"
STAFF_LOGINS = RateLimit("staff login", per_pair=5, per_client=20, per_subject=50)


async def create_staff(database: Database, email: str, password: str) -> str:
    """Make a member of staff.

    Returns:
        Their id.

    Raises:
        InvalidData: the address is none, or the password is too short or too long.
        Duplicate: somebody has this address already.
    """
    address = tidy_email(email)
    if not is_email(address):
        raise InvalidData("Invalid email address")
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise InvalidData(f"A password has {MIN_LENGTH} to {MAX_LENGTH} characters")
    hashed = await hash_password(password)
    async with database.transaction() as session:
        if await _staff_with(session, address) is not None:
            raise Duplicate(f"Staff with email {address} already exists")
        staff = Staff(email=address, password_hash=hashed)
        session.add(staff)
    return staff.id


async def first_staff(database: Database, settings: Settings) -> bool:
    """Make the first member of staff of ADMIN_EMAIL and ADMIN_PASSWORD. Returns whether one was made."""
    password = settings.admin_password.get_secret_value()
    if not settings.admin_email or not password:
        return False
    async with database.read() as session:
        if (await session.execute(select(Staff.id).limit(1))).first():
            return False
    try:
        await create_staff(database, settings.admin_email, password)
    except Duplicate:  # another replica, starting at the same moment, was quicker
        return False
    return True


async def sign_in(database: Database, email: str, password: str, *, client: str) -> Actor:
    """The member of staff with this address and password. An unknown address takes as long as a wrong password.

    Raises:
        Unauthorized: there is none.
        TooManyRequests: too many tries failed lately.
    """
    address = tidy_email(email)
    await rate_limit.hit(database, STAFF_LOGINS, address, client)
    async with database.read() as session:
        staff = await _staff_with(session, address)
    if not await is_password(password, staff.password_hash if staff else None) or staff is None:
        raise Unauthorized(WRONG)
    await rate_limit.refund(database, STAFF_LOGINS, address, client)
    return Actor(staff.id, USER)


async def find_staff(session: AsyncSession, staff_id: str) -> Staff | None:
    """The member of staff with this id; None when there is none."""
    return await session.get(Staff, staff_id)


async def _staff_with(session: AsyncSession, address: str) -> Staff | None:
    return (await session.execute(select(Staff).where(Staff.email == address))).scalar_one_or_none()
