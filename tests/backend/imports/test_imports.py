"""Import of a spreadsheet: preview first, then batches; a refused row does not stop the others."""

import zipfile
from io import BytesIO

import pytest
from PIL import Image
from sqlalchemy import select, update

from backend.audit import AuditEntry
from backend.catalog.models import (
    Category,
    Collection,
    Picture,
    Product,
    ProductCategory,
    ProductTag,
    ProductType,
    Variant,
)
from backend.core.errors import Forbidden, InvalidData, NotAllowed
from backend.core.spreadsheet import build_workbook
from backend.exports.service import open_export_file
from backend.imports import import_job
from backend.imports import pictures as pictures_module
from backend.imports.confirmation import JOB, discard_import, set_makes_places, start_import
from backend.imports.files import build_template
from backend.imports.models import ProductImport
from backend.imports.pictures import PictureUploadResult
from backend.imports.preview import preview_import
from backend.imports.refused_rows import build_refused_file
from backend.imports.row_pages import PAGE_SIZE
from backend.imports.spreadsheet_parsing import read_product_file
from backend.imports.spreadsheet_upload import store_spreadsheet
from backend.inventory.models import InventoryLevel
from backend.media.picture_store import PicturesUnavailable
from backend.media.uploads import MAX_FILE_BYTES, PictureUploads
from backend.news import notifications
from backend.news.topics import Topic
from backend.office.imports import import_view
from backend.staff.rights import Actor, Role
from tests.attacks import bombs
from tests.backend.exports.test_exports import DAYS, request_file
from tests.backend.imports.sender import OWNER, Sender, list_problems
from tests.store_defaults import add_product

HEAD = "Nombre;SKU;Precio;Unidades;Categorías;Fotos\n"


def picture(colour: str = "red", size: tuple[int, int] = (400, 300)) -> bytes:
    content = BytesIO()
    Image.new("RGB", size, colour).save(content, "JPEG")
    return content.getvalue()


def zip_files(files: dict[str, bytes]) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, file in files.items():
            packed.writestr(name, file)
    return content.getvalue()


async def test_preview_changes_nothing_in_the_shop(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        await add_product(session, sender.defaults, "yoyo", price=9_900, stock=4)
    found = await sender.send_spreadsheet(
        f"{HEAD}Trompo;TRO-1;18.900;7;Madera;\nYoyo;SKU-yoyo;12.000;4;;\n;;;;;\nBalón;;x;1;Playa;falta.jpg\n"
    )
    assert (found.status, found.counts.new, found.counts.changed, found.counts.wrong) == ("checked", 1, 1, 1)
    assert list_problems(found) == [
        (5, "price", "cell"), (5, "pictures", "picture missing"), (5, "categories", "category"),
    ]  # fmt: skip
    assert "45000" in found.problems[0].text
    changed = found.changes[1]
    assert [(one["column"], one["before"], one["after"]) for one in changed.changes] == [
        ("price", 9_900, 12_000)
    ]
    assert await sender.count() == 1
    done = await sender.run_import()
    assert (done.status, done.counts.settled, done.counts.refused) == ("done", 3, 1)
    assert await sender.value(Variant.price, "SKU-yoyo") == 12_000
    assert await sender.value(Product.handle, "TRO-1") == "trompo"
    assert await sender.value(InventoryLevel.stocked, "TRO-1") == 7
    async with sender.shop.database.read() as session:
        query = select(AuditEntry.action, AuditEntry.subject_type).where(AuditEntry.actor_id == OWNER.id)
        entries = sorted((await session.execute(query)).all())
    assert entries == [("changed", "product"), ("created", "product"), ("imported", "catalog")]
    with pytest.raises(NotAllowed):
        await start_import(sender.shop.database, OWNER, sender.id)


async def test_refused_spreadsheet_rows_can_be_corrected_and_sent_again(sender: Sender) -> None:
    await sender.send_spreadsheet(f"{HEAD}Trompo;TRO-1;18.900;7;;\nBalón;BAL-1;mucho;1;;\n")
    await sender.run_import()
    async with sender.shop.database.read() as session:
        content = await build_refused_file(session, OWNER, sender.id)
    sheet = read_product_file(content)
    (row,) = sheet.rows
    texts = [text or "" for text in row.texts]
    assert (texts[0], sheet.ignored) == ("Balón", [])
    mended = [text.replace("mucho", "20.000") for text in texts]
    again = await sender.send_spreadsheet(";".join(sheet.columns) + "\n" + ";".join(mended) + "\n")
    assert (again.counts.new, again.counts.wrong) == (1, 0)


@pytest.mark.parametrize("file_format", ["csv", "xlsx"])
async def test_exported_file_is_imported_without_changes(sender: Sender, file_format: str) -> None:
    async with sender.shop.database.transaction() as session:
        session.add(Collection(title="De toda la vida", handle="de-toda-la-vida"))
        variant_id = await add_product(
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
        await add_product(session, sender.defaults, "yoyo", status="draft", tax_rate=0, tax_excluded=True)
        await add_product(session, sender.defaults, "Odd_Handle.x")
    export_id = await request_file(sender.shop, "import", file_format, OWNER, DAYS)
    await sender.shop.worker.run_due("export.make")
    file = await open_export_file(sender.shop.database, OWNER, export_id)
    content = b"".join([piece async for piece in file.pieces])
    found = await sender.send_spreadsheet(content)
    assert list_problems(found) == []
    assert [(one.title, one.changes) for one in found.changes] == []
    assert found.counts.same == 5
    with pytest.raises(InvalidData):
        await sender.run_import()


async def test_free_variant_stays_free_after_export_and_import(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        await add_product(session, sender.defaults, "balon", price=20_000)
    free = "Nombre;SKU;Precio;Gratis\nCalcomanía;CAL-1;0;sí\nYoyo;YO-1;0;\nTrompo;TRO-1;0;no\n;SKU-balon;0;quizás\n"
    found = await sender.send_spreadsheet(free)
    assert list_problems(found) == [(5, "is_free", "cell")]
    await sender.run_import()
    assert [await sender.value(Variant.is_free, sku) for sku in ("CAL-1", "YO-1", "TRO-1", "SKU-balon")] == [
        True, False, False, False,
    ]  # fmt: skip
    export_id = await request_file(sender.shop, "import", "csv", OWNER, DAYS)
    await sender.shop.worker.run_due("export.make")
    file = await open_export_file(sender.shop.database, OWNER, export_id)
    content = b"".join([piece async for piece in file.pieces])
    found = await sender.send_spreadsheet(content)
    assert (list_problems(found), found.counts.same) == ([], 4)
    await sender.send_spreadsheet("SKU;Precio\nCAL-1;500\n")  # without the column the flag stays
    await sender.run_import()
    assert await sender.value(Variant.is_free, "CAL-1") is True
    report = await sender.send_spreadsheet("SKU;is_free\nCAL-1;no\n")
    assert [(one["column"], one["before"], one["after"]) for one in report.changes[0].changes] == [
        ("is_free", "sí", "no")
    ]
    await sender.run_import()
    assert await sender.value(Variant.is_free, "CAL-1") is False


async def test_import_continues_after_its_process_was_killed(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "BATCH_SIZE", 2)
    rows = "".join(f"Juguete {n};J-{n};1000;1;;\n" for n in range(5))
    await sender.send_spreadsheet(HEAD + rows)
    await start_import(sender.shop.database, OWNER, sender.id)
    await sender.run_one_batch()
    assert await sender.count() == 2
    assert (await sender.report()).counts.settled == 2
    await sender.shop.worker.run_due(JOB)
    done = await sender.report()
    assert (done.status, done.counts.settled, done.counts.refused, await sender.count()) == ("done", 5, 0, 5)


async def test_only_previewed_changes_are_written(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        for name in ("yoyo", "balon"):
            await add_product(session, sender.defaults, name, price=9_900, stock=4)
    await sender.send_spreadsheet(f"{HEAD}Yoyo;SKU-yoyo;12.000;4;;\nBalon;SKU-balon;12.000;4;;\n")
    async with (
        sender.shop.database.transaction() as session
    ):  # an order and a manual price change after the preview
        await session.execute(update(InventoryLevel).values(stocked=3))
        await session.execute(update(Variant).where(Variant.sku == "SKU-balon").values(price=11_000))
    done = await sender.run_import()
    assert list_problems(done) == [(3, "price", "changed since")]
    assert await sender.value(Variant.price, "SKU-yoyo") == 12_000
    assert await sender.value(InventoryLevel.stocked, "SKU-yoyo") == 3
    assert await sender.value(Variant.price, "SKU-balon") == 11_000


async def test_failing_spreadsheet_row_does_not_stop_the_other_rows(sender: Sender) -> None:
    await sender.send_spreadsheet(f"{HEAD}Trompo;TRO-1;1000;1;;\nBalón;BAL-1;1000;1;;\nYoyo;YOY-1;1000;1;;\n")
    async with (
        sender.shop.database.transaction() as session
    ):  # the SKU is used by another product in the meantime
        await add_product(session, sender.defaults, "otro")
        await session.execute(update(Variant).values(sku="BAL-1"))
    done = await sender.run_import()
    assert [one[0] for one in list_problems(done)] == [3]
    assert (done.counts.settled, await sender.count()) == (3, 3)


async def test_rows_with_repeated_names_or_codes_are_refused(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        await add_product(session, sender.defaults, "yoyo")
    found = await sender.send_spreadsheet(
        f"{HEAD}Trompo;T-1;5;;;\nTrompo;T-2;5;;;\nOtro;T-1;5;;;\nYoyo;NUEVO;5;;;\nYoyo;;7000;;;\n★;;5;;;\n"
    )
    assert list_problems(found) == [
        (3, "title", "name twice"), (4, "sku", "twice"), (5, "title", "taken"), (7, "handle", "no name"),
    ]  # fmt: skip
    assert found.problems[1].text == "Ya está en la fila 2."
    assert [(one.line, one.is_new) for one in found.changes] == [(2, True), (6, False)]


async def test_categories_missing_in_the_shop_are_created_on_request(sender: Sender) -> None:
    found = await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;5;;Patio|madera;\n")
    assert list_problems(found) == [(2, "categories", "category")]
    await set_makes_places(sender.shop.database, OWNER, sender.id, makes_places=True)
    assert list_problems(await sender.report()) == []
    await sender.run_import()
    async with sender.shop.database.read() as session:
        assert "patio" in (await session.execute(select(Category.handle))).scalars().all()


async def test_missing_tags_and_types_are_created_on_request(sender: Sender) -> None:
    sheet = "Nombre;SKU;Precio;tags;type\nTrompo;T-1;5;madera, niños;Trompos\n"
    found = await sender.send_spreadsheet(sheet)
    assert list_problems(found) == [(2, "tags", "tag"), (2, "tags", "tag"), (2, "type", "type")]
    await set_makes_places(sender.shop.database, OWNER, sender.id, makes_places=True)
    assert list_problems(await sender.report()) == []
    assert (await sender.run_import()).counts.refused == 0
    async with sender.shop.database.read() as session:
        assert {*(await session.execute(select(ProductTag.value))).scalars()} == {"madera", "niños"}
        assert (await session.execute(select(ProductType.value))).scalars().all() == ["Trompos"]
    again = await sender.send_spreadsheet(sheet)
    assert (list_problems(again), again.counts.same) == ([], 1)


PLACED = "Nombre;SKU;Precio;Categorías;Colección\n"


async def read_group_names(sender: Sender) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of the shop's categories and collections, by handle."""
    async with sender.shop.database.read() as session:
        categories = dict((await session.execute(select(Category.handle, Category.name))).all())
        collections = dict((await session.execute(select(Collection.handle, Collection.title))).all())
    return categories, collections


async def test_new_categories_get_the_names_written_in_the_spreadsheet(sender: Sender) -> None:
    sheet = (
        f"{PLACED}Trompo;T-1;5;Año Nuevo;Edición Año Nuevo\n"
        "Yoyo;Y-1;5;Año Nuevo;LEGO City\nBalero;B-1;5;de-patio;de-siempre\n"
    )
    found = await sender.send_spreadsheet(sheet, makes_places=True)
    shown = [{one["column"]: one["after"] for one in row.changes}["collection"] for row in found.changes]
    assert shown == ["Edición Año Nuevo", "LEGO City", "de-siempre"]
    assert (await sender.run_import()).counts.refused == 0
    assert await read_group_names(sender) == (
        {"madera": "Madera", "ano-nuevo": "Año Nuevo", "de-patio": "De patio"},
        {"edicion-ano-nuevo": "Edición Año Nuevo", "lego-city": "LEGO City", "de-siempre": "De siempre"},
    )
    assert await sender.value(Collection.title, "Y-1") == "LEGO City"
    again = await sender.send_spreadsheet(sheet)
    assert (list_problems(again), again.counts.same) == ([], 3)


@pytest.mark.parametrize("written_name", ["Muñecas y bebés", "munecas y  BEBES", "Muñecas", "munecas"])
async def test_renamed_category_or_collection_is_found_by_its_name_or_handle(
    sender: Sender, written_name: str
) -> None:
    async with sender.shop.database.transaction() as session:
        session.add(Category(name="Muñecas y bebés", handle="munecas"))
        session.add(Collection(title="Muñecas y bebés", handle="munecas"))
    before = await read_group_names(sender)
    sheet = f"{PLACED}Trompo;T-1;5;{written_name}|munecas;{written_name}\n"
    assert list_problems(await sender.send_spreadsheet(sheet)) == []
    await sender.send_spreadsheet(sheet, makes_places=True)
    assert (await sender.run_import()).counts.refused == 0
    assert await read_group_names(sender) == before
    assert await sender.value(Collection.handle, "T-1") == "munecas"
    assert (await sender.send_spreadsheet(sheet)).counts.same == 1


async def test_exact_handle_of_a_category_has_priority_over_its_name(
    sender: Sender,
) -> None:
    async with sender.shop.database.transaction() as session:
        for name, handle in (("Jardín", "patio"), ("Patio", "al_Aire.libre")):
            session.add(Category(name=name, handle=handle))
            session.add(Collection(title=name, handle=handle))
    handles = {
        "patio": "patio",
        "Patio": "al_Aire.libre",
        "al_Aire.libre": "al_Aire.libre",
        "jardin": "patio",
    }
    for written, handle in handles.items():
        sheet = f"{PLACED}Trompo;T-1;5;{written};{written}\n"
        found = await sender.send_spreadsheet(sheet)
        assert list_problems(found) == []
        if found.counts.new or found.counts.changed:
            await sender.run_import(confirms_losses=True)
        async with sender.shop.database.read() as session:
            placed = select(Category.handle).join(ProductCategory, ProductCategory.category_id == Category.id)
            assert (await session.execute(placed)).scalars().all() == [handle]
        assert await sender.value(Collection.handle, "T-1") == handle
        assert (await sender.send_spreadsheet(sheet)).counts.same == 1


@pytest.mark.parametrize("missing", ["Categorías", "Colección", "Etiquetas", "Tipo"])
async def test_import_screen_offers_to_create_the_groups_that_the_shop_lacks(
    sender: Sender, missing: str
) -> None:
    """Check that the screen shows the checkbox, even if only a row beyond the first page of problems needs it."""
    async with sender.shop.database.transaction() as session:
        # in a shop without collections, the import creates those of the file
        session.add(Collection(title="Clásicos", handle="clasicos"))
    rows = "".join(f"Juguete {n};J-{n};mucho;\n" for n in range(PAGE_SIZE + 1))
    await sender.send_spreadsheet(f"Nombre;SKU;Precio;{missing}\n{rows}")
    assert (await sender.report()).misses_places is False
    await sender.send_spreadsheet(f"Nombre;SKU;Precio;{missing}\n{rows}Trompo;T-1;1000;Robots\n")
    async with sender.shop.database.read() as session:
        view = await import_view(session, OWNER, {})
    assert view is not None
    assert (view.misses_places, view.to_write) == (True, 0)
    await set_makes_places(sender.shop.database, OWNER, sender.id, makes_places=True)
    assert (await sender.report()).counts.new == 1


async def test_name_shared_by_several_categories_or_collections_is_refused(sender: Sender) -> None:
    async with sender.shop.database.transaction() as session:
        for handle in ("otros-1", "otros-2", "varios", "varios-2"):
            name = handle.partition("-")[0].capitalize()
            session.add(Category(name=name, handle=handle))
            session.add(Collection(title=name, handle=handle))
    found = await sender.send_spreadsheet(
        f"{PLACED}Trompo;T-1;5;Otros;otros\nOso;O-1;5;Varios;VARIOS\nYoyo;Y-1;5;varios|otros-2;otros-1\n",
        makes_places=True,
    )
    assert list_problems(found) == [
        (line, column, "several") for line in (2, 3) for column in ("categories", "collection")
    ]
    assert "«Otros»" in found.problems[0].text
    assert found.counts.new == 1


async def test_collection_name_without_a_letter_is_refused(sender: Sender) -> None:
    found = await sender.send_spreadsheet(
        f"{PLACED}Trompo;T-1;5;;★\nYoyo;Y-1;5;;{'a' * 256}\n", makes_places=True
    )
    assert list_problems(found) == [(2, "collection", "collection"), (3, "collection", "cell")]


class TestPictures:
    @pytest.mark.parametrize("name", ["javascript:alert(1)", "data:image/png;base64,AAAA"])
    async def test_picture_address_with_another_scheme_is_refused(self, sender: Sender, name: str) -> None:
        """Let a product have this address from an earlier release: it is refused nevertheless."""
        async with sender.shop.database.transaction() as session:
            variant_id = await add_product(session, sender.defaults, "yoyo")
            old = (await session.get_one(Variant, variant_id)).product_id
            session.add(Picture(product_id=old, url=name, rank=99))
        await sender.send_spreadsheet(f'{HEAD}Trompo;T-1;5000;;;"{name}"\n')
        assert list_problems(await sender.report()) == [(2, "pictures", "picture missing")]

    async def test_pictures_of_a_zip_are_matched_by_file_name(self, sender: Sender) -> None:
        await sender.send_spreadsheet(
            f"{HEAD}Trompo;T-1;5000;;;A/Trompo.JPG|fotos/otro.png\nYoyo;Y-1;5000;;;solo.jpg\n"
        )
        content = zip_files(
            {
                "a/trompo.jpg": picture(), "../../otro.png": picture("blue"), "__MACOSX/._x.jpg": b"x",
                "b/trompo.jpg": picture("green"), "leeme.txt": b"hola", "roto.jpg": b"x" * 50,
                "grande.jpg": b"\0" * (MAX_FILE_BYTES + 1),
            }
        )  # fmt: skip
        taken = await sender.send_pictures("fotos.zip", content)
        assert taken.taken == 3
        assert taken.refused == [
            ("leeme.txt", "no_picture"), ("roto.jpg", "no_picture"), ("grande.jpg", "too_many_bytes"),
        ]  # fmt: skip
        assert list_problems(await sender.report()) == [(3, "pictures", "picture missing")]
        assert (await sender.send_pictures("solo.jpg", picture("grey"))).taken == 1
        await preview_import(sender.shop.database, sender.id)
        done = await sender.run_import()
        assert done.counts.refused == 0
        async with sender.shop.database.read() as session:
            found = (await session.execute(select(Picture.url, Picture.rank, Picture.width))).all()
            thumbnail = (
                await session.execute(select(Product.thumbnail).where(Product.handle == "trompo"))
            ).scalar_one()
        assert sorted((rank, width) for _url, rank, width in found) == [(0, 320), (0, 320), (1, 320)]
        assert await sender.shop.pictures.get(str(thumbnail).removeprefix("/pictures/")) is not None
        again = await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;5000;;;A/Trompo.JPG|otro.png\n")
        assert again.counts.wrong == 1
        await sender.send_pictures("fotos.zip", content)
        assert (await sender.report()).counts.same == 1

    async def test_zip_beyond_the_limits_is_refused(self, sender: Sender) -> None:
        await sender.send_spreadsheet("Nombre,Precio,Fotos\nTrompo,5,a.jpg\n")
        for content in (bombs.many_members(), bombs.many_members(2_001)):
            with pytest.raises(InvalidData, match="zip too many"):
                await sender.send_pictures("fotos.zip", content)
        lzma = bombs.pack({"a.jpg": picture()}, zipfile.ZIP_LZMA)
        assert (await sender.send_pictures("fotos.zip", lzma)).refused == [("a.jpg", "damaged")]
        large = bombs.pack_large("a.jpg")
        assert (await sender.send_pictures("fotos.zip", large)).refused == [("a.jpg", "too_many_bytes")]

    async def test_slow_zip_is_processed_in_several_requests(
        self, sender: Sender, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;5000;;;a.jpg|b.jpg\n")
        content = zip_files({"a.jpg": picture(), "b.jpg": picture("blue")})
        monkeypatch.setattr(pictures_module, "REQUEST_TIME_S", -1.0)
        assert (await sender.send_pictures("x.zip", content)).remaining_count == 2
        monkeypatch.undo()
        assert await sender.send_pictures("x.zip", content) == PictureUploadResult(2, [])

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"PK\x03\x04 no zip", "zip damaged"),
            (zip_files({f"{n}.jpg": b"x" for n in range(2001)}), "zip too many"),
        ],
    )
    async def test_damaged_zip_or_too_many_pictures_are_refused(
        self, sender: Sender, content: bytes, message: str
    ) -> None:
        await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;5000;;;a.jpg\n")
        with pytest.raises(InvalidData, match=message):
            await sender.send_pictures("x.zip", content)

    async def test_addresses_in_private_networks_are_not_downloaded(self, sender: Sender) -> None:
        await sender.send_spreadsheet(
            f"{HEAD}Trompo;T-1;5000;;;http://127.0.0.1:1/a.jpg\nYoyo;Y-1;5000;;;https://[::1]/b.jpg\nBalón;B-1;5000;;;\n"
        )
        done = await sender.run_import()
        assert list_problems(done) == [
            (2, "pictures", "picture not fetched"), (2, "", "without picture"),
            (3, "pictures", "picture not fetched"), (3, "", "without picture"),
        ]  # fmt: skip
        assert await sender.count(Picture) == 0

    async def test_product_with_a_refused_row_is_not_imported(
        self, sender: Sender, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def fail(_self: object, _files: object) -> None:
            raise PicturesUnavailable("the store does not answer")

        monkeypatch.setattr(import_job, "fetch", lambda _address, **_how: picture())
        monkeypatch.setattr(PictureUploads, "store_unchecked", fail)
        await sender.send_spreadsheet(
            "handle,title,sku,price,pictures,option_1,value_1\n"
            "carro,Carro,C-P,5000,http://a.example/a.jpg,Talla,Chico\n"
            "carro,,C-G,9000,,Talla,Grande\n"
            "yoyo,Yoyo,Y-1,5000,,,\n"
        )
        done = await sender.run_import()
        assert list_problems(done) == [
            (2, "pictures", "picture not stored"), (3, "", "other row"),
        ]  # fmt: skip
        assert await sender.count() == 1
        assert "one by one" not in caplog.text


async def test_other_sheets_of_a_workbook_are_reported_as_not_imported(sender: Sender) -> None:
    list_of: list[list[object]] = [["Nombre", "SKU", "Precio"], ["Trompo", "T-1", 5_000]]
    found = await sender.send_spreadsheet(build_workbook(list_of, [["Nombre", "SKU"], ["Yoyo", "Y-1"]]))
    assert (found.sheet, found.counts.new) == ("Sheet1", 1)
    (other,) = found.set_aside
    assert (other.line, other.reason, other.text) == (0, "other sheet", "Sheet2")
    assert other.message.startswith("Es otra hoja")


async def test_import_requires_the_right_to_change_products(sender: Sender) -> None:
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        with pytest.raises(Forbidden):
            await store_spreadsheet(sender.shop.database, Actor("x", role), "x", b"", makes_places=False)


async def test_new_spreadsheet_replaces_one_that_was_not_started(sender: Sender) -> None:
    await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;5000;;;\n")
    await sender.send_spreadsheet(f"{HEAD}Yoyo;Y-1;5000;;;\n")
    assert await sender.count(ProductImport) == 1


async def test_discarded_import_is_deleted_and_listeners_are_notified(sender: Sender) -> None:
    await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;5000;;;\n")
    topics: list[frozenset[Topic]] = []
    end = notifications.listen(topics.append)
    await discard_import(sender.shop.database, OWNER, sender.id)
    end()
    assert await sender.count(ProductImport) == 0
    assert topics == [frozenset({Topic.IMPORTS})]


def test_template_is_a_valid_spreadsheet() -> None:
    sheet = read_product_file(build_template())
    assert len(sheet.rows) == 3
    assert len(set(sheet.columns)) == len(sheet.columns)
    assert not sheet.ignored
