"""Brings the message catalogues up to date: `python tools/messages.py`.

The Spanish texts inside `_(…)`, in both packages and in the templates of mails, are the messages. New ones are added to
every catalogue without a translation, gone ones leave it, and what is translated stays. A catalogue is sorted by its
messages and names no files, so that moving code does not change it.
"""

from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
CATALOGUES = ROOT / "backend" / "locale"
PACKAGES = ("backend", "storefront")
EXTRACTORS = [("**.py", "python"), ("**/templates/**", "jinja2")]


def messages() -> Catalog:
    """Every message of both packages."""
    found = Catalog(project="Trompo", charset="utf-8")
    for package in PACKAGES:
        for _file, _line, message, _comments, _context in extract_from_dir(
            ROOT / package, method_map=EXTRACTORS, keywords={"_": None}
        ):
            found.add(message)
    return found


def bring_up_to_date(file: Path) -> list[str]:
    """Update one catalogue.

    Returns:
        The messages that wait for a translation.
    """
    with file.open("rb") as source:
        catalogue = read_po(source, locale=file.parent.parent.name)
    catalogue.update(messages(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    with file.open("wb") as target:
        write_po(target, catalogue, width=110, omit_header=True, no_location=True, sort_output=True)
    return [str(message.id) for message in catalogue if message.id and not message.string]


def main() -> None:
    """Update every catalogue and say what waits."""
    for file in sorted(CATALOGUES.glob("*/LC_MESSAGES/*.po")):
        waiting = bring_up_to_date(file)
        print(f"{file.relative_to(ROOT)}: {len(waiting)} without translation")
        for message in waiting:
            print(f"  {message}")


if __name__ == "__main__":
    main()
