"""What strangers can reach: every route and every event handler of the shop as it is served.

`python -m tests.attacks.surface` prints both as JSON. It makes the app as a worker of the shop does, in a process of
its own, with the data folder that the environment names.
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
"""Stands for the method where a mounted app that is no list of routes decides itself."""


def surface(data_dir: Path) -> dict[str, list[str]]:
    """The shop's `routes` as `METHOD /path`, and the full names of its `handlers`."""
    printed = subprocess.run(
        [sys.executable, "-m", "tests.attacks.surface"],
        cwd=ROOT,
        env={"DATA_DIR": str(data_dir)},
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    found: dict[str, list[str]] = json.loads(printed.splitlines()[-1])
    return found


def routes_in(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[str]:
    """The routes as `METHOD /path`, those of what is mounted and included too.

    HEAD is left out where GET is: Starlette adds it.
    """
    for route in routes:
        if isinstance(route, Route) or hasattr(route, "methods"):
            methods = set(getattr(route, "methods", None) or {ANY})
            methods -= {"HEAD"} if "GET" in methods else set()
            path = prefix + str(getattr(route, "path", ""))
            yield from (f"{method} {path}" for method in methods)
        elif below := _below(route):
            yield from routes_in(below, prefix + (route.path if isinstance(route, Mount) else ""))
        else:
            yield f"{ANY} {prefix}{getattr(route, 'path', repr(route)) or '/'}"


def _below(route: BaseRoute) -> list[BaseRoute]:
    """The routes inside a mounted app or an included router."""
    router = getattr(route, "original_router", route)
    below: list[BaseRoute] = getattr(router, "routes", None) or []
    return below


def _print() -> None:
    from storefront.server.toolchain import prepare_serving

    prepare_serving()
    from reflex_base.registry import RegistrationContext

    from storefront.documents.sitemap import ROBOTS, SITEMAP
    from storefront.office.routes import OFFICE_PAGES
    from storefront.pages.routes import PAGES
    from storefront.server import mount
    from storefront.storefront import app

    seen: list[Any] = []
    by_first_segment, remove_unused_routes = mount.by_first_segment, mount.remove_unused_routes

    def watch_api(api: Any, pages: Any) -> Any:
        seen.append(api)
        return by_first_segment(api, pages)

    def watch_pages(pages: Any) -> None:
        remove_unused_routes(pages)
        seen.append(pages)

    mount.by_first_segment, mount.remove_unused_routes = watch_api, watch_pages
    app()
    pages = {f"GET /{page.route.removeprefix('/')}" for page in (*PAGES, *OFFICE_PAGES)}
    routes = pages | {f"GET {ROBOTS}", f"GET {SITEMAP}"}
    for part in seen:
        routes.update(routes_in(part.routes))
    print(
        json.dumps({"routes": sorted(routes), "handlers": sorted(RegistrationContext.get().event_handlers)})
    )


if __name__ == "__main__":
    _print()
