"""The import from start to end: it writes all rows or none, only differences, and publishes the changes."""

from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.responses import Response

from backend import subscriptions  # noqa: F401 - makes the listeners known
from backend.catalog.importer import batch_writer
from backend.catalog.importer.batch_writer import ShopChanged
from backend.catalog.importer.categories import ProductGroups
from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.importer.whole_file import command, product_file, validation
from backend.catalog.importer.whole_file.command import StepCallback, UnconfirmedLosses, import_file
from backend.catalog.importer.whole_file.validation import CheckedFile, ImportRefused
from backend.catalog.models import Category, Collection, Picture, Product, Variant
from backend.catalog.products.tags_and_types import read_tags_and_types
from backend.catalog.storefront.page_content import product_detail, suggest_products
from backend.catalog.views import ProductDetail
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.imports.rows.losses import count_losses
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel
from backend.inventory.service import reserve
from backend.media.picture_store import open_picture_store
from backend.outbox.models import OutboxEvent
from tests.backend.rivals import run_against_rival
from tests.backend.shipping.serving import served
from tests.store_defaults import Defaults, add_product, set_up_defaults

HEAD = "handle,title,description,brand,categories,collection,sku,price,compare_at_price,stock\n"
TROMPO = "trompo,Trompo de guayacán,Gira y gira,Uno,madera|patio,clasicos,TRO-1,18900,25900,7\n"
YOYO = "yoyo,Yoyo,,Dos,patio,,YOY-1,9900,,0\n"


def no_progress(_total: int | None, _title: str) -> AbstractContextManager[StepCallback]:
    return nullcontext(lambda _steps: None)


class Importer:
    def __init__(self, database: Database, defaults: Defaults, folder: Path) -> None:
        self.database, self.defaults, self.folder = database, defaults, folder
        self.allow_private = True

    async def __call__(
        self,
        text: str,
        *,
        only_check: bool = False,
        makes_places: bool = False,
        publishes: bool = True,
        confirms_losses: bool = True,
    ) -> Counter[str]:
        file = self.folder / "toys.csv"
        file.write_text(text, "utf-8")
        store = open_picture_store(Settings(data_dir=self.folder))
        pictures = PictureFolder(self.folder, store, allow_private=self.allow_private)
        done = await import_file(
            self.database,
            file,
            pictures,
            self.defaults.location_id,
            no_progress,
            count_losses=count_losses,
            only_check=only_check,
            makes_places=makes_places,
            publishes=publishes,
            confirms_losses=confirms_losses,
        )
        return done.counts

    async def read_problems(self, text: str) -> list[str]:
        before = await self.read_all()
        with pytest.raises(ImportRefused) as refused:
            await self(text)
        assert await self.read_all() == before
        return [str(problem) for problem in refused.value.problems]

    async def read_all(self) -> list[object]:
        async with self.database.read() as session:
            return [
                (await session.execute(select(func.count()).select_from(table))).scalar_one()
                for table in (Product, Variant, InventoryLevel, Picture, OutboxEvent)
            ]

    async def read_detail(self, handle: str) -> ProductDetail:
        async with self.database.read() as session:
            return await product_detail(session, handle)

    async def count_published(self) -> int:
        """Return the number of product changes that were published (in the outbox) since the previous call."""
        async with self.database.transaction() as session:
            rows = (await session.execute(select(OutboxEvent.product_id))).scalars().all()
            await session.execute(delete(OutboxEvent))
        return len(rows)


@pytest.fixture
async def importer(database: Database, settings: Settings, tmp_path: Path) -> Importer:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        session.add_all([Category(name="Madera", handle="madera"), Category(name="Patio", handle="patio")])
        session.add(Collection(title="Clásicos", handle="clasicos"))
    folder = tmp_path / "import"
    folder.mkdir()
    return Importer(database, defaults, folder)


async def test_new_products_are_imported_completely(importer: Importer) -> None:
    assert await importer(HEAD + TROMPO + YOYO) == {"new": 2}
    trompo = await importer.read_detail("trompo")
    assert (trompo.card.title, trompo.card.price, trompo.card.compare_at_price) == (
        "Trompo de guayacán", 18_900, 25_900,
    )  # fmt: skip
    assert (trompo.variants[0].stock, trompo.card.available, trompo.variants[0].sku) == (7, True, "TRO-1")
    assert trompo.collection is not None
    assert trompo.collection.handle == "clasicos"
    assert not (await importer.read_detail("yoyo")).card.available
    async with importer.database.read() as session:
        assert [hit.handle for hit in (await suggest_products(session, "guayacan")).hits] == ["trompo"]
        assert [hit.handle for hit in (await suggest_products(session, "patio")).hits] == ["trompo", "yoyo"]
    assert await importer.count_published() == 2


async def test_second_import_changes_nothing(importer: Importer) -> None:
    await importer(HEAD + TROMPO + YOYO)
    await importer.count_published()
    before = await importer.read_detail("trompo")
    assert await importer(HEAD + TROMPO + YOYO) == {"same": 2}
    assert await importer.read_detail("trompo") == before
    assert await importer.count_published() == 0


async def test_second_import_changes_and_publishes_only_products_that_differ(importer: Importer) -> None:
    await importer(HEAD + TROMPO + YOYO)
    await importer.count_published()
    assert await importer("handle,price,stock\ntrompo,18900,7\nyoyo,9900,3\n") == {"same": 1, "changed": 1}
    assert (await importer.read_detail("yoyo")).variants[0].stock == 3
    assert (
        await importer.read_detail("trompo")
    ).card.compare_at_price == 25_900  # no such column: the value stays
    assert await importer.count_published() == 1


async def test_import_publishes_stock_changes_only_of_variants_that_differ(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[list[int]] = []

    async def publish(_session: AsyncSession, event: object) -> None:
        assert isinstance(event, StockChanged)
        told.append(sorted(event.units.values()))

    monkeypatch.setattr(batch_writer, "publish", publish)
    await importer(HEAD + TROMPO + YOYO)
    await importer("handle,stock\ntrompo,5\nyoyo,3\n")
    await importer("handle,stock\ntrompo,5\nyoyo,3\n")
    assert told == [[7], [-2, 3]]


async def test_tax_rate_is_imported_and_stays_unchanged_if_the_file_has_no_column(importer: Importer) -> None:
    await importer("handle,title,price,tax_rate\ncuento,Cuento,20000,0\ntrompo,Trompo,18900,\n")
    assert await importer("handle,price,tax_rate\ncuento,20000,0\ntrompo,18900,19\n") == {"same": 2}
    assert await importer("handle,tax_rate\ncuento,5\ntrompo,\n") == {"same": 1, "changed": 1}
    async with importer.database.read() as session:
        found = await session.execute(select(Product.handle, Product.tax_rate).order_by(Product.handle))
    assert found.all() == [("cuento", 5), ("trompo", 19)]


async def test_tax_exclusion_of_a_product_is_imported_and_changed(importer: Importer) -> None:
    head = "handle,title,price,tax_rate\n"
    await importer(f"{head}a,A,1000,Excluido\nb,B,1000,Exento\nc,C,1000,19\n")
    assert await read_taxes(importer) == [(0, True), (0, False), (19, False)]
    assert await importer("handle,tax_rate\na,0\nb,0\nc,19\n") == {"same": 3}
    assert await importer("handle,tax_rate\na,19\nb,excluido\nc,excluido\n") == {"changed": 3}
    assert await read_taxes(importer) == [(19, False), (0, True), (0, True)]
    assert await importer("handle,tax_excluded\na,sí\nb,no\nc,\n") == {"changed": 3}
    assert await read_taxes(importer) == [(0, True), (0, False), (0, False)]
    assert await importer.read_problems("handle,tax_rate,tax_excluded\na,19,sí\n") == [
        "line 2, tax_rate: must be 0: the product is excluded from IVA (it is 19)"
    ]


async def read_taxes(importer: Importer) -> list[tuple[int, bool]]:
    query = select(Product.tax_rate, Product.tax_excluded).order_by(Product.handle)
    async with importer.database.read() as session:
        return [(rate, is_excluded) for rate, is_excluded in await session.execute(query)]


@pytest.mark.parametrize(
    ("cells", "price"),
    [
        ("75546.218487,,19", 89_900),
        ("75546.218487,,", 89_900),  # a new product has the general rate
        ("10000,,5", 10_500),
        ("10000,,0", 10_000),
        ("10000,,exento", 10_000),
        ("75546,90000,19", 90_000),  # a price with tax is preferred
    ],
)
async def test_tax_is_added_to_an_imported_price_without_tax(
    importer: Importer, cells: str, price: int
) -> None:
    assert await importer(f"handle,title,price_without_tax,price,tax_rate\na,A,{cells}\n") == {"new": 1}
    assert (await importer.read_detail("a")).card.price == price


async def test_stored_tax_rate_is_used_if_the_file_has_no_rate_column(importer: Importer) -> None:
    await importer("handle,title,price,tax_rate\na,A,1000,5\n")
    assert await importer("handle,price_without_tax\na,10000\n") == {"changed": 1}
    assert (await importer.read_detail("a")).card.price == 10_500


async def test_tax_rate_of_the_first_row_applies_to_all_variants(importer: Importer) -> None:
    head = "handle,title,option_1,value_1,tax_rate,price_without_tax,compare_at_price_without_tax\n"
    assert await importer(f"{head}a,A,Talla,S,5,10000,20000\na,A,Talla,M,,20000,\n") == {"new": 2}
    detail = await importer.read_detail("a")
    assert [one.price for one in detail.variants] == [10_500, 21_000]
    assert detail.card.compare_at_price == 21_000


async def test_compare_at_price_without_tax_must_be_above_the_price(importer: Importer) -> None:
    assert await importer.read_problems(
        "handle,title,price_without_tax,compare_at_price_without_tax\na,A,10000,10000\n"
    ) == ["line 2, compare_at_price: must be more than the price, 11900 (it is 11900)"]


async def test_empty_cells_clear_the_optional_values_of_a_product(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    assert await importer(HEAD + "trompo,Trompo,,,,,TRO-1,18900,,7\n") == {"changed": 1}
    trompo = await importer.read_detail("trompo")
    assert (trompo.description, trompo.collection, trompo.breadcrumb) == ("", None, [])
    assert trompo.card.compare_at_price is None


async def test_products_are_found_by_sku(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    assert await importer("sku,price\nTRO-1,20000\n") == {"changed": 1}
    assert (await importer.read_detail("trompo")).card.price == 20_000
    assert await importer.read_problems("sku,price\nNEW-1,20000\n") == [
        "line 2, sku: no product has it; a new product needs a handle"
    ]


async def test_stock_is_not_set_below_the_reserved_units(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    async with importer.database.transaction() as session:
        variant = (await session.execute(select(Variant.id))).scalar_one()
        await reserve(session, "cart_a", {variant: 5}, None)
    assert await importer("handle,stock\ntrompo,2\n") == {"changed": 1}
    assert (await importer.read_detail("trompo")).variants[0].stock == 0
    assert await importer("handle,stock\ntrompo,2\n") == {"same": 1}


async def test_import_restores_a_deleted_product(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    async with importer.database.transaction() as session:
        product = (await session.execute(select(Product))).scalar_one()
        product.deleted_at, product.status = now(), "draft"
    assert await importer(HEAD + TROMPO) == {"changed": 1}
    assert (await importer.read_detail("trompo")).variants[0].stock == 7


async def test_all_problems_are_reported_by_line_and_nothing_is_written(importer: Importer) -> None:
    found = await importer.read_problems(
        HEAD
        + TROMPO
        + "lego,,,,,,LEG-1,x,,1\n"
        + "coca,Coca,,,vuelo,ninguna,COC-1,5000,,1\n"
        + "bate,,Un bate,,,,,,,\n"
    )
    assert [one.partition(": ")[0] for one in found] == [
        "line 3, price", "line 4, categories", "line 4, collection", "line 5, title",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1, 500])
async def test_repeated_handles_and_skus_are_reported_across_batches(
    importer: Importer, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(product_file, "BATCH_SIZE", size)
    twice = TROMPO.replace("TRO-1", "TRO-2").replace("Trompo", "Otro")
    found = await importer.read_problems(HEAD + TROMPO + YOYO + twice + "coca,Coca,,,,,YOY-1,5000,,1\n")
    assert found == [
        "line 4, handle: trompo is already in line 2",
        "line 5, sku: YOY-1 is already in line 3",
    ]


async def test_different_values_with_an_equal_digest_are_not_reported_as_repeated(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validation, "digest", len)  # many values of the same length
    assert await importer("handle,title,price\n" + "".join(f"toy-{n},Toy,5\n" for n in range(5))) == {
        "new": 5
    }


async def test_sku_of_another_product_is_refused(importer: Importer) -> None:
    async with importer.database.transaction() as session:
        await add_product(session, importer.defaults, "cometa")
    assert await importer.read_problems("handle,title,price,sku\nnueva,Nueva,5,SKU-cometa\n") == [
        "line 2, sku: belongs to cometa"
    ]


async def test_bar_code_of_another_product_is_refused(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with importer.database.transaction() as session:
        variant = await session.get_one(Variant, await add_product(session, importer.defaults, "cometa"))
        variant.ean = "7701234567897"
    head = "handle,title,price,ean\n"
    assert await importer(head + "cometa,Cometa,5,7701234567897\n") == {"changed": 1}
    assert await importer.read_problems(
        head + "nueva,Nueva,5,7701234567897\notra,Otra,5,96385074\nmás,Más,5,96385074\n".replace("á", "a")
    ) == ["line 2, ean: belongs to cometa", "line 4, ean: 96385074 is already in line 3"]

    async def skip_check(*_: object, makes_places: bool) -> CheckedFile:
        return CheckedFile(1, ProductGroups())

    monkeypatch.setattr("backend.catalog.importer.whole_file.command.check_file", skip_check)
    with pytest.raises(ShopChanged, match="belongs to cometa"):
        await importer(head + "nueva,Nueva,5,7701234567897\n")

    async def rival(session: AsyncSession) -> None:
        await session.execute(update(Variant).values(ean="96385074"))

    with pytest.raises(ShopChanged):
        await run_against_rival(importer.database, rival, lambda: importer(head + "nueva,Nueva,5,96385074\n"))


async def test_row_without_a_sku_is_refused_if_the_product_has_several_variants(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    async with importer.database.transaction() as session:
        product_id = (await session.execute(select(Product.id))).scalar_one()
        session.add(Variant(product_id=product_id, sku="TRO-1-XL", price=30_000, rank=1))
    (problem,) = await importer.read_problems("handle,price\ntrompo,5\n")
    assert problem == "line 2, sku: must be that of one of the product's 2 variants"
    assert await importer("handle,sku,price\ntrompo,TRO-1-XL,31000\n") == {"changed": 1}
    assert await importer("handle,brand\ntrompo,Tres\n") == {"changed": 1}


async def test_rows_with_options_become_variants_of_one_product(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Import files with the headings that the office shows, in batches of one row."""
    monkeypatch.setattr(product_file, "BATCH_SIZE", 1)
    head = "Dirección;Nombre;SKU;Precio;Opción 1;Valor 1;Opción 2;Valor 2\n"
    small = "gorra;Gorra;G-S;9.000;Talla;S;Color;Rojo\n"
    large = "gorra;;G-L;9.500;Talla;L;Color;Rojo\n"
    assert await importer(head + small + large + "yoyo;Yoyo;Y-1;5000;;;;\n") == {"new": 3}
    choices = [(one.title, one.choices) for one in (await importer.read_detail("gorra")).options]
    assert choices == [("Talla", ["S", "L"])]
    assert await importer(head + small + large) == {"same": 2}
    assert await importer(head + small + "yoyo;Yoyo;Y-1;5000;;;;\n" + large) == {"same": 3}
    assert await importer.read_problems(head + small.replace("Color", "Tono") + large) == [
        "line 3, options: the options are others than those in line 2: Talla, Tono"
    ]
    assert await importer.read_problems(head + small.replace("Talla", "").replace("S;", "XS;", 1)) == [
        "line 2, option_1: is needed: S is a value of it"
    ]


async def test_import_that_only_checks_the_file_writes_nothing(importer: Importer) -> None:
    before = await importer.read_all()
    assert await importer(HEAD + TROMPO, only_check=True) == {}
    assert await importer.read_all() == before


async def test_imported_pictures_are_stored_shown_and_replaced(importer: Importer) -> None:
    for name, colour in (("Trompo (frente).png", "red"), ("lado.jpg", "blue")):
        Image.new("RGB", (1000, 1000), colour).save(importer.folder / name)
    head = HEAD.strip() + ",pictures\n"
    rows = TROMPO.strip() + ",Trompo (frente).png|lado.jpg\n"
    assert await importer(head + rows) == {"new": 1}
    trompo = await importer.read_detail("trompo")
    assert [picture.alt for picture in trompo.pictures] == [
        "Trompo de guayacán",
        "Trompo de guayacán, foto 2",
    ]
    assert "/Trompo%20%28frente%29-320.webp 320w" in trompo.pictures[0].srcset
    assert await importer(head + rows) == {"same": 1}
    assert await importer(head + TROMPO.strip() + ",lado.jpg\n") == {"changed": 1}
    (picture,) = (await importer.read_detail("trompo")).pictures
    assert picture.url == trompo.pictures[1].url


async def test_product_with_two_variants_gets_its_pictures_once(importer: Importer) -> None:
    for name, colour in (("frente.png", "red"), ("lado.jpg", "blue")):
        Image.new("RGB", (1000, 1000), colour).save(importer.folder / name)
    head = "handle,title,sku,price,pictures,option_1,value_1\n"

    def rows(small: str, large: str) -> str:
        return f"{head}camion,Camión,CAM-P,45900,{small},Tamaño,Pequeño\ncamion,,CAM-G,89900,{large},Tamaño,Grande\n"

    async def read_urls() -> list[str]:
        return [picture.url for picture in (await importer.read_detail("camion")).pictures]

    both = "frente.png|lado.jpg"
    assert await importer(rows(both, "")) == {"new": 2}
    front, side = await read_urls()
    assert await importer(rows(both, both)) == {"same": 2}
    assert await read_urls() == [front, side]
    assert await importer(rows("lado.jpg", "")) == {"changed": 2}
    assert await read_urls() == [side]


async def test_damaged_picture_in_the_last_line_stops_the_import(importer: Importer) -> None:
    Image.new("RGB", (1000, 1000), "red").save(whole := importer.folder / "whole.jpg")
    (importer.folder / "half.jpg").write_bytes(whole.read_bytes()[:3000])
    head, trompo = HEAD.strip() + ",pictures\n", TROMPO.strip() + ",whole.jpg\n"
    (problem,) = await importer.read_problems(head + trompo + YOYO.strip() + ",half.jpg\n")
    assert problem.startswith("line 3, pictures: half.jpg is damaged")


async def test_import_stops_at_a_concurrent_change_of_the_shop(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def skip_check(*_: object, makes_places: bool) -> CheckedFile:
        async with importer.database.transaction() as session:
            await add_product(session, importer.defaults, "cometa", price=1)
            other = (await session.execute(select(Variant))).scalar_one()
            other.sku = "TRO-1"
        return CheckedFile(1, ProductGroups())

    monkeypatch.setattr("backend.catalog.importer.whole_file.command.check_file", skip_check)
    with pytest.raises(ShopChanged, match="belongs to cometa"):
        await importer(HEAD + TROMPO)


async def read_categories(database: Database) -> list[tuple[str, str, str | None]]:
    """Return the handle, the name and the parent's handle of every category."""
    async with database.read() as session:
        found = {one.id: one for one in (await session.execute(select(Category))).scalars()}
    return sorted(
        (one.handle, one.name, found[one.parent_id].handle if one.parent_id else None)
        for one in found.values()
    )


async def test_import_into_a_shop_without_categories_creates_those_of_the_file(importer: Importer) -> None:
    async with importer.database.transaction() as session:
        await session.execute(delete(Category))
        await session.execute(delete(Collection))
    file = "handle,title,price,categories,collection\na,A,5,Juegos de mesa|madera,navidad\nb,B,5,juegos-de-mesa,\n"
    assert await importer(file, only_check=True) == {}
    assert await read_categories(importer.database) == []
    assert await importer(file) == {"new": 2}
    assert await read_categories(importer.database) == [
        ("juegos-de-mesa", "Juegos de mesa", "productos"),
        ("madera", "Madera", "productos"),
        ("productos", "Productos", None),
    ]
    detail = await importer.read_detail("a")
    assert detail.collection is not None
    assert detail.collection.name == "Navidad"
    assert await importer(file) == {"same": 2}


async def test_category_is_found_by_name_and_created_on_request(
    importer: Importer,
) -> None:
    assert await importer("handle,title,price,categories\na,A,5,Madera\n") == {"new": 1}
    file = "handle,title,price,categories\nb,B,5,Cometas\n"
    (problem,) = await importer.read_problems(file)
    assert problem.startswith("line 2, categories: the shop has no category Cometas: ")
    assert "--new-categories" in problem
    assert await importer(file, makes_places=True) == {"new": 1}
    assert ("cometas", "Cometas", None) in await read_categories(
        importer.database
    )  # next to the two existing roots
    assert await importer.read_problems("handle,title,price,categories\nc,C,5,!!!\n") == [
        "line 2, categories: !!! is no name of a category"
    ]


async def test_category_path_is_created_on_request_and_found_by_the_next_import(importer: Importer) -> None:
    file = 'handle,title,price,categories\na,A,5,"Juguetes > Madera, Bebés"\nb,B,5,Ropa > Madera\n'
    problems = [one.partition(": write")[0] for one in await importer.read_problems(file)]
    assert problems == [
        "line 2, categories: the shop has no category Bebés",
        "line 2, categories: the shop has no category Juguetes > Madera",
        "line 3, categories: the shop has no category Ropa > Madera",
    ]
    assert await importer(file, makes_places=True) == {"new": 2}
    created = {
        ("juguetes", "Juguetes", None), ("juguetes-madera", "Madera", "juguetes"), ("bebes", "Bebés", None),
        ("ropa", "Ropa", None), ("ropa-madera", "Madera", "ropa"),
    }  # fmt: skip
    assert created <= {*await read_categories(importer.database)}
    assert [one.handle for one in (await importer.read_detail("b")).breadcrumb] == ["ropa", "ropa-madera"]
    assert await importer(file) == {"same": 2}
    assert await importer("handle,title,price,categories\na,A,5,bebes|juguetes-madera\n") == {"same": 1}
    (problem,) = await importer.read_problems("handle,title,price,categories\nc,C,5,Madera\n")
    assert problem.startswith("line 2, categories: the shop has more than one category Madera: ")


async def test_categories_imported_into_an_empty_shop_are_below_the_root_of_their_path(
    importer: Importer,
) -> None:
    async with importer.database.transaction() as session:
        await session.execute(delete(Category))
    file = "handle,title,price,categories\na,A,5,Productos > Madera|Bebés\n"
    assert await importer(file) == {"new": 1}
    assert await read_categories(importer.database) == [
        ("bebes", "Bebés", "productos"), ("madera", "Madera", "productos"), ("productos", "Productos", None),
    ]  # fmt: skip


async def test_tags_and_types_are_created_on_request(importer: Importer) -> None:
    file = 'handle,title,price,tags,type\na,A,5,"madera, niños",Trompos\n'
    assert await importer.read_problems(file) == [
        "line 2, tags: the shop has no tag madera",
        "line 2, tags: the shop has no tag niños",
        "line 2, type: the shop has no type Trompos",
    ]
    assert await importer(file, makes_places=True) == {"new": 1}
    async with importer.database.read() as session:
        product_id = (await session.execute(select(Product.id))).scalar_one()
        words = (await read_tags_and_types(session, [product_id]))[product_id]
    assert [tag["value"] for tag in words.tags] == ["madera", "niños"]
    assert words.type is not None
    assert words.type["value"] == "Trompos"
    assert await importer(file) == {"same": 1}
    assert await importer(f"handle,type\na,{words.type['id']}\n") == {"same": 1}


async def test_category_or_collection_is_found_by_its_current_name(importer: Importer) -> None:
    async with importer.database.transaction() as session:
        await session.execute(update(Category).where(Category.handle == "madera").values(name="De madera"))
        await session.execute(update(Collection).values(title="De toda la vida"))
    head = "handle,title,price,categories,collection\n"
    assert await importer(head + "a,A,5,De madera,De toda la vida\n") == {"new": 1}
    assert await importer(head + "a,A,5,madera,clasicos\n") == {"same": 1}
    assert ("madera", "De madera", None) in await read_categories(importer.database)
    (problem,) = await importer.read_problems(head + "b,B,5,,Ninguna\n")
    assert problem.startswith("line 2, collection: the shop has no collection Ninguna: ")


@pytest.mark.parametrize(
    ("cells", "deleted"), [("Patio,", "category Patio"), (",Clásicos", "collection Clásicos")]
)
async def test_category_or_collection_deleted_during_the_import_stops_the_import(
    importer: Importer, monkeypatch: pytest.MonkeyPatch, cells: str, deleted: str
) -> None:
    async def delete_concurrently(database: Database, *others: Any, **more: Any) -> CheckedFile:
        checked = await validation.check_file(database, *others, **more)
        async with database.transaction() as session:
            await session.execute(delete(Category))
            await session.execute(delete(Collection))
        return checked

    monkeypatch.setattr(command, "check_file", delete_concurrently)
    with pytest.raises(ShopChanged, match=f"the shop has no {deleted} any more"):
        await importer(f"handle,title,price,categories,collection\na,A,5,{cells}\n")


async def test_weight_and_dimensions_are_imported(importer: Importer) -> None:
    head = "handle,title,price,weight,length,height,width\n"
    assert await importer(head + "a,A,5,0.35,24,10.5,8\n") == {"new": 1}
    assert await importer("handle;weight\na;0,35\n") == {"same": 1}
    async with importer.database.read() as session:
        toy = (await session.execute(select(Product))).scalar_one()
    assert (toy.weight, toy.length, toy.height, toy.width) == (0.35, 24, 10.5, 8)
    assert await importer("handle,weight\na,\n") == {"changed": 1}
    assert await importer("handle,weight\na,350 g\n") == {"changed": 1}
    assert await importer("handle,weight\na,0\n") == {"same": 1}
    for wrong in ("-1", "1e3", "350", "101 kg", "nan"):
        (problem,) = await importer.read_problems(f"handle,weight\na,{wrong}\n")
        assert problem.startswith("line 2, weight: must be a number such as 0.35")


async def test_hosted_picture_is_downloaded_and_failures_are_reported_by_row(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = BytesIO()
    Image.new("RGB", (700, 350), "red").save(picture, "PNG")
    routes = {"/fotos/Trompo rojo.png": Response(picture.getvalue()), "/text.png": Response("no picture")}
    routes["/large.png"] = Response(b"x" * 2000)

    async def host(scope: Any, receive: Any, send: Any) -> None:
        await routes.get(scope["path"], Response(status_code=404))(scope, receive, send)

    monkeypatch.setattr(
        "backend.catalog.importer.pictures.MAX_DOWNLOAD_BYTES", 1999 + len(picture.getvalue())
    )
    with served(host) as address:
        head = "handle,title,price,pictures\n"
        assert await importer(f"{head}a,A,5,{address}/fotos/Trompo%20rojo.png\n") == {"new": 1}
        read_urls = (await importer.read_detail("a")).pictures[0]
        assert read_urls.url.endswith("Trompo rojo-640.webp") or read_urls.url.endswith(
            "Trompo%20rojo-640.webp"
        )
        for name, says in (
            ("none.png", "answers with 404"),
            ("text.png", "is no picture"),
        ):
            (problem,) = await importer.read_problems(f"{head}b,B,5,{address}/{name}\n")
            assert problem.startswith("line 2, pictures: ")
            assert says in problem
        with monkeypatch.context() as patch:
            patch.setattr("backend.catalog.importer.pictures.MAX_DOWNLOAD_BYTES", 1000)
            (problem,) = await importer.read_problems(f"{head}b,B,5,{address}/large.png\n")
            assert "larger than" in problem
        importer.allow_private = False
        (problem,) = await importer.read_problems(f"{head}b,B,5,{address}/fotos/Trompo%20rojo.png?2\n")
        assert "is not a public internet address" in problem
        importer.allow_private = True
    # the host does not answer any more: a picture that was imported before is not downloaded again
    assert await importer(f"{head}a,A,5,{address}/fotos/Trompo%20rojo.png\n") == {"same": 1}
    (problem,) = await importer.read_problems(f"{head}b,B,5,{address}/gone.png\n")
    assert "does not answer" in problem
    (problem,) = await importer.read_problems(f"{head}b,B,5,https://\n")
    assert "is no address" in problem


async def test_file_that_clears_stored_values_is_refused_until_confirmed(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    emptied = HEAD + TROMPO.replace(",Uno,madera|patio,", ",,madera,")
    with pytest.raises(UnconfirmedLosses, match="brand 1, categories 1"):
        await importer(emptied, confirms_losses=False)
    assert (await importer.read_detail("trompo")).card.brand == "Uno"
    assert await importer(emptied) == {"changed": 1}
    assert (await importer.read_detail("trompo")).card.brand == ""


async def test_repeated_import_with_pictures_changes_nothing(importer: Importer) -> None:
    Image.new("RGB", (400, 300), "red").save(importer.folder / "trompo.jpg")
    text = "sku,handle,title,price,pictures\nTRO-1,trompo,Trompo,18900,trompo.jpg\n"
    assert await importer(text) == {"new": 1}
    assert await importer(text, confirms_losses=False) == {"same": 1}


async def test_new_products_without_a_status_are_drafts(importer: Importer) -> None:
    await importer("handle,title,price,status\na,A,5,\nb,B,5,published\n", publishes=False)
    async with importer.database.read() as session:
        statuses = dict((await session.execute(select(Product.handle, Product.status))).all())
    assert statuses == {"a": "draft", "b": "published"}
