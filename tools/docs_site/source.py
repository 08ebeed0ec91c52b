"""The sources of the site: the documents and the files of the root folder.

Documents stay as a code host displays them. The copies for the site have other links: files of the root folder have
other names there, folders have an index page, and the log of measurements and the code are not part of the site.
"""

import posixpath
import re
import shutil
from pathlib import Path, PurePath

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
LEFT_OUT = "performance-log.md"
"""The log of measurements. It is long, and only for those who measure."""
ROOT_FILES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "report-a-vulnerability.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "LICENSE": "license.txt",
}
"""Files of the root folder, with their names in the site."""
LINK = re.compile(r"\[([^]]*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
"""A link to a file, with its text, path and anchor."""


def assemble(folder: Path) -> None:
    """Write the sources of the site into the folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns(LEFT_OUT))
    for page in folder.rglob("*.md"):
        place = DOCS.relative_to(ROOT) / page.relative_to(folder)
        page.write_text(rewrite_links(page.read_text("utf-8"), place), "utf-8")
    for name, page_name in ROOT_FILES.items():
        text = (ROOT / name).read_text("utf-8")
        (folder / page_name).write_text(rewrite_links(text, PurePath(name)), "utf-8")


def rewrite_links(text: str, place: PurePath) -> str:
    """Return a document with its links rewritten for the site.

    Args:
        text: the document.
        place: its path in the repository.
    """
    return LINK.sub(lambda link: _rewrite_link(place, link[1], link[2], link[3] or ""), text)


def _rewrite_link(place: PurePath, label: str, path: str, anchor: str) -> str:
    target = posixpath.normpath(place.parent / path)
    folder = posixpath.relpath(place.parent, "docs") if place.parts[0] == "docs" else "."
    if target in ROOT_FILES:
        page = ROOT_FILES[target]
    elif target.startswith("docs/") and target != f"docs/{LEFT_OUT}":
        page = target.removeprefix("docs/") + ("/README.md" if path.endswith("/") else "")
    else:
        return f"{label} (`{target}` in the repository)"
    return f"[{label}]({posixpath.relpath(page, folder)}{anchor})"
