"""Checking the whole file before anything of it is written, and finding the product of a row."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.cells import CellError
from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.importer.places import Places
from backend.catalog.importer.reading import NAMES, VARIANT_CELLS, Problem, Row, Unreadable, batches
from backend.catalog.models import Product, Variant
from backend.database import Database, locked

MOST_PROBLEMS = 100
"""At most so many are reported."""

UNIQUE = (*NAMES, "ean")
"""The columns in which no two rows have the same."""
OF_A_VARIANT = frozenset({*VARIANT_CELLS, "stock"})


class Refused(Exception):
    """The file cannot be imported. Nothing was written."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = sorted(problems)[:MOST_PROBLEMS]
        self.are_all = len(problems) < MOST_PROBLEMS


@dataclass(frozen=True, slots=True)
class Checked:
    """A file without problems: how many rows it has, and the places that it names."""

    count: int
    places: Places


async def check(
    database: Database,
    path: Path,
    pictures: PictureFolder,
    step: Callable[[int], None],
    *,
    makes_places: bool,
) -> Checked:
    """Check the whole file.

    Args:
        database: the shop's.
        path: the file.
        pictures: where its pictures are.
        step: is called with how many more lines were checked.
        makes_places: categories and collections that the shop does not have are to be made. In a shop without any
            they are in any case.

    Returns:
        How many rows there are, and what is to be made before they are written.

    Raises:
        Refused: there are problems.
    """
    problems: list[Problem] = []
    places = Places(set(), set())
    names = {name: Repeats() for name in UNIQUE}
    count = 0
    try:
        places = await Places.read(database, makes_places=makes_places)
        for rows in batches(path):
            count += len(rows)
            problems += [problem for row in rows for problem in row.problems]
            problems += [problem for row in rows for problem in _of_places(row, places, pictures)]
            sound = [row for row in rows if not row.problems]
            async with database.read() as session:
                known = await Known.read(session, sound)
            matched = (known.match(row) for row in sound)
            problems += [found for found in matched if isinstance(found, Problem)]
            for name, repeats in names.items():
                repeats.add_all(str(row.get(name)) for row in rows if row.get(name))
            step(len(rows))
            if len(problems) >= MOST_PROBLEMS:
                break
        problems += _repeated(path, names)
    except Unreadable as error:
        problems.append(error.problem)
    if problems:
        raise Refused(problems)
    return Checked(count, places)


class Repeats:
    """Finds values that occur twice, in eight bytes a value."""

    def __init__(self) -> None:
        self._digests = array("Q")

    def add_all(self, values: Iterator[str]) -> None:
        """Add these values."""
        self._digests.extend(map(digest, values))

    def suspects(self) -> set[int]:
        """The digests that occur more than once: of equal values, or very rarely of two with one digest."""
        return {one for one, next_one in pairwise(sorted(self._digests)) if one == next_one}


def digest(value: str) -> int:
    """Eight bytes that stand for the value."""
    return int.from_bytes(blake2b(value.encode(), digest_size=8).digest())


@dataclass(frozen=True, slots=True)
class Match:
    """The product and the variant of a row; None for what is new."""

    product: Product | None
    variant: Variant | None


@dataclass(frozen=True)
class Known:
    """The products that the rows of a batch name by handle or SKU, with all their variants."""

    by_id: dict[str, Product]
    by_handle: dict[str, Product]
    by_sku: dict[str, Variant]
    of_eans: dict[str, tuple[str, str]]
    """The id of the variant that has a bar code of the batch, and the handle of its product."""
    variants: dict[str, list[Variant]]

    @classmethod
    async def read(cls, session: AsyncSession, rows: Sequence[Row], *, lock: bool = False) -> "Known":
        """Look the rows up; with `lock`, for a change, products in the order of their ids."""
        handles = {row.get("handle") for row in rows} - {None}
        skus = {row.get("sku") for row in rows} - {None}
        owners = select(Variant.product_id).where(Variant.sku.in_(skus))
        query = (
            select(Product).where(Product.handle.in_(handles) | Product.id.in_(owners)).order_by(Product.id)
        )
        products = (await session.execute(locked(query) if lock else query)).scalars().all()
        variants: dict[str, list[Variant]] = defaultdict(list)
        found = select(Variant).where(Variant.product_id.in_([product.id for product in products]))
        for variant in (await session.execute(found.order_by(Variant.rank, Variant.id))).scalars():
            variants[variant.product_id].append(variant)
        eans = {row.get("ean") for row in rows} - {None}
        coded = select(Variant.ean, Variant.id, Product.handle).join(
            Product, Product.id == Variant.product_id
        )
        owned = (await session.execute(coded.where(Variant.ean.in_(eans)))).all() if eans else []
        return cls(
            by_id={product.id: product for product in products},
            by_handle={product.handle: product for product in products},
            by_sku={one.sku: one for some in variants.values() for one in some if one.sku},
            of_eans={ean: (variant_id, handle) for ean, variant_id, handle in owned if ean},
            variants=variants,
        )

    def match(self, row: Row) -> Match | Problem:
        """The product and variant of the row, or why it cannot be imported."""
        found = self._named(row)
        if isinstance(found, Match) and (owner := self.of_eans.get(row.get("ean") or "")):
            variant_id, handle = owner
            if found.variant is None or found.variant.id != variant_id:
                return Problem(row.line, "ean", f"belongs to {handle}", "taken", handle)
        return found

    def _named(self, row: Row) -> Match | Problem:
        sku = row.get("sku")
        owner = self.by_sku.get(sku) if sku else None
        if row.get("handle") is None:
            if owner is None:
                return Problem(row.line, "sku", "no product has it; a new product needs a handle", "unknown")
            return Match(self.by_id[owner.product_id], owner)
        product = self.by_handle.get(row.get("handle"))
        if owner is not None and (product is None or owner.product_id != product.id):
            handle = self.by_id[owner.product_id].handle
            return Problem(row.line, "sku", f"belongs to {handle}", "taken", handle)
        if product is None:
            return self._new(row)
        return Match(product, owner) if owner else self._variant(row, product)

    def _new(self, row: Row) -> Match | Problem:
        for column in ("title", "price"):
            if row.get(column) is None:
                return Problem(row.line, column, "is needed: the shop has no such product yet", "needed")
        return Match(None, None)

    def _variant(self, row: Row, product: Product) -> Match | Problem:
        variants = self.variants[product.id]
        if len(variants) == 1:
            return Match(product, variants[0])
        if not variants:
            if row.get("price") is None:
                return Problem(row.line, "price", "is needed: the product has none yet", "needed")
            return Match(product, None)
        if OF_A_VARIANT & row.values.keys():
            message = f"must be that of one of the product's {len(variants)} variants"
            return Problem(row.line, "sku", message, "which")
        return Match(product, variants[0])


def _repeated(path: Path, names: dict[str, Repeats]) -> list[Problem]:
    """Values that occur twice. The file is read again only when there are any."""
    suspects = {name: found for name, repeats in names.items() if (found := repeats.suspects())}
    problems: list[Problem] = []
    seen: dict[str, dict[str, int]] = defaultdict(dict)
    for row in (row for rows in batches(path) for row in rows) if suspects else ():
        for name, digests in suspects.items():
            value = row.get(name)
            if value is None or digest(value) not in digests:
                continue
            first = seen[name].setdefault(value, row.line)
            if first != row.line:
                problems.append(Problem(row.line, name, f"{value} stands in line {first} already"))
        if len(problems) >= MOST_PROBLEMS:
            break
    return problems


def _of_places(row: Row, places: Places, pictures: PictureFolder) -> Iterator[Problem]:
    """What the row names that there is not."""
    for category in row.get("categories") or ():
        if problem := places.problem_of_category(category):
            yield Problem(row.line, "categories", problem)
    if row.get("collection") is not None and (problem := places.problem_of_collection(row.get("collection"))):
        yield Problem(row.line, "collection", problem)
    for name in row.get("pictures") or ():
        try:
            pictures.inspect(name)
        except CellError as error:
            yield Problem(row.line, "pictures", str(error))
