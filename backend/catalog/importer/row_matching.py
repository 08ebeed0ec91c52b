"""Finding the product and the variant that each row of a file speaks of. Rows with options of one belong together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import COLUMNS, OF_A_PRODUCT, OPTIONS, VARIANT_CELLS
from backend.catalog.importer.row_reader import Problem, Row
from backend.catalog.models import ONLY, Product, ProductTag, ProductType, Variant
from backend.catalog.products.options import named_values
from backend.catalog.schemas.cell_parsers import plain
from backend.core.db.database import locked

OF_A_VARIANT = frozenset({*VARIANT_CELLS, "stock"})
MOST_VARIANTS = 200
"""Rows of one product: they are written in one transaction."""
MOST_NAMED = 3
"""Variants that a problem names."""


@dataclass(frozen=True, slots=True)
class Match:
    """The product and the variant of a row; None for what is new."""

    product: Product | None
    variant: Variant | None


@dataclass(frozen=True)
class Known:
    """The products that the rows of a batch name by handle, SKU or id, with all their variants."""

    by_id: dict[str, Product]
    by_handle: dict[str, Product]
    by_sku: dict[str, Variant]
    of_eans: dict[str, tuple[str, str]]
    """The id of the variant that has a bar code of the batch, and the handle of its product."""
    variants: dict[str, list[Variant]]
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    """By the id of a variant, its values by the titles of their options, as they are compared."""
    tags: frozenset[str] = frozenset()
    """Those of the batch that the shop has; `types` by their ids."""
    types: frozenset[str] = frozenset()

    @classmethod
    async def read(cls, session: AsyncSession, rows: Sequence[Row], *, lock: bool = False) -> "Known":
        """Look the rows up; with `lock`, for a change, products in the order of their ids."""

        def said(column: str) -> set[str]:
            return {row.get(column) for row in rows} - {None}

        owners = select(Variant.product_id).where(
            Variant.sku.in_(said("sku")) | Variant.id.in_(said("variant_id"))
        )
        named = (
            Product.handle.in_(said("handle")) | Product.id.in_(said("product_id")) | Product.id.in_(owners)
        )
        query = select(Product).where(named).order_by(Product.id)
        products = (await session.execute(locked(query) if lock else query)).scalars().all()
        variants: dict[str, list[Variant]] = defaultdict(list)
        found = select(Variant).where(Variant.product_id.in_([product.id for product in products]))
        for variant in (await session.execute(found.order_by(Variant.rank, Variant.id))).scalars():
            variants[variant.product_id].append(variant)
        eans = said("ean")
        coded = select(Variant.ean, Variant.id, Product.handle).join(
            Product, Product.id == Variant.product_id
        )
        owned = (await session.execute(coded.where(Variant.ean.in_(eans)))).all() if eans else []
        has_options = any(OPTIONS in row.values for row in rows)
        values = await named_values(session, variants) if has_options else {}
        words = {word for row in rows for word in row.get("tags") or ()}
        tags = select(ProductTag.value).where(ProductTag.value.in_(words))
        types = select(ProductType.id).where(ProductType.id.in_(said("type")))
        return cls(
            tags=frozenset((await session.execute(tags)).scalars()) if words else frozenset(),
            types=frozenset((await session.execute(types)).scalars()) if said("type") else frozenset(),
            by_id={product.id: product for product in products},
            by_handle={product.handle: product for product in products},
            by_sku={one.sku: one for some in variants.values() for one in some if one.sku},
            of_eans={ean: (variant_id, handle) for ean, variant_id, handle in owned if ean},
            variants=variants,
            values={
                variant_id: {plain(title): plain(value) for title, value in has.items()}
                for variant_id, has in values.items()
            },
        )

    def match(self, row: Row) -> Match | Problem:
        """The product and variant of a row without options, or why it cannot be imported."""
        found = self.named(row)
        if isinstance(found, Match):
            if found.product is None:
                found = _needed(row, "title", "price") or found
            elif found.variant is None:
                found = self._only_variant(row, found.product)
        return self.problem_of_code(row, found) or found if isinstance(found, Match) else found

    def named(self, row: Row) -> Match | Problem:
        """What the row names by ids, SKU and handle; the variant is None where only the product is named."""
        owner = self._variant_named(row)
        if isinstance(owner, Problem):
            return owner
        product = self.by_handle.get(row.get("handle") or "")
        if (product_id := row.get("product_id")) is not None:
            of_handle, product = product, self.by_id.get(product_id)
            if product is None:
                return Problem(row.line, "product_id", "the shop has no such product", "gone", product_id)
            if of_handle is not None and of_handle is not product:
                return Problem(row.line, "handle", "is another product's", "taken", of_handle.title)
        elif row.get("handle") is None:
            if owner is None:
                return Problem(row.line, "sku", "no product has it; a new product needs a handle", "unknown")
            product = self.by_id[owner.product_id]
        if owner is not None and (product is None or owner.product_id != product.id):
            return self._taken(row, owner)
        return Match(product, owner)

    def _variant_named(self, row: Row) -> Variant | Problem | None:
        """The variant with the row's id or SKU."""
        owner = self.by_sku.get(row.get("sku") or "")
        if (variant_id := row.get("variant_id")) is None:
            return owner
        of_id = next((one for some in self.variants.values() for one in some if one.id == variant_id), None)
        if of_id is None:
            return Problem(row.line, "variant_id", "the shop has no such variant", "gone", variant_id)
        return of_id if owner in (None, of_id) else self._taken(row, self.by_sku[row.values["sku"]])

    def problem_of_code(self, row: Row, found: Match) -> Problem | None:
        """That another variant has the row's bar code."""
        owner = self.of_eans.get(row.get("ean") or "")
        if owner is None or (found.variant is not None and found.variant.id == owner[0]):
            return None
        return Problem(row.line, "ean", f"belongs to {owner[1]}", "taken", owner[1])

    def problems_of_words(self, row: Row) -> Iterator[Problem]:
        """Tags and types that the shop does not have."""
        for word in row.get("tags") or ():
            if word not in self.tags:
                yield Problem(row.line, "tags", f"the shop has no tag {word}", "gone", word)
        type_id = row.get("type")
        if type_id is not None and type_id not in self.types:
            yield Problem(row.line, "type", f"the shop has no type {type_id}", "gone", type_id)

    def _taken(self, row: Row, owner: Variant) -> Problem:
        handle = self.by_id[owner.product_id].handle
        return Problem(row.line, "sku", f"belongs to {handle}", "taken", handle)

    def _only_variant(self, row: Row, product: Product) -> Match | Problem:
        variants = self.variants[product.id]
        if len(variants) == 1:
            return Match(product, variants[0])
        if not variants:
            return _needed(row, "price") or Match(product, None)
        if OF_A_VARIANT & row.values.keys():
            message = f"must be that of one of the product's {len(variants)} variants"
            return Problem(row.line, "sku", message, "which")
        return Match(product, variants[0])


@dataclass(frozen=True, slots=True)
class Settled:
    """What a row speaks of, and why it cannot be imported. Its row may say less than it did: see `settle`."""

    row: Row
    match: Match | None = None
    problems: tuple[Problem, ...] = ()


def settle(known: Known, rows: Sequence[Row], titled: Mapping[int, Row] | None = None) -> list[Settled]:
    """What the rows speak of, in their order.

    Rows with options of one product are its variants: a variant is known by its id or SKU, or else by its values. What
    they say of the product as a whole stands in the first of them alone, and the others may leave it empty.

    Args:
        known: what the shop has of them.
        rows: the rows; all those with options of one product, or some of them may look as if they were too few.
        titled: by line, the row with the handle that its title makes, for those that name no product otherwise.
    """
    settled: dict[int, Settled] = {}
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.problems:
            settled[row.line] = Settled(row, None, row.problems)
        elif OPTIONS in row.values:
            found, row = _named_with_title(known, row, titled)  # noqa: PLW2901 - the same with its handle
            if isinstance(found, Problem):
                settled[row.line] = Settled(row, None, (found,))
            else:
                groups[_key(found, row)].append(row)
        else:
            settled[row.line] = _alone(known, row, titled)
    for group in groups.values():
        settled |= {one.row.line: one for one in _of_one_product(known, group)}
    return [
        replace(one, problems=(*one.problems, *known.problems_of_words(one.row)))
        for one in (settled[row.line] for row in rows)
    ]


def product_key(known: Known, row: Row, titled: Mapping[int, Row]) -> str:
    """What a row has in common with the others of its product; empty where it cannot be imported."""
    found, row = _named_with_title(known, row, titled)
    return "" if isinstance(found, Problem) else _key(found, row)


def _key(found: Match, row: Row) -> str:
    handle: str = row.values["handle"] if found.product is None else found.product.id
    return handle


def _named_with_title(
    known: Known, row: Row, titled: Mapping[int, Row] | None
) -> tuple[Match | Problem, Row]:
    found = known.named(row)
    if isinstance(found, Problem) and found.code == "unknown" and row.line in (titled or {}):
        row = (titled or {})[row.line]
        found = known.named(row)
    return found, row


def _alone(known: Known, row: Row, titled: Mapping[int, Row] | None) -> Settled:
    match = known.match(row)
    if isinstance(match, Problem) and match.code == "unknown" and row.line in (titled or {}):
        row = (titled or {})[row.line]
        match = known.match(row)
        if (
            isinstance(match, Match) and match.product is not None
        ):  # its name may not change another one's codes
            match = Problem(row.line, "title", "is the name of another", "taken", match.product.handle)
    return Settled(row, None, (match,)) if isinstance(match, Problem) else Settled(row, match)


def _of_one_product(known: Known, rows: Sequence[Row]) -> list[Settled]:
    """The rows with options of one product."""
    rows, problems = _of_the_whole(rows)
    if len(rows) > MOST_VARIANTS:
        message = f"a product has at most {MOST_VARIANTS} variants in a file"
        return [
            Settled(row, None, (Problem(row.line, OPTIONS, message, "too many", str(MOST_VARIANTS)),))
            for row in rows
        ]
    matches = _matches(known, rows)
    product = matches[0].product
    for row, match in zip(rows, matches, strict=True):
        needed = ["title"] if product is None and row is rows[0] else []
        needed += ["price"] if match.variant is None else []
        problems[row.line] += [
            one for one in (_needed(row, *needed), known.problem_of_code(row, match)) if one is not None
        ]
    if any(_moves(known, row, match) for row, match in zip(rows, matches, strict=True)):
        contradictions = list(_between(known, rows, matches))
        for problem in contradictions:
            problems[problem.line].append(problem)
        covered = [match for row, match in zip(rows, matches, strict=True) if not problems[row.line]]
        for row in () if contradictions else rows:
            if not problems[row.line] and (missing := _uncovered(known, row, covered)):
                message = f"its options change: a row for each of its variants is needed ({missing})"
                problems[row.line].append(Problem(row.line, OPTIONS, message, "option rows", missing))
    return [Settled(row, match, tuple(problems[row.line])) for row, match in zip(rows, matches, strict=True)]


def _of_the_whole(rows: Sequence[Row]) -> tuple[list[Row], dict[int, list[Problem]]]:
    """The rows with what they say of the whole product in the first of them alone, and where they contradict it."""
    problems: dict[int, list[Problem]] = {row.line: [] for row in rows}
    whole: dict[str, tuple[int, object]] = {}
    for row in rows:
        for column in sorted(OF_A_PRODUCT & row.values.keys()):
            value = row.values[column]
            if value == COLUMNS[column].empty:
                continue
            line, first = whole.setdefault(column, (row.line, value))
            if first != value:
                message = f"is the product's, and line {line} says something else"
                problems[row.line].append(Problem(row.line, column, message, "differs", str(line)))
    values = {**rows[0].values, **{column: value for column, (_line, value) in whole.items()}}
    others = [
        replace(row, values={name: value for name, value in row.values.items() if name not in OF_A_PRODUCT})
        for row in rows[1:]
    ]
    return [replace(rows[0], values=values), *others], problems


def _matches(known: Known, rows: Sequence[Row]) -> list[Match]:
    """The variants of the rows: those that are named first, then by their values."""
    found: dict[int, Match] = {}
    for row in rows:
        match = known.named(row)
        if isinstance(match, Match) and match.variant is not None:
            found[row.line] = match
    taken = {match.variant.id for match in found.values() if match.variant is not None}
    for row in rows:
        if row.line in found:
            continue
        match = known.named(row)
        product = match.product if isinstance(match, Match) else None
        variant = _variant_for(known, row, product, taken) if product is not None else None
        if variant is not None:
            taken.add(variant.id)
        found[row.line] = Match(product, variant)
    return [found[row.line] for row in rows]


def _variant_for(known: Known, row: Row, product: Product, taken: set[str]) -> Variant | None:
    """The variant that has the row's values; of a product with one variant without any, that."""
    variants = known.variants[product.id]
    free = [one for one in variants if one.id not in taken]
    for variant in free:
        if known.values.get(variant.id) == dict(row.values[OPTIONS]):
            return variant
    if len(variants) == 1 and free and not known.values.get(free[0].id) and free[0].title == ONLY:
        return free[0] if free[0].sku is None or row.get("sku") is None else None
    return None


def _moves(known: Known, row: Row, match: Match) -> bool:
    """Whether the row makes a variant, or gives one other values."""
    return match.variant is None or known.values.get(match.variant.id) != dict(row.values[OPTIONS])


def _between(known: Known, rows: Sequence[Row], matches: Sequence[Match]) -> Iterator[Problem]:
    """What the rows of one product contradict each other in."""
    first = rows[0]
    titles = [title for title, _value in first.values[OPTIONS]]
    seen: dict[frozenset[tuple[str, str]], int] = {}
    covered = {match.variant.id for match in matches if match.variant is not None}
    others = {
        frozenset(known.values.get(one.id, {}).items()): one
        for match in matches[:1]
        if match.product is not None
        for one in known.variants[match.product.id]
        if one.id not in covered
    }
    for row in rows:
        said = row.values[OPTIONS]
        combination = frozenset(said)
        if {title for title, _value in said} != set(titles):
            message = f"the options are others than those in line {first.line}: {', '.join(titles)}"
            yield Problem(row.line, OPTIONS, message, "option names", f"{first.line}: {', '.join(titles)}")
        elif combination in seen:
            message = f"line {seen[combination]} is this variant already"
            yield Problem(row.line, OPTIONS, message, "option twice", str(seen[combination]))
        elif (other := others.get(combination)) is not None:
            name = _name_of(other)
            yield Problem(row.line, OPTIONS, f"variant {name} has these values", "option taken", name)
        seen.setdefault(combination, row.line)


def _uncovered(known: Known, row: Row, covered: Sequence[Match]) -> str:
    """The product's variants without a row, where the row has other options than they; empty when there are none."""
    product = covered[0].product
    if product is None:
        return ""
    titles = {title for title, _value in row.values[OPTIONS]}
    rows_of = {match.variant.id for match in covered if match.variant is not None}
    variants = known.variants[product.id]
    if titles == {title for one in variants for title in known.values.get(one.id, {})}:
        return ""
    missing = [
        one for one in variants if one.id not in rows_of and known.values.get(one.id, {}).keys() != titles
    ]
    names = ", ".join(_name_of(one) for one in missing[:MOST_NAMED])
    return f"{names}…" if len(missing) > MOST_NAMED else names


def _name_of(variant: Variant) -> str:
    return variant.sku or variant.title


def _needed(row: Row, *columns: str) -> Problem | None:
    """That one of these columns is empty, which something new needs."""
    for column in columns:
        if row.get(column) is None:
            return Problem(row.line, column, "is needed: the shop has no such product yet", "needed")
    return None
