"""The shop's public surface: every route and every event handler of the served shop.

`python -m tests.attacks.surface` prints both as JSON. It creates the app as a worker of the shop does, in a
separate process, with the data folder from the environment.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from starlette.routing import BaseRoute, Mount, Route

from storefront.server.build import ROOT

ANY = "*"
"""The method of a mounted app without a list of routes, which handles methods itself."""


def read_surface(data_dir: Path) -> dict[str, list[str]]:
    """Return the shop's `routes` as `METHOD /path`, and the full names of its `handlers`."""
    output = subprocess.run(
        [sys.executable, "-m", "tests.attacks.surface"],
        cwd=ROOT,
        env={"DATA_DIR": str(data_dir)},
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    surface: dict[str, list[str]] = json.loads(output.splitlines()[-1])
    return surface


def list_routes(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[str]:
    """Yield the routes as `METHOD /path`, including those of mounted apps and included routers.

    HEAD is omitted next to GET, because Starlette adds it.
    """
    for route in routes:
        if isinstance(route, Route) or hasattr(route, "methods"):
            methods = set(getattr(route, "methods", None) or {ANY})
            methods -= {"HEAD"} if "GET" in methods else set()
            path = prefix + str(getattr(route, "path", ""))
            yield from (f"{method} {path}" for method in methods)
        elif inner_routes := _list_inner_routes(route):
            yield from list_routes(inner_routes, prefix + (route.path if isinstance(route, Mount) else ""))
        else:
            yield f"{ANY} {prefix}{getattr(route, 'path', repr(route)) or '/'}"


def _list_inner_routes(route: BaseRoute) -> list[BaseRoute]:
    """Return the routes inside a mounted app or an included router."""
    router = getattr(route, "original_router", route)
    inner_routes: list[BaseRoute] = getattr(router, "routes", None) or []
    return inner_routes


def _print_surface() -> None:
    from storefront.server.toolchain import prepare_serving

    prepare_serving()
    from reflex_base.registry import RegistrationContext

    from storefront.documents import service_worker
    from storefront.documents.sitemap import ROBOTS, SITEMAP
    from storefront.office.routes import OFFICE_PAGES
    from storefront.pages.routes import PAGES
    from storefront.server import mount
    from storefront.storefront import app

    recorded: list[Any] = []
    by_first_segment, remove_unused_routes = mount.by_first_segment, mount.remove_unused_routes

    def record_api(api: Any, pages: Any) -> Any:
        recorded.append(api)
        return by_first_segment(api, pages)

    def record_pages(pages: Any) -> None:
        remove_unused_routes(pages)
        recorded.append(pages)

    mount.by_first_segment, mount.remove_unused_routes = record_api, record_pages
    app()
    pages = {f"GET /{page.route.removeprefix('/')}" for page in (*PAGES, *OFFICE_PAGES)}
    routes = pages | {f"GET {path}" for path in (ROBOTS, SITEMAP, service_worker.PATH)}
    for app_part in recorded:
        routes.update(list_routes(app_part.routes))
    print(
        json.dumps({"routes": sorted(routes), "handlers": sorted(RegistrationContext.get().event_handlers)})
    )


if __name__ == "__main__":
    _print_surface()
