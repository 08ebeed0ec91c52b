"""Writer of the pictures of imported products, and of the option values that they show."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import VARIANT_PICTURES
from backend.catalog.importer.option_writer import VariantTarget
from backend.catalog.importer.pictures import is_url, to_prepared_picture
from backend.catalog.importer.variant_pictures import find_shown_values, list_differing_options
from backend.catalog.models import Picture, Product
from backend.catalog.products.options import (
    read_product_options,
    read_variant_values,
    store_implied_option,
)
from backend.catalog.products.variants import read_variants
from backend.core.texts import _
from backend.media.picture_widths import PreparedPicture

FindPicture = Callable[[str], PreparedPicture]


async def write_pictures(
    session: AsyncSession, targets: Sequence[VariantTarget], picture: FindPicture
) -> set[str]:
    """Set the products' pictures from the rows, in order. Return the ids of the changed products.

    The files of the pictures must exist. A product also gets the pictures of its variants. A picture that the
    product already has keeps its option value.
    """
    by_product: dict[str, list[VariantTarget]] = defaultdict(list)
    for target in targets:
        if target.row.picture_names or "pictures" in target.row.values:
            by_product[target.product.id].append(target)
    if not by_product:
        return set()
    current: dict[str, list[Picture]] = defaultdict(list)
    rows = select(Picture).where(Picture.product_id.in_(by_product)).order_by(Picture.rank)
    for row in (await session.execute(rows)).scalars():
        current[row.product_id].append(row)
    changed = {
        product_id
        for product_id, some in by_product.items()
        if await _replace_pictures(session, some, current[product_id], picture)
    }
    await session.flush()
    return changed


async def _replace_pictures(
    session: AsyncSession, targets: Sequence[VariantTarget], current: Sequence[Picture], picture: FindPicture
) -> bool:
    """Replace the product's pictures by those of its rows. Return False if the product already has them."""
    product = targets[0].product
    known = {one.url: to_prepared_picture(one) for one in current}
    given = [target.row.values["pictures"] for target in targets if "pictures" in target.row.values]
    names = list(given[-1] if given else known)
    prepared = [known.get(name) or picture(name) for name in names]
    for name in [name for target in targets for name in target.row.get(VARIANT_PICTURES) or ()]:
        own = known.get(name) or picture(name)
        if own.url not in [one.url for one in prepared]:
            names.append(name)
            prepared.append(own)
    if [one.url for one in prepared] == [one.url for one in current]:
        for row, name in zip(current, names, strict=True):
            row.source_url = name if is_url(name) else row.source_url
        return False
    if current:
        await session.execute(delete(Picture).where(Picture.product_id == product.id))
    product.thumbnail = prepared[0].url if prepared else None
    value_ids = {one.url: one.value_id for one in current}
    session.add_all(_build_rows(product, names, prepared, value_ids))
    return True


def _build_rows(
    product: Product,
    names: Sequence[str],
    prepared: Sequence[PreparedPicture],
    value_ids: Mapping[str, str | None],
) -> list[Picture]:
    return [
        Picture(
            product_id=product.id,
            url=one.url,
            value_id=value_ids.get(one.url),
            alt=product.title
            if rank == 0
            else _("{title}, foto {n}").format(title=product.title, n=rank + 1),
            rank=rank,
            width=one.width,
            height=one.height,
            sources=one.to_sources_json(),
            source_url=name if is_url(name) else "",
        )
        for rank, (name, one) in enumerate(zip(names, prepared, strict=True))
    ]


async def write_variant_pictures(
    session: AsyncSession, targets: Sequence[VariantTarget], picture: FindPicture
) -> set[str]:
    """Link the pictures of the rows' variants to the option values that they show. Call `write_pictures` first.

    A picture keeps its value if all its variants have that value. Pictures that no row names do not change.

    Returns:
        The ids of the products that were changed.
    """
    by_product: dict[str, list[VariantTarget]] = defaultdict(list)
    for target in targets:
        if target.row.get(VARIANT_PICTURES):
            by_product[target.product.id].append(target)
    return {
        product_id
        for product_id, some in by_product.items()
        if await _write_product_pictures(session, some[0].product, _name_variants(some, picture))
    }


def _name_variants(targets: Sequence[VariantTarget], picture: FindPicture) -> dict[str, list[str]]:
    """Return the ids of the variants that have each picture, by the picture's URL."""
    named: dict[str, list[str]] = defaultdict(list)
    for target in targets:
        for name in target.row.values[VARIANT_PICTURES]:
            named[picture(name).url].append(target.variant.id)
    return named


async def _write_product_pictures(
    session: AsyncSession, product: Product, named: Mapping[str, Sequence[str]]
) -> bool:
    await store_implied_option(session, product, await read_variants(session, product.id))
    titles = {one.row.id: one.row.title for one in await read_product_options(session, product.id)}
    links = await read_variant_values(session, [product.id])
    ids = {
        variant_id: {title: of[option_id].id for option_id, title in titles.items() if option_id in of}
        for variant_id, of in links.items()
    }
    query = select(Picture).where(Picture.product_id == product.id)
    pictures = (await session.execute(query)).scalars().all()
    owners = {
        one.url: [variant_id for variant_id, of in ids.items() if one.value_id in of.values()]
        for one in pictures
        if one.value_id is not None
    }
    moved = {url: some for url, some in named.items() if not set(some) <= set(owners.get(url, ()))}
    having = {url: [ids.get(one, {}) for one in some] for url, some in {**owners, **moved}.items()}
    shown = find_shown_values(having, list_differing_options(ids.values()))
    changed = [
        one for one in pictures if one.url in moved and shown.get(one.url, one.value_id) != one.value_id
    ]
    for one in changed:
        one.value_id = shown[one.url]
    await session.flush()
    return bool(changed)
