"""Brings the storefront's message catalogues up to date: `python tools/messages.py`.

Spanish texts in the code are the messages. New ones are added to every catalogue without a translation, gone ones leave
it, and what is translated stays.
"""

from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

STOREFRONT = Path(__file__).parent.parent / "storefront"
CATALOGUES = STOREFRONT / "locale"


def messages() -> Catalog:
    """Every message of the storefront, in the order of its files."""
    found = Catalog(project="Trompo", charset="utf-8")
    for file, _line, message, _comments, _context in extract_from_dir(
        STOREFRONT, method_map=[("**.py", "python")], keywords={"_": None}
    ):
        found.add(message, locations=[(file, 1)])
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
        write_po(target, catalogue, width=110, omit_header=True, include_lineno=False, sort_by_file=True)
    return [str(message.id) for message in catalogue if message.id and not message.string]


def main() -> None:
    """Update every catalogue and say what waits."""
    for file in sorted(CATALOGUES.glob("*/LC_MESSAGES/*.po")):
        waiting = bring_up_to_date(file)
        print(f"{file.relative_to(STOREFRONT)}: {len(waiting)} without translation")
        for message in waiting:
            print(f"  {message}")


if __name__ == "__main__":
    main()
