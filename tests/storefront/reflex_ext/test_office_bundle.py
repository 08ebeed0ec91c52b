"""The build separates the office from the shop's pages: its states, and its screens in React Router's manifest."""

import json
from pathlib import Path

import pytest

from storefront.reflex_ext.office_bundle import START, divide_manifest, states_script, with_office_manifest
from storefront.reflex_ext.on_demand_states import substates_of
from storefront.reflex_ext.state_loss import KnownClientState

ROUTES = {
    "root": {"path": ""},
    "routes/_index": {"index": True},
    "routes/[cart]._index": {"path": "cart"},
    "routes/[oficina]._index": {"path": "oficina"},
    "routes/[oficina].[pedidos].$[id]._index": {"path": "oficina/pedidos/:id"},
    "routes/[oficinas]._index": {"path": "oficinas"},
    "routes/[404]._index": {"path": "*"},
}
SHELL = 'import "/assets/manifest-a1b2.js";'


def test_office_script_contains_the_defaults_of_every_office_state() -> None:
    _path, source = states_script()
    states = json.loads(source.removeprefix("export const officeStates = ").removesuffix(";\n"))
    assert set(states) == {state.get_full_name() for state in substates_of(KnownClientState)}


def write_manifest(folder: Path, text: str) -> Path:
    """Write the text as the build's route manifest. Return the path of the file."""
    (folder / "assets").mkdir()
    file = folder / "assets" / "manifest-a1b2.js"
    file.write_text(text)
    return file


def read_routes(file: Path) -> set[str]:
    """Return the routes of a manifest."""
    manifest = json.loads(file.read_text().removeprefix(START).removesuffix(";"))
    assert manifest["version"] == "a1b2"
    return set(manifest["routes"])


def test_build_separates_the_manifests_of_shop_and_office(tmp_path: Path) -> None:
    file = write_manifest(tmp_path, START + json.dumps({"version": "a1b2", "routes": ROUTES}) + ";")
    divide_manifest(tmp_path)
    in_office = {name for name in ROUTES if "[oficina]" in name}
    assert read_routes(file) == set(ROUTES) - in_office
    assert read_routes(tmp_path / "assets" / "office-manifest-a1b2.js") == in_office | {
        "root",
        "routes/[404]._index",
    }
    assert with_office_manifest(SHELL) == 'import "/assets/office-manifest-a1b2.js";'


def test_manifest_in_an_unknown_format_stops_the_build(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="was not found"):
        divide_manifest(tmp_path)
    write_manifest(tmp_path, "export default {}")
    with pytest.raises(RuntimeError, match="is not written as"):
        divide_manifest(tmp_path)
