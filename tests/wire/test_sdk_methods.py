"""docs/api.md says of every method of the platform's SDK whether it has a route here."""

from pathlib import Path

from backend.app import Shop, create_api
from backend.core.config.settings import Settings
from tests.wire.sdk_methods import PAGE, has_route, page_with, sdk_methods, table


def test_the_page_says_what_the_routes_do(tmp_path: Path) -> None:
    """Written anew by `python -m tests.wire.sdk_methods`."""
    api = create_api(Shop(Settings(data_dir=tmp_path)))
    text = PAGE.read_text("utf-8")
    assert page_with(text, table(api)) == text
    missing = [
        name
        for name, method, path in sdk_methods()
        if name.startswith("store.") and not has_route(api, method, path)
    ]
    assert missing == [
        "store.order.requestTransfer",
        "store.order.cancelTransfer",
        "store.order.acceptTransfer",
        "store.order.declineTransfer",
    ]
