"""Keep our keys out of the log: `httpx` writes every address it calls, and the gateway wants a key in the query."""

import logging

import httpx


class _WithoutQuery(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                argument.copy_with(query=None) if isinstance(argument, httpx.URL) else argument
                for argument in record.args
            )
        return True


_without_query = _WithoutQuery()


def keep_queries_out_of_the_log() -> None:
    """Have `httpx` log addresses without their query. Calling it again changes nothing."""
    logging.getLogger("httpx").addFilter(_without_query)
