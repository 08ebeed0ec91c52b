"""What an operation is sent, and how: read out of the OpenAPI document, for people who want to try it."""

import json
import re
import shlex
from typing import Any

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
    words.append("-H 'content-type: application/json'")
    body = json.dumps(example_of(document, operation), ensure_ascii=False, indent=2)
    words.append(f"-d {shlex.quote(body)}")
    return " \\\n  ".join(words)


def _example(document: Document, schema: Document) -> Any:
    if "$ref" in schema:
        return _example(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if examples := schema.get("examples"):
        # an example's fields come sorted by name; people read them in the model's order
        fields = list(schema["properties"])
        return dict(sorted(examples[0].items(), key=lambda part: fields.index(part[0])))
    options = (_example(document, option) for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ())))
    return next((found for found in options if found is not None), None)
