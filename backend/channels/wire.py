"""Conversion of regions, sales channels, shipping profiles and API keys to the platform's shapes."""

from backend.channels.answers import ChannelOut, CountryOut, KeyOut, ProfileOut, RegionOut
from backend.channels.models import PublishableKey, Region, SalesChannel, ShippingProfile
from backend.edge.wire import iso, stamps
from backend.staff.models import SecretKey
from backend.staff.secret_keys import redact

_COUNTRIES = {"co": ("col", "170", "COLOMBIA", "Colombia")}


def region_wire(region: Region) -> RegionOut:
    """Convert the region and its one country to JSON."""
    return {
        "id": region.id,
        "name": region.name,
        "currency_code": region.currency_code,
        "automatic_taxes": True,
        "metadata": region.meta or None,
        **stamps(region.created_at, region.updated_at),
        "deleted_at": None,
        "countries": [_country_wire(region)],
    }


def _country_wire(region: Region) -> CountryOut:
    iso_3, number, name, shown = _COUNTRIES.get(
        region.country_code, ("", "", region.name.upper(), region.name)
    )
    return {
        "iso_2": region.country_code,
        "iso_3": iso_3,
        "num_code": number,
        "name": name,
        "display_name": shown,
        "region_id": region.id,
        "metadata": None,
        **stamps(region.created_at, region.updated_at),
        "deleted_at": None,
    }


def channel_wire(channel: SalesChannel) -> ChannelOut:
    """Convert a sales channel to JSON."""
    return {
        "id": channel.id,
        "name": channel.name,
        "description": channel.description,
        "is_disabled": False,
        "metadata": channel.meta or None,
        **stamps(channel.created_at, channel.updated_at),
        "deleted_at": None,
    }


def profile_wire(profile: ShippingProfile) -> ProfileOut:
    """Convert a shipping profile to JSON."""
    return {
        "id": profile.id,
        "name": profile.name,
        "type": profile.type,
        "metadata": None,
        **stamps(profile.created_at, profile.updated_at),
        "deleted_at": None,
    }


def key_wire(key: PublishableKey | SecretKey, channel: SalesChannel | None = None) -> KeyOut:
    """Convert an API key to JSON: a publishable one with its channel, a secret one with its role.

    The token of a secret key is redacted.
    """
    if isinstance(key, SecretKey):
        kind, token, short, used_at = "secret", key.redacted, key.redacted, iso(key.last_used_at)
    else:
        kind, token, short, used_at = "publishable", key.token, redact(key.token), None
    shown: KeyOut = {
        "id": key.id,
        "title": key.title,
        "token": token,
        "redacted": short,
        "type": kind,
        "last_used_at": used_at,
        "created_by": key.created_by,
        "revoked_at": iso(key.revoked_at),
        "revoked_by": key.revoked_by,
        "sales_channels": [{"id": channel.id, "name": channel.name}] if channel else [],
        "created_at": iso(key.created_at),
        "updated_at": iso(key.updated_at),
    }
    if isinstance(key, SecretKey):
        shown["role"] = key.role
    return shown
