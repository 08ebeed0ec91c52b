"""The procedure against recorded responses of the platform (spec: Catalog-assignment procedure)."""

import json
import tomllib
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from backend.catalog.assignment import admin_api, procedure
from backend.catalog.assignment.admin_api import AdminApi, ProcedureAborted
from backend.catalog.assignment.data import AssignmentData, CollectionToCreate, ExistingTarget, read_data
from storefront.server.build import ROOT
from tests.backend.catalog.assignment.platform import TOKEN, Platform

DATA = AssignmentData(
    create=[
        CollectionToCreate(title="Patio & Parque", products=["prod_lazo", "prod_arena"]),
        CollectionToCreate(title="Primeros pasos", products=["prod_aros"]),
    ],
    existing=[ExistingTarget(id="pcol_novedades", products=["prod_cubo"])],
    category=ExistingTarget(id="pcat_aire", products=["prod_lazo", "prod_cubo"]),
)


@pytest.fixture
def platform() -> Platform:
    return Platform()


async def dry_run(platform: Platform, data: AssignmentData = DATA) -> None:
    async with AdminApi("http://shop", TOKEN, transport=platform.transport) as api:
        await procedure.dry_run(data, api)


async def run_plan(platform: Platform, data: AssignmentData = DATA) -> None:
    async with AdminApi("http://shop", TOKEN, transport=platform.transport) as api:
        await procedure.run_procedure(data, api)


async def test_dry_run_only_reads_and_prints_the_plan(
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


async def test_run_applies_the_plan_and_prints_a_line_per_step(
    platform: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    await run_plan(platform)
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


async def test_collections_are_processed_in_order(platform: Platform) -> None:
    await run_plan(platform)
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


async def test_second_run_of_the_plan_changes_nothing(
    platform: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    await run_plan(platform)
    after_the_first = platform.state()
    capsys.readouterr()
    await run_plan(platform)
    assert platform.state() == after_the_first
    kinds = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert kinds.count("skip-create-collection") == 2
    assert "create-collection" not in kinds


async def test_collection_title_is_url_encoded_in_the_query(platform: Platform) -> None:
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
def test_handles_are_derived_from_titles(title: str, handle: str) -> None:
    assert CollectionToCreate(title=title, products=["prod_a"]).handle == handle


async def test_every_request_has_the_token_and_the_json_type(platform: Platform) -> None:
    await run_plan(platform)
    assert {headers["authorization"] for headers in platform.headers} == {f"Bearer {TOKEN}"}
    assert {headers["content-type"] for headers in platform.headers} == {"application/json"}


async def test_response_with_status_201_counts_as_success(platform: Platform) -> None:
    platform.created = 201
    await run_plan(platform)
    assert len(platform.collections) == 3


async def test_found_collection_is_used_even_if_the_response_has_only_its_id(platform: Platform) -> None:
    platform.faults[0] = JSONResponse({"collections": [{"id": "pcol_novedades"}]})
    await run_plan(platform)
    assert platform.products["prod_lazo"]["collection_id"] == "pcol_novedades"


async def test_search_result_with_another_title_is_not_taken_for_the_collection(platform: Platform) -> None:
    platform.faults[0] = JSONResponse({"collections": [{"id": "pcol_x", "title": "Patio & Parque viejo"}]})
    await run_plan(platform)
    assert platform.products["prod_lazo"]["collection_id"] == "pcol_1"


@pytest.mark.parametrize("status", [202, 204, 301, 304, 400, 401, 403, 404, 409, 422, 500, 503])
@pytest.mark.parametrize("number", range(8))
async def test_unexpected_status_at_any_step_aborts_and_is_reported_with_the_body(
    platform: Platform, number: int, status: int
) -> None:
    body = "" if status in (204, 304) else f'{{"message": "no {status}"}}'
    platform.faults[number] = Response(body, status, {"location": "http://shop/elsewhere"})
    with pytest.raises(ProcedureAborted) as aborted:
        await run_plan(platform)
    assert f"HTTP {status}: {body}" in str(aborted.value)
    assert TOKEN not in str(aborted.value)
    assert len(platform.requests) == number + 1  # no request follows


@pytest.mark.parametrize("number", [0, 1])
async def test_dry_run_aborts_on_an_error_response(
    platform: Platform, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    platform.faults[number] = Response("gone", 410)
    with pytest.raises(ProcedureAborted, match="HTTP 410: gone"):
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
async def test_response_with_an_unexpected_body_aborts_the_run(
    platform: Platform, number: int, answer: Response
) -> None:
    platform.faults[number] = answer
    with pytest.raises(ProcedureAborted, match="an unexpected body"):
        await run_plan(platform)
    assert len(platform.requests) == number + 1


@pytest.mark.parametrize(("method", "doubt"), [("GET", False), ("POST", True)])
async def test_missing_response_to_a_change_aborts_and_advises_to_run_again(method: str, doubt: bool) -> None:
    platform = Platform()

    async def answer(request: httpx.Request) -> httpx.Response:
        if request.method == method:
            raise httpx.ReadTimeout("")
        return await platform.transport.handle_async_request(request)

    async with AdminApi("http://shop", TOKEN, transport=httpx.MockTransport(answer)) as api:
        with pytest.raises(ProcedureAborted, match=f"{method} .* was not answered: ReadTimeout") as aborted:
            await procedure.run_procedure(DATA, api)
    assert ("run the command again" in str(aborted.value)) is doubt


DATA_BY_HANDLES = AssignmentData(
    create=[CollectionToCreate(title="Primeros pasos", products=["aros", "prod_lazo", "aros"])],
    existing=[ExistingTarget(handle="novedades", products=["cubo"])],
    category=ExistingTarget(handle="aire-libre", products=["aros", "prod_aros"]),
)


async def test_run_looks_up_all_handles_before_its_first_change(platform: Platform) -> None:
    await run_plan(platform, DATA_BY_HANDLES)
    methods = [method for method, _ in platform.requests]
    assert methods == ["GET", "GET", "GET", "GET", "POST", "POST", "POST", "POST"]
    assert platform.products["prod_aros"]["collection_id"] == "pcol_1"
    assert platform.products["prod_aros"]["categories"] == ["pcat_aire"]
    assert platform.products["prod_cubo"]["collection_id"] == "pcol_novedades"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            AssignmentData(
                category=ExistingTarget(handle="aire-libre", products=["aros", "nada", "tampoco"])
            ),
            "nada, tampoco",
        ),
        (AssignmentData(category=ExistingTarget(handle="nada", products=["aros"])), "product-categories .* 'nada'"),
        (AssignmentData(existing=[ExistingTarget(handle="nada", products=["aros"])]), "collections .* 'nada'"),
        (
            AssignmentData(
                create=[CollectionToCreate(title="Uno", products=["aros"])],
                existing=[ExistingTarget(id="pcol_novedades", products=["prod_aros"])],
            ),
            "In more than one collection: prod_aros",
        ),
    ],
)  # fmt: skip
async def test_invalid_assignment_file_aborts_before_any_change(
    platform: Platform, data: AssignmentData, message: str
) -> None:
    before = platform.state()
    with pytest.raises(ProcedureAborted, match=f"{message}.*Nothing was changed"):
        await run_plan(platform, data)
    assert platform.state() == before
    assert platform.paths("POST") == []


async def test_long_product_lists_are_split_into_several_requests(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin_api, "MAX_IDS_PER_REQUEST", 2)
    monkeypatch.setattr(admin_api, "MAX_HANDLES_PER_REQUEST", 1)
    data = AssignmentData(category=ExistingTarget(id="pcat_aire", products=["aros", "prod_cubo", "lazo"]))
    await run_plan(platform, data)
    assert platform.paths("POST") == ["/admin/product-categories/pcat_aire/products"] * 2
    assert len(platform.paths("GET")) == 2
    in_it = [key for key, one in platform.products.items() if one["categories"]]
    assert in_it == ["prod_aros", "prod_cubo", "prod_lazo"]


async def test_prices_texts_and_metadata_are_not_sent(platform: Platform) -> None:
    before = {key: dict(one) for key, one in platform.products.items()}
    await run_plan(platform)
    for key, one in platform.products.items():
        changed = {name for name in one if one[name] != before[key][name]}
        assert changed <= {"collection_id", "categories"}
    assert not [path for path in platform.paths("POST") if path.startswith("/admin/products")]


async def test_ids_from_the_file_are_escaped_in_the_path(platform: Platform) -> None:
    data = AssignmentData(existing=[ExistingTarget(id="../products/prod_aros?x=", products=["prod_cubo"])])
    with pytest.raises(ProcedureAborted, match="HTTP 404"):
        await run_plan(platform, data)
    (path,) = platform.paths("POST")
    assert path.startswith("/admin/collections/")


def test_demo_assignment_file_names_only_products_and_groups_of_the_demo_shop() -> None:
    data = read_data(None)
    demo = tomllib.loads((ROOT / "backend/operations/demo/catalog.toml").read_text("utf-8"))
    handles = {product["handle"] for product in demo["toys"]}
    parts = [*data.create, *data.existing, data.category]
    assert data.category is not None
    assert {name for part in parts if part for name in part.products} <= handles
    assert {one.name for one in data.existing} <= {one["handle"] for one in demo["collections"]}
    assert data.category.name in {one["handle"] for one in demo["categories"]}
    assert not {one.title for one in data.create} & {one["title"] for one in demo["collections"]}
