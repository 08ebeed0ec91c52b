"""`GET /docs`: the API's documentation as one plain page, built from the OpenAPI document. It runs no script.

The usual interactive pages load scripts from other hosts, which the shop's content security policy forbids.
Programs read `/openapi.json`. Each operation is displayed with its example as a `curl` command.
"""

import json
import re
import shlex
from base64 import b64encode
from collections import defaultdict
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse

from backend.core.templates import read_templates
from backend.edge.openapi import DocumentedApi

Document = dict[str, Any]
"""The OpenAPI document, or a part of it."""

VARIABLES = {
    "SHOP": "the address of this shop",
    "KEY": "its publishable key",
    "TOKEN": "a bearer token, of staff or of a customer",
}
"""Shell variables that a `curl` command needs, in addition to path parameters (`{cart_id}` is `$CART_ID`)."""


def example_of(document: Document, operation: Document) -> Any:
    """Return the example body of the operation; None if it takes no body or has no example."""
    content = operation.get("requestBody", {}).get("content", {})
    return _example(document, content.get("application/json", {}).get("schema", {}))


def curl(document: Document, method: str, path: str, operation: Document) -> str:
    """Return a `curl` command that sends the operation's example."""
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
    """Return the names of the form fields in which the operation accepts files."""
    content = operation.get("requestBody", {}).get("content", {})
    return list(content.get("multipart/form-data", {}).get("schema", {}).get("properties", {}))


def _example(document: Document, schema: Document) -> Any:
    if "$ref" in schema:
        return _example(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if examples := schema.get("examples"):
        # an example's fields are sorted by name; display them in the model's order
        fields = list(schema["properties"])
        return dict(sorted(examples[0].items(), key=lambda part: fields.index(part[0])))
    options = (_example(document, option) for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ())))
    return next((found for found in options if found is not None), None)


router = APIRouter(include_in_schema=False)

TEMPLATES = Path(__file__).parent / "templates"
STYLE = (TEMPLATES / "api_docs.css").read_text("utf-8")
_DIGEST = b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; img-src data:; style-src 'sha256-{_DIGEST}'; base-uri 'none'; frame-ancestors 'none'"
METHODS = ("get", "post", "put", "patch", "delete")


@router.get("/openapi.json")
async def read_document(request: Request) -> JSONResponse:
    """Return the OpenAPI document."""
    return JSONResponse(await request.app.describe())


@router.get("/docs")
async def manual(request: Request) -> HTMLResponse:
    """Return the documentation page."""
    api: DocumentedApi = request.app
    page = _page(api, await api.read_title())
    return HTMLResponse(page, headers={"content-security-policy": POLICY})


@lru_cache(maxsize=1)
def _page(api: DocumentedApi, title: str) -> str:
    document = api.openapi()
    groups: dict[str, list[tuple[str, str, Document, str]]] = defaultdict(list)
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                group = operation.get("tags", ["other"])[0]
                groups[group].append((method, path, operation, _command(document, method, path, operation)))
    template = read_templates([TEMPLATES]).get_template("api_docs.html.jinja")
    return template.render(
        title=title, document=document, groups=groups, variables=VARIABLES, style=STYLE, json=json.dumps
    )


def _command(document: Document, method: str, path: str, operation: Document) -> str:
    """Return a `curl` command that sends the operation's example; empty if it has no example."""
    if example_of(document, operation) is None and not _file_fields(operation):
        return ""
    return curl(document, method, path, operation)
