"""Categories, collections, regions, sales channels and keys as the platform shows them."""

from backend.catalog.categories import Tree
from backend.catalog.channel_models import PublishableKey, Region, SalesChannel, ShippingProfile
from backend.catalog.models import Category, Collection
from backend.catalog.product_parts import CategoryRow, CollectionRow
from backend.catalog.store_schemas import CategoryParameters
from backend.edge.wire import JsonDict, iso, stamps
from backend.staff.models import SecretKey
from backend.staff.secret_keys import redacted


def collection_wire(collection: Collection | CollectionRow) -> JsonDict:
    """A collection."""
    return {
        "id": collection.id,
        "title": collection.title,
        "handle": collection.handle,
        "external_id": None,
        "metadata": collection.meta or None,
        **stamps(collection.created_at, collection.updated_at),
        "deleted_at": None,
    }


def category_fields(category: Category | CategoryRow) -> JsonDict:
    """A category by itself."""
    return {
        "id": category.id,
        "name": category.name,
        "description": category.description,
        "handle": category.handle,
        "is_active": True,
        "is_internal": False,
        "rank": category.rank,
        "external_id": None,
        "metadata": category.meta or None,
        "parent_category_id": category.parent_id,
        **stamps(category.created_at, category.updated_at),
    }


def category_wire(
    tree: Tree, category: Category, asked: CategoryParameters, *, as_staff: bool = False
) -> JsonDict:
    """The category with its parent and children, or with the whole trees that were asked for."""
    shown = category_fields(category)
    if not as_staff:
        del shown["is_active"], shown["is_internal"]
    shown["category_children"] = [
        _below(tree, child, deep=asked.include_descendants_tree) for child in tree.children(category.id)
    ]
    parent = tree.by_id.get(category.parent_id or "")
    shown["parent_category"] = _above(tree, parent, deep=asked.include_ancestors_tree) if parent else None
    return shown


def _below(tree: Tree, category: Category, *, deep: bool) -> JsonDict:
    shown = _beside(tree, category)
    if deep:
        shown["category_children"] = [_below(tree, child, deep=True) for child in tree.children(category.id)]
    return shown


def _above(tree: Tree, category: Category, *, deep: bool) -> JsonDict:
    shown = _beside(tree, category)
    if deep:
        shown["category_children"] = [_beside(tree, child) for child in tree.children(category.id)]
        parent = tree.by_id.get(category.parent_id or "")
        shown["parent_category"] = _above(tree, parent, deep=True) if parent else None
    return shown


def _beside(tree: Tree, category: Category) -> JsonDict:
    return {**category_fields(category), "mpath": _path(tree, category), "deleted_at": None}


def _path(tree: Tree, category: Category) -> str:
    """The ids from the root down to the category, with dots between."""
    return ".".join(one.id for one in tree.path_to(category.id))


_COUNTRIES = {"co": ("col", "170", "COLOMBIA", "Colombia")}


def region_wire(region: Region) -> JsonDict:
    """The region with its countries."""
    return {
        "id": region.id,
        "name": region.name,
        "currency_code": region.currency_code,
        "automatic_taxes": True,
        "metadata": region.meta or None,
        **stamps(region.created_at, region.updated_at),
        "deleted_at": None,
        "countries": [_country(region)],
    }


def _country(region: Region) -> JsonDict:
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


def channel_wire(channel: SalesChannel) -> JsonDict:
    """A way to sell."""
    return {
        "id": channel.id,
        "name": channel.name,
        "description": channel.description,
        "is_disabled": False,
        "metadata": channel.meta or None,
        **stamps(channel.created_at, channel.updated_at),
        "deleted_at": None,
    }


def profile_wire(profile: ShippingProfile) -> JsonDict:
    """A shipping profile."""
    return {
        "id": profile.id,
        "name": profile.name,
        "type": profile.type,
        "metadata": None,
        **stamps(profile.created_at, profile.updated_at),
        "deleted_at": None,
    }


def key_wire(key: PublishableKey | SecretKey, channel: SalesChannel | None = None) -> JsonDict:
    """A key: a publishable one with its channel, or a secret one with its role and what may be shown of its token."""
    if isinstance(key, PublishableKey):
        own = {
            "token": key.token,
            "redacted": redacted(key.token),
            "type": "publishable",
            "last_used_at": None,
        }
    else:
        own = {
            "token": key.redacted,
            "redacted": key.redacted,
            "type": "secret",
            "role": key.role,
            "last_used_at": iso(key.last_used_at),
        }
    return {
        "id": key.id,
        "title": key.title,
        **own,
        "created_by": key.created_by,
        "revoked_at": iso(key.revoked_at),
        "revoked_by": key.revoked_by,
        "sales_channels": [{"id": channel.id, "name": channel.name}] if channel else [],
        "created_at": iso(key.created_at),
        "updated_at": iso(key.updated_at),
    }
