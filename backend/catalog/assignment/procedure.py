"""The assignment procedure. A dry run follows the same code without writing (spec: rules 4 to 7)."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from backend.catalog.assignment.admin_api import AdminApi, ProcedureAborted
from backend.catalog.assignment.data import PRODUCT_ID, AssignmentData
from backend.core.terminal import show_progress

SKIP_CREATE, CREATE = "skip-create-collection", "create-collection"
ASSIGN_COLLECTION, ASSIGN_CATEGORY = "assign-collection", "assign-category"

MIN_STEPS_FOR_PROGRESS = 10
"""Number of steps from which a progress bar is shown."""


async def dry_run(data: AssignmentData, api: AdminApi) -> None:
    """Print the plan as JSON, and a line that says that nothing was changed (spec: Catalog-assignment 7)."""
    plan = []
    with _progress(count_actions(data), "Planning") as step:
        async for action in run_steps(data, api, write=False):
            plan.append(action.as_json())
            step(1)
    print(json.dumps(plan, ensure_ascii=False, indent=2))
    print(f"{len(plan)} actions planned, none was run.")


async def run_procedure(data: AssignmentData, api: AdminApi) -> None:
    """Run the procedure and print one line per step."""
    count = 0
    with _progress(count_actions(data), "Assigning") as step:
        async for action in run_steps(data, api, write=True):
            print(action.as_line(), flush=True)
            count += 1
            step(1)
    print(f"{count} actions run.")


@dataclass(frozen=True, slots=True)
class Action:
    """A step of the procedure. `details` are printed next to its kind."""

    kind: str
    details: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the step for the JSON plan."""
        return {"kind": self.kind, **self.details}

    def as_line(self) -> str:
        """Return the step as one line of text."""
        shown = [
            f"{name}={_shorten_value(value)}" for name, value in self.details.items() if value is not None
        ]
        return " ".join([self.kind, *shown])


def count_actions(data: AssignmentData) -> int:
    """Return the number of steps of the procedure."""
    return 2 * len(data.create) + len(data.existing) + (data.category is not None)


async def run_steps(data: AssignmentData, api: AdminApi, *, write: bool) -> AsyncIterator[Action]:
    """Run the procedure and yield each step after it is done; without `write`, change nothing.

    All handles are looked up first, so an unknown handle stops the procedure before anything is changed.

    Raises:
        ProcedureAborted: a request to the Admin API failed, a handle is unknown, or a product is listed for two
            collections.
    """
    ids = await _ResolvedIds.look_up(data, api)
    for new in data.create:
        collection_id = await api.find_collection_id(new.title)
        if collection_id is not None:
            yield Action(SKIP_CREATE, {"title": new.title, "collection_id": collection_id})
        else:
            collection_id = await api.create_collection(new.title, new.handle) if write else None
            details = {"title": new.title, "handle": new.handle, "collection_id": collection_id}
            yield Action(CREATE, {name: value for name, value in details.items() if value is not None})
        products = ids.resolve_products(new.products)
        if write and collection_id is not None:
            await api.add_to_collection(collection_id, products)
        yield Action(
            ASSIGN_COLLECTION, {"title": new.title, "collection_id": collection_id, "product_ids": products}
        )
    for existing in data.existing:
        collection_id, products = ids.collections[existing.name], ids.resolve_products(existing.products)
        if write:
            await api.add_to_collection(collection_id, products)
        yield Action(ASSIGN_COLLECTION, {"collection_id": collection_id, "product_ids": products})
    if data.category is not None:
        products = ids.resolve_products(data.category.products)
        if write:
            await api.add_to_category(ids.category, products)
        yield Action(ASSIGN_CATEGORY, {"category_id": ids.category, "product_ids": products})


@dataclass(frozen=True)
class _ResolvedIds:
    """The ids of the products, collections and category that the data file names."""

    products: dict[str, str]
    collections: dict[str, str]
    category: str

    @classmethod
    async def look_up(cls, data: AssignmentData, api: AdminApi) -> "_ResolvedIds":
        parts = [one.products for one in (*data.create, *data.existing, data.category) if one]
        names = dict.fromkeys(chain.from_iterable(parts))
        handles = [name for name in names if not name.startswith(PRODUCT_ID)]
        collections = {
            one.name: one.id or await api.find_id_by_handle("collections", one.name) for one in data.existing
        }
        category = ""
        if data.category is not None:
            category = data.category.id or await api.find_id_by_handle(
                "product-categories", data.category.name
            )
        ids = cls(await api.find_product_ids(handles), collections, category)
        ids._check_no_conflicts(data)
        return ids

    def _check_no_conflicts(self, data: AssignmentData) -> None:
        """Check that no product is listed for two collections. Otherwise each run would move it from one to the other.

        Raises:
            ProcedureAborted: a product is listed for two collections.
        """
        claims = Counter(
            chain(
                *(self.resolve_products(one.products) for one in data.create),
                *(self.resolve_products(one.products) for one in data.existing),
            )
        )
        if rivals := sorted(product_id for product_id, count in claims.items() if count > 1):
            raise ProcedureAborted(f"In more than one collection: {', '.join(rivals)}. Nothing was changed.")

    def resolve_products(self, names: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(self.products.get(name, name) for name in names))


def _shorten_value(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value)} products" if len(value) != 1 else "1 product"
    return f'"{value}"' if " " in str(value) else str(value)


def _progress(steps: int, title: str) -> AbstractContextManager[Callable[[int], None]]:
    """Return a progress bar for a long plan, else a context manager that shows nothing."""
    return (
        show_progress(steps, title) if steps >= MIN_STEPS_FOR_PROGRESS else nullcontext(lambda _steps: None)
    )
