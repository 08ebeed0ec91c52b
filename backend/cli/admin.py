"""`trompo admin`: look after staff. A command's own module is imported only when it runs."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.context import with_database
from backend.core.config.settings import load_settings

if TYPE_CHECKING:
    from backend.core.db.database import Database
    from backend.staff.rights import Role

admin = typer.Typer(help="Look after staff.", no_args_is_help=True)


Member = Annotated[str, typer.Argument(metavar="EMAIL", help="Who.")]
AnyRole = Annotated[str, typer.Option("--role", help="owner, shop, stockroom or accountant.")]


def _look_after_staff(work: Callable[["Database"], Awaitable[str]], *, migrated: bool = False) -> None:
    """Print what was done, or in one line why not."""
    from backend.core.errors import ShopError

    try:
        typer.echo(with_database(work, migrated=migrated))
    except ShopError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None


def _new_password() -> str:
    """ADMIN_PASSWORD, or what is typed twice."""
    given = load_settings().admin_password.get_secret_value()
    return given or typer.prompt("Password", hide_input=True, confirmation_prompt=True)


def _role(text: str) -> "Role":
    from backend.staff.rights import Role

    try:
        return Role(text)
    except ValueError:
        raise typer.BadParameter(f"choose one of them: {', '.join(Role)}", param_hint="role") from None


@admin.command("create")
def create_admin(
    email: Annotated[str, typer.Option(help="ADMIN_EMAIL, unless it is given.")] = "", role: AnyRole = "owner"
) -> None:
    """Let somebody use the office and the Admin API. The password is asked for, unless ADMIN_PASSWORD is set.

    Examples:
        trompo admin create --email ana@tienda.example

        trompo admin create --email luis@tienda.example --role stockroom
    """
    from backend.staff import admin_command

    address, chosen = email or load_settings().admin_email or typer.prompt("E-mail"), _role(role)
    password = _new_password()
    _look_after_staff(
        lambda database: admin_command.create(database, address, password, chosen), migrated=True
    )


@admin.command("invite")
def invite_admin(email: Member, role: AnyRole = "owner") -> None:
    """Invite somebody by mail: they choose their password by its link. Again, it sends a new link."""
    from backend.staff import admin_command

    chosen = _role(role)
    _look_after_staff(lambda database: admin_command.ask_in(database, email, chosen), migrated=True)


@admin.command("list")
def list_admins() -> None:
    """List everybody, with their role, and who is invited."""
    from backend.staff import admin_command

    _look_after_staff(admin_command.list_all)


@admin.command("role")
def change_role(
    email: Member, role: Annotated[str, typer.Argument(help="owner, shop, stockroom or accountant.")]
) -> None:
    """Give somebody another role. It counts from their next request on."""
    from backend.staff import admin_command

    chosen = _role(role)
    _look_after_staff(lambda database: admin_command.give_role(database, email, chosen))


@admin.command("disable")
def disable_admin(email: Member) -> None:
    """Shut somebody out. Their sessions and tokens end at once."""
    from backend.staff import admin_command

    _look_after_staff(lambda database: admin_command.disable(database, email, is_disabled=True))


@admin.command("enable")
def enable_admin(email: Member) -> None:
    """Let somebody in again who was disabled."""
    from backend.staff import admin_command

    _look_after_staff(lambda database: admin_command.disable(database, email, is_disabled=False))


@admin.command("password")
def change_admin_password(email: Member) -> None:
    """Give somebody a new password. Their sessions and tokens end at once."""
    from backend.staff import admin_command

    password = _new_password()
    _look_after_staff(lambda database: admin_command.change_password(database, email, password))


@admin.command("sessions")
def list_admin_sessions(
    email: Member,
    *,
    end: Annotated[bool, typer.Option("--end", help="End all of them, and the bearer tokens.")] = False,
) -> None:
    """List the browsers that somebody is signed in with."""
    from backend.staff import admin_command

    _look_after_staff(lambda database: admin_command.show_sessions(database, email, end=end))


totp = typer.Typer(help="Look after second factors.", no_args_is_help=True)
admin.add_typer(totp, name="totp")


@totp.command("reset")
def reset_totp(email: Member) -> None:
    """Take the second factor from somebody who has lost it. Their sessions end; they set up another in the office."""
    from backend.staff import admin_command

    _look_after_staff(lambda database: admin_command.reset_second_factor(database, email))


@totp.callback()
def _totp() -> None:
    """Look after second factors."""
