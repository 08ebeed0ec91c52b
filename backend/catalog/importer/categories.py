"""Categories and collections that a file names: found by handle, name or path, and created on request."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import null, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.categories import create_category
from backend.catalog.category_tree import read_tree
from backend.catalog.collections import create_collection
from backend.catalog.handles import make_handle
from backend.catalog.importer.row_reader import Problem, Row
from backend.catalog.importer.tags_and_types import create_words
from backend.catalog.models import Category, Collection
from backend.catalog.schemas.cell_words import PATH_SEPARATOR
from backend.core.texts import _
from backend.staff.rights import COMMAND_LINE, Actor

ROOT = _("Productos")
"""Name of the root category, created in a shop without categories."""
HINT = "write it as the shop has it, or use --new-categories to create it"
MAX_NAME_LENGTH = 255


@dataclass(frozen=True, slots=True)
class NewGroup:
    """A category or collection to create.

    Attributes:
        name: its name.
        parent: handle of its parent category; empty to create it below the shop's root.
        path: normalized names of the categories on its path in the file, from the first one down to itself.
    """

    name: str
    parent: str = ""
    path: tuple[str, ...] = ()


@dataclass
class GroupLookup:
    """The shop's categories or collections, and those that the import will create."""

    kind_name: str
    """`category` or `collection`, for messages; also the code of a problem with an invalid or unknown name."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """Ids by handle."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Normalized names (`make_handle`) by handle."""
    parents: Mapping[str, str] = field(default_factory=dict)
    """Handles of the parent categories, by handle."""
    creates_missing: bool = False
    """True if categories or collections that the file names and the shop does not have are created."""
    new: dict[str, NewGroup] = field(default_factory=dict)
    """Categories or collections to create, by handle. A parent category comes before its children."""
    by_name: dict[str, list[str]] = field(init=False)
    """Handles by normalized name."""

    def __post_init__(self) -> None:
        self.by_name = defaultdict(list)
        for handle, name in self.names.items():
            self.by_name[name].append(handle)
        self.by_name.pop("", None)  # names without a letter or digit have no handle

    @classmethod
    async def read(
        cls, session: AsyncSession, kind: type[Category] | type[Collection], *, creates_missing: bool
    ) -> "GroupLookup":
        """Read the shop's categories or collections.

        If the shop has none, all that the file names are created, even if `creates_missing` is False.
        """
        if kind is Category:
            query = select(Category.handle, Category.id, Category.name, Category.parent_id)
        else:
            query = select(Collection.handle, Collection.id, Collection.title, null())
        rows = (await session.execute(query)).all()
        handles = {id_: handle for handle, id_, _name, _parent_id in rows}
        return cls(
            "category" if kind is Category else "collection",
            {handle: id_ for handle, id_, _name, _parent_id in rows},
            {handle: make_handle(name) for handle, _id, name, _parent_id in rows},
            {handle: handles.get(parent_id or "", "") for handle, _id, _name, parent_id in rows},
            creates_missing=creates_missing or not rows,
        )

    def find_group_handle(self, text: str) -> str:
        """Return the handle of the category or collection that a text of the file names by handle, name or path.

        For an unknown text, return the handle that a new category or collection would get. The result is
        empty if several have the name, or if no handle can be derived. A handle takes precedence over a name.
        A path such as `Juguetes > Madera` finds only a category `Madera` below `Juguetes`.
        """
        path = self._split(text)
        name = make_handle(path[-1])
        candidates = [path[-1]] if path[-1] in self.ids else self.by_name.get(name, [])
        if len(path) > 1:
            candidates = [*{*candidates, *self.by_name.get(name, [])}]
        found = [handle for handle in candidates if self._is_below(handle, path[:-1])]
        if found:
            return found[0] if len(found) == 1 else ""
        planned = self.new.get(name)
        is_other = planned is not None and planned.path != tuple(map(make_handle, path))
        return make_handle(" ".join(path)) if len(path) > 1 and (name in self.ids or is_other) else name

    def find_problem(self, line: int, column: str, text: str) -> Problem | None:
        """Return the problem with this handle, name or path; None if it is valid.

        A missing category or collection that the import will create is added to `new`.
        """
        handle, path = self.find_group_handle(text), self._split(text)
        if handle in self.ids:
            return None
        if not all(make_handle(name) and len(name) <= MAX_NAME_LENGTH for name in path):
            message = f"{text[:40]} is no name of a {self.kind_name}"
            return Problem(line, column, message, self.kind_name, text)
        if not handle or not self.find_group_handle(PATH_SEPARATOR.join(path[:1])):
            message = f"the shop has more than one {self.kind_name} {text}: write the handle of one"
            return Problem(line, column, message, "several", text)
        if not self.creates_missing:
            return Problem(
                line, column, f"the shop has no {self.kind_name} {text}: {HINT}", self.kind_name, text
            )
        self._add_path(path)
        return None

    def _add_path(self, path: Sequence[str]) -> None:
        """Add the missing categories of a path to `new`."""
        parent = ""
        for depth, name in enumerate(path, start=1):
            handle = self.find_group_handle(PATH_SEPARATOR.join(path[:depth]))
            if handle not in self.ids:
                group = NewGroup(_display_name(name), parent, tuple(map(make_handle, path[:depth])))
                self.new.setdefault(handle, group)
            parent = handle

    def _split(self, text: str) -> list[str]:
        """Return the names on a path of categories. For a collection, return the text as the only name."""
        if self.kind_name != "category":
            return [text]
        return [name for part in text.split(PATH_SEPARATOR) if (name := part.strip())] or [text]

    def _is_below(self, handle: str, path: Sequence[str]) -> bool:
        """Return True if the nearest ancestors of the category are those that the path names."""
        for name in reversed(path):
            handle = self.parents.get(handle, "")
            if not handle or (handle != name and self.names.get(handle) != make_handle(name)):
                return False
        return True


@dataclass
class ProductGroups:
    """The shop's categories and collections, and the categories, collections, tags and types that the rows add."""

    categories: GroupLookup = field(default_factory=lambda: GroupLookup("category"))
    collections: GroupLookup = field(default_factory=lambda: GroupLookup("collection"))
    creates_words: bool = False
    """True if missing tags and types are created."""
    tags: dict[str, None] = field(default_factory=dict)
    """Tags that the rows name. Like `types`, they are collected only if missing tags and types are created."""
    types: dict[str, None] = field(default_factory=dict)

    @classmethod
    async def read(cls, session: AsyncSession, *, makes_places: bool = False) -> "ProductGroups":
        """Read the shop's categories and collections.

        With `makes_places`, categories, collections, tags and types that a row names and the shop does not have
        will be created.
        """
        return cls(
            await GroupLookup.read(session, Category, creates_missing=makes_places),
            await GroupLookup.read(session, Collection, creates_missing=makes_places),
            creates_words=makes_places,
        )

    def find_group_problems(self, row: Row) -> list[Problem]:
        """Return the row's problems with categories and collections.

        Categories, collections, tags and types that the import will create are collected in this object.
        """
        if self.creates_words:
            self.tags |= dict.fromkeys(row.get("tags") or ())
            self.types |= dict.fromkeys([row.get("type")] if row.get("type") else [])
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
        """Create the new categories, collections, tags and types in this transaction, and return their names.

        New categories without a path are created below the shop's only root, or as roots if the shop has several
        roots. A shop without categories gets a root first.

        Raises:
            ShopError: another transaction created one of them in the meantime.
        """
        made = await self._create_categories(session, actor) if self.categories.new else []
        for handle, group in self.collections.new.items():
            await create_collection(session, actor, title=group.name, handle=handle)
            made.append(group.name)
        return made + await create_words(session, actor, self.tags, self.types)

    async def _create_categories(self, session: AsyncSession, actor: Actor) -> list[str]:
        made: list[str] = []
        roots = (await read_tree(session)).children(None)
        root_id = roots[0].id if len(roots) == 1 else None
        new, ids = dict(self.categories.new), dict(self.categories.ids)
        root = new.get(make_handle(ROOT), NewGroup(ROOT))
        if not roots and not root.parent:
            new.pop(make_handle(ROOT), None)
            created = await create_category(session, actor, name=root.name)
            root_id = ids[created.handle] = created.id
            made.append(root.name)
        for handle, group in new.items():
            parent_id = ids.get(group.parent, root_id)
            created = await create_category(
                session, actor, name=group.name, handle=handle, parent_id=parent_id
            )
            ids[handle] = created.id
            made.append(group.name)
        return made


def _display_name(text: str) -> str:
    """Return the name for a new category or collection: the text as written. A handle is converted to words."""
    return text if text != make_handle(text) else text.replace("-", " ").capitalize()
