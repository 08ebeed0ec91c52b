"""Categories and collections that a file names: found by handle or name, and created on request."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.categories import create_category
from backend.catalog.category_tree import read_tree
from backend.catalog.collections import create_collection
from backend.catalog.handles import make_handle
from backend.catalog.importer.row_reader import Problem, Row
from backend.catalog.models import Category, Collection
from backend.core.texts import _
from backend.staff.rights import COMMAND_LINE, Actor

ROOT = _("Juguetes")
"""Name of the root category, created in a shop without categories."""
HINT = "write it as the shop has it, or use --new-categories to create it"
MAX_NAME_LENGTH = 255


@dataclass
class GroupLookup:
    """The shop's categories or collections, and the ones to create."""

    kind_name: str
    """`category` or `collection`, for messages; also the code of a problem with an invalid or unknown name."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """Ids by handle."""
    by_name: Mapping[str, str] = field(default_factory=dict)
    """Handles by normalized name (`make_handle`); an empty handle if several objects have that name."""
    creates_missing: bool = False
    """True if missing ones are created."""
    new: dict[str, str] = field(default_factory=dict)
    """Ones to create: names by handle."""

    @classmethod
    async def read(
        cls, session: AsyncSession, kind: type[Category] | type[Collection], *, creates_missing: bool
    ) -> "GroupLookup":
        """Read the shop's categories or collections. If the shop has none, all that the file names will be created."""
        kind_name, name = (
            ("category", Category.name) if kind is Category else ("collection", Collection.title)
        )
        rows = (await session.execute(select(kind.handle, kind.id, name))).all()
        named: dict[str, set[str]] = defaultdict(set)
        for handle, _id, title in rows:
            named[make_handle(title)].add(handle)
        named.pop("", None)  # names without a letter or digit have no handle
        return cls(
            kind_name,
            {handle: id_ for handle, id_, _title in rows},
            {made: next(iter(handles)) if len(handles) == 1 else "" for made, handles in named.items()},
            creates_missing=creates_missing or not rows,
        )

    def find_group_handle(self, text: str) -> str:
        """Return the handle for a handle or name in the file. For an unknown text, return the handle that it would get.

        An exact handle is tried first, then the names, then the handle derived from the text. The result is empty
        if several categories or collections have the name, or if no handle can be derived.
        """
        made = make_handle(text)
        return text if text in self.ids else self.by_name.get(made, made)

    def find_problem(self, line: int, column: str, text: str) -> Problem | None:
        """Return the problem with this handle or name; None if there is none.

        If the category or collection does not exist but may be created, it is added to `new`.
        """
        handle = self.find_group_handle(text)
        if handle in self.ids:
            return None
        if not make_handle(text) or len(text) > MAX_NAME_LENGTH:
            message = f"{text[:40]} is no name of a {self.kind_name}"
            return Problem(line, column, message, self.kind_name, text)
        if not handle:
            message = f"the shop has more than one {self.kind_name} {text}: write the handle of one"
            return Problem(line, column, message, "several", text)
        if not self.creates_missing:
            return Problem(
                line, column, f"the shop has no {self.kind_name} {text}: {HINT}", self.kind_name, text
            )
        self.new.setdefault(handle, _display_name(text))
        return None


@dataclass
class ProductGroups:
    """The shop's categories and collections, and the new ones that rows of the file name."""

    categories: GroupLookup = field(default_factory=lambda: GroupLookup("category"))
    collections: GroupLookup = field(default_factory=lambda: GroupLookup("collection"))

    @classmethod
    async def read(cls, session: AsyncSession, *, makes_places: bool = False) -> "ProductGroups":
        """Read the shop's categories and collections.

        With `makes_places`, missing ones that a row names will be created.
        """
        return cls(
            await GroupLookup.read(session, Category, creates_missing=makes_places),
            await GroupLookup.read(session, Collection, creates_missing=makes_places),
        )

    def find_group_problems(self, row: Row) -> list[Problem]:
        """Return the row's problems with categories and collections.

        Categories and collections to create are added to `new`.
        """
        collection = row.get("collection")
        found = [
            *(
                self.categories.find_problem(row.line, "categories", one)
                for one in row.get("categories") or ()
            ),
            self.collections.find_problem(row.line, "collection", collection) if collection else None,
        ]
        return [problem for problem in found if problem is not None]

    async def create_new_groups(self, session: AsyncSession, actor: Actor = COMMAND_LINE) -> list[str]:
        """Create the new categories and collections in this transaction, and return their names.

        New categories are created below the only root, or as roots if there are several. A shop without categories
        gets a root first.

        Raises:
            ShopError: one of them was created by someone else in the meantime.
        """
        if not (self.categories.new or self.collections.new):
            return []
        made: list[str] = []
        roots = (await read_tree(session)).children(None)
        root_id = roots[0].id if len(roots) == 1 else None
        new_categories = dict(self.categories.new)
        if new_categories and not roots:
            name = new_categories.pop(make_handle(ROOT), ROOT)
            root_id = (await create_category(session, actor, name=name)).id
            made.append(name)
        for handle, name in new_categories.items():
            await create_category(session, actor, name=name, handle=handle, parent_id=root_id)
            made.append(name)
        for handle, title in self.collections.new.items():
            await create_collection(session, actor, title=title, handle=handle)
            made.append(title)
        return made


def _display_name(text: str) -> str:
    """Return the name for a new category or collection: the text as written, or the words of a handle."""
    return text if text != make_handle(text) else text.replace("-", " ").capitalize()
