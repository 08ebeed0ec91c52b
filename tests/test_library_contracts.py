"""Names and behaviour of libraries that only the tests use: after an upgrade, a failing test names what has changed.

Those of Reflex are in `tests/storefront/reflex_ext/test_reflex_contract.py`. `tools/private_names.py` lists the uses.
"""

from inspect import iscoroutinefunction, signature
from pkgutil import resolve_name

from sqlalchemy import literal, select

from backend.core.db.database import Database


def test_websocket_client_can_process_the_frames_of_its_handshake() -> None:
    """Check a private method that `tests/attacks/frames.py` calls."""
    method = resolve_name("simple_websocket:AioClient._handle_events")
    assert iscoroutinefunction(method)
    assert list(signature(method).parameters) == ["self"]


def test_schemathesis_builds_the_test_of_an_operation() -> None:
    """Check the arguments of a private function that `tests/wire/test_any_input.py` calls."""
    build = resolve_name("schemathesis.pytest._test_builder:build_operation_test")
    signature(build).bind(config=0, operation=0, test_func=0, given_kwargs={}, feedback=0)


async def test_statement_compiled_for_one_database_is_reused_by_another_of_its_kind(
    database: Database, database_url: str
) -> None:
    """Check the effect of `tests/shared_statements.py`: the second database compiles nothing."""
    other = Database(database_url)
    caches = [one.engine.get_execution_options()["compiled_cache"] for one in (database, other)]
    assert caches[0] is caches[1]
    statement = select(literal(1).label("number_of_this_test"))
    sizes = []
    for one in (database, other):
        async with one.read() as session:
            assert (await session.execute(statement)).scalar_one() == 1
        sizes.append(len(caches[0]))
    assert sizes[0] == sizes[1]
    assert sum("number_of_this_test" in str(compiled) for compiled in caches[0].values()) >= 1
    await other.close()
