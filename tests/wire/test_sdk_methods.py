"""docs/api.md states for every method of the platform's SDK if it has a route here."""

from pathlib import Path

from backend.app import Shop, create_api
from backend.core.config.settings import Settings
from tests.wire.sdk_methods import PAGE, build_table, has_route, list_sdk_methods, replace_table


def test_table_of_sdk_methods_in_the_api_document_matches_the_routes(tmp_path: Path) -> None:
    """Compare the table of docs/api.md with the routes. `python -m tests.wire.sdk_methods` rewrites it."""
    api = create_api(Shop(Settings(data_dir=tmp_path)))
    text = PAGE.read_text("utf-8")
    assert replace_table(text, build_table(api)) == text
    missing = [
        name
        for name, method, path in list_sdk_methods()
        if name.startswith("store.") and not has_route(api, method, path)
    ]
    assert missing == [
        "store.order.requestTransfer",
        "store.order.cancelTransfer",
        "store.order.acceptTransfer",
        "store.order.declineTransfer",
    ]
