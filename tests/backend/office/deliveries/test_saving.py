"""Zones of own delivery and pickup points of the office: creating, changing, two people at once, and the rights."""

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit.models import AuditEntry
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound
from backend.office.deliveries.form import (
    POINT_FIELDS,
    ZONE_FIELDS,
    PointForm,
    ZoneForm,
    parse_point_form,
    parse_town_codes,
    parse_zone_form,
)
from backend.office.deliveries.page import DeliveryRow, build_tags, deliveries_page
from backend.office.deliveries.saving import DeliveryChanged, delete_delivery, save_point, save_zone
from backend.shipping.models import FulfillmentSet, LocationFulfillmentProvider, ShippingOption
from backend.shipping.provider_switches import switch_provider
from backend.staff.rights import COMMAND_LINE, Actor, Role
from tests.backend.rivals import run_against_rival
from tests.store_defaults import Defaults, set_up_defaults

MEDELLIN, ENVIGADO = "05001000", "05266000"
RUNNING = ("manual_manual", "carrier_standard", "own_delivery")
ZONE = {
    **dict.fromkeys(ZONE_FIELDS, ""),
    "name": "Domicilio",
    "towns": f"{MEDELLIN} {ENVIGADO}",
    "price": "8.000",
    "free_from": "120.000",
    "delivery_days": "0",
    "cutoff_hour": "11",
    "from_hour": "9",
    "to_hour": "18",
    "day-0": "yes",
    "day-5": "yes",
}
POINT = {
    **dict.fromkeys(POINT_FIELDS, ""),
    "name": "Recoger en El Poblado",
    "towns": MEDELLIN,
    "address": "Calle 10 # 4-20",
    "from_hour": "9",
    "to_hour": "18",
    "day-5": "yes",
}


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)


async def read_rows(database: Database, settings: Settings) -> tuple[list[DeliveryRow], list[DeliveryRow]]:
    async with database.read() as session:
        page = await deliveries_page(session, COMMAND_LINE, settings, RUNNING)
    return page.zones, page.points


async def save(database: Database, *, option_id: str = "", version: str = "", **typed: str) -> str:
    """Save a zone with these typed values. Return the id of its shipping option."""
    form = parse_zone_form({**ZONE, **typed})
    async with database.transaction() as session:
        return (await save_zone(session, COMMAND_LINE, {}, form, option_id=option_id, version=version)).id


async def list_actions(database: Database) -> list[tuple[str, str]]:
    async with database.read() as session:
        rows = await session.execute(
            select(AuditEntry.subject_type, AuditEntry.action).order_by(AuditEntry.id)
        )
        return [(subject, action) for subject, action in rows]


@pytest.mark.usefixtures("defaults")
async def test_zone_is_created_changed_and_deleted_with_an_audit(
    database: Database, settings: Settings
) -> None:
    option_id = await save(database)
    [[row], _points] = await read_rows(database, settings)
    assert (row.id, row.name, row.where) == (option_id, "Domicilio", "Medellín, Envigado")
    assert " ".join(row.price.split()) == "$ 8.000 · gratis desde $ 120.000"
    assert " ".join(row.when.split()) == "lunes y sábado, 9 a. m. a 6 p. m."
    assert row.promise.startswith("Si pagas")
    assert (row.form.texts["price"], row.form.texts["free_from"]) == ("8.000", "120.000")
    assert [tag.label for tag in build_tags(parse_town_codes(row.form.texts["towns"]))] == [
        "Medellín, Antioquia",
        "Envigado, Antioquia",
    ]
    await save(
        database, option_id=option_id, version=row.form.version, price="0", free_from="", towns=ENVIGADO
    )
    [[row], _points] = await read_rows(database, settings)
    assert (row.price, row.where) == ("Gratis", "Envigado")
    async with database.transaction() as session:
        await delete_delivery(session, COMMAND_LINE, option_id)
    assert (await read_rows(database, settings))[0] == []
    assert await list_actions(database) == [
        ("stock_location", "providers linked"),
        ("service_zone", "created"),
        ("shipping_option", "created"),
        ("service_zone", "changed"),
        ("shipping_option", "changed"),
        ("shipping_option", "deleted"),
    ]


@pytest.mark.usefixtures("defaults")
async def test_pickup_point_gets_its_address_and_hours(database: Database, settings: Settings) -> None:
    _zones, [usual] = await read_rows(database, settings)
    assert usual.warning.startswith("Falta la dirección o el horario")
    form = parse_point_form(POINT)
    async with database.transaction() as session:
        await save_point(session, COMMAND_LINE, {}, form, option_id=usual.id, version=usual.form.version)
        other = parse_point_form({**POINT, "name": "Recoger en Envigado", "towns": ENVIGADO})
        await save_point(session, COMMAND_LINE, {}, other)
    _zones, points = await read_rows(database, settings)
    assert [(row.name, row.where, row.price, row.warning) for row in points] == [
        ("Recoger en El Poblado", "Calle 10 # 4-20, Medellín", "Gratis", ""),
        ("Recoger en Envigado", "Calle 10 # 4-20, Envigado", "Gratis", ""),
    ]
    async with database.read() as session:
        sets = await session.execute(select(func.count()).select_from(FulfillmentSet))
        assert sets.scalar_one() == 1


@pytest.mark.usefixtures("defaults")
async def test_owner_is_warned_of_a_municipality_in_two_zones(database: Database, settings: Settings) -> None:
    await save(database, name="Norte")
    await save(database, name="Sur", towns=ENVIGADO, price="7.000")
    zones, _points = await read_rows(database, settings)
    assert [row.warning for row in zones] == [
        "Envigado: también en la zona «Sur». Se ofrece «Sur», la más barata.",
        "Envigado: también en la zona «Norte». Se ofrece «Sur», la más barata.",
    ]


@pytest.mark.usefixtures("defaults")
async def test_owner_is_warned_that_own_delivery_is_switched_off(
    database: Database, settings: Settings
) -> None:
    await save(database)
    async with database.transaction() as session:
        await switch_provider(session, COMMAND_LINE, "own_delivery", is_on=False)
    async with database.read() as session:
        page = await deliveries_page(session, COMMAND_LINE, settings, RUNNING)
    assert page.warning.startswith("La entrega propia está apagada")


@pytest.mark.usefixtures("defaults")
async def test_second_of_two_concurrent_changes_is_refused(database: Database, settings: Settings) -> None:
    option_id = await save(database)
    [[row], _points] = await read_rows(database, settings)

    async def change(session: AsyncSession) -> None:
        form = parse_zone_form({**ZONE, "price": "9.000"})
        await save_zone(session, COMMAND_LINE, {}, form, option_id=option_id, version=row.form.version)

    async def change_later() -> str:
        return await save(database, option_id=option_id, version=row.form.version, price="5.000")

    with pytest.raises(DeliveryChanged):
        await run_against_rival(database, change, change_later)
    async with database.read() as session:
        assert (await session.get_one(ShippingOption, option_id)).amount == 9_000


@pytest.mark.usefixtures("defaults")
async def test_change_of_a_deleted_zone_is_refused(database: Database, settings: Settings) -> None:
    option_id = await save(database)
    [[row], _points] = await read_rows(database, settings)
    async with database.transaction() as session:
        await delete_delivery(session, COMMAND_LINE, option_id)
    with pytest.raises(DeliveryChanged):
        await save(database, option_id=option_id, version=row.form.version)


async def test_two_concurrent_first_zones_link_the_provider_once(
    database: Database, defaults: Defaults
) -> None:
    async def create(session: AsyncSession) -> None:
        await save_zone(session, COMMAND_LINE, {}, parse_zone_form(ZONE))

    async def create_another() -> str:
        return await save(database, name="Otra")

    await run_against_rival(database, create, create_another)
    async with database.read() as session:
        link = (defaults.location_id, "own_delivery")
        assert await session.get(LocationFulfillmentProvider, link) is not None


@pytest.mark.usefixtures("defaults")
async def test_office_creates_no_more_zones_and_points_than_the_limit(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.office.deliveries.saving.MAX_OPTIONS", 2)
    zone_id = await save(database)
    await save(database, name="Otra")
    with pytest.raises(NotAllowed):
        await save(database, name="Tercera")
    [[zone, _other], [_usual]] = await read_rows(database, settings)
    await save(database, option_id=zone_id, version=zone.form.version, price="9.000")
    for name in ("Norte", "Sur"):
        async with database.transaction() as session:
            saved = save_point(session, COMMAND_LINE, {}, parse_point_form({**POINT, "name": name}))
            if name == "Norte":
                await saved
                continue
            with pytest.raises(NotAllowed):
                await saved
    async with database.transaction() as session:
        await delete_delivery(session, COMMAND_LINE, zone_id)
    await save(database, name="Tercera")


@pytest.mark.usefixtures("defaults")
async def test_other_shipping_options_cannot_be_saved_or_deleted(
    database: Database, settings: Settings
) -> None:
    zone_id = await save(database)
    [[zone], [point]] = await read_rows(database, settings)
    async with database.read() as session:
        query = select(ShippingOption.id).where(ShippingOption.price_type == "calculated")
        carrier_id = (await session.execute(query)).scalar_one()
    with pytest.raises(NotFound):
        await save(database, option_id=point.id, version=point.form.version)
    async with database.transaction() as session:
        with pytest.raises(NotFound):
            await save_point(
                session,
                COMMAND_LINE,
                {},
                parse_point_form(POINT),
                option_id=zone_id,
                version=zone.form.version,
            )
        for option_id in (carrier_id, "so_unknown"):
            with pytest.raises(NotFound):
                await delete_delivery(session, COMMAND_LINE, option_id)


@pytest.mark.usefixtures("defaults")
@pytest.mark.parametrize("role", [Role.SHOP, Role.STOCKROOM, Role.ACCOUNTANT])
async def test_only_the_owner_changes_deliveries(database: Database, settings: Settings, role: Role) -> None:
    actor = Actor("staff_1", role)
    zone: ZoneForm = parse_zone_form(ZONE)
    point: PointForm = parse_point_form(POINT)
    async with database.transaction() as session:
        await deliveries_page(session, actor, settings, RUNNING)
        for refused in (
            save_zone(session, actor, {}, zone),
            save_point(session, actor, {}, point),
            delete_delivery(session, actor, "so_1"),
        ):
            with pytest.raises(Forbidden):
                await refused


@pytest.mark.parametrize(
    ("typed", "fields"),
    [
        ({"name": " "}, {"name"}),
        ({"name": "x" * 61}, {"name"}),
        ({"towns": ""}, {"towns"}),
        ({"towns": "00000000"}, {"towns"}),
        ({"price": "gratis"}, {"price"}),
        ({"price": "-1"}, {"price"}),
        ({"price": "1.000.001"}, {"price"}),
        ({"free_from": "mucho"}, {"free_from"}),
        ({"free_from": "0"}, {"free_from"}),
        ({"day-0": "", "day-5": ""}, {"weekdays"}),
        ({"to_hour": "9"}, {"to_hour"}),
        ({"to_hour": "٣"}, {"to_hour"}),
        ({"cutoff_hour": "0"}, {"cutoff_hour"}),
        ({"delivery_days": "31"}, {"delivery_days"}),
        ({"name": "", "towns": "", "price": "", "to_hour": ""}, {"name", "towns", "price", "to_hour"}),
    ],
)
def test_invalid_fields_of_a_zone_are_reported(typed: dict[str, str], fields: set[str]) -> None:
    with pytest.raises(InvalidData) as refused:
        parse_zone_form({**ZONE, **typed})
    assert refused.value.fields.keys() == fields


@pytest.mark.parametrize(
    ("typed", "fields"),
    [
        ({"name": ""}, {"name"}),
        ({"towns": ""}, {"towns"}),
        ({"towns": f"{MEDELLIN} {ENVIGADO}"}, {"towns"}),
        ({"address": ""}, {"address"}),
        ({"address": "x" * 121}, {"address"}),
        ({"day-5": ""}, {"weekdays"}),
    ],
)
def test_invalid_fields_of_a_point_are_reported(typed: dict[str, str], fields: set[str]) -> None:
    with pytest.raises(InvalidData) as refused:
        parse_point_form({**POINT, **typed})
    assert refused.value.fields.keys() == fields
