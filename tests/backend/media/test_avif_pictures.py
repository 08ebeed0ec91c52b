"""AVIF files: encoded by the job once, served only to browsers that accept them, replaced by WebP otherwise."""

from io import BytesIO
from pathlib import Path

import httpx
import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.routing import Mount

from backend.core.config.settings import Settings
from backend.jobs import JobRun
from backend.media import avif_pictures
from backend.media.avif_pictures import AvifPictures, avif_name
from backend.media.picture_server import PictureServer
from backend.media.picture_store import URL, PictureStore, open_picture_store

NAME = "0123456789abcdef/foto-640x480-320.webp"
AVIF_NAME = NAME.replace(".webp", ".avif")
RUN = JobRun(id=1, kind="media.encode_avif", key=None, payload={}, attempt=1)
BROWSER = {"accept": "image/avif,image/webp,image/*,*/*;q=0.8"}


def draw(size: tuple[int, int] = (320, 240)) -> bytes:
    """Return a picture with many details, as a WebP file."""
    content = BytesIO()
    Image.effect_mandelbrot(size, (-2, -1.5, 1, 1.5), 90).convert("RGB").save(content, "WEBP", quality=82)
    return content.getvalue()


def draw_logo() -> bytes:
    """Return a picture with many details and a transparent top, as a WebP file."""
    content = BytesIO()
    logo = Image.effect_mandelbrot((320, 240), (-2, -1.5, 1, 1.5), 90).convert("RGBA")
    logo.putalpha(Image.linear_gradient("L").resize(logo.size))
    logo.save(content, "WEBP", quality=82)
    return content.getvalue()


@pytest.fixture
def pictures(tmp_path: Path) -> PictureStore:
    return open_picture_store(Settings(data_dir=tmp_path))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "pictures"


def count_avif_files(files: Path) -> int:
    return len(list(files.rglob("*.avif")))


async def request(pictures: PictureStore, headers: dict[str, str], name: str = NAME) -> httpx.Response:
    app = Starlette(routes=[Mount(URL, PictureServer(pictures))])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        return await client.get(f"{URL}/{name}", headers=headers)


async def test_missing_avif_file_is_encoded_once_and_is_smaller_than_the_webp_file(
    pictures: PictureStore, files: Path
) -> None:
    pictures.put(NAME, draw())
    job = AvifPictures(pictures)
    await job.encode_missing(RUN)
    encoded = files / AVIF_NAME
    with Image.open(encoded) as image:
        assert (image.format, image.size) == ("AVIF", (320, 240))
    assert encoded.stat().st_size < (files / NAME).stat().st_size
    encoded.write_bytes(b"as it is")
    await job.encode_missing(RUN)
    assert encoded.read_bytes() == b"as it is"


async def test_transparency_of_a_picture_is_preserved_in_avif(pictures: PictureStore, files: Path) -> None:
    pictures.put(NAME, draw_logo())
    await AvifPictures(pictures).encode_missing(RUN)
    with Image.open(files / AVIF_NAME) as image:
        assert (image.format, image.mode) == ("AVIF", "RGBA")
        alpha = image.getchannel("A").tobytes()
    assert min(alpha) < 8
    assert max(alpha) > 247


async def test_avif_file_is_sent_only_to_browsers_that_accept_avif(pictures: PictureStore) -> None:
    pictures.put(NAME, draw())
    await AvifPictures(pictures).encode_missing(RUN)
    modern = await request(pictures, BROWSER)
    assert (modern.status_code, modern.headers["content-type"]) == (200, "image/avif")
    old = await request(pictures, {"accept": "image/webp,*/*"})
    assert (old.status_code, old.headers["content-type"], old.content) == (200, "image/webp", draw())
    assert modern.headers["vary"] == old.headers["vary"] == "Accept"
    assert modern.headers["etag"] != old.headers["etag"]
    for known, headers in ((modern, BROWSER), (old, {}), (old, BROWSER)):
        again = await request(pictures, {**headers, "if-none-match": known.headers["etag"]})
        assert (again.status_code, again.headers["etag"]) == (304, known.headers["etag"])


async def test_webp_is_served_until_the_job_has_run(pictures: PictureStore) -> None:
    pictures.put(NAME, draw())
    answer = await request(pictures, BROWSER)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
    assert (await request(pictures, BROWSER, "0123456789abcdef/other.webp")).status_code == 404


@pytest.mark.parametrize("content", [b"RIFF no picture", draw((1, 1))])
async def test_picture_that_avif_does_not_make_smaller_is_served_as_webp(
    pictures: PictureStore, files: Path, content: bytes
) -> None:
    pictures.put(NAME, content)
    await AvifPictures(pictures).encode_missing(RUN)
    assert (files / AVIF_NAME).read_bytes() == content  # no further attempt
    answer = await request(pictures, BROWSER)
    assert (answer.headers["content-type"], answer.content) == ("image/webp", content)


async def test_run_encodes_a_bounded_number_of_files(
    pictures: PictureStore, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(avif_pictures, "MAX_FILES_PER_RUN", 2)
    for digit in range(3):
        pictures.put(f"{digit}/a-320.webp", draw())
    pictures.put("3/video-20261128.mp4", b"no picture")
    job = AvifPictures(pictures)
    await job.encode_missing(RUN)
    assert count_avif_files(files) == 2
    await job.encode_missing(RUN)
    assert count_avif_files(files) == 3


def test_only_webp_files_have_an_avif_file() -> None:
    assert avif_name("a/b-320.webp") == "a/b-320.avif"
    assert avif_name("a/video.mp4") is None
