"""The few calls of the Admin API that the procedure makes. Any status but 200 and 201 ends it (spec: rule 9)."""

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from backend.core.web.response_limits import LimitedClient

SUCCESS = (200, 201)
MOST_IDS = 500
"""Products in one request: a longer list is sent in several."""
MOST_HANDLES = 50
SECONDS = 30.0

Json = dict[str, Any]


class Aborted(SystemExit):
    """The procedure ended before its end. Printed as it is, without a traceback; it shows no token."""


class AdminApi:
    """The Admin API at an address, for whom a token names. Use it as a context manager."""

    def __init__(
        self, base_url: str, token: str, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._http = LimitedClient(
            base_url=base_url,
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
            timeout=SECONDS,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def collection_titled(self, title: str) -> str | None:
        """The id of the collection with this title, if there is one."""
        found = await self._listed("collections", title=title)
        return next((_id(one) for one in found if one.get("title", title) == title), None)

    async def create_collection(self, title: str, handle: str) -> str:
        """Create a collection. Returns its id."""
        answer = await self._call("POST", "/admin/collections", {"title": title, "handle": handle})
        return _id(_part(answer, "collection", dict))

    async def add_to_collection(self, collection_id: str, product_ids: Sequence[str]) -> None:
        """Add products to a collection."""
        await self._add(f"/admin/collections/{quote(collection_id, safe='')}/products", product_ids)

    async def add_to_category(self, category_id: str, product_ids: Sequence[str]) -> None:
        """Add products to a category."""
        await self._add(f"/admin/product-categories/{quote(category_id, safe='')}/products", product_ids)

    async def id_by_handle(self, what: str, handle: str) -> str:
        """The id of the one with this handle among `collections` or `product-categories`."""
        found = await self._listed(what, handle=handle)
        if not found:
            raise Aborted(f"There is none of the {what} with the handle {handle!r}. Nothing was changed.")
        return _id(found[0])

    async def product_ids(self, handles: Sequence[str]) -> dict[str, str]:
        """The ids of products by their handles."""
        ids: dict[str, str] = {}
        for some in _in_parts(handles, MOST_HANDLES):
            found = await self._listed(
                "products", **{"handle[]": some, "fields": "id,handle", "limit": len(some)}
            )
            ids |= {str(product.get("handle")): _id(product) for product in found}
        if missing := [handle for handle in handles if handle not in ids]:
            raise Aborted(f"No product has the handle {', '.join(missing)}. Nothing was changed.")
        return ids

    async def _add(self, path: str, product_ids: Sequence[str]) -> None:
        for some in _in_parts(product_ids, MOST_IDS):
            await self._call("POST", path, {"add": list(some), "remove": []})

    async def _listed(self, what: str, **params: Any) -> list[Json]:
        answer = await self._call("GET", f"/admin/{what}", params=params)
        found: list[Json] = _part(answer, what.replace("-", "_"), list)
        return found

    async def _call(
        self, method: str, path: str, body: Json | None = None, params: Json | None = None
    ) -> httpx.Response:
        """One request.

        Raises:
            Aborted: no answer came, or one with another status than 200 and 201.
        """
        try:
            answer = await self._http.request(method, path, json=body, params=params, follow_redirects=False)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            doubt = "" if method == "GET" else " It may have had its effect all the same: run it again."
            reason = str(error) or type(error).__name__
            raise Aborted(f"{method} {path} was not answered: {reason}.{doubt}") from None
        if answer.status_code not in SUCCESS:
            raise Aborted(f"{method} {path} was answered with HTTP {answer.status_code}: {answer.text}")
        return answer


def _part(answer: httpx.Response, name: str, kind: type) -> Any:
    """The named part of an answer."""
    try:
        found = answer.json()[name]
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, kind):
        raise _nonsense(answer.status_code, answer.text)
    return found


def _id(thing: Json) -> str:
    found = thing.get("id") if isinstance(thing, dict) else None
    if not isinstance(found, str) or not found:
        raise _nonsense(200, str(thing))
    return found


def _nonsense(status: int, body: str) -> Aborted:
    return Aborted(f"The Admin API answered HTTP {status} with what cannot be understood: {body}")


def _in_parts(items: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(items), most):
        yield items[start : start + most]
