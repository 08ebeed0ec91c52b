"""The patches on what the installed Reflex generates. That pages work with them is seen in the browser's tests."""

import json
import re
from collections.abc import Callable

import pytest
import reflex as rx
from reflex.compiler.compiler import compile_contexts, compile_document_root
from reflex.config import get_config
from reflex.utils.frontend_skeleton import _compile_vite_config
from reflex_base.constants import Templates

from storefront.reflex_ext.patches import (
    ENDPOINT,
    IN_BROWSER,
    INITIAL_STATE_ID,
    NEW_VERSION,
    ON_SERVER,
    OWN_ORIGIN,
    RECONNECT_CHANGES,
    RECONNECT_IMPORT,
    RELOAD,
    STATE_JS,
    STORE,
    banner_text_patch,
    drop_color_mode,
    initial_state_patch,
    own_origin_patch,
    proxy_patch,
    reconnect_patch,
)

Patch = Callable[[str], str]


@pytest.fixture
def state_js() -> str:
    """The script of the installed Reflex that talks to the server, before anybody changed it."""
    return (Templates.Dirs.WEB_TEMPLATE / STATE_JS).read_text()


@pytest.fixture
def context_jsx() -> str:
    """The module with the states' initial values, as Reflex generates it."""
    return compile_contexts(rx.State, None)[1]


@pytest.fixture
def document_js() -> str:
    """The module with the document's root, as Reflex generates it."""
    return compile_document_root([])[1]


@pytest.fixture
def vite_config() -> str:
    """How Vite is told to build and serve the pages, as Reflex generates it."""
    return str(_compile_vite_config(get_config()))


def refuses(patch: Patch, *sources: str) -> None:
    """The patch stops the build at each of these, and names itself."""
    for source in sources:
        with pytest.raises(RuntimeError, match=rf"{patch.__name__} in .* in line with the installed Reflex"):
            patch(source)


@pytest.mark.parametrize("patch", [banner_text_patch, own_origin_patch, reconnect_patch])
def test_a_second_build_changes_nothing(state_js: str, patch: Patch) -> None:
    assert patch(patch(state_js)) == patch(state_js)


def test_both_sides_begin_with_the_initial_state_of_the_document(context_jsx: str) -> None:
    changed = initial_state_patch(context_jsx)
    assert IN_BROWSER not in changed
    assert ON_SERVER not in changed
    assert f'getElementById("{INITIAL_STATE_ID}")' in changed
    assert changed.count("globalThis.renderRequest") == 1


@pytest.mark.parametrize("known", [STORE, IN_BROWSER, ON_SERVER])
def test_an_unknown_store_stops_the_build(context_jsx: str, known: str) -> None:
    refuses(initial_state_patch, "", context_jsx.replace(known, ""), context_jsx + known)


def test_every_change_of_a_state_passes_through_one_place(state_js: str) -> None:
    changed = reconnect_patch(state_js)
    assert changed.startswith(RECONNECT_IMPORT)
    assert all(changed.count(ours) == 1 for ours in RECONNECT_CHANGES.values())
    assert "dispatch[substate](" in state_js
    assert "dispatch[substate](" not in changed


def test_an_unknown_connection_stops_the_build(state_js: str) -> None:
    refuses(reconnect_patch, "", state_js.replace("bootAuth(false)", "bootAuth()"), state_js + state_js)


def test_the_banner_speaks_the_shops_language(state_js: str) -> None:
    changed = banner_text_patch(state_js)
    assert f'banner.append("{NEW_VERSION}");' in changed
    assert f'button.textContent = "{RELOAD}";' in changed
    assert "A new version of this app" not in changed
    assert len(changed.splitlines()) == len(state_js.splitlines())


def test_an_unknown_banner_stops_the_build(state_js: str) -> None:
    refuses(banner_text_patch, "", state_js.replace("banner.append", "banner.add"), state_js + state_js)


def test_the_own_origin_stands_once_right_after_the_address_is_parsed(state_js: str) -> None:
    changed = own_origin_patch(state_js)
    assert changed.count("window.location.origin") == 1
    assert ENDPOINT + OWN_ORIGIN in changed


def test_an_unknown_endpoint_stops_the_build() -> None:
    refuses(own_origin_patch, "", f"{ENDPOINT}{ENDPOINT}")


def test_what_the_backend_answers_is_handed_on_in_development(vite_config: str) -> None:
    changed = proxy_patch(vite_config, ["store", "openapi.json"], "http://localhost:8000")
    (line,) = set(changed.splitlines()) - set(vite_config.splitlines())
    ((pattern, to),) = json.loads(line.strip().removeprefix("proxy: ").removesuffix(",")).items()
    assert to == {"target": "http://localhost:8000", "ws": True}
    assert all(
        re.match(pattern, path) for path in ("/store/carts", "/store", "/_event/?EIO=4", "/openapi.json")
    )
    assert not any(re.match(pattern, path) for path in ("/", "/storefront", "/styles/store", "/openapi_json"))


def test_an_unknown_server_stops_the_build(vite_config: str) -> None:
    def patch(source: str) -> str:
        return proxy_patch(source, ["store"], "http://localhost:8000")

    patch.__name__ = proxy_patch.__name__
    refuses(patch, "", vite_config.replace("process.env.PORT", "3000"), vite_config + vite_config)


def test_no_script_chooses_a_color_mode_and_all_else_stays(document_js: str) -> None:
    changed = drop_color_mode(document_js)
    assert "localStorage" in document_js
    assert "localStorage" not in changed
    start = document_js.index('jsx("script"')
    assert changed == document_js[:start] + document_js[start + len(document_js) - len(changed) :]
    assert changed[start:].startswith("jsx(")


def test_an_unknown_document_stops_the_build(document_js: str) -> None:
    refuses(
        drop_color_mode,
        "",
        document_js.replace("Only run in browser", "Run"),
        document_js + document_js,
    )
