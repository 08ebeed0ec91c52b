"""Production build of the pages, limited to what has changed: `python -m storefront.server.build`.

1. Compute a digest of everything that the pages may depend on: the storefront, the services and types that it
   imports, assets, locked packages and settings. If it is unchanged, stop; Reflex is not even imported.
2. Otherwise Reflex compiles the pages (about two seconds). Vite bundles them only if the generated code differs
   from the latest bundle. So a changed service costs only a compilation, a changed page the whole build.

Both digests are stored in the build folder, so they are deleted together with the build.
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
"""The renderer of documents: one file that needs no Node packages."""
STAMP = WEB / "build" / "stamp.json"

SOURCES = ("rxconfig.py", "storefront", "backend", "assets", "reflex.lock", "requirements")
NOT_GENERATED = frozenset({"node_modules", "build", ".react-router", "reflex.json"})
SHOWN = {"store_locale"}
"""Settings that change the built pages. All other settings that pages display are in their state."""


def main() -> None:
    """Update the build if necessary, and print what was done."""
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
    """Return True if the built pages belong to the current code."""
    return _read_stamp().get("sources") == sources_digest()


def sources_digest() -> str:
    """Return a digest of everything that the pages may depend on."""
    shown = load_settings().model_dump_json(include=SHOWN)
    return digest(ROOT, _files(ROOT / source for source in SOURCES), shown)


def generated_digest() -> str:
    """Return a digest of everything that Vite bundles."""
    return digest(WEB, _files(path for path in WEB.iterdir() if path.name not in NOT_GENERATED))


def digest(root: Path, files: Iterable[Path], *also: str) -> str:
    """Return a digest of these files (their paths below `root` and their contents) and of the texts in `also`."""
    result = sha256(repr(also).encode())
    for file in sorted(files):
        result.update(f"{file.relative_to(root)}\0{file.stat().st_size}\0".encode())
        result.update(file.read_bytes())
    return result.hexdigest()


def compile_pages() -> None:
    """Generate the pages' JavaScript in `.web` with Reflex, and install the locked npm packages if needed."""
    prepare_building()
    prepare_web()

    from reflex.utils import build, prerequisites

    prerequisites.get_compiled_app(prerender_routes=True, trigger="export")
    build.setup_frontend(ROOT)


def bundle_pages() -> None:
    """Bundle the generated JavaScript into `.web/build` with Vite."""
    from reflex.utils import build

    build.build()


def bundle_renderer() -> None:
    """Bundle `renderer/renderer.mjs`, the pages' server module and all their imports into one file.

    The file is not minified: React Router writes the source of one of its functions into each rendered page, and
    it must equal the source in the shell.

    Raises:
        CannotBuild: the bundler failed.
    """
    script = SERVER / "entry.mjs"
    shutil.copyfile(ROOT / "storefront" / "renderer" / "renderer.mjs", script)
    run_tool(
        "node", "node_modules/rolldown/bin/cli.mjs", str(script), "--file", str(RENDERER), "--format", "esm",
        "--external", "@zxing/library",  # it scans codes with a camera, which no document needs
        "--platform", "node", "--transform.define", "process.env.NODE_ENV:'production'", folder=WEB,
    )  # fmt: skip
    script.unlink()
    RENDERER.write_text(_escaped(RENDERER.read_text()))


def _escaped(script: str) -> str:
    """Return the script with all non-ASCII characters escaped.

    With a single non-ASCII character, Node would store two bytes for each of the script's three million characters.
    """
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
