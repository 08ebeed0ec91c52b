"""The procedure itself, written once: a dry run follows it without writing (spec: rules 4 to 7)."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from backend.catalog.assignment.admin_api import Aborted, AdminApi
from backend.catalog.assignment.data import PRODUCT_ID, AssignmentData
from backend.core.terminal import progress

SKIP_CREATE, CREATE = "skip-create-collection", "create-collection"
ASSIGN_COLLECTION, ASSIGN_CATEGORY = "assign-collection", "assign-category"

LONG_PLAN = 10
"""From this many steps on, a bar shows how far it is."""


async def dry_run(data: AssignmentData, api: AdminApi) -> None:
    """Print the plan as JSON, and that nothing of it was run (spec: Catalog-assignment procedure 7)."""
    plan = []
    with _progress(number_of_actions(data), "Planning") as step:
        async for action in steps(data, api, write=False):
            plan.append(action.as_json())
            step(1)
    print(json.dumps(plan, ensure_ascii=False, indent=2))
    print(f"{len(plan)} actions planned, none was run.")


async def apply(data: AssignmentData, api: AdminApi) -> None:
    """Do it, and print one line per step."""
    count = 0
    with _progress(number_of_actions(data), "Assigning") as step:
        async for action in steps(data, api, write=True):
            print(action.as_line(), flush=True)
            count += 1
            step(1)
    print(f"{count} actions run.")


@dataclass(frozen=True, slots=True)
class Action:
    """One step. `details` are shown beside its kind."""

    kind: str
    details: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The step as the plan shows it."""
        return {"kind": self.kind, **self.details}

    def as_line(self) -> str:
        """The step as one line."""
        shown = [f"{name}={_short(value)}" for name, value in self.details.items() if value is not None]
        return " ".join([self.kind, *shown])


def number_of_actions(data: AssignmentData) -> int:
    """How many steps the procedure has."""
    return 2 * len(data.create) + len(data.existing) + (data.category is not None)


async def steps(data: AssignmentData, api: AdminApi, *, write: bool) -> AsyncIterator[Action]:
    """Go through the procedure and yield every step after it is done; without `write`, nothing is changed.

    What is named by handle is looked up first, so that an unknown handle ends it before anything is changed.

    Raises:
        Aborted: the Admin API did not do or know what it was asked.
    """
    ids = await _Ids.look_up(data, api)
    for new in data.create:
        collection_id = await api.collection_titled(new.title)
        if collection_id is not None:
            yield Action(SKIP_CREATE, {"title": new.title, "collection_id": collection_id})
        else:
            collection_id = await api.create_collection(new.title, new.handle) if write else None
            details = {"title": new.title, "handle": new.handle, "collection_id": collection_id}
            yield Action(CREATE, {name: value for name, value in details.items() if value is not None})
        products = ids.of_products(new.products)
        if write and collection_id is not None:
            await api.add_to_collection(collection_id, products)
        yield Action(
            ASSIGN_COLLECTION, {"title": new.title, "collection_id": collection_id, "product_ids": products}
        )
    for existing in data.existing:
        collection_id, products = ids.collections[existing.name], ids.of_products(existing.products)
        if write:
            await api.add_to_collection(collection_id, products)
        yield Action(ASSIGN_COLLECTION, {"collection_id": collection_id, "product_ids": products})
    if data.category is not None:
        products = ids.of_products(data.category.products)
        if write:
            await api.add_to_category(ids.category, products)
        yield Action(ASSIGN_CATEGORY, {"category_id": ids.category, "product_ids": products})


@dataclass(frozen=True)
class _Ids:
    """The ids behind the names in the data."""

    products: dict[str, str]
    collections: dict[str, str]
    category: str

    @classmethod
    async def look_up(cls, data: AssignmentData, api: AdminApi) -> "_Ids":
        parts = [one.products for one in (*data.create, *data.existing, data.category) if one]
        names = dict.fromkeys(chain.from_iterable(parts))
        handles = [name for name in names if not name.startswith(PRODUCT_ID)]
        collections = {
            one.name: one.id or await api.id_by_handle("collections", one.name) for one in data.existing
        }
        category = ""
        if data.category is not None:
            category = data.category.id or await api.id_by_handle("product-categories", data.category.name)
        ids = cls(await api.product_ids(handles), collections, category)
        ids._refuse_rivals(data)
        return ids

    def _refuse_rivals(self, data: AssignmentData) -> None:
        """A product is in one collection: two that claim it would take it from each other at every run."""
        claims = Counter(
            chain(
                *(self.of_products(one.products) for one in data.create),
                *(self.of_products(one.products) for one in data.existing),
            )
        )
        if rivals := sorted(product_id for product_id, count in claims.items() if count > 1):
            raise Aborted(f"In more than one collection: {', '.join(rivals)}. Nothing was changed.")

    def of_products(self, names: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(self.products.get(name, name) for name in names))


def _short(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value)} products" if len(value) != 1 else "1 product"
    return f'"{value}"' if " " in str(value) else str(value)


def _progress(steps: int, title: str) -> AbstractContextManager[Callable[[int], None]]:
    """A bar for a long plan."""
    return progress(steps, title) if steps >= LONG_PLAN else nullcontext(lambda _steps: None)
