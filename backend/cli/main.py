"""The console script `trompo`. A command's own module is imported only when it runs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.admin import admin
from backend.cli.context import with_database, with_shop
from backend.cli.mail import mail
from backend.cli.maintenance import add_maintenance_commands
from backend.core.config.problems import SettingsError
from backend.core.config.settings import load_settings
from backend.core.config.version import VERSION

if TYPE_CHECKING:
    from backend.core.config.settings import Settings
    from backend.core.db.database import Database
    from backend.shop import Shop

app = typer.Typer(name="trompo", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.add_typer(admin, name="admin")
app.add_typer(mail, name="mail")
add_maintenance_commands(app)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(VERSION)
        raise typer.Exit


@app.callback()
def trompo(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Manage a Trompo shop, from any folder. Settings are read from the same places as by the shop itself."""


@app.command()
def migrate() -> None:
    """Migrate the database to this version. Safe to repeat."""

    async def do_nothing(_database: "Database") -> None:
        pass

    with_database(do_nothing, migrated=True)
    typer.echo("The database is up to date.")


@app.command("init")
def init(
    *, yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: use the settings.")] = False
) -> None:
    """Create the data that a shop needs first: region, sales channel, key, warehouse, shipping options.

    Safe to repeat. At a terminal it asks for the shop's identity and its warehouse, and saves the answers in the
    shop: they replace STORE_* and CARRIER_ORIGIN_*. Without a terminal, or with --yes, these settings are used. The
    start of a production shop does the same on an empty database.

    Examples:
        trompo init

        STORE_NAME='Mi Tienda' CARRIER_ORIGIN_DANE_CODE=05001000 trompo init --yes
    """
    from backend.core.terminal import is_terminal
    from backend.core.texts import _, format_count
    from backend.operations.doctor.setting_problems import describe_problems
    from backend.operations.opening.command import init_shop
    from backend.operations.opening.store_defaults import DEFAULT_NAMES

    with _invalid_settings_printed():
        settings = load_settings()
    answers = None if yes or not is_terminal() else _ask_about_the_shop(settings)
    with _invalid_settings_printed():
        done = with_database(
            lambda database: init_shop(database, settings, answers),
            migrated=True,
            changes=answers is None,
        )
    if done.saved:
        saved = _("Se guardó una respuesta."), _("Se guardaron {n} respuestas.")
        typer.echo(format_count(len(done.saved), *saved))
    if done.problems:
        typer.echo("\n".join([_("No se creó nada:"), *describe_problems(done.problems)]), err=True)
        raise typer.Exit(1)
    if done.has_moved:
        typer.echo(_("La bodega quedó en su nueva dirección."))
    if done.created_defaults:
        names = ", ".join(DEFAULT_NAMES[name] for name in done.created_defaults)
        typer.echo(_("Se creó: {names}.").format(names=names))
    elif not (done.saved or done.has_moved):
        typer.echo(_("Ya está todo."))


def _ask_about_the_shop(settings: "Settings") -> dict[str, str]:
    """Ask the questions of `trompo init`, and return the answers.

    If the questions are interrupted, the answers so far are saved, and the command exits. The database is
    closed during the questions, so that a shop can start.
    """
    from backend.core.texts import _
    from backend.operations.opening.command import read_identity, save_answers
    from backend.operations.opening.prompts import ask_settings

    effective = with_database(lambda database: read_identity(database, settings), migrated=True)
    answers: dict[str, str] = {}
    try:
        ask_settings(effective, answers)
    except typer.Abort:
        with _invalid_settings_printed():
            with_database(lambda database: save_answers(database, settings, answers), changes=False)
        typer.echo("\n" + _("Tus respuestas quedaron guardadas. Sigue con `trompo init`."), err=True)
        raise typer.Exit(1) from None
    return answers


@contextmanager
def _invalid_settings_printed() -> Iterator[None]:
    """Catch errors of settings in the `with` block, print one line for each problem, and exit with code 1."""
    from backend.core.errors import InvalidData
    from backend.operations.doctor.setting_problems import describe_problems

    try:
        yield
    except SettingsError as error:
        typer.echo("\n".join(describe_problems(error.problems)), err=True)
        raise typer.Exit(1) from None
    except InvalidData as error:
        for name, problem in (error.fields or {}).items():
            typer.echo(f"{name.upper()}: {problem}", err=True)
        raise typer.Exit(1) from None


@app.command("doctor")
def doctor(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    test_mail: Annotated[str, typer.Option(metavar="ADDRESS", help="Send a test mail there.")] = "",
) -> None:
    """Check everything that the shop needs. Print one line for each check, with advice. Nothing is changed.

    Exit code 0: the shop can open, with or without warnings. 1: a check fails.

    Examples:
        trompo doctor

        trompo doctor --test-mail ana@tienda.example
    """
    from backend.operations.doctor import command

    try:
        findings = with_shop(lambda shop: command.run_checks(shop, test_mail), changes=False)
    except SettingsError as error:
        findings = command.to_settings_findings(error.problems)
    typer.echo(command.format_json(findings) if as_json else command.format_text(findings))
    raise typer.Exit(command.exit_code(findings))


@app.command("seed")
def seed_demo() -> None:
    """Migrate, create the store defaults, and add the demo products to a shop without products."""
    from backend.operations.demo.seed import seed

    settings = load_settings()
    added = with_database(lambda database: seed(database, settings), migrated=True).products
    typer.echo(f"Added {added} products." if added else "The shop already has products.")


payments = typer.Typer(help="Manage payments.", no_args_is_help=True)
app.add_typer(payments, name="payments")


@payments.command("reconcile")
def reconcile_payments(
    everything: Annotated[
        bool,
        typer.Option("--all", help="Ask about every pending payment of the last 48 hours, due or not."),
    ] = False,
) -> None:
    """Ask the gateway about pending payments, and update their orders.

    The running shop does this regularly. The command may run at the same time, or twice: the gateway is asked about
    each payment only once.

    Examples:
        trompo payments reconcile

        trompo payments reconcile --all
    """

    async def work(shop: "Shop") -> int:
        await shop.worker.run_due("payment.notification")
        due = await shop.worker.run_due("payment.check")
        return due + (await shop.payments.check_all() if everything else 0)

    count = with_shop(work)
    typer.echo(f"Asked the gateway about {count} payments.")


shipping = typer.Typer(help="Manage fulfillments.", no_args_is_help=True)
app.add_typer(shipping, name="shipping")


@shipping.command("track")
def track_fulfillments(
    everything: Annotated[
        bool, typer.Option("--all", help="Ask about every fulfillment on its way, due or not.")
    ] = False,
) -> None:
    """Ask the carrier for updates of fulfillments that are on their way, and update their orders.

    The running shop does this regularly. The command may run at the same time, and twice.

    Examples:
        trompo shipping track

        trompo shipping track --all
    """

    async def work(shop: "Shop") -> int:
        if everything:
            return await shop.tracker.track_all()
        return await shop.worker.run_due("shipping.track")

    count = with_shop(work)
    typer.echo(f"Asked the carrier about {count} parcels.")


@app.command("attention")
def attention(
    *,
    resolve: Annotated[
        str | None, typer.Option(metavar="ID", help="Resolve this row. Without it: list the open rows.")
    ] = None,
    action: Annotated[str | None, typer.Option(help="The decision: honor, refunded or dismissed.")] = None,
    reference: Annotated[
        str | None, typer.Option(help="For refunded: the reference of the bank transfer.")
    ] = None,
    note: Annotated[
        str | None, typer.Option(help="For dismissed: the reason why nothing must be done.")
    ] = None,
    label_number: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="For a label in doubt: its number at the carrier.")
    ] = None,
    tracking_number: Annotated[
        str | None, typer.Option(metavar="CODE", help="For a label in doubt: its tracking code.")
    ] = None,
) -> None:
    """List the decisions that wait for a staff member, or resolve one of them, like the Admin API.

    Examples:
        trompo attention

        trompo attention --resolve attn_01K… --action refunded --reference 0012345678
    """
    from backend.attention.command import list_open, parse_decision, resolve_one
    from backend.core.errors import ShopError

    async def work(shop: "Shop") -> str:
        if resolve is None:
            return await list_open(shop.database)
        label = {"carrier_order_id": label_number, "tracking_number": tracking_number}
        decision = parse_decision(action, reference, note, label)
        return await resolve_one(shop.attention, resolve, decision)

    try:
        typer.echo(with_shop(work, changes=resolve is not None))
    except ShopError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None


catalog = typer.Typer(help="Manage the catalogue.", no_args_is_help=True)
app.add_typer(catalog, name="catalog")


@catalog.command("assign")
def assign_products(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only read, and print the plan as JSON.")
    ] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Apply the plan, and print one line per step.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The assignments as TOML. Without it: the demo shop's."),
    ] = None,
) -> None:
    """Put products into collections and a category over the Admin API. Safe to repeat.

    ADMIN_JWT is a token from POST /auth/user/emailpass; it is not stored. BACKEND_URL is the shop to change; the
    default is this shop.

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
    access, assignments = load_admin_access(), read_data(data)

    async def run() -> None:
        async with AdminApi(access.backend_url, access.admin_jwt.get_secret_value()) as api:
            await (procedure.run_procedure if apply else procedure.dry_run)(assignments, api)

    asyncio.run(run())


@catalog.command("import")
def import_products(
    file: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, readable=True)],
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Folder of the pictures. Without it: the file's folder.",
        ),
    ] = None,
    location: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="The location that is stocked. Without it: the only location there is."
        ),
    ] = None,
    *,
    only_check: Annotated[bool, typer.Option("--check", help="Only check the file; write nothing.")] = False,
    new_categories: Annotated[
        bool, typer.Option("--new-categories", help="Create missing categories, collections, tags and types.")
    ] = False,
    allow_private: Annotated[
        bool,
        typer.Option("--allow-private", help="Also fetch pictures from this machine and its own networks."),
    ] = False,
    publish: Annotated[
        bool,
        typer.Option("--publish", help="Publish new products without a status; otherwise they are drafts."),
    ] = False,
    confirm_losses: Annotated[
        bool,
        typer.Option(
            "--confirm-losses", help="Also empty or take away values of existing products, such as a brand."
        ),
    ] = False,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEADING=COLUMN",
            help='What a column of an unknown list is for: "Code=sku". "Code=" leaves it out. Repeatable.',
        ),
    ] = None,
) -> None:
    """Import products from a CSV or XLSX file: add new ones, and update existing ones. Safe to repeat.

    Exports of Shopify, WooCommerce, PrestaShop, Google Merchant, Mercado Libre and the platform are recognised. In
    other files, the meaning of each column is taken from its heading and values, and printed; --column changes it.

    Products are identified by their handle or their SKU. Values of a missing column stay unchanged. Columns: handle,
    title, subtitle, description, brand, age_range, categories, collection, featured, status, sku, ean, price,
    compare_at_price, is_free (yes or no: a price of 0 is sold only with a yes), tax_rate, weight, length, height,
    width, material, origin_country (two letters, such as co), warnings, stock, pictures, option_1, value_1 to
    option_3, value_3, product_id, variant_id, price_without_tax, tags, type. Adjacent rows with options and the same
    handle are the variants of one product. Lists have a | between their parts; prices are whole pesos including IVA;
    tax_rate is that IVA in percent: 0, 5 or 19 (a new product has 19), exento or excluido; weight is in kilograms,
    the sizes are in centimetres. A picture is a file's name or an address that begins with https://. A category is
    identified by its handle or its name, or by a path such as Juguetes > Madera; a shop without categories gets those
    of the file.

    The whole file is checked before anything is written. New products are drafts unless the file or --publish
    publishes them. A file that would empty or take away values of existing products needs --confirm-losses.

    Examples:
        trompo catalog import juguetes.csv --pictures fotos/

        trompo catalog import precios.csv --check
    """
    from backend import subscriptions  # noqa: F401 - so that open pages are updated
    from backend.catalog.importer.batch_writer import CHANGED, NEW, SAME, ImportResult, ShopChanged
    from backend.catalog.importer.pictures import PictureFolder
    from backend.catalog.importer.whole_file.command import UnconfirmedLosses, import_file
    from backend.catalog.importer.whole_file.validation import ImportRefused
    from backend.core.errors import NotFound
    from backend.core.terminal import show_progress
    from backend.imports.rows.losses import count_losses
    from backend.media.picture_store import open_picture_store
    from backend.shipping.locations import find_location_id

    settings = load_settings()
    folder = PictureFolder(pictures or file.parent, open_picture_store(settings), allow_private=allow_private)

    columns = dict(_split_column(one) for one in column or ())

    async def work(database: "Database") -> ImportResult:
        async with database.read() as session:
            location_id = await find_location_id(session, location)
        return await import_file(
            database,
            file,
            folder,
            location_id,
            show_progress,
            count_losses=count_losses,
            columns=columns,
            describe=typer.echo,
            only_check=only_check,
            makes_places=new_categories,
            publishes=publish,
            confirms_losses=confirm_losses,
        )

    try:
        done = with_database(work, changes=not only_check)
    except ImportRefused as refused:
        more = "" if refused.is_complete else "\nThere may be more: correct these first."
        raise SystemExit("\n".join(map(str, refused.problems)) + f"{more}\nNothing was imported.") from None
    except UnconfirmedLosses as error:
        raise SystemExit(
            f"The file would empty or take away {error.counts.total()} values of existing products: {error}. Nothing "
            "was imported. Run it with --confirm-losses to do so."
        ) from None
    except ShopChanged as error:
        raise SystemExit(f"The shop or the file changed in the meantime: {error}. Run it again.") from None
    except NotFound as error:
        raise SystemExit(error.message) from None
    if only_check:
        typer.echo("The file has no problems. Nothing was imported.")
    else:
        if done.created_names:
            typer.echo(f"Made: {', '.join(done.created_names)}.")
        counts = done.counts
        typer.echo(f"{counts[NEW]} new, {counts[CHANGED]} changed, {counts[SAME]} as they were.")


def _split_column(text: str) -> tuple[str, str]:
    heading, separator, name = text.rpartition("=")
    if not separator:
        raise typer.BadParameter("write it as HEADING=COLUMN", param_hint="--column")
    return heading.strip(), name.strip()


def main() -> None:
    """Run the console script."""
    app()
