import asyncio
import sqlite3
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import pytest
from sqlalchemy import select
from typer.testing import CliRunner, Result

from backend.attention import AttentionKind, raise_attention
from backend.attention.models import Attention
from backend.cli.main import app
from backend.core.config.settings import Identity
from backend.core.db.database import Database
from backend.migrations.runner import TablesInUse
from backend.office_settings.models import StoredSetting
from backend.shipping.models import StockLocation
from tests.production import PRODUCTION

SHOP_LINE_PREFIX = "La tienda en "
"""Start of the line that names the shop that a command is about to change."""


@pytest.fixture(autouse=True)
def _shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, "".join(
        line for line in result.output.splitlines(keepends=True) if not line.startswith(SHOP_LINE_PREFIX)
    )


def test_migrate_command_creates_the_database_and_may_be_repeated(tmp_path: Path) -> None:
    for _ in range(2):
        assert run("migrate") == (0, "The database is up to date.\n")
    assert (tmp_path / "trompo.db").exists()


def test_version_is_that_of_the_installed_package() -> None:
    assert run("--version") == (0, f"{version('trompo')}\n")


def test_command_run_in_another_folder_uses_and_prints_the_data_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    result = CliRunner().invoke(app, ["init"])
    assert (
        result.stderr
        == f"{SHOP_LINE_PREFIX}{tmp_path}, base de datos sqlite+aiosqlite:///{tmp_path / 'trompo.db'}\n"
    )
    assert result.stdout == (
        "Se creó: región, canal de venta, clave para programas, bodega, formas de entrega.\n"
    )
    assert run("init") == (0, "Ya está todo.\n")
    assert CliRunner().invoke(app, ["attention"]).stderr == ""
    assert list(elsewhere.iterdir()) == []


def test_password_of_the_database_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://ana:hush@127.0.0.1:1/shop")
    result = CliRunner().invoke(app, ["payments", "reconcile"])
    assert "postgresql+asyncpg://ana:***@127.0.0.1:1/shop\n" in result.stderr
    assert "hush" not in result.stderr


def test_seed_command_adds_products_only_to_a_new_shop() -> None:
    code, output = run("seed")
    assert code == 0
    assert output.startswith("Added ")
    assert run("seed") == (0, "The shop already has products.\n")


def test_wrong_setting_prints_one_line_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "everywhere")
    code, output = run("migrate")
    assert code == 1
    assert output.startswith("Trompo cannot start: PORT: ")
    assert output.count("\n") == 1


def run_refused(*arguments: str) -> str:
    """Run a command that must fail with exit code 1, and return the line that it prints."""
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    return "".join(line for line in result.output.splitlines() if not line.startswith(SHOP_LINE_PREFIX))


COMMANDS = {
    "Trompo cannot start": (
        ("migrate",), ("init", "--yes"), ("seed",), ("tidy",), ("attention",), ("admin", "list"),
        ("mail", "resend", "--given-up"), ("payments", "reconcile"), ("shipping", "track"),
    ),
    "No backup was made": (("backup", "copy.tar.gz"),),
}  # fmt: skip


@pytest.mark.parametrize(("begins", "commands"), COMMANDS.items())
def test_unavailable_database_prints_one_line_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, begins: str, commands: tuple[tuple[str, ...], ...]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://ana:hush@127.0.0.1:1/shop")
    for command in commands:
        assert run_refused(*command) == f"{begins}: the database does not answer (ConnectionRefusedError)", (
            command
        )


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_unmigrated_database_prints_one_line_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    if kind == "postgresql":
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("empty_postgresql_url"))
    (tmp_path / "toys.csv").write_text("handle,title,price\nnuevo,Nuevo,5000\n", "utf-8")
    migrating = {("migrate",), ("init", "--yes"), ("seed",)}
    commands = {*COMMANDS["Trompo cannot start"], ("catalog", "import", str(tmp_path / "toys.csv"))}
    for command in sorted(commands - migrating):
        message = "Trompo cannot start: the database was not migrated to this version: run `trompo migrate`"
        assert run_refused(*command) == message, command
    assert run_refused("backup", str(tmp_path)) == "No backup was made: there is no shop here."


def test_damaged_database_prints_one_line_and_can_be_restored_with_replace(tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.tar.gz")
    run("migrate")
    assert run("backup", copy)[0] == 0
    (tmp_path / "trompo.db").write_bytes(b"no database at all\n" * 1000)
    damaged = "the file of the database is damaged: bring a copy back with `trompo restore --replace`"
    for command in (("migrate",), ("attention",), ("admin", "list")):
        assert run_refused(*command) == f"Trompo cannot start: {damaged}", command
    assert run_refused("backup", str(tmp_path / "other.tar.gz")) == f"No backup was made: {damaged}"
    assert run_refused("restore", copy).startswith(
        "Nothing was restored: the database here is not empty: add --replace"
    )


@pytest.mark.parametrize("command", [("migrate",), ("attention",), ("backup", "copy.tar.gz")])
def test_data_folder_that_cannot_be_created_prints_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "file" / "data"))
    message = run_refused(*command)
    assert message.startswith(
        f"Trompo cannot start: {tmp_path}/file/data cannot hold its data (Not a directory)"
    )


def test_failed_migration_prints_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run("migrate")
    with closing(sqlite3.connect(tmp_path / "trompo.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = 'unknown'")
        database.execute("DELETE FROM compatible_release")
        database.commit()
    assert run_refused("seed").startswith("Trompo cannot start: the database does not fit this version (")

    async def upgrade(_database: Database) -> None:
        raise TablesInUse("tables are in use")

    monkeypatch.setattr("backend.migrations.runner.upgrade", upgrade)
    assert run_refused("migrate") == (
        "Trompo cannot start: the database could not be migrated (tables are in use)"
    )


def test_import_command_prints_its_result_and_problems(tmp_path: Path) -> None:
    file = tmp_path / "toys.csv"
    file.write_text("handle,title,price,categories\nnuevo,Nuevo,5000,juguetes\n", "utf-8")
    run("seed")
    assert run("catalog", "import", str(file), "--check") == (
        0, "The file has no problems. Nothing was imported.\n",
    )  # fmt: skip
    assert run("catalog", "import", str(file)) == (0, "1 new, 0 changed, 0 as they were.\n")
    assert run("catalog", "import", str(file)) == (0, "0 new, 0 changed, 1 as they were.\n")
    file.write_text("handle,price\nnuevo,mucho\n", "utf-8")
    code, output = run("catalog", "import", str(file))
    assert code == 1
    assert output.startswith("line 2, price: must be an amount of pesos")
    assert output.endswith("\nNothing was imported.\n")


@pytest.mark.parametrize("arguments", [("shipping", "track"), ("shipping", "track", "--all")])
def test_shipping_track_command_asks_the_carrier(arguments: tuple[str, ...]) -> None:
    run("seed")
    assert run(*arguments) == (0, "Asked the carrier about 0 parcels.\n")


def test_tidy_command_deletes_expired_data() -> None:
    run("migrate")
    code, output = run("tidy", "--dry-run")
    assert code == 0
    assert output.startswith("abandoned carts: 0\n")
    assert output.endswith("\n0 would be deleted. Nothing was changed.\n")
    code, output = run("tidy")
    assert (code, output.splitlines()[-1]) == (0, "0 were deleted.")


def test_mail_resend_command_reports_the_number_of_resent_mails() -> None:
    run("migrate")
    assert run("mail", "resend", "--given-up") == (0, "0 of 0 mails are sent again.\n")
    assert run("mail", "resend", "--order", "7") == (1, "There is no order 7\n")
    assert run("mail", "resend", "mail_7") == (1, "There is no mail mail_7\n")
    for wrong in ((), ("mail_7", "--given-up"), ("--given-up", "--again")):
        assert run("mail", "resend", *wrong)[0] == 2


def test_attention_command_lists_and_resolves_rows(tmp_path: Path) -> None:
    run("migrate")
    assert run("attention") == (0, "There is nothing to resolve.\n")
    attention_id = asyncio.run(_raise(tmp_path))
    code, output = run("attention")
    assert code == 0
    assert output.startswith(f"{attention_id}  paid_twice  $ 33.528  order_1  until ")
    assert "\n  The bank approved both\n" in output
    assert output.endswith("  honor, refunded (recommended), dismissed\n")
    settle = ("attention", "--resolve", attention_id, "--action")
    assert run(*settle, "forget") == (1, "--action must be one of honor, refunded, dismissed\n")
    assert run(*settle, "dismissed")[0] == 1
    done = (0, f"{attention_id} is resolved: dismissed.\n")
    assert run(*settle, "dismissed", "--note", "the gateway says no") == done
    assert run(*settle, "dismissed", "--note", "again")[0] == 1
    assert run("attention") == (0, "There is nothing to resolve.\n")


def test_admin_commands_manage_staff(monkeypatch: pytest.MonkeyPatch) -> None:
    ana, luis = "ana@trompo.example", "luis@trompo.example"
    monkeypatch.setenv("ADMIN_PASSWORD", "una clave larga")
    code, output = run("admin", "create", "--email", ana, "--role", "captain")
    assert (code, output) == (
        1, "There is no role captain: choose one of them: owner, shop, stockroom, accountant\n",
    )  # fmt: skip
    assert run("admin", "create", "--email", ana) == (0, f"{ana} may use the Admin API.\n")
    assert run("admin", "create", "--email", ana)[0] == 1
    assert run("admin", "create", "--email", luis, "--role", "stockroom")[0] == 0
    assert run("admin", "list") == (
        0, f"{ana}  owner  no second factor\n{luis}  stockroom  no second factor\n",
    )  # fmt: skip
    assert run("admin", "role", luis, "shop") == (0, f"{luis} now has the role shop.\n")
    assert run("admin", "disable", luis) == (0, f"{luis} is disabled and signed out everywhere.\n")
    assert "luis@trompo.example  shop  disabled" in run("admin", "list")[1]
    assert run("admin", "enable", luis) == (0, f"{luis} may sign in again.\n")
    assert run("admin", "disable", ana) == (1, "The shop needs an owner: create another one first\n")
    assert run("admin", "password", luis) == (0, f"{luis} has a new password and is signed out everywhere.\n")
    assert run("admin", "sessions", luis) == (0, f"{luis} has no open sessions.\n")
    assert run("admin", "sessions", luis, "--end") == (0, f"{luis} is signed out everywhere.\n")
    assert run("admin", "totp", "reset", luis) == (
        0, f"{luis} no longer has a second factor and can set up a new one in the office.\n",
    )  # fmt: skip
    code, output = run("admin", "sessions", "nadie@trompo.example")
    assert (code, output) == (
        1,
        "No staff member has the address nadie@trompo.example. List them: trompo admin list\n",
    )


async def _raise(folder: Path) -> str:
    database = Database(f"sqlite+aiosqlite:///{folder / 'trompo.db'}")
    async with database.transaction() as session:
        await raise_attention(
            session,
            AttentionKind.PAID_TWICE,
            subject_id="payses_1",
            message="The bank approved both",
            amount=33_528,
            order_id="order_1",
        )
        attention_id = (await session.execute(select(Attention.id))).scalar_one()
    await database.close()
    return str(attention_id)


MISTAKES = (
    ("901.234.567-8", "Revisa el NIT"),
    ("900.123.456-8", "Ese es el dato de la tienda de demostración"),
    ("9001234568", "Ese es el dato de la tienda de demostración"),
)
OWN = {
    "store_name": "Ronda",
    "store_legal_name": "Ronda S.A.S.",
    "store_nit": "901.234.567-7",
    "store_phone": "604 555 1234",
    "store_email": "hola@ronda.co",
}
SHOP = (*OWN.values(), "", "")
"""Answers about the shop, without an address and a WhatsApp number."""
WAREHOUSE = ("Ronda Bodegas", "Luz", "Mora", "bodega@ronda.co", "3105557788", "Carrera 7 # 45-10", "", "", "")
MEDELLIN = "Medellín, Antioquia"


def answer_init(monkeypatch: pytest.MonkeyPatch, *answers: str) -> Result:
    """Run `trompo init` at a terminal with these answers. An empty answer accepts the default value."""
    monkeypatch.setattr("backend.core.terminal.is_terminal", lambda: True)
    return CliRunner().invoke(app, ["init"], input="".join(f"{answer}\n" for answer in answers))


def test_init_command_at_a_terminal_asks_in_spanish_and_saves_the_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = answer_init(monkeypatch, *SHOP, *WAREHOUSE, "San Francisco", "Nunca Jamás", MEDELLIN)
    assert result.exit_code == 0, result.output
    assert "Razón social:" in result.stderr
    assert "Hay varios: San Francisco (Antioquia), " in result.stderr
    assert "No hay un municipio así." in result.stderr
    saved = asyncio.run(_read_saved(tmp_path))
    assert saved.items() >= OWN.items()
    assert (saved["carrier_origin_address"], saved["carrier_origin_dane_code"]) == (WAREHOUSE[5], "05001000")


@pytest.mark.parametrize(("typed", "message"), MISTAKES)
def test_init_command_repeats_only_the_question_with_an_invalid_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, typed: str, message: str
) -> None:
    result = answer_init(monkeypatch, *SHOP[:2], typed, *SHOP[2:], *WAREHOUSE, MEDELLIN)
    assert result.exit_code == 0, result.output
    assert message in result.stderr
    assert asyncio.run(_read_saved(tmp_path)).items() >= OWN.items()


@pytest.mark.parametrize("code", ["05001", "05001000", " 05001 "])
def test_init_command_takes_a_dane_code_as_the_municipality(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str
) -> None:
    result = answer_init(monkeypatch, *SHOP, *WAREHOUSE, "99999", code)
    assert result.exit_code == 0, result.output
    assert asyncio.run(_read_saved(tmp_path))["carrier_origin_dane_code"] == "05001000"


def test_init_command_proposes_the_shops_data_for_the_warehouse(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shop = (*OWN.values(), "Calle 10 # 5-51", "")
    result = answer_init(monkeypatch, *shop, "", "Luz", "Mora", *[""] * 6, MEDELLIN)
    assert result.exit_code == 0, result.output
    saved = asyncio.run(_read_saved(tmp_path))
    proposed = ("company", "email", "phone", "address")
    assert [saved[f"carrier_origin_{name}"] for name in proposed] == [
        "Ronda S.A.S.",
        "hola@ronda.co",
        "6045551234",
        "Calle 10 # 5-51",
    ]


def test_interrupted_init_command_keeps_the_answers_and_proposes_them_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = answer_init(monkeypatch, *SHOP[:4])
    assert (result.exit_code, "Tus respuestas quedaron guardadas." in result.stderr) == (1, True)
    result = answer_init(monkeypatch, *[""] * 4, "hola@ronda.co", "", "", *WAREHOUSE, MEDELLIN)
    assert result.exit_code == 0, result.output
    assert asyncio.run(_read_saved(tmp_path)).items() >= OWN.items()


def test_warehouse_moves_if_init_is_later_answered_with_another_city(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answer_init(monkeypatch, *SHOP, *WAREHOUSE, "Pasto")
    result = answer_init(monkeypatch, *[""] * 16, "Medellín")
    assert result.stdout.splitlines()[-2:] == [
        "Se guardó una respuesta.",
        "La bodega quedó en su nueva dirección.",
    ]
    assert asyncio.run(_read_saved(tmp_path))["carrier_origin_dane_code"] == "05001000"


def test_init_in_production_is_refused_with_the_demo_identity(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in PRODUCTION.items():
        if not name.startswith(("STORE_", "CARRIER_ORIGIN_")):
            monkeypatch.setenv(name, value)
    result = CliRunner().invoke(app, ["init", "--yes"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No se creó nada:\nSTORE_LEGAL_NAME es el de la tienda de demostración" in result.stderr
    for name, value in PRODUCTION.items():
        monkeypatch.setenv(name, value)
    assert CliRunner().invoke(app, ["init", "--yes"]).stdout.startswith("Se creó: región, ")
    assert asyncio.run(_read_saved(tmp_path, "Bodega Bogotá")) == {}


def test_init_command_does_not_propose_demo_values(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Check that Enter accepts no demo value, which would be on receipts (the legal name) or labels (the suburb)."""
    after_enter = [
        line for answer in (*SHOP, *WAREHOUSE, MEDELLIN) for line in (["", answer] if answer else [""])
    ]
    del after_enter[after_enter.index(WAREHOUSE[0]) - 1]  # the proposal is the shop's legal name
    for proposed in (WAREHOUSE[3], WAREHOUSE[4]):
        del after_enter[after_enter.index(proposed) - 1]
    result = answer_init(monkeypatch, *after_enter)
    assert result.exit_code == 0, result.output
    demos = [value for value in Identity().model_dump().values() if isinstance(value, str) and len(value) > 1]
    assert [value for value in demos if f"[{value}]" in result.stderr] == []
    saved = asyncio.run(_read_saved(tmp_path, "Bodega Medellín"))
    assert (saved["store_legal_name"], saved["carrier_origin_suburb"]) == ("Ronda S.A.S.", "")


async def _read_saved(folder: Path, warehouse: str = "Bodega Medellín") -> dict[str, str]:
    database = Database(f"sqlite+aiosqlite:///{folder / 'trompo.db'}")
    async with database.read() as session:
        rows = (await session.execute(select(StoredSetting))).scalars()
        saved = {row.name: row.value for row in rows}
        location = (await session.execute(select(StockLocation.name))).scalar_one()
    await database.close()
    assert location == warehouse
    return saved
