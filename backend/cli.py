"""The console script `trompo`. A command's own module is imported only when it runs."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from backend.settings import load_settings

app = typer.Typer(name="trompo", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def trompo() -> None:
    """Look after a Trompo shop. Settings come from the environment, as they do for the shop itself."""


@app.command()
def migrate() -> None:
    """Bring the database to the shape this version needs. Safe to repeat."""
    from backend.database import Database
    from backend.migrations import upgrade

    async def run() -> None:
        database = Database.from_settings(load_settings())
        try:
            await upgrade(database)
        finally:
            await database.close()

    asyncio.run(run())
    typer.echo("The database is up to date.")


@app.command("seed")
def seed_demo() -> None:
    """Fill an empty shop with the demo toys, migrated first; a shop that has something already stays as it is."""
    from backend.database import Database
    from backend.demo.seed import seed
    from backend.migrations import upgrade

    settings = load_settings()

    async def run() -> int:
        database = Database.from_settings(settings)
        try:
            await upgrade(database)
            return (await seed(database, settings)).products
        finally:
            await database.close()

    added = asyncio.run(run())
    typer.echo(f"Added {added} toys." if added else "The shop has its toys already.")


payments = typer.Typer(help="Look after payments.", no_args_is_help=True)
app.add_typer(payments, name="payments")


@payments.command("reconcile")
def reconcile_payments(
    everything: Annotated[
        bool, typer.Option("--all", help="Ask about every open payment, due or not.")
    ] = False,
) -> None:
    """Ask the gateway about pending payments and let their orders follow.

    The running shop does this by itself; safe to run beside it, and twice at once: no payment is asked about twice.

    Examples:
        trompo payments reconcile

        trompo payments reconcile --all
    """
    from backend.shop import Shop

    async def run() -> int:
        shop = Shop(load_settings())
        try:
            await shop.payments.handle_mail()
            return await shop.payments.reconcile(everything=everything)
        finally:
            await shop.stop()

    asked = asyncio.run(run())
    typer.echo(f"Asked the gateway about {asked} payments.")


catalog = typer.Typer(help="Look after the catalogue.", no_args_is_help=True)
app.add_typer(catalog, name="catalog")


@catalog.command("assign")
def assign_products(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only read, and print the plan as JSON.")
    ] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Do it, and print one line per step.")] = False,
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What to do, as TOML. Without it: the demo shop's.")
    ] = None,
) -> None:
    """Put products into collections and a category over the Admin API. Safe to repeat.

    ADMIN_JWT is a token from POST /auth/user/emailpass; it is stored nowhere. BACKEND_URL is the shop to change, this
    one unless it is set.

    Examples:
        ADMIN_JWT=… trompo catalog assign --dry-run

        ADMIN_JWT=… BACKEND_URL=https://tienda.example trompo catalog assign --apply --data navidad.toml
    """
    from backend.catalog.assignment import command
    from backend.catalog.assignment.admin_api import AdminApi
    from backend.catalog.assignment.data import read_data
    from backend.settings import load_admin_access

    if dry_run == apply:
        raise typer.BadParameter("choose one of them: --dry-run or --apply", param_hint="mode")
    access, what = load_admin_access(), read_data(data)

    async def run() -> None:
        async with AdminApi(access.backend_url, access.admin_jwt.get_secret_value()) as api:
            await (command.apply if apply else command.dry_run)(what, api)

    asyncio.run(run())


admin = typer.Typer(help="Look after staff.", no_args_is_help=True)
app.add_typer(admin, name="admin")


@admin.command("create")
def create_admin(
    email: Annotated[str, typer.Option(help="ADMIN_EMAIL, unless it is given.")] = "",
) -> None:
    """Let somebody use the Admin API. The password is asked for, unless ADMIN_PASSWORD is set.

    Examples:
        trompo admin create --email ana@tienda.example
    """
    from backend.customers.staff import create_staff
    from backend.database import Database
    from backend.errors import ShopError
    from backend.migrations import upgrade

    settings = load_settings()
    address = email or settings.admin_email or typer.prompt("E-mail")
    password = settings.admin_password.get_secret_value() or typer.prompt(
        "Password", hide_input=True, confirmation_prompt=True
    )

    async def run() -> None:
        database = Database.from_settings(settings)
        try:
            await upgrade(database)
            await create_staff(database, address, password)
        finally:
            await database.close()

    try:
        asyncio.run(run())
    except ShopError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None
    typer.echo(f"{address} may use the Admin API.")


def main() -> None:
    """Run the console script."""
    app()
