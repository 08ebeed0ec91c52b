"""The procedure against the platform's answers (spec: Catalog-assignment procedure)."""

import json
import tomllib
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from backend.catalog.assignment import admin_api, procedure
from backend.catalog.assignment.admin_api import Aborted, AdminApi
from backend.catalog.assignment.data import AssignmentData, CollectionToCreate, Existing, read_data
from storefront.server.build import ROOT
from tests.backend.catalog.assignment.platform import TOKEN, Platform

DATA = AssignmentData(
    create=[
        CollectionToCreate(title="Patio & Parque", products=["prod_lazo", "prod_arena"]),
        CollectionToCreate(title="Primeros pasos", products=["prod_aros"]),
    ],
    existing=[Existing(id="pcol_novedades", products=["prod_cubo"])],
    category=Existing(id="pcat_aire", products=["prod_lazo", "prod_cubo"]),
)


@pytest.fixture
def platform() -> Platform:
    return Platform()


async def dry_run(platform: Platform, data: AssignmentData = DATA) -> None:
    async with AdminApi("http://shop", TOKEN, transport=platform.transport) as api:
        await procedure.dry_run(data, api)


async def apply(platform: Platform, data: AssignmentData = DATA) -> None:
    async with AdminApi("http://shop", TOKEN, transport=platform.transport) as api:
        await procedure.apply(data, api)


async def test_a_dry_run_only_reads_and_prints_the_plan(
    platform: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    platform.collections["pcol_pasos"] = {"id": "pcol_pasos", "title": "Primeros pasos", "handle": "pasos"}
    before = platform.state()
    await dry_run(platform)
    plan, closing = capsys.readouterr().out.rsplit("]\n", 1)
    assert json.loads(plan + "]") == [
        {"kind": "create-collection", "title": "Patio & Parque", "handle": "patio-parque"},
        {
            "kind": "assign-collection",
            "title": "Patio & Parque",
            "collection_id": None,
            "product_ids": ["prod_lazo", "prod_arena"],
        },
        {"kind": "skip-create-collection", "title": "Primeros pasos", "collection_id": "pcol_pasos"},
        {
            "kind": "assign-collection",
            "title": "Primeros pasos",
            "collection_id": "pcol_pasos",
            "product_ids": ["prod_aros"],
        },
        {"kind": "assign-collection", "collection_id": "pcol_novedades", "product_ids": ["prod_cubo"]},
        {"kind": "assign-category", "category_id": "pcat_aire", "product_ids": ["prod_lazo", "prod_cubo"]},
    ]
    assert closing == "6 actions planned, none was run.\n"
    assert {method for method, _ in platform.requests} == {"GET"}
    assert platform.state() == before


async def test_apply_does_it_and_prints_a_line_a_step(
    platform: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    await apply(platform)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [
        "create-collection", "assign-collection", "create-collection", "assign-collection", "assign-collection",
        "assign-category", "6",
    ]  # fmt: skip
    assert lines[0] == 'create-collection title="Patio & Parque" handle=patio-parque collection_id=pcol_1'
    assert lines[3] == 'assign-collection title="Primeros pasos" collection_id=pcol_2 product_ids=1 product'
    collections = {one["id"]: (one["title"], one["handle"]) for one in platform.collections.values()}
    assert collections == {
        "pcol_novedades": ("Novedades", "novedades"),
        "pcol_1": ("Patio & Parque", "patio-parque"),
        "pcol_2": ("Primeros pasos", "primeros-pasos"),
    }
    products = {key: (one["collection_id"], one["categories"]) for key, one in platform.products.items()}
    assert products == {
        "prod_aros": ("pcol_2", []),
        "prod_cubo": ("pcol_novedades", ["pcat_aire"]),
        "prod_lazo": ("pcol_1", ["pcat_aire"]),
        "prod_arena": ("pcol_1", []),
    }


async def test_collections_are_handled_one_after_the_other(platform: Platform) -> None:
    await apply(platform)
    assert [(method, urlsplit(path).path) for method, path in platform.requests] == [
        ("GET", "/admin/collections"),
        ("POST", "/admin/collections"),
        ("POST", "/admin/collections/pcol_1/products"),
        ("GET", "/admin/collections"),
        ("POST", "/admin/collections"),
        ("POST", "/admin/collections/pcol_2/products"),
        ("POST", "/admin/collections/pcol_novedades/products"),
        ("POST", "/admin/product-categories/pcat_aire/products"),
    ]


async def test_the_second_run_changes_nothing(platform: Platform, capsys: pytest.CaptureFixture[str]) -> None:
    await apply(platform)
    after_the_first = platform.state()
    capsys.readouterr()
    await apply(platform)
    assert platform.state() == after_the_first
    kinds = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert kinds.count("skip-create-collection") == 2
    assert "create-collection" not in kinds


async def test_titles_are_url_encoded(platform: Platform) -> None:
    await dry_run(platform)
    _, path = platform.requests[0]
    assert parse_qs(urlsplit(path).query) == {"title": ["Patio & Parque"]}
    assert "%26" in path


@pytest.mark.parametrize(
    ("title", "handle"),
    [
        ("Novedades", "novedades"),
        ("Arte & Ciencia", "arte-ciencia"),
        ("De toda la vida", "de-toda-la-vida"),
        ("A & B & C", "a-b-c"),
        ("Papá&Mamá", "papa-mama"),
        ("PRIMEROS  Pasos", "primeros--pasos"),
    ],
)
def test_handles_follow_from_titles(title: str, handle: str) -> None:
    assert CollectionToCreate(title=title, products=["prod_a"]).handle == handle


async def test_every_call_carries_the_token_and_says_json(platform: Platform) -> None:
    await apply(platform)
    assert {headers["authorization"] for headers in platform.headers} == {f"Bearer {TOKEN}"}
    assert {headers["content-type"] for headers in platform.headers} == {"application/json"}


async def test_201_is_a_success_too(platform: Platform) -> None:
    platform.created = 201
    await apply(platform)
    assert len(platform.collections) == 3


async def test_a_found_collection_needs_to_have_no_more_than_an_id(platform: Platform) -> None:
    platform.faults[0] = JSONResponse({"collections": [{"id": "pcol_novedades"}]})
    await apply(platform)
    assert platform.products["prod_lazo"]["collection_id"] == "pcol_novedades"


async def test_a_collection_of_another_title_is_not_taken_for_it(platform: Platform) -> None:
    platform.faults[0] = JSONResponse({"collections": [{"id": "pcol_x", "title": "Patio & Parque viejo"}]})
    await apply(platform)
    assert platform.products["prod_lazo"]["collection_id"] == "pcol_1"


@pytest.mark.parametrize("status", [202, 204, 301, 304, 400, 401, 403, 404, 409, 422, 500, 503])
@pytest.mark.parametrize("number", range(8))
async def test_any_other_status_aborts_with_status_and_body_at_every_step(
    platform: Platform, number: int, status: int
) -> None:
    body = "" if status in (204, 304) else f'{{"message": "no {status}"}}'
    platform.faults[number] = Response(body, status, {"location": "http://shop/elsewhere"})
    with pytest.raises(Aborted) as aborted:
        await apply(platform)
    assert f"HTTP {status}: {body}" in str(aborted.value)
    assert TOKEN not in str(aborted.value)
    assert len(platform.requests) == number + 1  # nothing is asked after it


@pytest.mark.parametrize("number", [0, 1])
async def test_a_dry_run_aborts_as_well(
    platform: Platform, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    platform.faults[number] = Response("gone", 410)
    with pytest.raises(Aborted, match="HTTP 410: gone"):
        await dry_run(platform)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        (0, PlainTextResponse("<html>")),
        (0, JSONResponse({"items": []})),
        (0, JSONResponse({"collections": {"id": "pcol_x"}})),
        (0, JSONResponse({"collections": [{"title": "Patio & Parque"}]})),
        (1, JSONResponse({"collection": {"title": "Patio & Parque"}})),
        (1, JSONResponse({"id": "pcol_x"})),
        (1, JSONResponse([])),
    ],
)
async def test_an_answer_that_cannot_be_understood_aborts(
    platform: Platform, number: int, answer: Response
) -> None:
    platform.faults[number] = answer
    with pytest.raises(Aborted, match="cannot be understood"):
        await apply(platform)
    assert len(platform.requests) == number + 1


@pytest.mark.parametrize(("method", "doubt"), [("GET", False), ("POST", True)])
async def test_no_answer_aborts_and_says_what_may_have_happened(method: str, doubt: bool) -> None:
    platform = Platform()

    async def answer(request: httpx.Request) -> httpx.Response:
        if request.method == method:
            raise httpx.ReadTimeout("")
        return await platform.transport.handle_async_request(request)

    async with AdminApi("http://shop", TOKEN, transport=httpx.MockTransport(answer)) as api:
        with pytest.raises(Aborted, match=f"{method} .* was not answered: ReadTimeout") as aborted:
            await procedure.apply(DATA, api)
    assert ("run it again" in str(aborted.value)) is doubt


NAMED = AssignmentData(
    create=[CollectionToCreate(title="Primeros pasos", products=["aros", "prod_lazo", "aros"])],
    existing=[Existing(handle="novedades", products=["cubo"])],
    category=Existing(handle="aire-libre", products=["aros", "prod_aros"]),
)


async def test_handles_are_looked_up_before_anything_is_changed(platform: Platform) -> None:
    await apply(platform, NAMED)
    methods = [method for method, _ in platform.requests]
    assert methods == ["GET", "GET", "GET", "GET", "POST", "POST", "POST", "POST"]
    assert platform.products["prod_aros"]["collection_id"] == "pcol_1"
    assert platform.products["prod_aros"]["categories"] == ["pcat_aire"]
    assert platform.products["prod_cubo"]["collection_id"] == "pcol_novedades"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (AssignmentData(category=Existing(handle="aire-libre", products=["aros", "nada", "tampoco"])), "nada, tampoco"),
        (AssignmentData(category=Existing(handle="nada", products=["aros"])), "product-categories .* 'nada'"),
        (AssignmentData(existing=[Existing(handle="nada", products=["aros"])]), "collections .* 'nada'"),
        (
            AssignmentData(
                create=[CollectionToCreate(title="Uno", products=["aros"])],
                existing=[Existing(id="pcol_novedades", products=["prod_aros"])],
            ),
            "In more than one collection: prod_aros",
        ),
    ],
)  # fmt: skip
async def test_what_cannot_be_done_ends_before_anything_is_changed(
    platform: Platform, data: AssignmentData, message: str
) -> None:
    before = platform.state()
    with pytest.raises(Aborted, match=f"{message}.*Nothing was changed"):
        await apply(platform, data)
    assert platform.state() == before
    assert platform.paths("POST") == []


async def test_long_lists_go_in_parts(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_api, "MOST_IDS", 2)
    monkeypatch.setattr(admin_api, "MOST_HANDLES", 1)
    data = AssignmentData(category=Existing(id="pcat_aire", products=["aros", "prod_cubo", "lazo"]))
    await apply(platform, data)
    assert platform.paths("POST") == ["/admin/product-categories/pcat_aire/products"] * 2
    assert len(platform.paths("GET")) == 2
    in_it = [key for key, one in platform.products.items() if one["categories"]]
    assert in_it == ["prod_aros", "prod_cubo", "prod_lazo"]


async def test_prices_words_and_metadata_are_left_alone(platform: Platform) -> None:
    before = {key: dict(one) for key, one in platform.products.items()}
    await apply(platform)
    for key, one in platform.products.items():
        changed = {name for name in one if one[name] != before[key][name]}
        assert changed <= {"collection_id", "categories"}
    assert not [path for path in platform.paths("POST") if path.startswith("/admin/products")]


async def test_ids_from_a_file_cannot_leave_their_place_in_the_path(platform: Platform) -> None:
    data = AssignmentData(existing=[Existing(id="../products/prod_aros?x=", products=["prod_cubo"])])
    with pytest.raises(Aborted, match="HTTP 404"):
        await apply(platform, data)
    (path,) = platform.paths("POST")
    assert path.startswith("/admin/collections/")


def test_the_demo_file_is_a_plan_for_the_demo_shop() -> None:
    data = read_data(None)
    demo = tomllib.loads((ROOT / "backend/operations/demo/catalog.toml").read_text("utf-8"))
    handles = {toy["handle"] for toy in demo["toys"]}
    parts = [*data.create, *data.existing, data.category]
    assert data.category is not None
    assert {name for part in parts if part for name in part.products} <= handles
    assert {one.name for one in data.existing} <= {one["handle"] for one in demo["collections"]}
    assert data.category.name in {one["handle"] for one in demo["categories"]}
    assert not {one.title for one in data.create} & {one["title"] for one in demo["collections"]}
