"""The console script `trompo`. A command's own module is imported only when it runs."""

import asyncio
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


def main() -> None:
    """Run the console script."""
    app()
