"""`GET /docs`: the API's documentation as one plain page, made of the OpenAPI document. It runs no script.

The usual interactive pages load scripts from other hosts, which the rules for what a page may load forbid. Programs
read `/openapi.json`. Each operation is shown with its example as a `curl` command.
"""

import json
import re
import shlex
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse

Document = dict[str, Any]
"""The OpenAPI document, or a part of it."""

VARIABLES = {
    "SHOP": "the address of this shop",
    "KEY": "its publishable key",
    "TOKEN": "a bearer token, of staff or of a customer",
}
"""What a shell has to know before it runs a `curl`; parts of paths come on top (`{cart_id}` is `$CART_ID`)."""


def example_of(document: Document, operation: Document) -> Any:
    """The JSON body that the operation is documented with; None where it takes none, or nobody wrote an example."""
    content = operation.get("requestBody", {}).get("content", {})
    return _example(document, content.get("application/json", {}).get("schema", {}))


def curl(document: Document, method: str, path: str, operation: Document) -> str:
    """The operation's example as a command for a shell."""
    address = re.sub(r"\{(\w+)\}", lambda part: f"${part[1].upper()}", path)
    words = [f'curl -X {method.upper()} "$SHOP{address}"']
    if any(parameter["name"] == "x-publishable-api-key" for parameter in operation.get("parameters", ())):
        words.append('-H "x-publishable-api-key: $KEY"')
    if "security" in operation:
        words.append('-H "authorization: Bearer $TOKEN"')
    if files := _file_fields(operation):
        return " \\\n  ".join([*words, *(f"-F {name}=@trompo.jpg" for name in files)])
    words.append("-H 'content-type: application/json'")
    body = json.dumps(example_of(document, operation), ensure_ascii=False, indent=2)
    words.append(f"-d {shlex.quote(body)}")
    return " \\\n  ".join(words)


def _file_fields(operation: Document) -> list[str]:
    """The names of the files that the operation takes."""
    content = operation.get("requestBody", {}).get("content", {})
    return list(content.get("multipart/form-data", {}).get("schema", {}).get("properties", {}))


def _example(document: Document, schema: Document) -> Any:
    if "$ref" in schema:
        return _example(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if examples := schema.get("examples"):
        # an example's fields come sorted by name; people read them in the model's order
        fields = list(schema["properties"])
        return dict(sorted(examples[0].items(), key=lambda part: fields.index(part[0])))
    options = (_example(document, option) for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ())))
    return next((found for found in options if found is not None), None)


router = APIRouter(include_in_schema=False)

STYLE = """
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #1f1b16; background: #fbf6ec; }
body { max-width: 64rem; margin: 0 auto; padding: 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
a { color: #17806d; }
details { background: #fffdf8; border: 1px solid #e6d9c2; border-radius: .5rem; margin: .5rem 0; padding: 0 1rem; }
summary { min-height: 44px; padding: .6rem 0; cursor: pointer; overflow-wrap: anywhere; }
b { display: inline-block; min-width: 4.2rem; color: #b93420; }
code, pre { font: .875rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: #f3e9d7; border-radius: .5rem; padding: .75rem; white-space: pre-wrap; }
dt { margin-top: .5rem; } dd { margin-left: 1.5rem; color: #5c5347; }
"""
_DIGEST = b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; img-src data:; style-src 'sha256-{_DIGEST}'; base-uri 'none'; frame-ancestors 'none'"
METHODS = ("get", "post", "put", "patch", "delete")

Schema = dict[str, Any]


@router.get("/docs")
async def manual(request: Request) -> HTMLResponse:
    """The documentation."""
    return HTMLResponse(_page(request.app), headers={"content-security-policy": POLICY})


@lru_cache(maxsize=1)
def _page(api: FastAPI) -> str:
    document = api.openapi()
    groups: dict[str, list[str]] = defaultdict(list)
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                group = operation.get("tags", ["other"])[0]
                groups[group].append(_operation(document, method, path, operation))
    sections = "".join(f"<h2>{escape(name)}</h2>{''.join(groups[name])}" for name in sorted(groups))
    shapes = "".join(_shape(name, schema) for name, schema in _schemas(document).items())
    title = escape(document["info"]["title"])
    variables = ", ".join(f"<code>${name}</code> ({escape(told)})" for name, told in VARIABLES.items())
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f"<style>{STYLE}</style></head><body>"
        f'<h1>{title}</h1><p>The same for programs: <a href="/openapi.json">OpenAPI</a>.</p>'
        f"<p>The examples run in a shell that knows {variables}, and the ids in their paths.</p>"
        f"{sections}<h2>Shapes</h2>{shapes}</body></html>"
    )


def _operation(document: Schema, method: str, path: str, operation: Schema) -> str:
    inside = [f"<p>{escape(operation.get('description', ''))}</p>"]
    if parameters := operation.get("parameters"):
        inside.append(f"<dl>{''.join(map(_parameter, parameters))}</dl>")
    inside.extend(f"<p>Body: {_type(schema)}</p>" for schema in _bodies(operation.get("requestBody", {})))
    if example_of(document, operation) is not None or _file_fields(operation):
        inside.append(f"<pre>{escape(curl(document, method, path, operation))}</pre>")
    answers = (
        f"<dt><code>{escape(status)}</code> {' '.join(map(_type, _bodies(answer)))}</dt>"
        f"<dd>{escape(answer['description'])}</dd>"
        for status, answer in operation["responses"].items()
    )
    inside.append(f"<dl>{''.join(answers)}</dl>")
    summary = f"<b>{method.upper()}</b> <code>{escape(path)}</code>"
    return f"<details><summary>{summary}</summary>{''.join(inside)}</details>"


def _parameter(parameter: Schema) -> str:
    told = parameter.get("description", "")
    must = ", required" if parameter.get("required") else ""
    where = f"in the {parameter['in']}{must}"
    name = escape(parameter["name"])
    return f"<dt><code>{name}</code> {_type(parameter['schema'])}, {where}</dt><dd>{escape(told)}</dd>"


def _bodies(part: Schema) -> Iterator[Schema]:
    for content in part.get("content", {}).values():
        if "schema" in content:
            yield content["schema"]


def _type(schema: Schema) -> str:
    """What a value is, in a few words, with links to the shapes."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(map(_type, options))
    if "enum" in schema:
        return " | ".join(f"<code>{escape(json.dumps(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return escape(str(schema.get("type", "anything")))


def _shape(name: str, schema: Schema) -> str:
    required = schema.get("required", ())
    fields = (
        f"<dt><code>{escape(field)}</code> {_type(part)}{', required' if field in required else ''}</dt>"
        f"<dd>{escape(part.get('description', ''))}</dd>"
        for field, part in schema.get("properties", {}).items()
    )
    told = escape(schema.get("description", ""))
    return (
        f'<details id="{escape(name)}"><summary><code>{escape(name)}</code></summary>'
        f"<p>{told}</p><dl>{''.join(fields)}</dl></details>"
    )


def _schemas(document: Schema) -> Schema:
    schemas: Schema = document["components"]["schemas"]
    return schemas
