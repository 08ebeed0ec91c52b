"""Reading a query string into a model, the way programs write it, and saying so in the documentation.

A parameter that is a list may be written `id=a&id=b`, `id[]=a&id[]=b` or `id[0]=a&id[1]=b`. FastAPI's own reader of
models knows only the first, and takes longer than the database does.
"""

import re
from typing import Annotated, Any, get_args, get_origin

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from backend.edge.schemas import Parameters

_INDEX = re.compile(r"\[\d{0,3}\]$")
MAX_VALUES = 1000


class QueryReader:
    """A dependency: the request's parameters as this model."""

    def __init__(self, model: type[Parameters]) -> None:
        self.model = model
        self._lists = frozenset(
            field.alias or name for name, field in model.model_fields.items() if _is_list(field.annotation)
        )

    async def __call__(self, request: Request) -> Parameters:
        """The parameters.

        Raises:
            RequestValidationError: one is unknown, malformed or too much.
        """
        values: dict[str, Any] = {}
        for written, value in request.query_params.multi_items()[:MAX_VALUES]:
            name = _INDEX.sub("", written) if "[" in written else written
            if name in self._lists:
                values.setdefault(name, []).append(value)
            else:
                values[name] = value
        try:
            return self.model.model_validate(values, by_name=False, by_alias=True)
        except ValidationError as error:
            problems = [
                {**problem, "loc": ("query", *problem["loc"])} for problem in error.errors(include_url=False)
            ]
            raise RequestValidationError(problems) from None

    def documentation(self) -> list[dict[str, Any]]:
        """The parameters as OpenAPI has them."""
        schema = self.model.model_json_schema(ref_template="#/components/schemas/{model}")
        required = schema.get("required", ())
        return [
            {
                "name": name,
                "in": "query",
                "required": name in required,
                **({"description": part.pop("description")} if "description" in part else {}),
                "schema": _without_null(part),
            }
            for name, part in schema["properties"].items()
        ]


def read_query(model: type[Parameters]) -> Any:
    """What a route writes beside the model: its parameters are read by a `QueryReader`."""
    return Depends(QueryReader(model))


def _is_list(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


def _without_null(part: dict[str, Any]) -> dict[str, Any]:
    """A parameter that is left out is left out: nobody writes null into a query."""
    options = [option for option in part.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        rest = {name: value for name, value in part.items() if name not in ("anyOf", "default", "title")}
        return {**rest, **options[0]}
    return part
