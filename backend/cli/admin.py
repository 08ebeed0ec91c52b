"""`trompo admin`: manage staff. A command's own module is imported only when it runs."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.context import with_database
from backend.core.config.settings import load_settings

if TYPE_CHECKING:
    from backend.core.db.database import Database

admin = typer.Typer(help="Manage staff.", no_args_is_help=True)


StaffEmail = Annotated[str, typer.Argument(metavar="EMAIL", help="Address of the staff member.")]
RoleOption = Annotated[
    str, typer.Option("--role", help="owner, shop, stockroom, accountant, or a custom role.")
]


def _run_staff_command(work: Callable[["Database"], Awaitable[str]], *, migrated: bool = False) -> None:
    """Run `work` on the database and print the text that it returns.

    If the shop refuses the command, print the reason in one line and exit with code 1.
    """
    from backend.core.errors import ShopError

    try:
        typer.echo(with_database(work, migrated=migrated))
    except ShopError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None


def _read_new_password() -> str:
    """Return ADMIN_PASSWORD, or ask for a password twice."""
    given = load_settings().admin_password.get_secret_value()
    return given or typer.prompt("Password", hide_input=True, confirmation_prompt=True)


@admin.command("create")
def create_admin(
    email: Annotated[str, typer.Option(help="Their address. Default: ADMIN_EMAIL.")] = "",
    role: RoleOption = "owner",
) -> None:
    """Create a staff member for the office and the Admin API. Ask for the password, unless ADMIN_PASSWORD is set.

    Examples:
        trompo admin create --email ana@tienda.example

        trompo admin create --email luis@tienda.example --role stockroom
    """
    from backend.staff import admin_command

    address = email or load_settings().admin_email or typer.prompt("E-mail")
    password = _read_new_password()
    _run_staff_command(
        lambda database: admin_command.create(database, address, password, role), migrated=True
    )


@admin.command("invite")
def invite_admin(email: StaffEmail, role: RoleOption = "owner") -> None:
    """Invite a staff member by mail. The mail has a link to choose a password.

    Repeat the command to send a new link.
    """
    from backend.staff import admin_command

    _run_staff_command(lambda database: admin_command.invite_by_mail(database, email, role), migrated=True)


@admin.command("list")
def list_admins() -> None:
    """List all staff with their roles, and the open invitations."""
    from backend.staff import admin_command

    _run_staff_command(admin_command.format_staff_list)


@admin.command("role")
def change_role(
    email: StaffEmail,
    role: Annotated[str, typer.Argument(help="owner, shop, stockroom, accountant, or a custom role.")],
) -> None:
    """Give a staff member another role, from their next request on."""
    from backend.staff import admin_command

    _run_staff_command(lambda database: admin_command.give_role(database, email, role))


@admin.command("disable")
def disable_admin(email: StaffEmail) -> None:
    """Disable a staff member. Their sessions and tokens end at once."""
    from backend.staff import admin_command

    _run_staff_command(lambda database: admin_command.set_disabled(database, email, is_disabled=True))


@admin.command("enable")
def enable_admin(email: StaffEmail) -> None:
    """Enable a disabled staff member."""
    from backend.staff import admin_command

    _run_staff_command(lambda database: admin_command.set_disabled(database, email, is_disabled=False))


@admin.command("password")
def change_admin_password(email: StaffEmail) -> None:
    """Give a staff member a new password. Their sessions and tokens end immediately."""
    from backend.staff import admin_command

    password = _read_new_password()
    _run_staff_command(lambda database: admin_command.change_password(database, email, password))


@admin.command("sessions")
def list_admin_sessions(
    email: StaffEmail,
    *,
    end: Annotated[bool, typer.Option("--end", help="End all of them, and the bearer tokens.")] = False,
) -> None:
    """List the browsers in which a staff member is signed in."""
    from backend.staff import admin_command

    _run_staff_command(lambda database: admin_command.show_sessions(database, email, end=end))


totp = typer.Typer(help="Manage second factors.", no_args_is_help=True)
admin.add_typer(totp, name="totp")


@totp.command("reset")
def reset_totp(email: StaffEmail) -> None:
    """Remove a staff member's lost second factor. Their sessions end, and they set up another factor in the office."""
    from backend.staff import admin_command

    _run_staff_command(lambda database: admin_command.reset_second_factor(database, email))


@totp.callback()
def _totp() -> None:
    """Manage second factors."""
