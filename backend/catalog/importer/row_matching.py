"""Matching of file rows to products and variants. All rows with options of one product are matched together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import COLUMNS, OPTIONS, PRODUCT_COLUMNS, VARIANT_CELLS
from backend.catalog.importer.row_reader import Note, Problem, Row
from backend.catalog.importer.tags_and_types import find_tag_ids, find_type_ids
from backend.catalog.importer.taxes import add_taxes
from backend.catalog.importer.variant_pictures import drop_shared_pictures
from backend.catalog.models import ONLY_VARIANT_TITLE, Product, Variant
from backend.catalog.products.options import read_named_values
from backend.catalog.redirects.targets import RedirectTarget, read_owners
from backend.catalog.schemas.cell_parsers import normalize_name
from backend.core.db.database import lock_rows

VARIANT_COLUMNS = frozenset({*VARIANT_CELLS, "stock"})
MAX_VARIANTS_PER_PRODUCT = 200
"""Maximum number of rows per product: they are written in one transaction."""
MAX_VARIANTS_NAMED = 3
"""Maximum number of variants that a problem names."""


@dataclass(frozen=True, slots=True)
class Match:
    """The product and the variant of a row. Each is None if the row creates a new one."""

    product: Product | None
    variant: Variant | None


@dataclass(frozen=True)
class KnownProducts:
    """The existing products that a batch of rows names by handle, SKU or id, with all their variants."""

    by_id: dict[str, Product]
    by_handle: dict[str, Product]
    by_sku: dict[str, Variant]
    owners_by_ean: dict[str, tuple[str, str]]
    """Id of the variant and handle of its product, by bar code."""
    variants: dict[str, list[Variant]]
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    """Normalized option values by option title, by the variant's id."""
    tags: frozenset[str] = frozenset()
    """Values of the existing tags that the batch names. `types` has the values or ids of the existing types."""
    types: frozenset[str] = frozenset()
    owners_by_address: Mapping[str, RedirectTarget] = field(default_factory=dict)
    """Targets of existing redirects, by the former addresses that the batch names."""

    @classmethod
    async def read(cls, session: AsyncSession, rows: Sequence[Row], *, lock: bool = False) -> "KnownProducts":
        """Read the products and variants of the rows; with `lock`, lock the products in the order of their ids."""

        def values_in(column: str) -> set[str]:
            return {row.get(column) for row in rows} - {None}

        owners = select(Variant.product_id).where(
            Variant.sku.in_(values_in("sku")) | Variant.id.in_(values_in("variant_id"))
        )
        named = (
            Product.handle.in_(values_in("handle"))
            | Product.id.in_(values_in("product_id"))
            | Product.id.in_(owners)
        )
        query = select(Product).where(named).order_by(Product.id)
        products = (await session.execute(lock_rows(query) if lock else query)).scalars().all()
        variants: dict[str, list[Variant]] = defaultdict(list)
        found = select(Variant).where(Variant.product_id.in_([product.id for product in products]))
        for variant in (await session.execute(found.order_by(Variant.rank, Variant.id))).scalars():
            variants[variant.product_id].append(variant)
        eans = values_in("ean")
        coded = select(Variant.ean, Variant.id, Product.handle).join(
            Product, Product.id == Variant.product_id
        )
        owned = (await session.execute(coded.where(Variant.ean.in_(eans)))).all() if eans else []
        has_options = any(OPTIONS in row.values for row in rows)
        values = await read_named_values(session, variants) if has_options else {}
        words = {word for row in rows for word in row.get("tags") or ()}
        addresses = {address for row in rows for address in row.get("old_addresses") or ()}
        return cls(
            owners_by_address=await read_owners(session, addresses),
            tags=frozenset(await find_tag_ids(session, words)),
            types=frozenset(await find_type_ids(session, values_in("type"))),
            by_id={product.id: product for product in products},
            by_handle={product.handle: product for product in products},
            by_sku={one.sku: one for some in variants.values() for one in some if one.sku},
            owners_by_ean={ean: (variant_id, handle) for ean, variant_id, handle in owned if ean},
            variants=variants,
            values={
                variant_id: {normalize_name(title): normalize_name(value) for title, value in has.items()}
                for variant_id, has in values.items()
            },
        )

    def match(self, row: Row) -> Match | Problem:
        """Return the product and variant of a row without options, or the problem of the row."""
        found = self.find_named(row)
        if isinstance(found, Match):
            if found.product is None:
                found = _check_required(row, "title", "price") or found
            elif found.variant is None:
                found = self._only_variant(row, found.product)
        return self.find_code_problem(row, found) or found if isinstance(found, Match) else found

    def find_named(self, row: Row) -> Match | Problem:
        """Return the match by ids, SKU and handle. The variant is None if the row names only the product."""
        owner = self._find_named_variant(row)
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
            return self._taken_problem(row, owner)
        return Match(product, owner)

    def _find_named_variant(self, row: Row) -> Variant | Problem | None:
        """Return the variant with the row's id or SKU, or a problem; None if the row names no existing variant."""
        owner = self.by_sku.get(row.get("sku") or "")
        if (variant_id := row.get("variant_id")) is None:
            return owner
        of_id = next((one for some in self.variants.values() for one in some if one.id == variant_id), None)
        if of_id is None:
            return Problem(row.line, "variant_id", "the shop has no such variant", "gone", variant_id)
        return of_id if owner in (None, of_id) else self._taken_problem(row, self.by_sku[row.values["sku"]])

    def find_code_problem(self, row: Row, found: Match) -> Problem | None:
        """Return a problem if another variant has the row's bar code."""
        owner = self.owners_by_ean.get(row.get("ean") or "")
        if owner is None or (found.variant is not None and found.variant.id == owner[0]):
            return None
        return Problem(row.line, "ean", f"belongs to {owner[1]}", "taken", owner[1])

    def problems_of_words(self, row: Row) -> Iterator[Problem]:
        """Yield a problem for each tag and type that does not exist."""
        for word in row.get("tags") or ():
            if word not in self.tags:
                yield Problem(row.line, "tags", f"the shop has no tag {word}", "tag", word)
        type_id = row.get("type")
        if type_id is not None and type_id not in self.types:
            yield Problem(row.line, "type", f"the shop has no type {type_id}", "type", type_id)

    def find_taken_addresses(self, row: Row, found: Match | None) -> list[str]:
        """Return the row's former addresses that already lead to a page other than that of its product."""
        product_id = found.product.id if found is not None and found.product is not None else None
        return [
            address
            for address in row.get("old_addresses") or ()
            if (owner := self.owners_by_address.get(address)) is not None and owner.product_id != product_id
        ]

    def _taken_problem(self, row: Row, owner: Variant) -> Problem:
        handle = self.by_id[owner.product_id].handle
        return Problem(row.line, "sku", f"belongs to {handle}", "taken", handle)

    def _only_variant(self, row: Row, product: Product) -> Match | Problem:
        variants = self.variants[product.id]
        if len(variants) == 1:
            return Match(product, variants[0])
        if not variants:
            return _check_required(row, "price") or Match(product, None)
        if VARIANT_COLUMNS & row.values.keys():
            message = f"must be that of one of the product's {len(variants)} variants"
            return Problem(row.line, "sku", message, "which")
        return Match(product, variants[0])


@dataclass(frozen=True, slots=True)
class MatchedRow:
    """A row with its match and its problems.

    Values of the whole product may have been moved from this row to another one.
    """

    row: Row
    match: Match | None = None
    problems: tuple[Problem, ...] = ()


def match_rows(
    known_products: KnownProducts,
    rows: Sequence[Row],
    titled: Mapping[int, Row] | None = None,
    *,
    creates_words: bool = False,
) -> list[MatchedRow]:
    """Match the rows to products and variants. Return the results in the order of the rows.

    Rows with options that name the same product describe its variants. A variant is found by its id or SKU,
    else by its option values. Values that apply to the whole product are moved to the product's first row;
    the other rows may leave these columns empty.

    Args:
        known_products: the existing products and variants of the rows.
        rows: the rows. They must include all rows with options of a product; else variants may seem to be
            missing.
        titled: replacements, by line, for rows that do not name a product: the same row with a handle derived
            from its title.
        creates_words: True if missing tags and types will be created.
    """
    rows, titled = _add_taxes(known_products, rows, titled or {})
    settled: dict[int, MatchedRow] = {}
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.problems:
            settled[row.line] = MatchedRow(row, None, row.problems)
        elif OPTIONS in row.values:
            found, row = _find_with_title(known_products, row, titled)  # noqa: PLW2901 - the same with its handle
            if isinstance(found, Problem):
                settled[row.line] = MatchedRow(row, None, (found,))
            else:
                groups[_group_key(found, row)].append(row)
        else:
            settled[row.line] = _match_single_row(known_products, row, titled)
    for group in groups.values():
        settled |= {one.row.line: one for one in _match_group(known_products, group)}
    matched = [
        replace(one, row=drop_addresses(one.row, known_products.find_taken_addresses(one.row, one.match)))
        for one in (settled[row.line] for row in rows)
    ]
    if creates_words:
        return matched
    return [
        replace(one, problems=(*one.problems, *known_products.problems_of_words(one.row))) for one in matched
    ]


def drop_addresses(row: Row, addresses: Sequence[str]) -> Row:
    """Return the row without these former addresses, and with a note about each of them."""
    if not addresses:
        return row
    kept = tuple(one for one in row.values["old_addresses"] if one not in addresses)
    notes = (Note("old_addresses", "address taken", address) for address in addresses)
    return replace(row, values={**row.values, "old_addresses": kept}, notes=(*row.notes, *notes))


def _add_taxes(
    known_products: KnownProducts, rows: Sequence[Row], titled: Mapping[int, Row]
) -> tuple[list[Row], dict[int, Row]]:
    """Return `rows` and `titled` with prices that include IVA; `titled` is as in `match_rows`."""

    def identify(row: Row) -> tuple[str, int | None]:
        found, with_handle = _find_with_title(known_products, row, titled)
        if isinstance(found, Problem):
            return "", None
        return _group_key(found, with_handle), found.product.tax_rate if found.product else None

    converted = add_taxes(rows, identify)
    return converted, {
        row.line: replace(row, values={**row.values, "handle": titled[row.line].values["handle"]})
        for row in converted
        if row.line in titled
    }


def product_key(known_products: KnownProducts, row: Row, titled: Mapping[int, Row]) -> str:
    """Return a key that all rows of one product share; empty for a row that cannot be imported."""
    found, row = _find_with_title(known_products, row, titled)
    return "" if isinstance(found, Problem) else _group_key(found, row)


def _group_key(found: Match, row: Row) -> str:
    handle: str = row.values["handle"] if found.product is None else found.product.id
    return handle


def _find_with_title(
    known_products: KnownProducts, row: Row, titled: Mapping[int, Row] | None
) -> tuple[Match | Problem, Row]:
    found = known_products.find_named(row)
    if isinstance(found, Problem) and found.code == "unknown" and row.line in (titled or {}):
        row = (titled or {})[row.line]
        found = known_products.find_named(row)
    return found, row


def _match_single_row(
    known_products: KnownProducts, row: Row, titled: Mapping[int, Row] | None
) -> MatchedRow:
    match = known_products.match(row)
    if isinstance(match, Problem) and match.code == "unknown" and row.line in (titled or {}):
        row = (titled or {})[row.line]
        match = known_products.match(row)
        if (
            isinstance(match, Match) and match.product is not None
        ):  # a matching name alone must not change another product
            match = Problem(row.line, "title", "is the name of another", "taken", match.product.handle)
    return MatchedRow(row, None, (match,)) if isinstance(match, Problem) else MatchedRow(row, match)


def _match_group(known_products: KnownProducts, rows: Sequence[Row]) -> list[MatchedRow]:
    """Match all rows with options that belong to one product. Return the results in the order of the rows."""
    rows, problems = _merge_product_values(rows)
    if len(rows) > MAX_VARIANTS_PER_PRODUCT:
        message = f"a product has at most {MAX_VARIANTS_PER_PRODUCT} variants in a file"
        return [
            MatchedRow(
                row, None, (Problem(row.line, OPTIONS, message, "too many", str(MAX_VARIANTS_PER_PRODUCT)),)
            )
            for row in rows
        ]
    matches = _match_variants(known_products, rows)
    product = matches[0].product
    variants = known_products.variants[product.id] if product is not None else ()
    rows = drop_shared_pictures(rows, [known_products.values.get(one.id, {}) for one in variants])
    for row, match in zip(rows, matches, strict=True):
        needed = ["title"] if product is None and row is rows[0] else []
        needed += ["price"] if match.variant is None else []
        problems[row.line] += [
            one
            for one in (_check_required(row, *needed), known_products.find_code_problem(row, match))
            if one is not None
        ]
    if any(_changes_options(known_products, row, match) for row, match in zip(rows, matches, strict=True)):
        contradictions = list(_find_contradictions(known_products, rows, matches))
        for problem in contradictions:
            problems[problem.line].append(problem)
        covered = [match for row, match in zip(rows, matches, strict=True) if not problems[row.line]]
        for row in () if contradictions else rows:
            if not problems[row.line] and (missing := _missing_variants(known_products, row, covered)):
                message = f"its options change: a row for each of its variants is needed ({missing})"
                problems[row.line].append(Problem(row.line, OPTIONS, message, "option rows", missing))
    return [
        MatchedRow(row, match, tuple(problems[row.line])) for row, match in zip(rows, matches, strict=True)
    ]


def _merge_product_values(rows: Sequence[Row]) -> tuple[list[Row], dict[int, list[Problem]]]:
    """Move the values that apply to the whole product to its first row.

    Returns:
        The rows, and by line the problems of rows whose values contradict an earlier row.
    """
    problems: dict[int, list[Problem]] = {row.line: [] for row in rows}
    product_values: dict[str, tuple[int, object]] = {}
    for row in rows:
        for column in sorted(PRODUCT_COLUMNS & row.values.keys()):
            value = row.values[column]
            if value == COLUMNS[column].empty:
                continue
            line, first = product_values.setdefault(column, (row.line, value))
            if first != value:
                message = f"is the product's, and line {line} says something else"
                problems[row.line].append(Problem(row.line, column, message, "differs", str(line)))
    values = {**rows[0].values, **{column: value for column, (_line, value) in product_values.items()}}
    others = [
        replace(
            row, values={name: value for name, value in row.values.items() if name not in PRODUCT_COLUMNS}
        )
        for row in rows[1:]
    ]
    return [replace(rows[0], values=values), *others], problems


def _match_variants(known_products: KnownProducts, rows: Sequence[Row]) -> list[Match]:
    """Return the matches of the rows: by id or SKU first, then by option values."""
    found: dict[int, Match] = {}
    for row in rows:
        match = known_products.find_named(row)
        if isinstance(match, Match) and match.variant is not None:
            found[row.line] = match
    taken = {match.variant.id for match in found.values() if match.variant is not None}
    for row in rows:
        if row.line in found:
            continue
        match = known_products.find_named(row)
        product = match.product if isinstance(match, Match) else None
        variant = _find_variant(known_products, row, product, taken) if product is not None else None
        if variant is not None:
            taken.add(variant.id)
        found[row.line] = Match(product, variant)
    return [found[row.line] for row in rows]


def _find_variant(
    known_products: KnownProducts, row: Row, product: Product, taken: set[str]
) -> Variant | None:
    """Return the unmatched variant with the row's option values; None if there is none.

    The only variant of a product without options also matches: it has the default title and no option values.
    If both it and the row have a SKU, it does not match.
    """
    variants = known_products.variants[product.id]
    free = [one for one in variants if one.id not in taken]
    for variant in free:
        if known_products.values.get(variant.id) == dict(row.values[OPTIONS]):
            return variant
    if (
        len(variants) == 1
        and free
        and not known_products.values.get(free[0].id)
        and free[0].title == ONLY_VARIANT_TITLE
    ):
        return free[0] if free[0].sku is None or row.get("sku") is None else None
    return None


def _changes_options(known_products: KnownProducts, row: Row, match: Match) -> bool:
    """Return True if the row creates a variant or changes its option values."""
    return match.variant is None or known_products.values.get(match.variant.id) != dict(row.values[OPTIONS])


def _find_contradictions(
    known_products: KnownProducts, rows: Sequence[Row], matches: Sequence[Match]
) -> Iterator[Problem]:
    """Yield the contradictions between the rows of one product."""
    first = rows[0]
    titles = [title for title, _value in first.values[OPTIONS]]
    seen: dict[frozenset[tuple[str, str]], int] = {}
    covered = {match.variant.id for match in matches if match.variant is not None}
    others = {
        frozenset(known_products.values.get(one.id, {}).items()): one
        for match in matches[:1]
        if match.product is not None
        for one in known_products.variants[match.product.id]
        if one.id not in covered
    }
    for row in rows:
        values_in = row.values[OPTIONS]
        combination = frozenset(values_in)
        if {title for title, _value in values_in} != set(titles):
            message = f"the options are others than those in line {first.line}: {', '.join(titles)}"
            yield Problem(row.line, OPTIONS, message, "option names", f"{first.line}: {', '.join(titles)}")
        elif combination in seen:
            message = f"line {seen[combination]} is this variant already"
            yield Problem(row.line, OPTIONS, message, "option twice", str(seen[combination]))
        elif (other := others.get(combination)) is not None:
            name = _variant_label(other)
            yield Problem(row.line, OPTIONS, f"variant {name} has these values", "option taken", name)
        seen.setdefault(combination, row.line)


def _missing_variants(known_products: KnownProducts, row: Row, covered: Sequence[Match]) -> str:
    """Return the names of the product's variants that have no row, if `row` changes the product's options.

    Return an empty text if all variants have a row, or if the options do not change.
    """
    product = covered[0].product
    if product is None:
        return ""
    titles = {title for title, _value in row.values[OPTIONS]}
    rows_of = {match.variant.id for match in covered if match.variant is not None}
    variants = known_products.variants[product.id]
    if titles == {title for one in variants for title in known_products.values.get(one.id, {})}:
        return ""
    missing = [
        one
        for one in variants
        if one.id not in rows_of and known_products.values.get(one.id, {}).keys() != titles
    ]
    names = ", ".join(_variant_label(one) for one in missing[:MAX_VARIANTS_NAMED])
    return f"{names}…" if len(missing) > MAX_VARIANTS_NAMED else names


def _variant_label(variant: Variant) -> str:
    return variant.sku or variant.title


def _check_required(row: Row, *columns: str) -> Problem | None:
    """Return a problem if one of the columns that a new product or variant needs is empty."""
    for column in columns:
        if row.get(column) is None:
            return Problem(row.line, column, "is needed: the shop has no such product yet", "needed")
    return None
