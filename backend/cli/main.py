"""The console script `trompo`. A command's own module is imported only when it runs."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.admin import admin
from backend.cli.context import with_database, with_shop
from backend.cli.mail import mail
from backend.cli.maintenance import add_upkeep
from backend.core.config.settings import load_settings

if TYPE_CHECKING:
    from backend.core.db.database import Database
    from backend.shop import Shop

app = typer.Typer(name="trompo", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.add_typer(admin, name="admin")
app.add_typer(mail, name="mail")
add_upkeep(app)


@app.callback()
def trompo() -> None:
    """Look after a Trompo shop, from any folder. Settings come from where the shop itself takes them."""


@app.command()
def migrate() -> None:
    """Bring the database to the shape this version needs. Safe to repeat."""

    async def nothing_more(_database: "Database") -> None:
        pass

    with_database(nothing_more, migrated=True)
    typer.echo("The database is up to date.")


@app.command("init")
def init(
    *, yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: take the settings.")] = False
) -> None:
    """Make what a shop needs before its first toy: region, sales channel, key, warehouse, ways to ship. Safe to repeat.

    At a terminal it asks who the shop is and where its warehouse stands, and saves the answers in the shop: they then
    stand in place of STORE_* and CARRIER_ORIGIN_*. Without a terminal, or with --yes, these settings are taken. A
    production start makes the same by itself on an empty database.

    Examples:
        trompo init

        STORE_NAME='Mi Tienda' CARRIER_ORIGIN_DANE_CODE=05001000 trompo init --yes
    """
    from backend.core.errors import InvalidData
    from backend.core.terminal import is_terminal
    from backend.operations.opening.command import init_shop

    settings = load_settings()
    try:
        done = with_database(
            lambda database: init_shop(database, settings, asks=not yes and is_terminal()), migrated=True
        )
    except InvalidData as error:
        for name, problem in (error.fields or {}).items():
            typer.echo(f"{name.upper()}: {problem}", err=True)
        raise typer.Exit(1) from None
    if done.saved:
        typer.echo(f"Saved: {', '.join(done.saved)}.")
    if done.problems:
        typer.echo("\n".join(["Nothing was made:", *done.problems]), err=True)
        raise typer.Exit(1)
    if done.has_moved:
        typer.echo("Moved: stock_location.")
    if done.made:
        typer.echo(f"Made: {', '.join(done.made)}.")
    elif not (done.saved or done.has_moved):
        typer.echo("Everything is there already.")


@app.command("doctor")
def doctor(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
    test_mail: Annotated[str, typer.Option(metavar="ADDRESS", help="Send a test mail there.")] = "",
) -> None:
    """Look at everything the shop needs: one line each, with what to do. Changes nothing.

    Exit code 0: it can open, with or without warnings. 1: something fails.

    Examples:
        trompo doctor

        trompo doctor --test-mail ana@tienda.example
    """
    from backend.core.config.settings import SettingsError
    from backend.operations.doctor import command

    try:
        findings = with_shop(lambda shop: command.examine(shop, test_mail), changes=False)
    except SettingsError as error:
        findings = command.of_settings(error.problems)
    typer.echo(command.as_json(findings) if as_json else command.as_text(findings))
    raise typer.Exit(command.exit_code(findings))


@app.command("seed")
def seed_demo() -> None:
    """Fill a shop without toys with the demo's, after migrations and store defaults; one with toys stays as it is."""
    from backend.operations.demo.seed import seed

    settings = load_settings()
    added = with_database(lambda database: seed(database, settings), migrated=True).products
    typer.echo(f"Added {added} toys." if added else "The shop has its toys already.")


payments = typer.Typer(help="Look after payments.", no_args_is_help=True)
app.add_typer(payments, name="payments")


@payments.command("reconcile")
def reconcile_payments(
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Ask about every payment of the last 48 hours that is not decided, due or not."
        ),
    ] = False,
) -> None:
    """Ask the gateway about pending payments, and update their orders.

    The running shop does this by itself; safe to run beside it, and twice at once: no payment is asked about twice.

    Examples:
        trompo payments reconcile

        trompo payments reconcile --all
    """

    async def work(shop: "Shop") -> int:
        await shop.worker.run_due("payment.notification")
        due = await shop.worker.run_due("payment.check")
        return due + (await shop.payments.check_all() if everything else 0)

    asked = with_shop(work)
    typer.echo(f"Asked the gateway about {asked} payments.")


shipping = typer.Typer(help="Look after fulfillments.", no_args_is_help=True)
app.add_typer(shipping, name="shipping")


@shipping.command("track")
def track_fulfillments(
    everything: Annotated[
        bool, typer.Option("--all", help="Ask about every fulfillment on its way, due or not.")
    ] = False,
) -> None:
    """Ask the carrier about fulfillments that are on their way, and update their orders.

    The running shop does this by itself; safe to run beside it, and twice at once.

    Examples:
        trompo shipping track

        trompo shipping track --all
    """

    async def work(shop: "Shop") -> int:
        if everything:
            return await shop.tracker.track_all()
        return await shop.worker.run_due("shipping.track")

    asked = with_shop(work)
    typer.echo(f"Asked the carrier about {asked} parcels.")


@app.command("attention")
def attention(
    *,
    resolve: Annotated[
        str | None, typer.Option(metavar="ID", help="Resolve this one. Without it: list what is open.")
    ] = None,
    action: Annotated[
        str | None, typer.Option(help="What was decided: honor, refunded or dismissed.")
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="For refunded: the reference of the bank transfer.")
    ] = None,
    note: Annotated[str | None, typer.Option(help="For dismissed: why nothing is to be done.")] = None,
    label_number: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="For a label in doubt: its number at the carrier.")
    ] = None,
    tracking_number: Annotated[
        str | None, typer.Option(metavar="CODE", help="For a label in doubt: its tracking code.")
    ] = None,
) -> None:
    """List what somebody must resolve, or resolve one of it. Does the same as the Admin API.

    Examples:
        trompo attention

        trompo attention --resolve attn_01K… --action refunded --reference 0012345678
    """
    from backend.attention.command import list_open, read_decision, resolve_one
    from backend.core.errors import ShopError

    async def work(shop: "Shop") -> str:
        if resolve is None:
            return await list_open(shop.database)
        label = {"carrier_order_id": label_number, "tracking_number": tracking_number}
        decision = read_decision(action, reference, note, label)
        return await resolve_one(shop.attention, resolve, decision)

    try:
        typer.echo(with_shop(work, changes=resolve is not None))
    except ShopError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None


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
    from backend.catalog.assignment import procedure
    from backend.catalog.assignment.admin_api import AdminApi
    from backend.catalog.assignment.data import read_data
    from backend.core.config.settings import load_admin_access

    if dry_run == apply:
        raise typer.BadParameter("choose one of them: --dry-run or --apply", param_hint="mode")
    access, what = load_admin_access(), read_data(data)

    async def run() -> None:
        async with AdminApi(access.backend_url, access.admin_jwt.get_secret_value()) as api:
            await (procedure.apply if apply else procedure.dry_run)(what, api)

    asyncio.run(run())


@catalog.command("import")
def import_products(
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, readable=True)],
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", exists=True, file_okay=False, help="Its pictures. Without it: beside the file."
        ),
    ] = None,
    location: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="The location that is stocked. Without it: the only location there is."
        ),
    ] = None,
    *,
    only_check: Annotated[bool, typer.Option("--check", help="Only look through it; write nothing.")] = False,
    new_categories: Annotated[
        bool, typer.Option("--new-categories", help="Make categories and collections that are not there.")
    ] = False,
    allow_private: Annotated[
        bool,
        typer.Option("--allow-private", help="Fetch pictures from this machine and its own networks, too."),
    ] = False,
) -> None:
    """Bring products in from a CSV or XLSX file: new ones are added, known ones brought up to date. Safe to repeat.

    Products are known by their handle, or by their SKU. A column that is missing leaves alone what is there. Columns:
    handle, title, subtitle, description, brand, age_range, categories, collection, featured, status, sku, ean,
    price, compare_at_price, is_free (yes or no: a price of 0 is sold only with a yes), tax_rate, weight, length,
    height, width, material, origin_country (two letters, such as co), warnings, stock, pictures, option_1, value_1
    to option_3, value_3, product_id, variant_id. Rows with options that follow each other with one handle are the
    variants of one product. Lists have a | between their parts; prices are whole pesos, with their IVA in them;
    tax_rate is that IVA in percent: 0, 5 or 19 (a new product has 19); weight is in kilograms, the sizes are in
    centimetres. A picture is a file's name or an address that begins with https://. A category is known by its
    handle or its name; a shop without any gets those of the file.

    The whole file is looked through before anything is written.

    Examples:
        trompo catalog import juguetes.csv --pictures fotos/

        trompo catalog import precios.csv --check
    """
    from backend import subscriptions  # noqa: F401 - so that open pages are updated
    from backend.catalog.importer.batch_writer import CHANGED, NEW, SAME, ImportResult, ShopChanged
    from backend.catalog.importer.command import import_file
    from backend.catalog.importer.file_validation import Refused
    from backend.catalog.importer.pictures import PictureFolder
    from backend.core.errors import NotFound
    from backend.core.terminal import progress
    from backend.media.picture_store import picture_store
    from backend.shipping.locations import the_location

    settings = load_settings()
    folder = PictureFolder(pictures or file.parent, picture_store(settings), allow_private=allow_private)

    async def work(database: "Database") -> ImportResult:
        async with database.read() as session:
            location_id = await the_location(session, location)
        return await import_file(
            database, file, folder, location_id, progress, only_check=only_check, makes_places=new_categories
        )

    try:
        done = with_database(work, changes=not only_check)
    except Refused as refused:
        more = "" if refused.are_all else "\nThere may be more: mend these first."
        raise SystemExit("\n".join(map(str, refused.problems)) + f"{more}\nNothing was imported.") from None
    except ShopChanged as error:
        raise SystemExit(f"The shop or the file changed meanwhile: {error}. Run it again.") from None
    except NotFound as error:
        raise SystemExit(error.message) from None
    if only_check:
        typer.echo("There is nothing to mend. Nothing was imported.")
    else:
        if done.made:
            typer.echo(f"Made: {', '.join(done.made)}.")
        counts = done.counts
        typer.echo(f"{counts[NEW]} new, {counts[CHANGED]} changed, {counts[SAME]} as they were.")


def main() -> None:
    """Run the console script."""
    app()
