"""Categories and collections that a file names: found by handle or by name, and made where that is wanted."""

from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.admin_schemas import NewCategory, NewCollection
from backend.catalog.categories import create_category, read_tree
from backend.catalog.collections import create_collection
from backend.catalog.handles import handle_from
from backend.catalog.models import Category, Collection
from backend.database import Database
from backend.staff.rights import COMMAND_LINE, Actor
from backend.texts import _

ROOT = _("Juguetes")
"""The category above all others, in a shop that has none."""
HINT = "write it as the shop has it, or say --new-categories to have it made"


@dataclass
class Places:
    """What the shop has, by handle, and what is to be made, by handle with its name."""

    categories: set[str]
    collections: set[str]
    makes_categories: bool = False
    makes_collections: bool = False
    new_categories: dict[str, str] = field(default_factory=dict)
    new_collections: dict[str, str] = field(default_factory=dict)

    @classmethod
    async def read(cls, database: Database, *, makes_places: bool) -> "Places":
        """What the shop has. In one that has none, what a file names is made without being told."""
        async with database.read() as session:
            categories = set((await session.execute(select(Category.handle))).scalars())
            collections = set((await session.execute(select(Collection.handle))).scalars())
        return cls(categories, collections, makes_places or not categories, makes_places or not collections)

    def problem_of_category(self, said: str) -> str:
        """Why a row cannot stand in this category; empty when it can, made before if need be."""
        handle = category_handle(said)
        if said in self.categories or handle in self.categories:
            return ""
        if not handle or len(said) > 255:
            return f"{said[:40]} is no name of a category"
        if not self.makes_categories:
            return f"the shop has no category {said}: {HINT}"
        self.new_categories.setdefault(handle, _name_of(said))
        return ""

    def problem_of_collection(self, handle: str) -> str:
        """The same for a collection, which is known by its handle alone."""
        if handle in self.collections:
            return ""
        if not self.makes_collections:
            return f"the shop has no collection {handle}: {HINT}"
        self.new_collections.setdefault(handle, _name_of(handle))
        return ""

    async def make(self, session: AsyncSession, who: Actor = COMMAND_LINE) -> list[str]:
        """Make what is new in this transaction, and return its names.

        New categories stand below the root of the tree, as pages show what is there; a shop without one gets it.

        Raises:
            ShopError: somebody made one of them meanwhile.
        """
        if not (self.new_categories or self.new_collections):
            return []
        made: list[str] = []
        roots = (await read_tree(session)).children(None)
        root_id = roots[0].id if roots else None
        waiting = dict(self.new_categories)
        if waiting and root_id is None:
            name = waiting.pop(handle_from(ROOT), ROOT)
            root_id = (await create_category(session, who, NewCategory(name=name))).id
            made.append(name)
        for handle, name in waiting.items():
            new = NewCategory(name=name, handle=handle, parent_category_id=root_id)
            made.append((await create_category(session, who, new)).name)
        for handle, title in self.new_collections.items():
            new_collection = NewCollection(title=title, handle=handle)
            made.append((await create_collection(session, who, new_collection)).title)
        return made


def category_handle(said: str) -> str:
    """The handle of a category that a file names, by its name or its handle."""
    return handle_from(said)


def _name_of(said: str) -> str:
    """A name for people: as it is written, unless that is a handle."""
    return said if said != handle_from(said) else said.replace("-", " ").capitalize()
