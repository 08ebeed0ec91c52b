"""The console script `trompo`. A command's own module is imported only when it runs."""

import asyncio

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


def main() -> None:
    """Run the console script."""
    app()
