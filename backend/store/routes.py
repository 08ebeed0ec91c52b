"""Admin API of the store, its currency, languages and taxes (wire: commerce-api, Admin).

Other shops of the platform may have several stores, currencies and so on; this shop has one of each. API clients
read them here. They are changed in the back office or in the settings.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from backend.channels.models import Region, SalesChannel
from backend.core.config.languages import LANGUAGES
from backend.core.config.settings import Settings
from backend.core.errors import InvalidData, NotFound
from backend.edge.dependencies import Db, RequestedFields, ShopSettings, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.query import list_response, read_query, slice_page
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, ListParameters, Name, example
from backend.edge.wire import JsonDict, LastingStamps, Page, Wire, derive_sibling_id, exact_value, stamps
from backend.office_settings.service import read_effective_settings, save_settings
from backend.pricing import STANDARD_RATE, TAX_RATES
from backend.shipping.models import StockLocation
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: settings"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_SETTINGS),
)

store_router = APIRouter(
    prefix="/store",
    route_class=WireRoute,
    tags=["store: catalogue"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)

Read = Callable[[AsyncSession, Settings], Awaitable[list[JsonDict]]]

CREATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
FIXED_STAMPS: LastingStamps = {**stamps(CREATED_AT, CREATED_AT), "deleted_at": None}
"""Creation time of objects that are defined in the program, not in the database."""


class StoreObjectParameters(ListParameters):
    """Filters of the lists. Each filter is compared with the field of the same name."""

    id: list[Name] | None = None
    code: list[Name] | None = None
    country_code: list[Name] | None = None
    parent_id: Name | None = Field(None, description="`null`: objects without a parent.")
    tax_region_id: list[Name] | None = None
    is_default: bool | None = None
    attribute: list[Name] | None = None
    value: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the name or the code.")


def _add_routes(path: str, names: tuple[str, str], read: Read, *, key: str = "id") -> None:
    """Add a route that lists the objects that `read` returns, and a route for a single object.

    Args:
        path: the list's path.
        names: the response field's name, in the plural for the list and in the singular for one object.
        read: returns the objects; its docstring is the routes' description.
        key: the field that identifies an object.
    """
    plural, singular = names

    async def list_all(
        params: Annotated[StoreObjectParameters, read_query(StoreObjectParameters)],
        database: Db,
        settings: ShopSettings,
    ) -> Wire[Page]:
        async with database.read() as session:
            found = [item for item in await read(session, settings) if _matches_filters(item, params)]
        return Wire(list_response(plural, slice_page(found, params), len(found), params))

    async def read_one(
        key_or_id: str, database: Db, settings: ShopSettings, fields: RequestedFields
    ) -> Wire[JsonDict]:
        async with database.read() as session:
            for item in await read(session, settings):
                if item[key] == key_or_id:
                    return Wire({singular: fields.pick(item)})
        raise NotFound(f"{singular.replace('_', ' ').capitalize()} with {key}: {key_or_id} was not found")

    about = read.__doc__
    router.add_api_route(path, list_all, description=about, summary=plural)
    one = f"{path}/{{key_or_id}}"
    router.add_api_route(one, read_one, description=about, summary=singular)


def _matches_filters(item: JsonDict, params: StoreObjectParameters) -> bool:
    filters = params.model_dump(exclude={"q", "fields", "limit", "offset", "order"}, exclude_none=True)
    for name, value in filters.items():
        actual = "null" if item.get(name) is None else item[name]
        if actual not in (value if isinstance(value, list) else [value]):
            return False
    text = (params.q or "").casefold()
    return not text or any(text in str(item.get(name) or "").casefold() for name in ("name", "code"))


class SupportedCurrency(Body):
    """A currency of the shop."""

    currency_code: Literal["cop"]
    is_default: Literal[True] | None = None
    is_tax_inclusive: Literal[True] | None = None


class SupportedLocale(Body):
    """A language of the shop."""

    locale_code: Name


class StoreChange(Body):
    """Changes of the store. Only the name can change; other fields are accepted only with their current values."""

    model_config = example(name="Juguetería Trompo")

    name: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    supported_currencies: Annotated[list[SupportedCurrency], Field(min_length=1, max_length=1)] | None = None
    supported_locales: Annotated[list[SupportedLocale], Field(max_length=10)] | None = None
    default_sales_channel_id: Name | None = None
    default_region_id: Name | None = None
    default_location_id: Name | None = None
    metadata: None = None


class StoreAnswer(TypedDict):
    """Response with the shop."""

    store: JsonDict


class LocaleOut(TypedDict):
    """A language of the shop."""

    code: str
    name: str


class LocalesAnswer(TypedDict):
    """Response with the languages of the shop."""

    locales: list[LocaleOut]


class FlagsAnswer(TypedDict):
    """Response with the platform's experimental features."""

    feature_flags: dict[str, bool]


@router.post("/stores/{key_or_id}")
async def change_store(
    *,
    actor: StaffMember,
    key_or_id: str,
    body: StoreChange,
    database: Db,
    settings: ShopSettings,
    fields: RequestedFields,
) -> Wire[StoreAnswer]:
    """Rename the shop. Its pages and e-mails show the new name immediately."""
    async with database.transaction() as session:
        await rename_store(session, actor, settings, key_or_id, body)
        (store,) = await _list_stores(session, settings)
    return Wire({"store": fields.pick(store)})


async def rename_store(
    session: AsyncSession, actor: Actor, settings: Settings, store_id: str, change: StoreChange
) -> None:
    """Rename the shop.

    Raises:
        NotFound: this is not the shop's id.
        InvalidData: the name is invalid, or another field would change. Other fields are changed in the settings.
    """
    actor.require(Right.CHANGE_SETTINGS)
    (store,) = await _list_stores(session, settings)
    if store["id"] != store_id:
        raise NotFound(f"Store with id: {store_id} was not found")
    changed: list[str] = [
        name
        for name in ("default_sales_channel_id", "default_region_id", "default_location_id")
        if name in change.model_fields_set and getattr(change, name) != store[name]
    ]
    spoken = [] if change.supported_locales is None else [one.locale_code for one in change.supported_locales]
    if any(code != LANGUAGES[settings.store_locale].platform_code for code in spoken):
        changed.append("supported_locales")
    if changed:
        raise InvalidData(f"Invalid request: {', '.join(changed)} cannot be changed here: it is in settings")
    if change.name is not None:
        await save_settings(session, actor, {"store_name": change.name})


async def _list_stores(session: AsyncSession, settings: Settings) -> list[JsonDict]:
    """Return the shop itself."""
    effective = await read_effective_settings(session, settings)
    region = (await session.execute(select(Region).order_by(Region.id).limit(1))).scalar_one_or_none()
    channel, location = [
        (await session.execute(query.limit(1))).scalar_one_or_none()
        for query in (
            select(SalesChannel.id).order_by(SalesChannel.created_at, SalesChannel.id),
            select(StockLocation.id).order_by(StockLocation.created_at, StockLocation.id),
        )
    ]
    opened = region.created_at if region else CREATED_AT
    store_id = derive_sibling_id("store", region.id) if region else "store_1"
    currency = {
        "id": derive_sibling_id("stocur", store_id),
        "currency_code": "cop",
        "is_default": True,
        "store_id": store_id,
        "currency": (await _list_currencies(session, settings))[0],
        **FIXED_STAMPS,
    }
    return [
        {
            "id": store_id,
            "name": effective.store_name,
            "default_sales_channel_id": channel,
            "default_region_id": region.id if region else None,
            "default_location_id": location,
            "supported_currencies": [currency],
            "supported_locales": [],
            "metadata": None,
            **stamps(opened, opened),
        }
    ]


async def _list_currencies(_session: AsyncSession, _settings: Settings) -> list[JsonDict]:
    """Return the Colombian peso, without decimals."""
    return [
        {
            "code": "cop",
            "symbol": "CO$",
            "symbol_native": "$",
            "name": "Colombian Peso",
            "decimal_digits": 0,
            "rounding": 0,
            "raw_rounding": exact_value(0),
            **FIXED_STAMPS,
        }
    ]


async def _list_locales(_session: AsyncSession, settings: Settings) -> list[JsonDict]:
    """Return the language of the shop."""
    language = LANGUAGES[settings.store_locale]
    code = language.platform_code
    return [{"id": code, "code": code, "name": language.platform_name, **FIXED_STAMPS}]


async def _list_tax_regions(session: AsyncSession, settings: Settings) -> list[JsonDict]:
    """Return the region where IVA is charged: Colombia."""
    regions = (await session.execute(select(Region).order_by(Region.id))).scalars().all()
    rates = await _list_tax_rates(session, settings)
    return [
        {
            "id": derive_sibling_id("txreg", region.id),
            "country_code": region.country_code,
            "province_code": None,
            "parent_id": None,
            "provider_id": "tp_system",
            "metadata": None,
            "created_by": None,
            "children": [],
            "tax_rates": [
                rate for rate in rates if rate["tax_region_id"] == derive_sibling_id("txreg", region.id)
            ],
            **stamps(region.created_at, region.updated_at),
            "deleted_at": None,
        }
        for region in regions
    ]


async def _list_tax_rates(session: AsyncSession, _settings: Settings) -> list[JsonDict]:
    """Return the rates of IVA. The rate of each product is its field `tax_rate`."""
    regions = (await session.execute(select(Region).order_by(Region.id))).scalars().all()
    return [
        {
            "id": f"{derive_sibling_id('txr', region.id)}{rate}",
            "rate": rate,
            "raw_rate": exact_value(rate),
            "code": f"IVA{rate}",
            "name": f"IVA {rate} %",
            "is_default": rate == STANDARD_RATE,
            "is_combinable": False,
            "tax_region_id": derive_sibling_id("txreg", region.id),
            "rules": [],
            "metadata": None,
            "created_by": None,
            **stamps(region.created_at, region.updated_at),
            "deleted_at": None,
        }
        for region in regions
        for rate in TAX_RATES
    ]


async def _list_tax_providers(_session: AsyncSession, _settings: Settings) -> list[JsonDict]:
    """Return the only tax provider: the shop itself."""
    return [{"id": "tp_system", "is_enabled": True}]


async def _list_price_preferences(_session: AsyncSession, _settings: Settings) -> list[JsonDict]:
    """Return the preference that all prices include IVA."""
    return [
        {
            "id": "prpref_cop",
            "attribute": "currency_code",
            "value": "cop",
            "is_tax_inclusive": True,
            **FIXED_STAMPS,
        }
    ]


@store_router.get("/locales")
async def list_locales(settings: ShopSettings) -> Wire[LocalesAnswer]:
    """List the languages of the shop. There is only one."""
    language = LANGUAGES[settings.store_locale]
    return Wire({"locales": [{"code": language.platform_code, "name": language.platform_name}]})


@router.get("/feature-flags")
async def list_feature_flags() -> Wire[FlagsAnswer]:
    """List the experimental features of the platform: none is enabled."""
    return Wire({"feature_flags": {}})


_add_routes("/stores", ("stores", "store"), _list_stores)
_add_routes("/currencies", ("currencies", "currency"), _list_currencies, key="code")
_add_routes("/locales", ("locales", "locale"), _list_locales, key="code")
_add_routes("/tax-regions", ("tax_regions", "tax_region"), _list_tax_regions)
_add_routes("/tax-rates", ("tax_rates", "tax_rate"), _list_tax_rates)
_add_routes("/tax-providers", ("tax_providers", "tax_provider"), _list_tax_providers)
_add_routes("/price-preferences", ("price_preferences", "price_preference"), _list_price_preferences)
