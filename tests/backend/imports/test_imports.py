"""An import from a sheet to the shop: seen before, written in batches, what one row refuses stops no other."""

import zipfile
from collections import Counter
from io import BytesIO

import pytest
from PIL import Image
from sqlalchemy import select, update

from backend.audit import AuditEntry
from backend.catalog.models import Category, Collection, Picture, Product, ProductCategory, Variant
from backend.core.errors import Forbidden, InvalidData, NotAllowed
from backend.exports.service import file_of
from backend.imports import import_job
from backend.imports import pictures as pictures_module
from backend.imports.confirmation import JOB, begin, drop, set_makes_places
from backend.imports.files import refused_file, template
from backend.imports.import_job import ProductImports
from backend.imports.models import ProductImport
from backend.imports.pictures import TakenPictures
from backend.imports.preview import look
from backend.imports.spreadsheet_parsing import read_sheet
from backend.imports.spreadsheet_upload import keep_sheet
from backend.inventory.models import InventoryLevel
from backend.media.uploads import MOST_FILE_BYTES
from backend.staff.rights import Actor, Role
from tests.attacks import bombs
from tests.backend.exports.test_exports import DAYS, asked
from tests.backend.imports.sender import OWNER, Sender, problems
from tests.store_defaults import make_toy

HEAD = "Nombre;SKU;Precio;Unidades;Categorías;Fotos\n"


def picture(colour: str = "red", size: tuple[int, int] = (400, 300)) -> bytes:
    content = BytesIO()
    Image.new("RGB", size, colour).save(content, "JPEG")
    return content.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, file in files.items():
            packed.writestr(name, file)
    return content.getvalue()


async def test_nothing_is_in_the_shop_before_it_is_begun(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        await make_toy(session, sender.defaults, "yoyo", price=9_900, stock=4)
    found = await sender.sheet(
        f"{HEAD}Trompo;TRO-1;18.900;7;Madera;\nYoyo;SKU-yoyo;12.000;4;;\n;;;;;\nBalón;;x;1;Playa;falta.jpg\n"
    )
    assert (found.status, found.counts.new, found.counts.changed, found.counts.wrong) == ("checked", 1, 1, 1)
    assert problems(found) == [
        (5, "price", "cell"), (5, "pictures", "picture missing"), (5, "categories", "category"),
    ]  # fmt: skip
    assert "45000" in found.problems[0].text
    changed = found.changes[1]
    assert [(one["column"], one["before"], one["after"]) for one in changed.changes] == [
        ("price", 9_900, 12_000)
    ]
    assert await sender.count() == 1
    done = await sender.begin()
    assert (done.status, done.counts.settled, done.counts.refused) == ("done", 3, 1)
    assert await sender.value(Variant.price, "SKU-yoyo") == 12_000
    assert await sender.value(Product.handle, "TRO-1") == "trompo"
    assert await sender.value(InventoryLevel.stocked, "TRO-1") == 7
    async with sender.shop.database.read() as session:
        query = select(AuditEntry.action, AuditEntry.subject_type).where(AuditEntry.actor_id == OWNER.id)
        entries = sorted((await session.execute(query)).all())
    assert entries == [("changed", "product"), ("created", "product"), ("imported", "catalog")]
    with pytest.raises(NotAllowed):
        await begin(sender.shop.database, OWNER, sender.id)


async def test_what_is_refused_is_a_file_that_is_mended_and_sent_again(sender: Sender) -> None:
    await sender.sheet(f"{HEAD}Trompo;TRO-1;18.900;7;;\nBalón;BAL-1;mucho;1;;\n")
    await sender.begin()
    async with sender.shop.database.read() as session:
        content = await refused_file(session, OWNER, sender.id)
    sheet = read_sheet(content)
    ((_line, texts),) = sheet.rows
    assert (texts[0], sheet.ignored) == ("Balón", [])
    mended = [text.replace("mucho", "20.000") for text in texts]
    again = await sender.sheet(";".join(sheet.columns) + "\n" + ";".join(mended) + "\n")
    assert (again.counts.new, again.counts.wrong) == (1, 0)


@pytest.mark.parametrize("file_format", ["csv", "xlsx"])
async def test_a_file_of_the_shop_comes_back_unchanged(sender: Sender, file_format: str) -> None:
    async with sender.shop.database.transaction() as session:
        session.add(Collection(title="De toda la vida", handle="de-toda-la-vida"))
        variant_id = await make_toy(
            session, sender.defaults, "trompo", description="=Gira\r\n y gira ", weight=0.35, width=12.5,
            age_range="3-5", featured=True, tax_rate=5, origin_country="co", warnings="-No lanzar", brand="Uno",
        )  # fmt: skip
        toy = (await session.execute(select(Variant).where(Variant.id == variant_id))).scalar_one()
        session.add_all(
            [
                Variant(product_id=toy.product_id, title="Azul", sku="AZUL", price=60_000, rank=1),
                Variant(
                    product_id=toy.product_id, title="Rojo", sku="0012", price=60_000, compare_at_price=90_000
                ),
            ]
        )
        session.add(
            Picture(product_id=toy.product_id, url="/pictures/ab/un trompo-960.webp", width=960, height=960)
        )
        await make_toy(session, sender.defaults, "yoyo", status="draft")
        await make_toy(session, sender.defaults, "Odd_Handle.x")
    export_id = await asked(sender.shop, "import", file_format, OWNER, DAYS)
    await sender.shop.worker.run_due("export.make")
    file = await file_of(sender.shop.database, OWNER, export_id)
    content = b"".join([piece async for piece in file.pieces])
    found = await sender.sheet(content)
    assert problems(found) == []
    assert [(one.title, one.changes) for one in found.changes] == []
    assert found.counts.same == 5
    with pytest.raises(InvalidData):
        await sender.begin()


async def test_free_variant_keeps_its_mark_through_export_and_import(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        await make_toy(session, sender.defaults, "balon", price=20_000)
    free = "Nombre;SKU;Precio;Gratis\nCalcomanía;CAL-1;0;sí\nYoyo;YO-1;0;\nTrompo;TRO-1;0;no\n;SKU-balon;0;quizás\n"
    found = await sender.sheet(free)
    assert problems(found) == [(5, "is_free", "cell")]
    await sender.begin()
    assert [await sender.value(Variant.is_free, sku) for sku in ("CAL-1", "YO-1", "TRO-1", "SKU-balon")] == [
        True, False, False, False,
    ]  # fmt: skip
    export_id = await asked(sender.shop, "import", "csv", OWNER, DAYS)
    await sender.shop.worker.run_due("export.make")
    file = await file_of(sender.shop.database, OWNER, export_id)
    content = b"".join([piece async for piece in file.pieces])
    found = await sender.sheet(content)
    assert (problems(found), found.counts.same) == ([], 4)
    await sender.sheet("SKU;Precio\nCAL-1;500\n")  # without the column the mark stays
    await sender.begin()
    assert await sender.value(Variant.is_free, "CAL-1") is True
    report = await sender.sheet("SKU;is_free\nCAL-1;no\n")
    assert [(one["column"], one["before"], one["after"]) for one in report.changes[0].changes] == [
        ("is_free", "sí", "no")
    ]
    await sender.begin()
    assert await sender.value(Variant.is_free, "CAL-1") is False


async def test_it_goes_on_after_a_kill(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_job, "AT_ONCE", 2)
    rows = "".join(f"Juguete {n};J-{n};1000;1;;\n" for n in range(5))
    await sender.sheet(HEAD + rows)
    await begin(sender.shop.database, OWNER, sender.id)
    killed = ProductImports(sender.shop.database, sender.shop.uploads)
    assert await killed._step(sender.id, Counter())
    assert await sender.count() == 2
    assert (await sender.report()).counts.settled == 2
    await sender.shop.worker.run_due(JOB)
    done = await sender.report()
    assert (done.status, done.counts.settled, done.counts.refused, await sender.count()) == ("done", 5, 0, 5)


async def test_only_what_was_shown_is_changed(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        for name in ("yoyo", "balon"):
            await make_toy(session, sender.defaults, name, price=9_900, stock=4)
    await sender.sheet(f"{HEAD}Yoyo;SKU-yoyo;12.000;4;;\nBalon;SKU-balon;12.000;4;;\n")
    async with (
        sender.shop.database.transaction() as session
    ):  # a sale, and a price by hand, after the preview
        await session.execute(update(InventoryLevel).values(stocked=3))
        await session.execute(update(Variant).where(Variant.sku == "SKU-balon").values(price=11_000))
    done = await sender.begin()
    assert problems(done) == [(3, "price", "changed since")]
    assert await sender.value(Variant.price, "SKU-yoyo") == 12_000
    assert await sender.value(InventoryLevel.stocked, "SKU-yoyo") == 3
    assert await sender.value(Variant.price, "SKU-balon") == 11_000


async def test_a_row_that_fails_stops_no_other(sender: Sender) -> None:
    await sender.sheet(f"{HEAD}Trompo;TRO-1;1000;1;;\nBalón;BAL-1;1000;1;;\nYoyo;YOY-1;1000;1;;\n")
    async with sender.shop.database.transaction() as session:  # the same SKU is taken meanwhile
        await make_toy(session, sender.defaults, "otro")
        await session.execute(update(Variant).values(sku="BAL-1"))
    done = await sender.begin()
    assert [one[0] for one in problems(done)] == [3]
    assert (done.counts.settled, await sender.count()) == (3, 3)


async def test_names_and_codes_stand_once(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        await make_toy(session, sender.defaults, "yoyo")
    found = await sender.sheet(
        f"{HEAD}Trompo;T-1;5;;;\nTrompo;T-2;5;;;\nOtro;T-1;5;;;\nYoyo;NUEVO;5;;;\nYoyo;;7000;;;\n★;;5;;;\n"
    )
    assert problems(found) == [
        (3, "handle", "twice"), (4, "sku", "twice"), (5, "title", "taken"), (7, "handle", "no name"),
    ]  # fmt: skip
    assert found.problems[0].text == "Ya está en la fila 2."
    assert [(one.line, one.is_new) for one in found.changes] == [(2, True), (6, False)]


async def test_categories_are_made_when_that_is_asked_for(sender: Sender) -> None:
    found = await sender.sheet(f"{HEAD}Trompo;T-1;5;;Patio|madera;\n")
    assert problems(found) == [(2, "categories", "category")]
    await set_makes_places(sender.shop.database, OWNER, sender.id, makes_places=True)
    assert problems(await sender.report()) == []
    await sender.begin()
    async with sender.shop.database.read() as session:
        assert "patio" in (await session.execute(select(Category.handle))).scalars().all()


PLACED = "Nombre;SKU;Precio;Categorías;Colección\n"


async def names(sender: Sender) -> tuple[dict[str, str], dict[str, str]]:
    """What the shop's categories and collections are called, by their handles."""
    async with sender.shop.database.read() as session:
        categories = dict((await session.execute(select(Category.handle, Category.name))).all())
        collections = dict((await session.execute(select(Collection.handle, Collection.title))).all())
    return categories, collections


async def test_what_a_sheet_has_made_is_called_as_it_is_written(sender: Sender) -> None:
    sheet = (
        f"{PLACED}Trompo;T-1;5;Año Nuevo;Edición Año Nuevo\n"
        "Yoyo;Y-1;5;Año Nuevo;LEGO City\nBalero;B-1;5;de-patio;de-siempre\n"
    )
    found = await sender.sheet(sheet, makes_places=True)
    shown = [{one["column"]: one["after"] for one in row.changes}["collection"] for row in found.changes]
    assert shown == ["Edición Año Nuevo", "LEGO City", "de-siempre"]
    assert (await sender.begin()).counts.refused == 0
    assert await names(sender) == (
        {"madera": "Madera", "ano-nuevo": "Año Nuevo", "de-patio": "De patio"},
        {"edicion-ano-nuevo": "Edición Año Nuevo", "lego-city": "LEGO City", "de-siempre": "De siempre"},
    )
    assert await sender.value(Collection.title, "Y-1") == "LEGO City"
    again = await sender.sheet(sheet)
    assert (problems(again), again.counts.same) == ([], 3)


@pytest.mark.parametrize("said", ["Muñecas y bebés", "munecas y  BEBES", "Muñecas", "munecas"])
async def test_what_was_renamed_is_found_by_its_name_and_by_its_handle(sender: Sender, said: str) -> None:
    async with sender.shop.database.transaction() as session:
        session.add(Category(name="Muñecas y bebés", handle="munecas"))
        session.add(Collection(title="Muñecas y bebés", handle="munecas"))
    before = await names(sender)
    sheet = f"{PLACED}Trompo;T-1;5;{said}|munecas;{said}\n"
    assert problems(await sender.sheet(sheet)) == []
    await sender.sheet(sheet, makes_places=True)
    assert (await sender.begin()).counts.refused == 0
    assert await names(sender) == before
    assert await sender.value(Collection.handle, "T-1") == "munecas"
    assert (await sender.sheet(sheet)).counts.same == 1


async def test_a_handle_comes_before_a_name_and_a_name_before_the_handle_that_it_makes(
    sender: Sender,
) -> None:
    async with sender.shop.database.transaction() as session:
        for name, handle in (("Jardín", "patio"), ("Patio", "al_Aire.libre")):
            session.add(Category(name=name, handle=handle))
            session.add(Collection(title=name, handle=handle))
    said = {"patio": "patio", "Patio": "al_Aire.libre", "al_Aire.libre": "al_Aire.libre", "jardin": "patio"}
    for written, handle in said.items():
        sheet = f"{PLACED}Trompo;T-1;5;{written};{written}\n"
        found = await sender.sheet(sheet)
        assert problems(found) == []
        if found.counts.new or found.counts.changed:
            await sender.begin()
        async with sender.shop.database.read() as session:
            placed = select(Category.handle).join(ProductCategory, ProductCategory.category_id == Category.id)
            assert (await session.execute(placed)).scalars().all() == [handle]
        assert await sender.value(Collection.handle, "T-1") == handle
        assert (await sender.sheet(sheet)).counts.same == 1


async def test_a_name_that_several_have_is_no_name_of_one(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        for handle in ("otros-1", "otros-2", "varios", "varios-2"):
            name = handle.partition("-")[0].capitalize()
            session.add(Category(name=name, handle=handle))
            session.add(Collection(title=name, handle=handle))
    found = await sender.sheet(
        f"{PLACED}Trompo;T-1;5;Otros;otros\nOso;O-1;5;Varios;VARIOS\nYoyo;Y-1;5;varios|otros-2;otros-1\n",
        makes_places=True,
    )
    assert problems(found) == [
        (line, column, "several") for line in (2, 3) for column in ("categories", "collection")
    ]
    assert "«Otros»" in found.problems[0].text
    assert found.counts.new == 1


async def test_a_collection_needs_a_letter_of_which_its_handle_is_made(sender: Sender) -> None:
    found = await sender.sheet(f"{PLACED}Trompo;T-1;5;;★\nYoyo;Y-1;5;;{'a' * 256}\n", makes_places=True)
    assert problems(found) == [(2, "collection", "collection"), (3, "collection", "cell")]


class TestPictures:
    @pytest.mark.parametrize("name", ["javascript:alert(1)", "data:image/png;base64,AAAA"])
    async def test_address_with_another_scheme_is_no_picture(self, sender: Sender, name: str) -> None:
        """Not even where a product has it from before such addresses were refused."""
        async with sender.shop.database.transaction() as session:
            variant_id = await make_toy(session, sender.defaults, "yoyo")
            old = (await session.get_one(Variant, variant_id)).product_id
            session.add(Picture(product_id=old, url=name, rank=99))
        await sender.sheet(f'{HEAD}Trompo;T-1;5000;;;"{name}"\n')
        assert problems(await sender.report()) == [(2, "pictures", "picture missing")]

    async def test_those_of_a_zip_are_known_by_their_names(self, sender: Sender) -> None:
        await sender.sheet(f"{HEAD}Trompo;T-1;5000;;;Trompo.JPG|fotos/otro.png\nYoyo;Y-1;5000;;;solo.jpg\n")
        content = zipped(
            {
                "a/trompo.jpg": picture(), "../../otro.png": picture("blue"), "__MACOSX/._x.jpg": b"x",
                "b/trompo.jpg": picture("green"), "leeme.txt": b"hola", "roto.jpg": b"x" * 50,
                "grande.jpg": b"\0" * (MOST_FILE_BYTES + 1),
            }
        )  # fmt: skip
        taken = await sender.send("fotos.zip", content)
        assert taken.taken == 2
        assert taken.refused == [
            ("trompo.jpg", "twice"), ("leeme.txt", "no_picture"), ("roto.jpg", "no_picture"),
            ("grande.jpg", "too_many_bytes"),
        ]  # fmt: skip
        assert problems(await sender.report()) == [(3, "pictures", "picture missing")]
        assert (await sender.send("solo.jpg", picture("grey"))).taken == 1
        await look(sender.shop.database, sender.id)
        done = await sender.begin()
        assert done.counts.refused == 0
        async with sender.shop.database.read() as session:
            found = (await session.execute(select(Picture.url, Picture.rank, Picture.width))).all()
            thumbnail = (
                await session.execute(select(Product.thumbnail).where(Product.handle == "trompo"))
            ).scalar_one()
        assert sorted((rank, width) for _url, rank, width in found) == [(0, 320), (0, 320), (1, 320)]
        assert await sender.shop.pictures.get(str(thumbnail).removeprefix("/pictures/")) is not None
        again = await sender.sheet(f"{HEAD}Trompo;T-1;5000;;;Trompo.JPG|otro.png\n")
        assert again.counts.wrong == 1
        await sender.send("fotos.zip", content)
        assert (await sender.report()).counts.same == 1

    async def test_zip_beyond_the_bounds_is_refused(self, sender: Sender) -> None:
        await sender.sheet("Nombre,Precio,Fotos\nTrompo,5,a.jpg\n")
        for content in (bombs.many_members(), bombs.many_members(2_001)):
            with pytest.raises(InvalidData, match="zip too many"):
                await sender.send("fotos.zip", content)
        lzma = bombs.pack({"a.jpg": picture()}, zipfile.ZIP_LZMA)
        assert (await sender.send("fotos.zip", lzma)).refused == [("a.jpg", "damaged")]
        large = bombs.pack_large("a.jpg")
        assert (await sender.send("fotos.zip", large)).refused == [("a.jpg", "too_many_bytes")]

    async def test_a_zip_that_takes_too_long_is_taken_in_parts(
        self, sender: Sender, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await sender.sheet(f"{HEAD}Trompo;T-1;5000;;;a.jpg|b.jpg\n")
        content = zipped({"a.jpg": picture(), "b.jpg": picture("blue")})
        monkeypatch.setattr(pictures_module, "WITHIN", -1.0)
        assert (await sender.send("x.zip", content)).left == 2
        monkeypatch.undo()
        assert await sender.send("x.zip", content) == TakenPictures(2, [])

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"PK\x03\x04 no zip", "zip damaged"),
            (zipped({f"{n}.jpg": b"x" for n in range(2001)}), "zip too many"),
        ],
    )
    async def test_a_zip_that_is_none_or_has_too_many_is_refused(
        self, sender: Sender, content: bytes, message: str
    ) -> None:
        await sender.sheet(f"{HEAD}Trompo;T-1;5000;;;a.jpg\n")
        with pytest.raises(InvalidData, match=message):
            await sender.send("x.zip", content)

    async def test_addresses_of_our_own_networks_are_refused(self, sender: Sender) -> None:
        await sender.sheet(
            f"{HEAD}Trompo;T-1;5000;;;http://127.0.0.1:1/a.jpg\nYoyo;Y-1;5000;;;https://[::1]/b.jpg\nBalón;B-1;5000;;;\n"
        )
        done = await sender.begin()
        assert problems(done) == [
            (2, "pictures", "picture not fetched"), (3, "pictures", "picture not fetched"),
        ]  # fmt: skip
        assert await sender.count() == 1

    async def test_a_toy_whose_first_row_is_refused_is_not_imported_and_each_row_says_why(
        self, sender: Sender, caplog: pytest.LogCaptureFixture
    ) -> None:
        await sender.sheet(
            "handle,title,sku,price,pictures,option_1,value_1\n"
            "carro,Carro,C-P,5000,http://127.0.0.1:1/a.jpg,Talla,Chico\n"
            "carro,,C-G,9000,,Talla,Grande\n"
            "yoyo,Yoyo,Y-1,5000,,,\n"
        )
        done = await sender.begin()
        assert problems(done) == [
            (2, "pictures", "picture not fetched"), (3, "", "other row"),
        ]  # fmt: skip
        assert await sender.count() == 1
        assert "one by one" not in caplog.text


async def test_roles_that_may_not_change_products_may_not_import(sender: Sender) -> None:
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        with pytest.raises(Forbidden):
            await keep_sheet(sender.shop.database, Actor("x", role), "x", b"", makes_places=False)


async def test_a_new_sheet_takes_the_place_of_one_that_was_never_begun(sender: Sender) -> None:
    await sender.sheet(f"{HEAD}Trompo;T-1;5000;;;\n")
    await sender.sheet(f"{HEAD}Yoyo;Y-1;5000;;;\n")
    assert await sender.count(ProductImport) == 1
    await drop(sender.shop.database, OWNER, sender.id)
    assert await sender.count(ProductImport) == 0


def test_the_template_is_a_sheet_itself() -> None:
    sheet = read_sheet(template())
    assert len(sheet.rows) == 3
    assert len(set(sheet.columns)) == len(sheet.columns)
    assert not sheet.ignored
