"""Commands `trompo admin …` for staff."""

from backend.core.db.database import Database
from backend.core.errors import NotFound
from backend.staff.invites import invite, list_invites
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.roles import find_role, read_role_names
from backend.staff.second_factor import reset
from backend.staff.service import change_staff, create_staff, find_staff, list_staff, set_password
from backend.staff.sessions import end_everywhere, sessions_of

TIME_FORMAT = "%Y-%m-%d %H:%M UTC"


async def create(database: Database, email: str, password: str, role: str) -> str:
    """Create a staff member (see `create_staff`) and return a sentence for the terminal."""
    async with database.read() as session:
        found = await find_role(session, role)
    await create_staff(database, COMMAND_LINE, email, password, found)
    return f"{email} may use the Admin API."


async def invite_by_mail(database: Database, email: str, role: str) -> str:
    """Invite a person by e-mail and return a sentence for the terminal.

    Raises:
        InvalidData, Duplicate, Conflict: see `invite`.
    """
    async with database.transaction() as session:
        invited = await invite(session, COMMAND_LINE, email, await find_role(session, role))
    return f"{invited.email} is invited: the running shop sends the mail."


async def format_staff_list(database: Database) -> str:
    """Return all staff members, one per line with address, role and state, then the invitations."""
    async with database.read() as session:
        staff = await list_staff(session, COMMAND_LINE)
        invites = await list_invites(session, COMMAND_LINE)
        names: dict[str, str] = await read_role_names(session)
    names |= {role: str(role) for role in Role}
    lines = [
        f"{one.email}  {names.get(one.role, one.role)}"
        + ("  disabled" if one.is_disabled else "")
        + ("" if one.has_second_factor else "  no second factor")
        for one in staff
    ]
    lines += [
        f"{one.email}  {names.get(one.role, one.role)}  invited" + ("  over" if one.is_over else "")
        for one in invites
    ]
    return "\n".join(lines) or "There are no staff members. Create one: trompo admin create"


async def set_disabled(database: Database, email: str, *, is_disabled: bool) -> str:
    """Disable or enable a staff member and return a sentence for the terminal.

    Raises:
        NotFound, NotAllowed: see `change_staff`.
    """
    staff_id = await _find_id(database, email)
    async with database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff_id, is_disabled=is_disabled)
    return f"{email} is disabled and signed out everywhere." if is_disabled else f"{email} may sign in again."


async def give_role(database: Database, email: str, role: str) -> str:
    """Change the role of a staff member and return a sentence for the terminal.

    Raises:
        NotFound, NotAllowed: see `change_staff`.
    """
    staff_id = await _find_id(database, email)
    async with database.transaction() as session:
        await change_staff(session, COMMAND_LINE, staff_id, role=await find_role(session, role))
    return f"{email} now has the role {role}."


async def change_password(database: Database, email: str, password: str) -> str:
    """Set a new password for a staff member and return a sentence for the terminal.

    Raises:
        NotFound, InvalidData: see `set_password`.
    """
    await set_password(database, COMMAND_LINE, await _find_id(database, email), password)
    return f"{email} has a new password and is signed out everywhere."


async def show_sessions(database: Database, email: str, *, end: bool) -> str:
    """Return the open sessions of a staff member, one per line. With `end`, end all sessions and bearer tokens instead.

    Raises:
        NotFound: there is no staff member with this address.
    """
    staff_id = await _find_id(database, email)
    if end:
        async with database.transaction() as session:
            await end_everywhere(session, COMMAND_LINE, staff_id)
        return f"{email} is signed out everywhere."
    async with database.read() as session:
        found = await sessions_of(session, COMMAND_LINE, staff_id)
    lines = [
        f"{one.id}  since {one.created_at:{TIME_FORMAT}}  seen {one.last_seen_at:{TIME_FORMAT}}"
        f"  {one.address}  {one.user_agent}" + ("  second factor" if one.has_second_factor else "")
        for one in found
    ]
    return "\n".join(lines) or f"{email} has no open sessions."


async def reset_second_factor(database: Database, email: str) -> str:
    """Delete the second factor of a staff member, and return a sentence for the terminal.

    The staff member can then set up a new second factor.

    Raises:
        NotFound: there is no staff member with this address.
    """
    staff_id = await _find_id(database, email)
    async with database.transaction() as session:
        await reset(session, COMMAND_LINE, staff_id)
    return f"{email} no longer has a second factor and can set up a new one in the office."


async def _find_id(database: Database, email: str) -> str:
    async with database.read() as session:
        staff = await find_staff(session, email)
    if staff is None:
        raise NotFound(f"No staff member has the address {email}. List them: trompo admin list")
    return staff.id
