"""An import from beginning to end: all or nothing of what is wrong, only what differs, found and told of."""

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
from backend.catalog.importer import batch_writer, command, file_validation, row_reader
from backend.catalog.importer.batch_writer import ShopChanged
from backend.catalog.importer.categories import Places
from backend.catalog.importer.command import Steps, import_file
from backend.catalog.importer.file_validation import Checked, Refused
from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.models import Category, Collection, Picture, Product, Variant
from backend.catalog.storefront.page_content import product_detail, search
from backend.catalog.views import ProductDetail
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel
from backend.inventory.service import reserve
from backend.media.picture_store import picture_store
from backend.outbox.models import OutboxEvent
from tests.backend.rivals import overtaken
from tests.backend.shipping.serving import served
from tests.store_defaults import Defaults, make_toy, set_up_defaults

HEAD = "handle,title,description,brand,categories,collection,sku,price,compare_at_price,stock\n"
TROMPO = "trompo,Trompo de guayacán,Gira y gira,Uno,madera|patio,clasicos,TRO-1,18900,25900,7\n"
YOYO = "yoyo,Yoyo,,Dos,patio,,YOY-1,9900,,0\n"


def silent(_total: int | None, _title: str) -> AbstractContextManager[Steps]:
    return nullcontext(lambda _steps: None)


class Importer:
    def __init__(self, database: Database, defaults: Defaults, folder: Path) -> None:
        self.database, self.defaults, self.folder = database, defaults, folder
        self.allow_private = True

    async def __call__(
        self, text: str, *, only_check: bool = False, makes_places: bool = False
    ) -> Counter[str]:
        file = self.folder / "toys.csv"
        file.write_text(text, "utf-8")
        store = picture_store(Settings(data_dir=self.folder))
        pictures = PictureFolder(self.folder, store, allow_private=self.allow_private)
        done = await import_file(
            self.database,
            file,
            pictures,
            self.defaults.location_id,
            silent,
            only_check=only_check,
            makes_places=makes_places,
        )
        return done.counts

    async def refused(self, text: str) -> list[str]:
        before = await self.everything()
        with pytest.raises(Refused) as refused:
            await self(text)
        assert await self.everything() == before
        return [str(problem) for problem in refused.value.problems]

    async def everything(self) -> list[object]:
        async with self.database.read() as session:
            return [
                (await session.execute(select(func.count()).select_from(table))).scalar_one()
                for table in (Product, Variant, InventoryLevel, Picture, OutboxEvent)
            ]

    async def detail(self, handle: str) -> ProductDetail:
        async with self.database.read() as session:
            return await product_detail(session, handle)

    async def told(self) -> int:
        """How many products were told of since the last time."""
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


async def test_new_products_are_all_there(importer: Importer) -> None:
    assert await importer(HEAD + TROMPO + YOYO) == {"new": 2}
    trompo = await importer.detail("trompo")
    assert (trompo.card.title, trompo.card.price, trompo.card.compare_at_price) == (
        "Trompo de guayacán", 18_900, 25_900,
    )  # fmt: skip
    assert (trompo.variants[0].stock, trompo.card.available, trompo.variants[0].sku) == (7, True, "TRO-1")
    assert trompo.collection is not None
    assert trompo.collection.handle == "clasicos"
    assert not (await importer.detail("yoyo")).card.available
    async with importer.database.read() as session:
        assert [hit.handle for hit in await search(session, "guayacan")] == ["trompo"]
        assert [hit.handle for hit in await search(session, "patio")] == ["trompo", "yoyo"]
    assert await importer.told() == 2


async def test_the_second_time_there_is_nothing_to_do(importer: Importer) -> None:
    await importer(HEAD + TROMPO + YOYO)
    await importer.told()
    before = await importer.detail("trompo")
    assert await importer(HEAD + TROMPO + YOYO) == {"same": 2}
    assert await importer.detail("trompo") == before
    assert await importer.told() == 0


async def test_only_what_differs_is_changed_and_told(importer: Importer) -> None:
    await importer(HEAD + TROMPO + YOYO)
    await importer.told()
    assert await importer("handle,price,stock\ntrompo,18900,7\nyoyo,9900,3\n") == {"same": 1, "changed": 1}
    assert (await importer.detail("yoyo")).variants[0].stock == 3
    assert (await importer.detail("trompo")).card.compare_at_price == 25_900  # no such column: left alone
    assert await importer.told() == 1


async def test_it_tells_how_many_units_came_and_went(
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


async def test_a_rate_of_tax_comes_in_and_stays_when_nothing_is_said(importer: Importer) -> None:
    await importer("handle,title,price,tax_rate\ncuento,Cuento,20000,0\ntrompo,Trompo,18900,\n")
    assert await importer("handle,price,tax_rate\ncuento,20000,0\ntrompo,18900,19\n") == {"same": 2}
    assert await importer("handle,tax_rate\ncuento,5\ntrompo,\n") == {"same": 1, "changed": 1}
    async with importer.database.read() as session:
        found = await session.execute(select(Product.handle, Product.tax_rate).order_by(Product.handle))
    assert found.all() == [("cuento", 5), ("trompo", 19)]


async def test_an_emptied_cell_takes_away(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    assert await importer(HEAD + "trompo,Trompo,,,,,TRO-1,18900,,7\n") == {"changed": 1}
    trompo = await importer.detail("trompo")
    assert (trompo.description, trompo.collection, trompo.breadcrumb) == ("", None, [])
    assert trompo.card.compare_at_price is None


async def test_products_are_known_by_their_sku_too(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    assert await importer("sku,price\nTRO-1,20000\n") == {"changed": 1}
    assert (await importer.detail("trompo")).card.price == 20_000
    assert await importer.refused("sku,price\nNEW-1,20000\n") == [
        "line 2, sku: no product has it; a new product needs a handle"
    ]


async def test_promises_to_buyers_are_kept(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    async with importer.database.transaction() as session:
        variant = (await session.execute(select(Variant.id))).scalar_one()
        await reserve(session, "cart_a", {variant: 5}, None)
    assert await importer("handle,stock\ntrompo,2\n") == {"changed": 1}
    assert (await importer.detail("trompo")).variants[0].stock == 0
    assert await importer("handle,stock\ntrompo,2\n") == {"same": 1}


async def test_a_deleted_product_comes_back(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    async with importer.database.transaction() as session:
        product = (await session.execute(select(Product))).scalar_one()
        product.deleted_at, product.status = now(), "draft"
    assert await importer(HEAD + TROMPO) == {"changed": 1}
    assert (await importer.detail("trompo")).variants[0].stock == 7


async def test_everything_wrong_is_told_by_line_and_nothing_is_written(importer: Importer) -> None:
    found = await importer.refused(
        HEAD
        + TROMPO
        + "lego,,,,,,LEG-1,x,,1\n"
        + "coca,Coca,,,vuelo,ninguna,COC-1,5000,,1\n"
        + "bate,,,,,,,,,\n"
    )
    assert [one.partition(": ")[0] for one in found] == [
        "line 3, price", "line 4, categories", "line 4, collection", "line 5, title",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1, 500])
async def test_what_comes_twice_is_told_however_far_apart(
    importer: Importer, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_validation, "batches", lambda path: row_reader.batches(path, size))
    twice = TROMPO.replace("TRO-1", "TRO-2").replace("Trompo", "Otro")
    found = await importer.refused(HEAD + TROMPO + YOYO + twice + "coca,Coca,,,,,YOY-1,5000,,1\n")
    assert found == [
        "line 4, handle: trompo stands in line 2 already",
        "line 5, sku: YOY-1 stands in line 3 already",
    ]


async def test_two_values_that_only_share_a_digest_are_not_the_same(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_validation, "digest", len)  # many values of the same length
    assert await importer("handle,title,price\n" + "".join(f"toy-{n},Toy,5\n" for n in range(5))) == {
        "new": 5
    }


async def test_a_sku_of_another_product_is_refused(importer: Importer) -> None:
    async with importer.database.transaction() as session:
        await make_toy(session, importer.defaults, "cometa")
    assert await importer.refused("handle,title,price,sku\nnueva,Nueva,5,SKU-cometa\n") == [
        "line 2, sku: belongs to cometa"
    ]


async def test_a_bar_code_is_of_one_product(importer: Importer, monkeypatch: pytest.MonkeyPatch) -> None:
    async with importer.database.transaction() as session:
        variant = await session.get_one(Variant, await make_toy(session, importer.defaults, "cometa"))
        variant.ean = "7701234567897"
    head = "handle,title,price,ean\n"
    assert await importer(head + "cometa,Cometa,5,7701234567897\n") == {"changed": 1}
    assert await importer.refused(
        head + "nueva,Nueva,5,7701234567897\notra,Otra,5,96385074\nmás,Más,5,96385074\n".replace("á", "a")
    ) == ["line 2, ean: belongs to cometa", "line 4, ean: 96385074 stands in line 3 already"]

    async def look_away(*_: object, makes_places: bool) -> Checked:
        return Checked(1, Places())

    monkeypatch.setattr("backend.catalog.importer.command.check", look_away)
    with pytest.raises(ShopChanged, match="belongs to cometa"):
        await importer(head + "nueva,Nueva,5,7701234567897\n")

    async def rival(session: AsyncSession) -> None:
        await session.execute(update(Variant).values(ean="96385074"))

    with pytest.raises(ShopChanged):
        await overtaken(importer.database, rival, lambda: importer(head + "nueva,Nueva,5,96385074\n"))


async def test_a_product_of_several_variants_needs_to_know_which(importer: Importer) -> None:
    await importer(HEAD + TROMPO)
    async with importer.database.transaction() as session:
        product_id = (await session.execute(select(Product.id))).scalar_one()
        session.add(Variant(product_id=product_id, sku="TRO-1-XL", price=30_000, rank=1))
    (problem,) = await importer.refused("handle,price\ntrompo,5\n")
    assert problem == "line 2, sku: must be that of one of the product's 2 variants"
    assert await importer("handle,sku,price\ntrompo,TRO-1-XL,31000\n") == {"changed": 1}
    assert await importer("handle,brand\ntrompo,Tres\n") == {"changed": 1}


async def test_rows_with_options_are_the_variants_of_one_product(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the same headings as in the office, however small the batches are."""
    for module in (file_validation, command):
        monkeypatch.setattr(module, "batches", lambda path: row_reader.batches(path, 1))
    head = "Dirección;Nombre;SKU;Precio;Opción 1;Valor 1;Opción 2;Valor 2\n"
    small = "gorra;Gorra;G-S;9.000;Talla;S;Color;Rojo\n"
    large = "gorra;;G-L;9.500;Talla;L;Color;Rojo\n"
    assert await importer(head + small + large + "yoyo;Yoyo;Y-1;5000;;;;\n") == {"new": 3}
    choices = [(one.title, one.choices) for one in (await importer.detail("gorra")).options]
    assert choices == [("Talla", ["S", "L"])]
    assert await importer(head + small + large) == {"same": 2}
    assert await importer.refused(head + small + "yoyo;Yoyo;Y-1;5000;;;;\n" + large) == [
        "line 4, handle: gorra stands in line 2 already"
    ]
    assert await importer.refused(head + small.replace("Color", "Tono") + large) == [
        "line 3, options: the options are others than those in line 2: Talla, Tono"
    ]
    assert await importer.refused(head + small.replace("Talla", "").replace("S;", "XS;", 1)) == [
        "line 2, option_1: is needed: S is a value of it"
    ]


async def test_looking_through_it_writes_nothing(importer: Importer) -> None:
    before = await importer.everything()
    assert await importer(HEAD + TROMPO, only_check=True) == {}
    assert await importer.everything() == before


async def test_pictures_are_made_shown_and_replaced(importer: Importer) -> None:
    for name, colour in (("Trompo (frente).png", "red"), ("lado.jpg", "blue")):
        Image.new("RGB", (1000, 1000), colour).save(importer.folder / name)
    head = HEAD.strip() + ",pictures\n"
    rows = TROMPO.strip() + ",Trompo (frente).png|lado.jpg\n"
    assert await importer(head + rows) == {"new": 1}
    trompo = await importer.detail("trompo")
    assert [picture.alt for picture in trompo.pictures] == [
        "Trompo de guayacán",
        "Trompo de guayacán, foto 2",
    ]
    assert "/Trompo%20%28frente%29-320.webp 320w" in trompo.pictures[0].srcset
    assert await importer(head + rows) == {"same": 1}
    assert await importer(head + TROMPO.strip() + ",lado.jpg\n") == {"changed": 1}
    (picture,) = (await importer.detail("trompo")).pictures
    assert picture.url == trompo.pictures[1].url


async def test_a_toy_in_two_sizes_has_its_pictures_once(importer: Importer) -> None:
    for name, colour in (("frente.png", "red"), ("lado.jpg", "blue")):
        Image.new("RGB", (1000, 1000), colour).save(importer.folder / name)
    head = "handle,title,sku,price,pictures,option_1,value_1\n"

    def rows(small: str, large: str) -> str:
        return f"{head}camion,Camión,CAM-P,45900,{small},Tamaño,Pequeño\ncamion,,CAM-G,89900,{large},Tamaño,Grande\n"

    async def shown() -> list[str]:
        return [picture.url for picture in (await importer.detail("camion")).pictures]

    both = "frente.png|lado.jpg"
    assert await importer(rows(both, "")) == {"new": 2}
    front, side = await shown()
    assert await importer(rows(both, both)) == {"same": 2}
    assert await shown() == [front, side]
    assert await importer(rows("lado.jpg", "")) == {"changed": 2}
    assert await shown() == [side]


async def test_half_a_picture_in_the_last_line_stops_all_of_it(importer: Importer) -> None:
    Image.new("RGB", (1000, 1000), "red").save(whole := importer.folder / "whole.jpg")
    (importer.folder / "half.jpg").write_bytes(whole.read_bytes()[:3000])
    head, trompo = HEAD.strip() + ",pictures\n", TROMPO.strip() + ",whole.jpg\n"
    (problem,) = await importer.refused(head + trompo + YOYO.strip() + ",half.jpg\n")
    assert problem.startswith("line 3, pictures: half.jpg is damaged")


async def test_a_shop_that_changed_meanwhile_is_told(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def look_away(*_: object, makes_places: bool) -> Checked:
        async with importer.database.transaction() as session:
            await make_toy(session, importer.defaults, "cometa", price=1)
            other = (await session.execute(select(Variant))).scalar_one()
            other.sku = "TRO-1"
        return Checked(1, Places())

    monkeypatch.setattr("backend.catalog.importer.command.check", look_away)
    with pytest.raises(ShopChanged, match="belongs to cometa"):
        await importer(HEAD + TROMPO)


async def tree(database: Database) -> list[tuple[str, str, str | None]]:
    """Handle, name and parent's handle of every category."""
    async with database.read() as session:
        found = {one.id: one for one in (await session.execute(select(Category))).scalars()}
    return sorted(
        (one.handle, one.name, found[one.parent_id].handle if one.parent_id else None)
        for one in found.values()
    )


async def test_a_shop_without_categories_gets_those_of_the_file(importer: Importer) -> None:
    async with importer.database.transaction() as session:
        await session.execute(delete(Category))
        await session.execute(delete(Collection))
    file = "handle,title,price,categories,collection\na,A,5,Juegos de mesa|madera,navidad\nb,B,5,juegos-de-mesa,\n"
    assert await importer(file, only_check=True) == {}
    assert await tree(importer.database) == []
    assert await importer(file) == {"new": 2}
    assert await tree(importer.database) == [
        ("juegos-de-mesa", "Juegos de mesa", "juguetes"),
        ("juguetes", "Juguetes", None),
        ("madera", "Madera", "juguetes"),
    ]
    detail = await importer.detail("a")
    assert detail.collection is not None
    assert detail.collection.name == "Navidad"
    assert await importer(file) == {"same": 2}


async def test_a_category_is_known_by_its_name_and_others_are_made_when_that_is_said(
    importer: Importer,
) -> None:
    assert await importer("handle,title,price,categories\na,A,5,Madera\n") == {"new": 1}
    file = "handle,title,price,categories\nb,B,5,Cometas\n"
    (problem,) = await importer.refused(file)
    assert problem.startswith("line 2, categories: the shop has no category Cometas: ")
    assert "--new-categories" in problem
    assert await importer(file, makes_places=True) == {"new": 1}
    assert ("cometas", "Cometas", None) in await tree(
        importer.database
    )  # beside the two roots that there are
    assert await importer.refused("handle,title,price,categories\nc,C,5,!!!\n") == [
        "line 2, categories: !!! is no name of a category"
    ]


async def test_a_place_is_known_by_what_it_is_called_now(importer: Importer) -> None:
    async with importer.database.transaction() as session:
        await session.execute(update(Category).where(Category.handle == "madera").values(name="De madera"))
        await session.execute(update(Collection).values(title="De toda la vida"))
    head = "handle,title,price,categories,collection\n"
    assert await importer(head + "a,A,5,De madera,De toda la vida\n") == {"new": 1}
    assert await importer(head + "a,A,5,madera,clasicos\n") == {"same": 1}
    assert ("madera", "De madera", None) in await tree(importer.database)
    (problem,) = await importer.refused(head + "b,B,5,,Ninguna\n")
    assert problem.startswith("line 2, collection: the shop has no collection Ninguna: ")


@pytest.mark.parametrize(
    ("cells", "gone"), [("Patio,", "category Patio"), (",Clásicos", "collection Clásicos")]
)
async def test_a_place_that_somebody_deletes_meanwhile_ends_the_import(
    importer: Importer, monkeypatch: pytest.MonkeyPatch, cells: str, gone: str
) -> None:
    async def delete_meanwhile(database: Database, *others: Any, **more: Any) -> Checked:
        checked = await file_validation.check(database, *others, **more)
        async with database.transaction() as session:
            await session.execute(delete(Category))
            await session.execute(delete(Collection))
        return checked

    monkeypatch.setattr(command, "check", delete_meanwhile)
    with pytest.raises(ShopChanged, match=f"the shop has no {gone} any more"):
        await importer(f"handle,title,price,categories,collection\na,A,5,{cells}\n")


async def test_weight_and_sizes_come_in(importer: Importer) -> None:
    head = "handle,title,price,weight,length,height,width\n"
    assert await importer(head + "a,A,5,0.35,24,10.5,8\n") == {"new": 1}
    assert await importer("handle;weight\na;0,35\n") == {"same": 1}
    async with importer.database.read() as session:
        toy = (await session.execute(select(Product))).scalar_one()
    assert (toy.weight, toy.length, toy.height, toy.width) == (0.35, 24, 10.5, 8)
    assert await importer("handle,weight\na,\n") == {"changed": 1}
    for wrong in ("0", "-1", "1e3", "350 g", "101", "nan", ""):
        if wrong:
            (problem,) = await importer.refused(f"handle,weight\na,{wrong}\n")
            assert problem.startswith("line 2, weight: must be a number such as 0.35")


async def test_a_picture_that_is_hosted_is_fetched_and_what_does_not_answer_is_told_by_row(
    importer: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = BytesIO()
    Image.new("RGB", (700, 350), "red").save(picture, "PNG")
    routes = {"/fotos/Trompo rojo.png": Response(picture.getvalue()), "/text.png": Response("no picture")}
    routes["/large.png"] = Response(b"x" * 2000)

    async def host(scope: Any, receive: Any, send: Any) -> None:
        await routes.get(scope["path"], Response(status_code=404))(scope, receive, send)

    monkeypatch.setattr("backend.catalog.importer.pictures.MOST_FETCHED", 1999 + len(picture.getvalue()))
    with served(host) as address:
        head = "handle,title,price,pictures\n"
        assert await importer(f"{head}a,A,5,{address}/fotos/Trompo%20rojo.png\n") == {"new": 1}
        shown = (await importer.detail("a")).pictures[0]
        assert shown.url.endswith("Trompo rojo-640.webp") or shown.url.endswith("Trompo%20rojo-640.webp")
        for name, says in (
            ("none.png", "answers with 404"),
            ("text.png", "is no picture"),
        ):
            (problem,) = await importer.refused(f"{head}b,B,5,{address}/{name}\n")
            assert problem.startswith("line 2, pictures: ")
            assert says in problem
        with monkeypatch.context() as patch:
            patch.setattr("backend.catalog.importer.pictures.MOST_FETCHED", 1000)
            (problem,) = await importer.refused(f"{head}b,B,5,{address}/large.png\n")
            assert "larger than" in problem
        importer.allow_private = False
        (problem,) = await importer.refused(f"{head}b,B,5,{address}/fotos/Trompo%20rojo.png\n")
        assert "is no address of the open internet" in problem
        importer.allow_private = True
    (problem,) = await importer.refused(f"{head}b,B,5,{address}/gone.png\n")
    assert "does not answer" in problem
    (problem,) = await importer.refused(f"{head}b,B,5,https://\n")
    assert "is no address" in problem
