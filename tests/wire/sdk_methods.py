"""Routes of this shop for the platform's SDK methods: `python -m tests.wire.sdk_methods` writes docs/api.md.

A test fails when the page and the routes differ.
"""

import json
import subprocess
from collections import defaultdict
from pathlib import Path

from fastapi import FastAPI
from fastapi.routing import APIRoute

from backend.app import Shop, create_api
from backend.core.config.settings import Settings
from tests.node_packages import NODE_FOLDER, find_packages, node_environment

HERE = Path(__file__).parent / "platform_sdk"
PAGE = Path(__file__).parents[2] / "docs" / "api.md"
BEGIN, END = "<!-- written by tests/wire/sdk_methods.py -->\n", "<!-- end -->\n"

NOT_REQUESTS = {
    "auth.logout": ("DELETE", "/auth/session"),
    "admin.upload.create": ("POST", "/admin/uploads"),
    "admin.product.import": ("POST", "/admin/products/import"),
    "admin.product.createImport": ("POST", "/admin/products/imports"),
}
"""Requests of methods that send them only in a browser or with files."""
REFUSED = {
    "admin.payment.refund": "no provider refunds automatically: refunds are recorded with their transfer",
    "admin.return.addReturnShipping": "no provider collects returned goods",
}
"""Methods whose route only refuses."""
DECISIONS = {
    **REFUSED,
    "admin.return": "no provider collects returned goods; the office ends a return by paying or denying it",
    "admin.claim": "a claim is handled by a return and a manual refund",
    "admin.exchange": "no provider collects returned goods",
    "admin.translation": "products are described in the shop's language only",
    "admin.rbacRole": "a member has exactly one role: another one is given instead",
    "admin.rbacPolicy": "the policies are the rights of the program: docs/accounts.md",
    "admin.views": "saved views belong to the platform's dashboard",
    "admin.layouts": "saved views belong to the platform's dashboard",
    "admin.propertyLabel": "saved views belong to the platform's dashboard",
    "admin.workflowExecution": "/health and /metrics count jobs; a job that was given up is in attention",
    "admin.plugin": "the shop has no plugins",
    "admin.taxRegion": "the law sets IVA: it is read, not changed",
    "admin.taxRate": "the law sets IVA: it is read, not changed",
    "admin.pricePreference": "prices include IVA",
    "admin.customer": "a customer is not deleted by one request: orders retain the data that accounting needs",
    "admin.shippingOptionType": "each shipping option names its own type",
    "admin.upload": "a picture is read at its address; a picture that no product uses is deleted after a week",
    "admin.fulfillment": "a fulfillment belongs to an order, and is created there",
    "admin.paymentCollection": "the amount owed belongs to a cart, and is paid at the checkout",
    "admin.shippingOption": "an option is offered to all customers",
    "admin.order.export": "`GET /admin/order-exports` returns the file",
    "admin.order": "an order ends when it is delivered or cancelled; it always belongs to its customer",
    "store.order": "an order always belongs to its customer; a link in the e-mail opens a guest's order",
    "admin.reservation": "checkouts and orders reserve stock; staff only correct counts",
    "auth.mfa": "the second factor is set up and requested in the office",
    "auth.verification": "addresses are verified by the links in e-mails",
    "admin.productOption": "an option is created with its product",
    "admin.salesChannel": "every product is available in every channel",
    "admin.shippingProfile": "all products are shipped in the same way: one profile",
    "admin.inventoryItem": "an item is a variant: it is created, changed and deleted with it",
    "admin.invite": "an invitation is accepted by the link in its e-mail",
    "admin.user": "a role is set with the user; a member who leaves is disabled, because the audit names the member",
    "admin.product.batchVariantInventoryItems": "an item is a variant",
    "admin.product.batchImageVariants": "pictures belong to the product",
    "admin.product.batchVariantImages": "pictures belong to the product",
    "admin.product.linkOptions": "an option is created with its product",
}
"""Reasons for methods without a route, by group or by method. All other methods are not built."""

Method = tuple[str, str, str]
"""Name, HTTP method, and path with `:a` for its parameters."""


def list_sdk_methods() -> list[Method]:
    """Return name, HTTP method and path of every SDK method; method and path are empty if it sends no request."""
    result = subprocess.run(
        [NODE_FOLDER / "node", HERE / "methods.mjs"],
        env=node_environment(SDK_FOLDER=str(find_packages(HERE))),
        capture_output=True,
        check=True,
        timeout=120,
    )
    methods: list[Method] = [(name, method, path) for name, method, path in json.loads(result.stdout)]
    return [(name, *NOT_REQUESTS.get(name, (method, path))) for name, method, path in methods]


def has_route(api: FastAPI, method: str, path: str) -> bool:
    """Return True if a route has this method and path, with any name for the parameters.

    Below `/auth`, a parameter in `path` also matches a fixed part of the route, such as `customer`.
    """

    def is_matching(part: str, route_parts: str) -> bool:
        return part == route_parts or (
            part.startswith(":") and (route_parts.startswith("{") or path.startswith("/auth"))
        )

    request_parts = path.split("/")
    return any(
        method in (route.methods or ())
        and len(request_parts) == len(route_parts := route.path.split("/"))
        and all(map(is_matching, request_parts, route_parts))
        for route in api.routes
        if isinstance(route, APIRoute)
    )


def list_working_methods(api: FastAPI) -> set[str]:
    """Return the names of the methods that have a route and are not in `REFUSED`."""
    return {
        name
        for name, method, path in list_sdk_methods()
        if name not in REFUSED and has_route(api, method, path)
    }


def build_table(api: FastAPI) -> str:
    """Return the Markdown tables of docs/api.md: counts of SDK methods, and those that work or are refused."""
    parts: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    working = list_working_methods(api)
    for name, _method, _path in list_sdk_methods():
        is_working = name in working
        part, _, last = name.rpartition(".")
        parts[part][0 if is_working else 1].append(f"`{last}`")
        counts[name.partition(".")[0]][0 if is_working else 1] += 1
    lines = ["| part | methods | working |", "|---|---|---|"]
    lines += [f"| `{name}` | {sum(count)} | {count[0]} |" for name, count in counts.items()]
    lines += ["", "| part | works | refused by decision | reason |", "|---|---|---|---|"]
    for part, (working_names, missing) in parts.items():
        reasons = dict.fromkeys(find_reason(f"{part}.{name.strip('`')}") for name in missing)
        lines.append(
            f"| `{part}` | {', '.join(working_names)} | {', '.join(missing)} | {'; '.join(reasons)} |"
        )
    return "\n".join(lines) + "\n"


def find_reason(name: str) -> str:
    """Return the reason why a method has no route."""
    return DECISIONS.get(name) or DECISIONS.get(name.rpartition(".")[0]) or "not built"


def replace_table(text: str, new_table: str) -> str:
    """Return the page with its table replaced by this one."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{new_table}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    shop_api = create_api(Shop(Settings(data_dir=Path("build") / "sdk-methods")))
    PAGE.write_text(replace_table(PAGE.read_text("utf-8"), build_table(shop_api)), "utf-8")
