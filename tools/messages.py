"""Update the message catalogues: `python tools/messages.py`.

The Spanish texts inside `_(…)`, in both packages and in the templates of mails, are the messages. New ones are
added to every catalogue without a translation, removed ones are deleted, and translations are retained. A catalogue
is sorted by its messages and contains no file names, so that moving code does not change it.
"""

from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
CATALOGUES = ROOT / "backend" / "locale"
PACKAGES = ("backend", "storefront")
EXTRACTORS = [("**.py", "python"), ("**/templates/**", "jinja2")]


def extract_messages() -> Catalog:
    """Return all messages of the packages `PACKAGES`."""
    found = Catalog(project="Trompo", charset="utf-8")
    for package in PACKAGES:
        for _file, _line, message, _comments, _context in extract_from_dir(
            ROOT / package, method_map=EXTRACTORS, keywords={"_": None}
        ):
            found.add(message)
    return found


def update_catalogue(file: Path) -> list[str]:
    """Update one catalogue.

    Returns:
        The messages without a translation.
    """
    with file.open("rb") as source:
        catalogue = read_po(source, locale=file.parent.parent.name)
    catalogue.update(extract_messages(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    with file.open("wb") as target:
        write_po(target, catalogue, width=110, omit_header=True, no_location=True, sort_output=True)
    return [str(message.id) for message in catalogue if message.id and not message.string]


def main() -> None:
    """Update every catalogue and print the messages without a translation."""
    for file in sorted(CATALOGUES.glob("*/LC_MESSAGES/*.po")):
        waiting = update_catalogue(file)
        print(f"{file.relative_to(ROOT)}: {len(waiting)} without translation")
        for message in waiting:
            print(f"  {message}")


if __name__ == "__main__":
    main()
