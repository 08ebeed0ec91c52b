"""Builds the pages for production, and only what has to be built: `python -m storefront.server.build`.

Two questions are asked, and the cheap one first.

1. Did anything change that the pages could depend on: the storefront, the services and types it imports, assets, locked
   packages, settings? If not, nothing is done, and Reflex is not even imported.
2. If so, Reflex compiles the pages (about two seconds). Only when what it generates differs from what was last bundled
   does Vite bundle it. So a change of a service costs a compile, and a change of a page costs the whole build.

Both answers lie in the build folder itself: without the build there is no answer.
"""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from backend.core.config.settings import load_settings
from storefront.server.toolchain import prepare_building, prepare_web, run_tool

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / ".web"
CLIENT = WEB / "build" / "client"
SERVER = WEB / "build" / "server"
RENDERER = SERVER / "renderer.mjs"
"""What renders documents: one file that needs no Node packages."""
STAMP = WEB / "build" / "stamp.json"

SOURCES = ("rxconfig.py", "storefront", "backend", "assets", "reflex.lock", "requirements")
NOT_GENERATED = frozenset({"node_modules", "build", ".react-router", "reflex.json"})
SHOWN = {"store_locale"}
"""Settings that pages are built from. What else pages show of the shop is in their state."""


def main() -> None:
    """Bring the build up to date and say in plain words what that took."""
    stamp = _read_stamp()
    sources = sources_digest()
    if stamp.get("sources") == sources:
        print("The pages are up to date.")
        return
    print("Compiling the pages …")
    compile_pages()
    generated = generated_digest()
    if stamp.get("generated") == generated:
        print("The pages did not change.")
    else:
        print("Bundling the pages …")
        bundle_pages()
    bundle_renderer()
    STAMP.write_text(json.dumps({"sources": sources, "generated": generated}))


def is_up_to_date() -> bool:
    """Whether the pages that are built are those of this code."""
    return _read_stamp().get("sources") == sources_digest()


def sources_digest() -> str:
    """A digest of everything the pages could depend on."""
    shown = load_settings().model_dump_json(include=SHOWN)
    return digest(ROOT, _files(ROOT / source for source in SOURCES), shown)


def generated_digest() -> str:
    """A digest of everything Vite bundles."""
    return digest(WEB, _files(path for path in WEB.iterdir() if path.name not in NOT_GENERATED))


def digest(root: Path, files: Iterable[Path], *also: str) -> str:
    """A digest of the files' names below `root` and their content, and of the texts in `also`."""
    result = sha256(repr(also).encode())
    for file in sorted(files):
        result.update(f"{file.relative_to(root)}\0{file.stat().st_size}\0".encode())
        result.update(file.read_bytes())
    return result.hexdigest()


def compile_pages() -> None:
    """Let Reflex generate the pages' JavaScript in `.web`, and install the npm packages of the lock when needed."""
    prepare_building()
    prepare_web()

    from reflex.utils import build, prerequisites

    prerequisites.get_compiled_app(prerender_routes=True, trigger="export")
    build.setup_frontend(ROOT)


def bundle_pages() -> None:
    """Let Vite bundle what Reflex generated into `.web/build`."""
    from reflex.utils import build

    build.build()


def bundle_renderer() -> None:
    """Let Vite's bundler make one file of `renderer/renderer.mjs`, the pages' server module and all that they import.

    Not minified: React Router puts the text of one of its functions into the pages, and the shell has the same text.

    Raises:
        CannotBuild: the bundler failed.
    """
    script = SERVER / "entry.mjs"
    shutil.copyfile(ROOT / "storefront" / "renderer" / "renderer.mjs", script)
    run_tool(
        "node", "node_modules/rolldown/bin/cli.mjs", str(script), "--file", str(RENDERER), "--format", "esm",
        "--external", "@zxing/library",  # it reads codes of a camera, which no document has
        "--platform", "node", "--transform.define", "process.env.NODE_ENV:'production'", folder=WEB,
    )  # fmt: skip
    script.unlink()
    RENDERER.write_text(_escaped(RENDERER.read_text()))


def _escaped(script: str) -> str:
    """The script in ASCII alone: with any other character Node keeps two bytes for each of its three million."""
    return re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], script)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from (
                file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts
            )


def _read_stamp() -> dict[str, str]:
    try:
        stamp: dict[str, str] = json.loads(STAMP.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return stamp


if __name__ == "__main__":
    main()
