"""A folder and an S3 store behave alike; an unavailable store gives 503."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from PIL import Image
from pydantic import SecretStr, ValidationError
from starlette.applications import Starlette
from starlette.routing import Mount

from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.config.values import parse_s3_address
from backend.media.picture_server import PERMANENT_CACHING, PictureServer
from backend.media.picture_store import URL, PictureStore, PicturesUnavailable, open_picture_store
from tests.s3_server import KEY_ID, SECRET, create_bucket, s3_server


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    with s3_server() as server:
        yield server


@pytest.fixture(params=["folder", "s3"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    url = create_bucket(request.getfixturevalue("s3")) if request.param == "s3" else ""
    return Settings(data_dir=tmp_path / "data", pictures_url=SecretStr(url))


@pytest.fixture
def pictures(settings: Settings) -> PictureStore:
    return open_picture_store(settings)


@pytest.fixture
def unavailable(tmp_path: Path) -> Iterator[Settings]:
    """Return settings of a store whose port refuses connections."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://{KEY_ID}:{'secret'}@127.0.0.1:{taken.getsockname()[1]}/toys"
        yield Settings(data_dir=tmp_path / "data", pictures_url=SecretStr(url))


@asynccontextmanager
async def serve(pictures: PictureStore) -> AsyncIterator[httpx.AsyncClient]:
    app = Starlette(routes=[Mount(URL, PictureServer(pictures))])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        yield client


async def list_all_names(pictures: PictureStore) -> list[str]:
    return sorted([one.name async for some in pictures.iter_pictures() for one in some])


async def test_stored_pictures_are_found_listed_and_deleted(pictures: PictureStore) -> None:
    assert await list_all_names(pictures) == []
    stored = [f"{n:04x}/Muñeca (frente) {n}-320.webp" for n in range(3)]
    for name in stored:
        assert not pictures.has_picture(name)
        pictures.put(name, name.encode())
        pictures.put(name, name.encode())
    assert await list_all_names(pictures) == stored
    found = await pictures.get(stored[1])
    assert found is not None
    assert found.content == stored[1].encode()
    assert [pictures.has_picture(name) for name in (stored[0], "0000/other", "../secret_key")] == [
        True,
        False,
        False,
    ]
    since = now()
    await pictures.delete(stored, unless_stored_after=since - timedelta(minutes=5))
    assert await list_all_names(pictures) == stored  # they were stored again in the meantime
    await pictures.delete(
        [stored[0], "0000/none", stored[0]], unless_stored_after=since + timedelta(minutes=5)
    )
    assert await list_all_names(pictures) == stored[1:]
    assert await pictures.get(stored[0]) is None


async def test_pictures_are_served_from_a_folder_and_from_s3(pictures: PictureStore) -> None:
    pictures.put("0123/Trompo (frente)-320.webp", b"RIFF")
    pictures.put("0123/a.svg", b"<svg>")
    async with serve(pictures) as client:
        path = f"{URL}/0123/Trompo%20%28frente%29-320.webp"
        answer = await client.get(path)
        assert (answer.status_code, answer.content) == (200, b"RIFF")
        assert answer.headers["cache-control"] == PERMANENT_CACHING
        assert answer.headers["content-type"] == "image/webp"
        head = await client.head(path)
        assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", "4")
        known = await client.get(path, headers={"if-none-match": answer.headers["etag"]})
        assert (known.status_code, known.content) == (304, b"")
        assert (await client.get(f"{URL}/0123/a.svg")).headers["content-type"] == "application/octet-stream"
        assert (await client.post(path)).status_code == 405
        for other in (
            "0123/none.webp",
            "0123",
            "",
            "%2e%2e/secret_key",
            "a%00b",
            "//x",
            "0123/" + "x" * 5000,
        ):
            answer = await client.get(f"{URL}/{other}")
            assert answer.status_code == 404, other
            assert "immutable" not in answer.headers.get("cache-control", "")


async def test_import_stores_pictures_once_with_valid_names(
    pictures: PictureStore, settings: Settings, tmp_path: Path
) -> None:
    Image.new("RGB", (700, 700), "red").save(tmp_path / "50% #1?.png")
    prepared = PictureFolder(tmp_path, pictures).prepare("50% #1?.png")
    assert [Path(url).name for url, _ in prepared.sources] == [
        "50- -1--160.webp",
        "50- -1--320.webp",
        "50- -1--640.webp",
    ]
    async with serve(pictures) as client:
        for url, _ in prepared.sources:
            assert (await client.get(url)).status_code == 200
    assert len(await list_all_names(open_picture_store(settings))) == 3


async def test_unavailable_store_gives_503_and_is_logged_once(
    unavailable: Settings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = open_picture_store(unavailable)
    async with serve(pictures) as client:
        answers = await asyncio.gather(*(client.get(f"{URL}/0123/a.webp") for _ in range(3)))
        assert {answer.status_code for answer in answers} == {503}
        assert answers[0].headers["retry-after"] == "5"
        assert answers[0].headers["cache-control"] == "no-store"
        monkeypatch.setattr(PictureStore, "get", answer_again)
        assert (await client.get(f"{URL}/0123/a.webp")).status_code == 404
    told = [record.message for record in caplog.records if record.name == "backend.media.picture_server"]
    assert [
        level for *_, level in [("", record.levelno) for record in caplog.records if "picture" in record.name]
    ] == [
        logging.ERROR,
        logging.WARNING,
    ]
    assert "secret" not in caplog.text
    assert "answers again" in told[1]


async def answer_again(_store: PictureStore, _name: str) -> None:
    return None


async def test_reading_from_a_hanging_picture_store_returns_503(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(_store: PictureStore, _name: str) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(PictureStore, "get", hang)
    monkeypatch.setattr("backend.media.picture_server.READ_TIMEOUT_S", 0.01)
    async with serve(open_picture_store(settings)) as client:
        assert (await client.get(f"{URL}/0123/a.webp")).status_code == 503


async def test_import_asks_an_unavailable_store_once_and_reports_every_row(
    unavailable: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    has = PictureStore.has_picture

    def count_calls(store: PictureStore, name: str) -> bool:
        asked.append(name)
        return has(store, name)

    monkeypatch.setattr(PictureStore, "has_picture", count_calls)
    for name in ("a.png", "b.png"):
        Image.new("RGB", (320, 320), "red").save(tmp_path / name)
    folder = PictureFolder(tmp_path, open_picture_store(unavailable))
    for name in ("a.png", "b.png"):
        with pytest.raises(CellError, match=f"{name} was not stored") as refused:
            folder.prepare(name)
        assert "secret" not in str(refused.value)
    assert len(asked) == 1
    with pytest.raises(PicturesUnavailable):
        await list_all_names(open_picture_store(unavailable))


async def test_wrong_key_or_bucket_raises_an_error_instead_of_an_empty_list(s3: str, tmp_path: Path) -> None:
    url = f"http://{KEY_ID}:x@{s3.removeprefix('http://')}/no-such-bucket"
    pictures = open_picture_store(Settings(data_dir=tmp_path, pictures_url=SecretStr(url)))
    with pytest.raises(PicturesUnavailable):
        await asyncio.to_thread(pictures.put, "0123/a.webp", b"x")
    with pytest.raises(PicturesUnavailable):
        await list_all_names(pictures)


def test_address_of_the_picture_store_is_parsed_and_its_secret_hidden() -> None:
    address = parse_s3_address("https://AKIA:se%2Fcret%2Bkey@s3.example:9000/toys/a/b/?region=bogota")
    assert (address.endpoint, address.bucket, address.prefix) == ("https://s3.example:9000", "toys", "a/b")
    assert (address.region, address.key_id, address.secret) == ("bogota", "AKIA", SECRET)
    assert SECRET not in repr(address)
    assert parse_s3_address("http://a:b@[::1]:9/toys").endpoint == "http://[::1]:9"


@pytest.mark.parametrize(
    "url",
    [
        "s3://toys", "https://s3.example/toys", "https://a:hush@s3.example", "https://a@s3.example/toys", "hush",
        "https://a:hush@s3.example:port/toys", "https://a:hush@s3.example/toys?zone=x", "https://a:hush@/toys",
        "https://a:hush@s3.example/toys/../x", "https://a:hush@s3.example/toys#x", "ftp://a:hush@s3.example/toys",
    ],
)  # fmt: skip
def test_invalid_address_of_the_picture_store_is_refused_and_its_secret_hidden(url: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(pictures_url=SecretStr(url))
    assert "hush" not in str(refused.value)
