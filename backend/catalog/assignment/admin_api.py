"""Client for the Admin API calls of the assignment procedure.

Any status except 200 and 201 aborts the procedure (spec: rule 9).
"""

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from backend.core.web.response_limits import LimitedClient

SUCCESS = (200, 201)
MAX_IDS_PER_REQUEST = 500
"""Products per request; a longer list is split into several requests."""
MAX_HANDLES_PER_REQUEST = 50
REQUEST_TIMEOUT_S = 30.0

Json = dict[str, Any]


class ProcedureAborted(SystemExit):
    """The assignment of products to collections and categories stopped before its end.

    The error is printed without a traceback, and its message contains no token.
    """


class AdminApi:
    """An HTTP client for a shop's Admin API, with a staff token. Use it as a context manager."""

    def __init__(
        self, base_url: str, token: str, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._http = LimitedClient(
            base_url=base_url,
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
            timeout=REQUEST_TIMEOUT_S,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def find_collection_id(self, title: str) -> str | None:
        """Return the id of the collection with this title; None if there is none."""
        found = await self._list_objects("collections", title=title)
        return next((_get_id(one) for one in found if one.get("title", title) == title), None)

    async def create_collection(self, title: str, handle: str) -> str:
        """Create a collection and return its id."""
        answer = await self._call("POST", "/admin/collections", {"title": title, "handle": handle})
        return _get_id(_get_field(answer, "collection", dict))

    async def add_to_collection(self, collection_id: str, product_ids: Sequence[str]) -> None:
        """Add products to a collection."""
        await self._add_products(f"/admin/collections/{quote(collection_id, safe='')}/products", product_ids)

    async def add_to_category(self, category_id: str, product_ids: Sequence[str]) -> None:
        """Add products to a category."""
        await self._add_products(
            f"/admin/product-categories/{quote(category_id, safe='')}/products", product_ids
        )

    async def find_id_by_handle(self, resource: str, handle: str) -> str:
        """Return the id of the object with this handle; `resource` is `collections` or `product-categories`.

        Raises:
            ProcedureAborted: no object has this handle.
        """
        found = await self._list_objects(resource, handle=handle)
        if not found:
            raise ProcedureAborted(
                f"There is none of the {resource} with the handle {handle!r}. Nothing was changed."
            )
        return _get_id(found[0])

    async def find_product_ids(self, handles: Sequence[str]) -> dict[str, str]:
        """Return the ids of products by their handles.

        Raises:
            ProcedureAborted: a handle is unknown.
        """
        ids: dict[str, str] = {}
        for chunk in _split_into_chunks(handles, MAX_HANDLES_PER_REQUEST):
            found = await self._list_objects(
                "products", **{"handle[]": chunk, "fields": "id,handle", "limit": len(chunk)}
            )
            ids |= {str(product.get("handle")): _get_id(product) for product in found}
        if missing := [handle for handle in handles if handle not in ids]:
            raise ProcedureAborted(f"No product has the handle {', '.join(missing)}. Nothing was changed.")
        return ids

    async def _add_products(self, path: str, product_ids: Sequence[str]) -> None:
        for chunk in _split_into_chunks(product_ids, MAX_IDS_PER_REQUEST):
            await self._call("POST", path, {"add": list(chunk), "remove": []})

    async def _list_objects(self, resource: str, **params: Any) -> list[Json]:
        answer = await self._call("GET", f"/admin/{resource}", params=params)
        found: list[Json] = _get_field(answer, resource.replace("-", "_"), list)
        return found

    async def _call(
        self, method: str, path: str, body: Json | None = None, params: Json | None = None
    ) -> httpx.Response:
        """Send a request and return the response.

        Raises:
            ProcedureAborted: there was no response, or its status was not 200 or 201.
        """
        try:
            answer = await self._http.request(method, path, json=body, params=params, follow_redirects=False)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            doubt = "" if method == "GET" else " The change may have been made: run the command again."
            reason = str(error) or type(error).__name__
            raise ProcedureAborted(f"{method} {path} was not answered: {reason}.{doubt}") from None
        if answer.status_code not in SUCCESS:
            raise ProcedureAborted(
                f"{method} {path} was answered with HTTP {answer.status_code}: {answer.text}"
            )
        return answer


def _get_field(answer: httpx.Response, name: str, kind: type) -> Any:
    """Return the named field of a JSON response."""
    try:
        found = answer.json()[name]
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, kind):
        raise _unexpected_body(answer.status_code, answer.text)
    return found


def _get_id(thing: Json) -> str:
    found = thing.get("id") if isinstance(thing, dict) else None
    if not isinstance(found, str) or not found:
        raise _unexpected_body(200, str(thing))
    return found


def _unexpected_body(status: int, body: str) -> ProcedureAborted:
    return ProcedureAborted(f"The Admin API answered HTTP {status} with an unexpected body: {body}")


def _split_into_chunks(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
