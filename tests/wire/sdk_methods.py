"""Which methods of the platform's SDK have a route in this shop: `python -m tests.wire.sdk_methods` writes docs/api.md.

A test fails when the page says something else than the routes do.
"""

import json
import subprocess
from collections import defaultdict
from pathlib import Path

from fastapi import FastAPI
from fastapi.routing import APIRoute

from backend.app import Shop, create_api
from backend.core.config.settings import Settings
from tests.node_packages import NODE_FOLDER, environment, installed

HERE = Path(__file__).parent / "platform_sdk"
PAGE = Path(__file__).parents[2] / "docs" / "api.md"
BEGIN, END = "<!-- written by tests/wire/sdk_methods.py -->\n", "<!-- end -->\n"

NOT_REQUESTS = {
    "auth.logout": ("DELETE", "/auth/session"),
    "admin.upload.create": ("POST", "/admin/uploads"),
    "admin.product.import": ("POST", "/admin/products/import"),
    "admin.product.createImport": ("POST", "/admin/products/imports"),
}
"""What these send is seen only when they run in a browser or with files."""
REFUSED = {
    "admin.payment.refund": "no provider gives money back by itself: refunds are booked with their transfer",
    "admin.return.addReturnShipping": "no provider fetches goods back",
}
"""Methods whose route is there to say no."""
DECISIONS = {
    **REFUSED,
    "admin.return": "no provider fetches goods back; a return ends by being paid or denied, in the office",
    "admin.claim": "a claim is settled by a return and a refund by hand",
    "admin.exchange": "what is exchanged is returned and bought again",
    "admin.draftOrder": "staff sell in the shop like everybody",
    "admin.orderEdit": "an order that was paid is not changed: it is cancelled, or lines of it are given back",
    "admin.translation": "products are written in the shop's language",
    "admin.rbacRole": "the four roles of the staff are fixed: docs/accounts.md",
    "admin.rbacPolicy": "the four roles of the staff are fixed: docs/accounts.md",
    "admin.views": "saved views belong to the platform's dashboard",
    "admin.layouts": "saved views belong to the platform's dashboard",
    "admin.propertyLabel": "saved views belong to the platform's dashboard",
    "admin.workflowExecution": "jobs are counted in /health and /metrics; one that was given up is in attention",
    "admin.plugin": "there are none",
    "admin.taxRegion": "IVA is the law's: it is read, not changed",
    "admin.taxRate": "IVA is the law's: it is read, not changed",
    "admin.pricePreference": "prices have their IVA in them",
    "admin.customer": "a person is not deleted by one request: orders keep what accounting needs",
    "admin.shippingOptionType": "each shipping option says its own",
    "admin.upload": "a picture is read at its address; what no product names is deleted after a week",
    "admin.fulfillment": "what is sent belongs to an order, and is made there",
    "admin.paymentCollection": "what is owed is a cart's, and paid at the checkout",
    "admin.shippingOption": "an option is offered to everybody",
    "admin.order.export": "`GET /admin/order-exports` answers the file",
    "admin.order": "an order ends by being delivered or cancelled; who bought it stays its buyer",
    "store.order": "who bought it stays its buyer; a link in the mail opens the order of a guest",
    "admin.reservation": "checkouts and orders reserve; by hand stock is counted",
    "auth.mfa": "the second factor is set up and asked for in the office",
    "auth.verification": "addresses are proved by the links in mails",
    "admin.productOption": "an option is made with its product",
    "admin.salesChannel": "every product is sold in every channel",
    "admin.shippingProfile": "everything is shipped alike: one profile",
    "admin.inventoryItem": "an item is a variant: it comes, changes and goes with it",
    "admin.invite": "an invitation is accepted by the link in its mail",
    "admin.user": "a role is said with the user; who leaves is disabled, for the audit names them",
    "admin.product.batchVariantInventoryItems": "an item is a variant",
    "admin.product.batchImageVariants": "pictures are the product's",
    "admin.product.batchVariantImages": "pictures are the product's",
    "admin.product.linkOptions": "an option is made with its product",
}
"""Why methods that have no route have none, by the part or by the method. The others are not built."""

Method = tuple[str, str, str]
"""Name, HTTP method and path with `:a` for its parameters."""


def sdk_methods() -> list[Method]:
    """Every method of the SDK with the request that it makes; without one the two last parts are empty."""
    ran = subprocess.run(
        [NODE_FOLDER / "node", HERE / "methods.mjs"],
        env=environment(SDK_FOLDER=str(installed(HERE))),
        capture_output=True,
        check=True,
        timeout=120,
    )
    seen: list[Method] = [(name, method, path) for name, method, path in json.loads(ran.stdout)]
    return [(name, *NOT_REQUESTS.get(name, (method, path))) for name, method, path in seen]


def has_route(api: FastAPI, method: str, path: str) -> bool:
    """Whether a route is there for this request. What is a word in its path is a word in the route's.

    Who signs in and with what are words in our routes: one route is enough.
    """

    def fits(part: str, own: str) -> bool:
        return part == own or (part.startswith(":") and (own.startswith("{") or path.startswith("/auth")))

    asked = path.split("/")
    return any(
        method in (route.methods or ())
        and len(asked) == len(own := route.path.split("/"))
        and all(map(fits, asked, own))
        for route in api.routes
        if isinstance(route, APIRoute)
    )


def methods_that_work(api: FastAPI) -> set[str]:
    """The names of the methods that do here what they say."""
    return {
        name for name, method, path in sdk_methods() if name not in REFUSED and has_route(api, method, path)
    }


def table(api: FastAPI) -> str:
    """The table of docs/api.md."""
    parts: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    works = methods_that_work(api)
    for name, _method, _path in sdk_methods():
        is_here = name in works
        part, _, last = name.rpartition(".")
        parts[part][0 if is_here else 1].append(f"`{last}`")
        counts[name.partition(".")[0]][0 if is_here else 1] += 1
    lines = ["| part | methods | of them work |", "|---|---|---|"]
    lines += [f"| `{name}` | {sum(count)} | {count[0]} |" for name, count in counts.items()]
    lines += ["", "| part | works | refused by decision | why |", "|---|---|---|---|"]
    for part, (here, missing) in parts.items():
        why = dict.fromkeys(why_not(f"{part}.{name.strip('`')}") for name in missing)
        lines.append(f"| `{part}` | {', '.join(here)} | {', '.join(missing)} | {'; '.join(why)} |")
    return "\n".join(lines) + "\n"


def why_not(name: str) -> str:
    """Why a method has no route."""
    return DECISIONS.get(name) or DECISIONS.get(name.rpartition(".")[0]) or "not built"


def page_with(text: str, new_table: str) -> str:
    """The page with this table in place of the one in it."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{new_table}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    shop_api = create_api(Shop(Settings(data_dir=Path("build") / "sdk-methods")))
    PAGE.write_text(page_with(PAGE.read_text("utf-8"), table(shop_api)), "utf-8")
