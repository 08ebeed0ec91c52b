"""Categories and collections that a file names: found by handle or by name, and made where that is wanted."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.categories import create_category
from backend.catalog.category_tree import read_tree
from backend.catalog.collections import create_collection
from backend.catalog.handles import handle_from
from backend.catalog.importer.row_reader import Problem, Row
from backend.catalog.models import Category, Collection
from backend.core.texts import _
from backend.staff.rights import COMMAND_LINE, Actor

ROOT = _("Juguetes")
"""The category above all others, in a shop that has none."""
HINT = "write it as the shop has it, or say --new-categories to have it made"
LONGEST_NAME = 255


@dataclass
class KnownPlaces:
    """The categories, or the collections, that the shop has, and those that are to be made."""

    called: str
    """What one of them is called: the code, too, of the problem that there is none."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """By handle."""
    by_name: Mapping[str, str] = field(default_factory=dict)
    """Their handles by those that their names make; empty where that is the name of several."""
    are_made: bool = False
    """Whether those that the shop does not have are made."""
    new: dict[str, str] = field(default_factory=dict)
    """What is to be made: names by handle."""

    @classmethod
    async def read(
        cls, session: AsyncSession, kind: type[Category] | type[Collection], *, are_made: bool
    ) -> "KnownPlaces":
        """What the shop has. In one that has none, what a file names is made without being told."""
        called, name = ("category", Category.name) if kind is Category else ("collection", Collection.title)
        rows = (await session.execute(select(kind.handle, kind.id, name))).all()
        named: dict[str, set[str]] = defaultdict(set)
        for handle, _id, title in rows:
            named[handle_from(title)].add(handle)
        named.pop("", None)  # names without a letter of which a handle is made
        return cls(
            called,
            {handle: id_ for handle, id_, _title in rows},
            {made: next(iter(handles)) if len(handles) == 1 else "" for made, handles in named.items()},
            are_made=are_made or not rows,
        )

    def handle_of(self, said: str) -> str:
        """The handle of the one that a file names; where the shop has none, that of the one that would be made.

        A handle comes before a name, and a name before a handle that is written as a name. It is empty where several
        have the name, and where none can be made of it.
        """
        made = handle_from(said)
        return said if said in self.ids else self.by_name.get(made, made)

    def problem_of(self, line: int, column: str, said: str) -> Problem | None:
        """Why a row cannot name this one; None when it can, as it is there or is noted to be made."""
        handle = self.handle_of(said)
        if handle in self.ids:
            return None
        if not handle_from(said) or len(said) > LONGEST_NAME:
            message = f"{said[:40]} is no name of a {self.called}"
            return Problem(line, column, message, self.called, said)
        if not handle:
            message = f"the shop has more than one {self.called} {said}: write the handle of one"
            return Problem(line, column, message, "several", said)
        if not self.are_made:
            return Problem(line, column, f"the shop has no {self.called} {said}: {HINT}", self.called, said)
        self.new.setdefault(handle, _name_of(said))
        return None


@dataclass
class Places:
    """The categories and the collections that rows name."""

    categories: KnownPlaces = field(default_factory=lambda: KnownPlaces("category"))
    collections: KnownPlaces = field(default_factory=lambda: KnownPlaces("collection"))

    @classmethod
    async def read(cls, session: AsyncSession, *, makes_places: bool = False) -> "Places":
        """What the shop has; with `makes_places`, what it does not have is to be made."""
        return cls(
            await KnownPlaces.read(session, Category, are_made=makes_places),
            await KnownPlaces.read(session, Collection, are_made=makes_places),
        )

    def problems_of(self, row: Row) -> list[Problem]:
        """What the row names that there is not. What is to be made is noted."""
        collection = row.get("collection")
        found = [
            *(self.categories.problem_of(row.line, "categories", one) for one in row.get("categories") or ()),
            self.collections.problem_of(row.line, "collection", collection) if collection else None,
        ]
        return [problem for problem in found if problem is not None]

    async def make(self, session: AsyncSession, who: Actor = COMMAND_LINE) -> list[str]:
        """Make what is new in this transaction, and return its names.

        New categories become departments: below the only root, or roots where there are several. A shop without
        any category gets a root.

        Raises:
            ShopError: somebody made one of them meanwhile.
        """
        if not (self.categories.new or self.collections.new):
            return []
        made: list[str] = []
        roots = (await read_tree(session)).children(None)
        root_id = roots[0].id if len(roots) == 1 else None
        waiting = dict(self.categories.new)
        if waiting and not roots:
            name = waiting.pop(handle_from(ROOT), ROOT)
            root_id = (await create_category(session, who, name=name)).id
            made.append(name)
        for handle, name in waiting.items():
            await create_category(session, who, name=name, handle=handle, parent_id=root_id)
            made.append(name)
        for handle, title in self.collections.new.items():
            await create_collection(session, who, title=title, handle=handle)
            made.append(title)
        return made


def _name_of(said: str) -> str:
    """A name for people: as it is written, unless that is a handle."""
    return said if said != handle_from(said) else said.replace("-", " ").capitalize()
