"""The categories that pages show, for trees of every shape.

| tree | departments | displayed path of a product in its deepest category |
|---|---|---|
| none | none | none |
| one root without children | the root | the root |
| one root with children | its children | without the root |
| several roots, some with children | all roots | from its root down |
"""

from dataclasses import dataclass

import pytest

from backend.catalog.category_tree import category_tree
from backend.catalog.models import Category, ProductCategory, Variant
from backend.catalog.search.suggestions import read_suggestion_source
from backend.catalog.storefront.page_content import product_detail
from backend.catalog.storefront.product_list import catalog_page
from backend.catalog.storefront.sitemap import list_category_entries
from backend.catalog.views import CatalogFilter
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.store_defaults import add_product, set_up_defaults


@dataclass(frozen=True)
class Case:
    """A tree of categories (handle, parent), a product's category, and the expected departments and breadcrumb."""

    tree: tuple[tuple[str, str | None], ...] = ()
    category: str | None = None
    departments: tuple[str, ...] = ()
    breadcrumb: tuple[str, ...] = ()


@pytest.mark.parametrize(
    "case",
    [
        Case(),
        Case((("libros", None),), "libros", ("libros",), ("libros",)),
        Case(
            (("todo", None), ("madera", "todo"), ("bloques", "madera"), ("peluches", "todo")),
            "bloques",
            ("madera", "peluches"),
            ("madera", "bloques"),
        ),
        Case((("todo", None), ("madera", "todo")), "todo", ("madera",)),
        Case(
            (("novela", None), ("infantil", None), ("cuentos", "infantil")),
            "cuentos",
            ("novela", "infantil"),
            ("infantil", "cuentos"),
        ),
        Case((("novela", None), ("cuentos", None)), "novela", ("novela", "cuentos"), ("novela",)),
    ],
)
async def test_every_category_is_displayed_for_any_shape_of_the_tree(
    database: Database, settings: Settings, case: Case
) -> None:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        product_id = (await session.get_one(Variant, await add_product(session, defaults, "cubo"))).product_id
        ids: dict[str, str] = {}
        for rank, (handle, parent) in enumerate(case.tree):
            category = Category(
                name=handle, handle=handle, rank=rank, parent_id=ids[parent] if parent else None
            )
            session.add(category)
            await session.flush()
            ids[handle] = category.id
        if case.category:
            session.add(ProductCategory(product_id=product_id, category_id=ids[case.category]))
    async with database.read() as session:
        assert tuple(node.handle for node in await category_tree(session)) == case.departments
        detail = await product_detail(session, "cubo")
        assert tuple(category.handle for category in detail.breadcrumb) == case.breadcrumb
        page = await catalog_page(session, CatalogFilter())
        assert tuple(facet.value for facet in page.categories) == case.breadcrumb
        assert {entry.handle for entry in await list_category_entries(session)} == ids.keys()
        assert {place.handle for place in (await read_suggestion_source(session)).categories} == set(
            case.breadcrumb
        )
        for handle in case.breadcrumb:
            assert (await catalog_page(session, CatalogFilter(categories=(handle,)))).total == 1
