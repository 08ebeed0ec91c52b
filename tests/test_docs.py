"""Check that the documents name every setting, kind of attention and table."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePath

from babel.messages.pofile import read_po

from backend.attention.kinds import AttentionKind
from backend.core.config.settings import AdminAccess, Settings
from backend.core.texts import catalogue_path
from backend.operations.table_registry import all_tables
from tools.docs_site.source import LEFT_OUT, ROOT_FILES, rewrite_links
from tools.settings_reference import REFERENCE, read_docstrings, write_reference

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
OPERATIONS = (DOCS / "operations.md").read_text("utf-8")
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE_BLOCK = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
QUOTE = re.compile(r"«([^»]+)»")
OFFICE_DOCUMENTS = (DOCS / "office.md", *DOCS.glob("es/*.md"))
"""Documents in which «…» is always a text of the shop. In a quote, … matches any words."""
COMPOSED = ("¿Qué libro buscas?", "Todos los libros", "El mismo día si se paga antes de las 11 a. m.")
"""Quotes that the shop composes from several texts."""


def read_names_below(heading: str) -> set[str]:
    """Return the code spans between this heading and the next one of its level."""
    section = OPERATIONS.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"`([^`]+)`", section))


def test_settings_reference_is_current() -> None:
    """If this fails, run `.venv/bin/python -m tools.settings_reference`."""
    assert REFERENCE.read_text("utf-8") == write_reference()


def test_every_setting_has_a_docstring() -> None:
    documented = {name: text for _heading, name, text in read_docstrings()}
    assert documented.keys() == {*Settings.model_fields, *AdminAccess.model_fields}
    assert [name for name, text in documented.items() if not text] == []


def test_operations_document_lists_every_kind_of_attention() -> None:
    assert set(AttentionKind) - read_names_below("Attention") == set()


def test_operations_document_lists_every_table() -> None:
    assert set(all_tables().tables) - read_names_below("Data retention") == set()


def list_pages_of_the_site() -> set[str]:
    """Return the pages in the tables of contents, with the suffix `.md`. A pattern is replaced by its matches."""
    pages = set()
    for document in (DOCS / "index.md", *DOCS.glob("*/README.md")):
        for tree in TOCTREE.findall(document.read_text("utf-8")):
            for entry in filter(None, tree.splitlines()):
                if entry.startswith(":"):
                    continue
                name = (document.parent / f"{entry}.md").relative_to(DOCS).as_posix()
                pages |= {path.relative_to(DOCS).as_posix() for path in DOCS.glob(name)} or {name}
    return pages


def test_docs_site_contains_every_document_except_the_log_of_measurements() -> None:
    documents = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    generated = {"api-reference/README.md", *ROOT_FILES.values()}
    assert list_pages_of_the_site() - generated == documents - {"index.md", LEFT_OUT}


def test_links_of_a_document_lead_to_the_pages_of_the_site() -> None:
    text = "[a](../CONTRIBUTING.md#style) [b](decisions/) [c](performance-log.md#api) [d](../deploy/Caddyfile) [e](#x)"
    assert rewrite_links(text, PurePath("docs/testing.md")) == (
        "[a](contributing.md#style) [b](decisions/README.md) c (`docs/performance-log.md` in the repository) "
        "d (`deploy/Caddyfile` in the repository) [e](#x)"
    )


def test_links_of_other_folders_are_relative_to_their_page_of_the_site() -> None:
    how_to = "[a](../api.md#x) [b](../../SECURITY.md) [c](page.md) ![d](../screenshots/a.webp)"
    assert rewrite_links(how_to, PurePath("docs/how-to/route.md")) == (
        "[a](../api.md#x) [b](../report-a-vulnerability.md) [c](page.md) ![d](../screenshots/a.webp)"
    )
    assert rewrite_links("[a](docs/law.md)", PurePath("CONTRIBUTING.md")) == "[a](law.md)"


def read_anchors(document: Path) -> set[str]:
    """Return the anchors of the headings, as GitHub and the site name them."""
    headings = HEADING.findall(CODE_BLOCK.sub("", document.read_text("utf-8")))
    return {
        re.sub(r"[^\w\- ]", "", LINK.sub(r"\1", heading).strip().lower()).replace(" ", "-")
        for heading in headings
    }


def find_broken_links() -> Iterator[str]:
    """Yield the relative links in the documents that lead to a missing file or heading."""
    for document in (*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("examples/*/*.md")):
        text = CODE.sub("", CODE_BLOCK.sub("", document.read_text("utf-8")))
        for _text, target in LINK.findall(text):
            if re.match(r"[a-z]+:", target) or target.startswith("api-reference/"):
                continue  # another host, or a page that only the site has
            path, _sign, anchor = target.partition("#")
            file = (document.parent / path) if path else document
            is_broken = not file.exists() or (anchor and anchor not in read_anchors(file))
            if is_broken:
                yield f"{document.relative_to(ROOT)}: {target}"


def test_links_between_documents_lead_to_existing_files_and_headings() -> None:
    """`make docs` finds further faults, such as wrong syntax, but needs packages that tests do not install."""
    assert list(find_broken_links()) == []


def read_texts() -> str:
    """Return the shop's texts in Spanish, one per line."""
    with catalogue_path("en").open("rb") as file:
        return "\n".join(" ".join(str(message.id).split()) for message in read_po(file, locale="en"))


def find_unknown_quotes() -> Iterator[str]:
    """Yield the quotes in `OFFICE_DOCUMENTS` that are in no text of the shop."""
    texts = read_texts()
    for document in OFFICE_DOCUMENTS:
        for quote in QUOTE.findall(CODE_BLOCK.sub("", document.read_text("utf-8"))):
            words = " ".join(quote.split()).rstrip(".…")
            if quote not in COMPOSED and not re.search(re.escape(words).replace("…", ".+"), texts):
                yield f"{document.relative_to(ROOT)}: «{quote}»"


def test_texts_quoted_in_the_office_documents_exist_in_the_shop() -> None:
    assert list(find_unknown_quotes()) == []
