"""Build steps that keep the office's code out of the shop's pages.

- The defaults of the office's states are not in `utils/context.jsx`, which every page loads. They are in a separate
  file, which the office's script imports (`states_script`).
- React Router lists all pages of an app in one file, its manifest, which every page loads. It is replaced by two
  manifests: one of the shop without the office, and one of the office without the shop (`divide_manifest`). A link
  from one to the other loads a document.
"""

import json
import re
from pathlib import Path
from typing import Any

import reflex as rx
from reflex_base.utils.format import json_dumps

from storefront.reflex_ext.on_demand_states import substates_of
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.url_prefixes import OFFICE

STATES_SCRIPT = "utils/office_states.js"
MANIFEST = re.compile(r"/assets/manifest-\w+\.js")
START, END = "window.__reactRouterManifest=", ";"
NOT_FOUND = "*"
"""The path of the page for unknown addresses, which both manifests have."""


def states_script() -> tuple[str, str]:
    """Return the path in `.web` and the source of the script with the defaults of the office's states."""
    root = rx.State(_reflex_internal_init=True)  # type: ignore[call-arg]
    defaults: dict[str, Any] = {}
    for state in sorted(substates_of(KnownClientState), key=lambda one: one.get_full_name()):
        made = root.get_substate(state.get_full_name().split("."))
        defaults |= made.dict(initial=True)
    return STATES_SCRIPT, f"export const officeStates = {json_dumps(defaults)};\n"


def divide_manifest(folder: Path) -> None:
    """Replace the built manifest by one without the office, and write the office's manifest next to it.

    Args:
        folder: the folder of the build with the files for the browser.

    Raises:
        RuntimeError: the manifest is not at React Router's usual place, or has another format.
    """
    found = list((folder / "assets").glob("manifest-*.js"))
    if len(found) != 1:
        raise RuntimeError(f"React Router's manifest was not found: {found}")
    (file,) = found
    text = file.read_text("utf-8")
    if not (text.startswith(START) and text.endswith(END)):
        raise RuntimeError(
            "React Router's manifest is not written as storefront/reflex_ext/office_bundle.py knows it"
        )
    manifest = json.loads(text[len(START) : -len(END)])
    in_office = OFFICE.removeprefix("/")
    routes = manifest["routes"].items()
    office = {
        name: one for name, one in routes if _is_in(one, in_office) or one.get("path") in ("", NOT_FOUND)
    }
    shop = {name: one for name, one in routes if not _is_in(one, in_office)}
    _write(file, {**manifest, "routes": shop})
    _write(folder / office_manifest(f"/assets/{file.name}")[1:], {**manifest, "routes": office})


def with_office_manifest(html: str) -> str:
    """Return an office document with the office's manifest instead of the shop's."""
    return MANIFEST.sub(lambda found: office_manifest(found[0]), html)


def office_manifest(name: str) -> str:
    """Return the path of the office's manifest, which is next to the shop's manifest `name`."""
    return name.replace("/manifest-", "/office-manifest-")


def _is_in(route: dict[str, Any], folder: str) -> bool:
    path = route.get("path") or ""
    return path == folder or path.startswith(f"{folder}/")


def _write(file: Path, manifest: dict[str, Any]) -> None:
    file.write_text(START + json.dumps(manifest, separators=(",", ":")) + END, "utf-8")
