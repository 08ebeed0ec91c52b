"""The OpenAPI document of the API (`GET /openapi.json`)."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI
from fastapi._compat import ModelField
from fastapi.utils import create_model_field

from backend.edge.requests import WireRoute
from backend.edge.wire import Deleted, DeletedMany

NEVER_SELECTED = frozenset({Deleted.__name__, DeletedMany.__name__})
"""Schemas that always have all their fields: `fields` cannot remove any, not even where it applies to other answers."""
_REFERENCE = re.compile(r"'#/components/schemas/([^']+)'")


class DocumentedApi(FastAPI):
    """A FastAPI app whose answers are documented by the return types of its routes (`Wire[…]`).

    `read_title` returns the document's title, which the owner can change while the app runs. The routes of the
    document and of its page are in `backend/edge/api_docs.py`.
    """

    def __init__(self, read_title: Callable[[], Awaitable[str]]) -> None:
        super().__init__(openapi_url=None, docs_url=None, redoc_url=None)
        self.read_title = read_title

    async def describe(self) -> dict[str, Any]:
        """Return the OpenAPI document with its current title."""
        document = self.openapi()
        return document | {"info": document["info"] | {"title": await self.read_title()}}

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document. It is built at the first request."""
        if not self.openapi_schema:
            routes = [
                route for route in self.routes if isinstance(route, WireRoute) and route.answer is not None
            ]
            answers = {answer: _field(answer) for answer in {route.answer for route in routes}}
            for route in routes:
                _ = route.unique_id  # reading an attribute builds the route
                route.response_field = answers[route.answer]
            allow_missing_fields(super().openapi())
            for route in routes:
                route.response_field = None  # only the document needs it
        return super().openapi()


def allow_missing_fields(document: dict[str, Any]) -> None:
    """Require only `id` in all schemas from which the parameter `fields` can remove fields.

    These are the schemas inside the answers of operations that have this parameter.
    """
    schemas = document["components"]["schemas"]
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    selectable = [_answer(operation) for operation in operations if _takes_fields(operation)]
    names = {name for answer in selectable for name in _references(answer)}
    pending = {name for answer in names for name in _references(schemas[answer])}
    visited = names.copy()
    while pending:
        name = pending.pop()
        visited.add(name)
        if name in NEVER_SELECTED:
            continue
        schema = schemas[name]
        if required := schema.pop("required", None):
            schema |= {"required": ["id"]} if "id" in required else {}
        pending |= _references(schema) - visited


def _field(answer: Any) -> ModelField:
    return create_model_field("Answer", type_=answer, mode="serialization")


def _takes_fields(operation: dict[str, Any]) -> bool:
    return any(parameter["name"] == "fields" for parameter in operation.get("parameters", ()))


def _answer(operation: dict[str, Any]) -> Any:
    return [answer for status, answer in operation["responses"].items() if status.startswith("2")]


def _references(part: Any) -> set[str]:
    return {*_REFERENCE.findall(repr(part))}
