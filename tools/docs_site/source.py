"""The sources of the site: the documents and the files of the root folder.

Documents stay as a code host displays them. The copies for the site have other links: files of the root folder have
other names there, folders have an index page, and the log of measurements is not part of the site.
"""

import re
import shutil
from pathlib import Path

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
FOLDER_LINK = re.compile(r"\]\(([\w./-]*)/\)")
LOG_LINK = re.compile(rf"\[([^]]*)\]\((?:docs/)?{re.escape(LEFT_OUT)}(?:#[\w-]*)?\)")
ROOT_LINK = re.compile(rf"\]\((?:\.\./)*({'|'.join(map(re.escape, ROOT_FILES))})([)#])")


def assemble(folder: Path) -> None:
    """Write the sources of the site into the folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns(LEFT_OUT))
    for page in folder.rglob("*.md"):
        depth = len(page.relative_to(folder).parts) - 1
        page.write_text(rewrite_links(page.read_text("utf-8"), "../" * depth), "utf-8")
    for name, page_name in ROOT_FILES.items():
        text = (ROOT / name).read_text("utf-8")
        (folder / page_name).write_text(rewrite_links(text.replace("](docs/", "]("), ""), "utf-8")


def rewrite_links(text: str, to_root: str) -> str:
    """Return the text of a document with the links of the site.

    Args:
        text: the document.
        to_root: the path from the document's folder to the root of the site, such as `../`.
    """
    text = LOG_LINK.sub(rf"\1 (`docs/{LEFT_OUT}` in the repository)", text)
    text = ROOT_LINK.sub(lambda link: f"]({to_root}{ROOT_FILES[link[1]]}{link[2]}", text)
    return FOLDER_LINK.sub(r"](\1/README.md)", text)
