"""Staff on the command line: what `trompo admin` does."""

from backend.core.db.database import Database
from backend.core.errors import NotFound
from backend.staff.invites import invite, list_invites
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.second_factor import reset
from backend.staff.service import change_staff, create_staff, list_staff, set_password, staff_with
from backend.staff.sessions import end_everywhere, sessions_of

WHEN = "%Y-%m-%d %H:%M UTC"


async def create(database: Database, email: str, password: str, role: Role) -> str:
    """Make a member of staff; see `create_staff`. Returns what was done, in a sentence."""
    await create_staff(database, COMMAND_LINE, email, password, role)
    return f"{email} may use the Admin API."


async def ask_in(database: Database, email: str, role: Role) -> str:
    """Invite somebody by mail. Returns what was done, in a sentence.

    Raises:
        InvalidData, Duplicate, Conflict: see `invite`.
    """
    async with database.transaction() as session:
        invited = await invite(session, COMMAND_LINE, email, role)
    return f"{invited.email} is invited: the running shop sends the mail."


async def list_all(database: Database) -> str:
    """Everybody, one a line: address, role, and what there is to know. Who is invited stands below."""
    async with database.read() as session:
        staff = await list_staff(session, COMMAND_LINE)
        invites = await list_invites(session, COMMAND_LINE)
    lines = [
        f"{one.email}  {one.role}"
        + ("  disabled" if one.is_disabled else "")
        + ("" if one.has_second_factor else "  no second factor")
        for one in staff
    ]
    lines += [f"{one.email}  {one.role}  invited" + ("  over" if one.is_over else "") for one in invites]
    return "\n".join(lines) or "There is no staff: trompo admin create"


async def disable(database: Database, email: str, *, is_disabled: bool) -> str:
    """Disable or enable a member. Returns what was done, in a sentence.

    Raises:
        NotFound, NotAllowed: see `change_staff`.
    """
    staff_id = await _find(database, email)
    async with database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff_id, is_disabled=is_disabled)
    return f"{email} is disabled and signed out everywhere." if is_disabled else f"{email} may sign in again."


async def give_role(database: Database, email: str, role: Role) -> str:
    """Give a member another role. Returns what was done, in a sentence.

    Raises:
        NotFound, NotAllowed: see `change_staff`.
    """
    staff_id = await _find(database, email)
    async with database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff_id, role=role)
    return f"{email} is {role} now."


async def change_password(database: Database, email: str, password: str) -> str:
    """Give a member a new password. Returns what was done, in a sentence.

    Raises:
        NotFound, InvalidData: see `set_password`.
    """
    await set_password(database, COMMAND_LINE, await _find(database, email), password)
    return f"{email} has a new password and is signed out everywhere."


async def show_sessions(database: Database, email: str, *, end: bool) -> str:
    """The member's open sessions, one a line; `end` ends them, and the bearer tokens.

    Raises:
        NotFound: there is no such member.
    """
    staff_id = await _find(database, email)
    if end:
        async with database.transaction() as session:
            await end_everywhere(session, COMMAND_LINE, staff_id)
        return f"{email} is signed out everywhere."
    async with database.read() as session:
        found = await sessions_of(session, COMMAND_LINE, staff_id)
    lines = [
        f"{one.id}  since {one.created_at:{WHEN}}  seen {one.last_seen_at:{WHEN}}  {one.address}  {one.user_agent}"
        + ("  second factor" if one.has_second_factor else "")
        for one in found
    ]
    return "\n".join(lines) or f"{email} is signed in nowhere."


async def reset_second_factor(database: Database, email: str) -> str:
    """Take a member's second factor, so that they set up another. Returns what was done, in a sentence.

    Raises:
        NotFound: there is no such member.
    """
    staff_id = await _find(database, email)
    async with database.transaction() as session:
        await reset(session, COMMAND_LINE, staff_id)
    return f"{email} has no second factor any more and sets up a new one in the office."


async def _find(database: Database, email: str) -> str:
    async with database.read() as session:
        staff = await staff_with(session, email)
    if staff is None:
        raise NotFound(f"There is no staff with the address {email}: trompo admin list")
    return staff.id
