"""The Admin API of what other shops of the platform have several of, and this one has one of.

Its store, currency, languages and taxes (wire: commerce-api, Admin). Programs read it here; what of it can be changed
is changed in the office or in settings.
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
from backend.core.config.settings import Settings
from backend.core.errors import InvalidData, NotFound
from backend.edge.dependencies import Db, ShopSettings, Shown, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.query import listed, page_of, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, ListParameters, Name, example
from backend.edge.wire import JsonDict, LastingStamps, Page, Wire, exact, sibling_id, stamps
from backend.office_settings.service import read_effective_settings, save_settings
from backend.pricing import STANDARD_RATE, TAX_RATES
from backend.shipping.models import StockLocation
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: settings"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_SETTINGS),
)

store_router = APIRouter(
    prefix="/store",
    route_class=WireRoute,
    tags=["store: catalogue"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)

Read = Callable[[AsyncSession, Settings], Awaitable[list[JsonDict]]]

OPENED = datetime(2026, 1, 1, tzinfo=UTC)
ALWAYS: LastingStamps = {**stamps(OPENED, OPENED), "deleted_at": None}
"""When what is in the program and not in the database was made."""
LANGUAGES = {"es": ("es-CO", "Spanish (Colombia)"), "en": ("en-US", "English (United States)")}


class Asked(ListParameters):
    """Which of them: each of these is compared with the field of its name."""

    id: list[Name] | None = None
    code: list[Name] | None = None
    country_code: list[Name] | None = None
    parent_id: Name | None = Field(None, description="`null`: those that are below none.")
    tax_region_id: list[Name] | None = None
    is_default: bool | None = None
    attribute: list[Name] | None = None
    value: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the name or the code.")


def _serve(path: str, names: tuple[str, str], read: Read, *, key: str = "id") -> None:
    """Routes for the list of what `read` returns, and for one of them by its `key`. `names`: of many, and of one."""
    plural, singular = names

    async def list_all(
        asked: Annotated[Asked, read_query(Asked)], database: Db, settings: ShopSettings
    ) -> Wire[Page]:
        async with database.read() as session:
            found = [item for item in await read(session, settings) if _is_asked_for(item, asked)]
        return Wire(listed(plural, page_of(found, asked), len(found), asked))

    async def read_one(key_or_id: str, database: Db, settings: ShopSettings, fields: Shown) -> Wire[JsonDict]:
        async with database.read() as session:
            for item in await read(session, settings):
                if item[key] == key_or_id:
                    return Wire({singular: fields.pick(item)})
        raise NotFound(f"{singular.replace('_', ' ').capitalize()} with {key}: {key_or_id} was not found")

    about = read.__doc__
    router.add_api_route(path, list_all, description=about, summary=plural)
    one = f"{path}/{{key_or_id}}"
    router.add_api_route(one, read_one, description=about, summary=singular)


def _is_asked_for(item: JsonDict, asked: Asked) -> bool:
    wanted = asked.model_dump(exclude={"q", "fields", "limit", "offset", "order"}, exclude_none=True)
    for name, value in wanted.items():
        own = "null" if item.get(name) is None else item[name]
        if own not in (value if isinstance(value, list) else [value]):
            return False
    text = (asked.q or "").casefold()
    return not text or any(text in str(item.get(name) or "").casefold() for name in ("name", "code"))


class SupportedCurrency(Body):
    """A currency that the shop sells in."""

    currency_code: Literal["cop"]
    is_default: Literal[True] | None = None
    is_tax_inclusive: Literal[True] | None = None


class SupportedLocale(Body):
    """A language that the shop speaks."""

    locale_code: Name


class StoreChange(Body):
    """Another name for the shop. The rest can only be sent as it is."""

    model_config = example(name="Juguetería Trompo")

    name: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    supported_currencies: Annotated[list[SupportedCurrency], Field(min_length=1, max_length=1)] | None = None
    supported_locales: Annotated[list[SupportedLocale], Field(max_length=10)] | None = None
    default_sales_channel_id: Name | None = None
    default_region_id: Name | None = None
    default_location_id: Name | None = None
    metadata: None = None


class StoreAnswer(TypedDict):
    """The shop."""

    store: JsonDict


class LocaleOut(TypedDict):
    """A language that the shop speaks."""

    code: str
    name: str


class LocalesAnswer(TypedDict):
    """The languages that the shop speaks."""

    locales: list[LocaleOut]


class FlagsAnswer(TypedDict):
    """Parts of the platform that are being tried out."""

    feature_flags: dict[str, bool]


@router.post("/stores/{key_or_id}")
async def change_store(
    *,
    actor: StaffMember,
    key_or_id: str,
    body: StoreChange,
    database: Db,
    settings: ShopSettings,
    fields: Shown,
) -> Wire[StoreAnswer]:
    """Give the shop another name: its pages and mails bear it at once."""
    async with database.transaction() as session:
        await rename_store(session, actor, settings, key_or_id, body)
        (store,) = await _stores(session, settings)
    return Wire({"store": fields.pick(store)})


async def rename_store(
    session: AsyncSession, actor: Actor, settings: Settings, store_id: str, change: StoreChange
) -> None:
    """Give the shop another name.

    Raises:
        NotFound: this is not its id.
        InvalidData: something else is to be changed, which is settled in settings, or the name does not fit.
    """
    actor.require(Right.CHANGE_SETTINGS)
    (store,) = await _stores(session, settings)
    if store["id"] != store_id:
        raise NotFound(f"Store with id: {store_id} was not found")
    changed: list[str] = [
        name
        for name in ("default_sales_channel_id", "default_region_id", "default_location_id")
        if name in change.model_fields_set and getattr(change, name) != store[name]
    ]
    spoken = [] if change.supported_locales is None else [one.locale_code for one in change.supported_locales]
    if any(code != LANGUAGES[settings.store_locale][0] for code in spoken):
        changed.append("supported_locales")
    if changed:
        raise InvalidData(f"Invalid request: {', '.join(changed)} cannot be changed here: it is in settings")
    if change.name is not None:
        await save_settings(session, actor, {"store_name": change.name})


async def _stores(session: AsyncSession, settings: Settings) -> list[JsonDict]:
    """The shop itself."""
    effective = await read_effective_settings(session, settings)
    region = (await session.execute(select(Region).order_by(Region.id).limit(1))).scalar_one_or_none()
    channel, location = [
        (await session.execute(query.limit(1))).scalar_one_or_none()
        for query in (
            select(SalesChannel.id).order_by(SalesChannel.created_at, SalesChannel.id),
            select(StockLocation.id).order_by(StockLocation.created_at, StockLocation.id),
        )
    ]
    opened = region.created_at if region else OPENED
    store_id = sibling_id("store", region.id) if region else "store_1"
    currency = {
        "id": sibling_id("stocur", store_id),
        "currency_code": "cop",
        "is_default": True,
        "store_id": store_id,
        "currency": (await _currencies(session, settings))[0],
        **ALWAYS,
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


async def _currencies(_session: AsyncSession, _settings: Settings) -> list[JsonDict]:
    """Colombian pesos, whole ones."""
    return [
        {
            "code": "cop",
            "symbol": "CO$",
            "symbol_native": "$",
            "name": "Colombian Peso",
            "decimal_digits": 0,
            "rounding": 0,
            "raw_rounding": exact(0),
            **ALWAYS,
        }
    ]


async def _locales(_session: AsyncSession, settings: Settings) -> list[JsonDict]:
    """The language that the shop speaks."""
    code, name = LANGUAGES[settings.store_locale]
    return [{"id": code, "code": code, "name": name, **ALWAYS}]


async def _tax_regions(session: AsyncSession, settings: Settings) -> list[JsonDict]:
    """Where IVA is charged: Colombia."""
    regions = (await session.execute(select(Region).order_by(Region.id))).scalars().all()
    rates = await _tax_rates(session, settings)
    return [
        {
            "id": sibling_id("txreg", region.id),
            "country_code": region.country_code,
            "province_code": None,
            "parent_id": None,
            "provider_id": "tp_system",
            "metadata": None,
            "created_by": None,
            "children": [],
            "tax_rates": [rate for rate in rates if rate["tax_region_id"] == sibling_id("txreg", region.id)],
            **stamps(region.created_at, region.updated_at),
            "deleted_at": None,
        }
        for region in regions
    ]


async def _tax_rates(session: AsyncSession, _settings: Settings) -> list[JsonDict]:
    """The rates of IVA. Which one a product has is said on the product (`tax_rate` of its metadata)."""
    regions = (await session.execute(select(Region).order_by(Region.id))).scalars().all()
    return [
        {
            "id": f"{sibling_id('txr', region.id)}{rate}",
            "rate": rate,
            "raw_rate": exact(rate),
            "code": f"IVA{rate}",
            "name": f"IVA {rate} %",
            "is_default": rate == STANDARD_RATE,
            "is_combinable": False,
            "tax_region_id": sibling_id("txreg", region.id),
            "rules": [],
            "metadata": None,
            "created_by": None,
            **stamps(region.created_at, region.updated_at),
            "deleted_at": None,
        }
        for region in regions
        for rate in TAX_RATES
    ]


async def _tax_providers(_session: AsyncSession, _settings: Settings) -> list[JsonDict]:
    """Who computes the tax: the shop."""
    return [{"id": "tp_system", "is_enabled": True}]


async def _price_preferences(_session: AsyncSession, _settings: Settings) -> list[JsonDict]:
    """Prices have their IVA in them, whoever asks."""
    return [
        {"id": "prpref_cop", "attribute": "currency_code", "value": "cop", "is_tax_inclusive": True, **ALWAYS}
    ]


@store_router.get("/locales")
async def list_locales(settings: ShopSettings) -> Wire[LocalesAnswer]:
    """The languages that the shop speaks: one."""
    code, name = LANGUAGES[settings.store_locale]
    return Wire({"locales": [{"code": code, "name": name}]})


@router.get("/feature-flags")
async def list_feature_flags() -> Wire[FlagsAnswer]:
    """Parts of the platform that are being tried out: none is on."""
    return Wire({"feature_flags": {}})


_serve("/stores", ("stores", "store"), _stores)
_serve("/currencies", ("currencies", "currency"), _currencies, key="code")
_serve("/locales", ("locales", "locale"), _locales, key="code")
_serve("/tax-regions", ("tax_regions", "tax_region"), _tax_regions)
_serve("/tax-rates", ("tax_rates", "tax_rate"), _tax_rates)
_serve("/tax-providers", ("tax_providers", "tax_provider"), _tax_providers)
_serve("/price-preferences", ("price_preferences", "price_preference"), _price_preferences)
