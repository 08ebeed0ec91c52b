"""The interface of the shoppers' search engine, and the choice of the engine for a session.

The shop's own engine uses the database (`database_engine.py`). The setting SEARCH_ENGINE selects another engine.
The staff's search (`staff_search.py`) always reads the database.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pkgutil import resolve_name
from typing import Any, Protocol, runtime_checkable

from sqlalchemy import Select, Subquery, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.search.database_engine import DatabaseEngine
from backend.catalog.search.matches import Matches
from backend.catalog.search.query_words import QueryTerm, SearchWords, search_words
from backend.core.config.problems import ProblemKind, create_problem, settings_error
from backend.core.db.database import SEARCH_ENGINE


@runtime_checkable
class SearchEngine(Protocol):
    """An index of the products for sale, by the words of their texts."""

    async def index(self, session: AsyncSession, product_ids: Sequence[str]) -> None:
        """Update the index for these products, in the transaction of their change.

        Products that do not exist or are not for sale are removed from the index.
        """

    async def remove(self, session: AsyncSession, product_ids: Sequence[str]) -> None:
        """Remove these products from the index, in the transaction of their change."""

    async def find(
        self, session: AsyncSession, terms: Sequence[QueryTerm], *, only_best: bool = False
    ) -> Matches:
        """Return the products that match all terms; none if there are no terms.

        With `only_best`, the engine may leave out matches; `Matches.is_complete` is then False. Suggestions may be
        incomplete. Lists, filters and counts may not.
        """

    async def count(self, session: AsyncSession, terms: Sequence[QueryTerm]) -> int:
        """Return the number of products for sale that match all terms."""


@lru_cache
def load_search_engine(place: str) -> SearchEngine:
    """Return the engine that the setting SEARCH_ENGINE names, by default the shop's own.

    The setting has the form `package.module:Class`.

    Raises:
        SettingsError: the class cannot be imported or created, or lacks a method.
    """
    if not place:
        return DatabaseEngine()
    try:
        engine = resolve_name(place)()
    except Exception as error:  # a foreign package may raise anything; print one line
        values = {"error": type(error).__name__, "reason": str(error).partition("\n")[0]}
        raise settings_error(
            create_problem(ProblemKind.FAILED_SEARCH_ENGINE, place=place, **values)
        ) from error
    if not isinstance(engine, SearchEngine):
        raise settings_error(create_problem(ProblemKind.WRONG_SEARCH_ENGINE, place=place))
    return engine


def search_engine(session: AsyncSession) -> SearchEngine:
    """Return the search engine of the session's shop."""
    return load_search_engine(session.info.get(SEARCH_ENGINE, ""))


async def find_matches(session: AsyncSession, text: str, words: SearchWords | None = None) -> Subquery | None:
    """Return the products that match all words of a program's text, as a subquery of `product_id` and `score`.

    Only exact matches count: misspelled words have no match.
    Return None for an empty text. If a word has no match, or if the text contains no words, the subquery returns
    no rows.
    """
    if not text.strip():
        return None
    query = (words or search_words()).parse_query(text)
    exact_terms = [replace(term, is_exact=True) for term in query.query_terms]
    return (await search_engine(session).find(session, exact_terms)).products


async def find_excluded(session: AsyncSession, words: Iterable[str]) -> Select[Any]:
    """Return a query of the ids of products with one of the words, except products that also have "sin" ("without")."""
    engine = search_engine(session)
    found = await engine.find(session, [QueryTerm("", forms=frozenset(words))])
    without = await engine.find(session, [QueryTerm("", forms=frozenset({"sin"}))])
    return select(found.products.c.product_id).where(
        found.products.c.product_id.not_in(select(without.products.c.product_id))
    )
