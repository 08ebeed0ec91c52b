"""Build the site: `python -m tools.docs_site` writes it to `dist/docs`, or prints each warning and fails."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.docs_site.api_pages import write_api_pages
from tools.docs_site.source import ROOT, assemble

SOURCES = ROOT / "build" / "docs"
SITE = ROOT / "dist" / "docs"
LOADED = re.compile(
    r"<(?:script|img|iframe)\b[^>]*\bsrc=\"(?:https?:)?//|<link\b[^>]*\bhref=\"(?:https?:)?//|url\([\"']?(?:https?:)?//"
)
"""A script, picture, style or font of another host."""


def find_foreign_files() -> Iterator[Path]:
    """Yield the pages and styles that load something from another host."""
    for pattern in ("*.html", "*.css"):
        yield from (file for file in SITE.rglob(pattern) if LOADED.search(file.read_text("utf-8")))


def main() -> None:
    """Build the site.

    Raises:
        SystemExit: Sphinx printed a warning, or a page loads something from another host.
    """
    assemble(SOURCES)
    write_api_pages(SOURCES / "api-reference")
    shutil.rmtree(SITE, ignore_errors=True)
    configuration = Path(__file__).parent
    command = [
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-n",
        "-q",
        "-E",
        "-c",
        str(configuration),
        str(SOURCES),
        str(SITE),
    ]
    if code := subprocess.run([sys.executable, *command], cwd=ROOT, check=False).returncode:
        sys.exit(code)
    shutil.rmtree(SITE / ".doctrees", ignore_errors=True)
    if foreign := sorted(find_foreign_files()):
        sys.exit("These files load something from another host:\n" + "\n".join(map(str, foreign)))
    print(f"The site is in {SITE.relative_to(ROOT)}: open {(SITE / 'index.html').relative_to(ROOT)}")


if __name__ == "__main__":
    main()
