"""The place that the shop's replicas share: a folder of the data folder, or what PICTURES_URL names in an S3 store."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from backend.core.config.settings import Settings
from backend.core.config.values import S3Address, s3_address

if TYPE_CHECKING:
    from obstore.store import ObjectStore

CONNECT_WITHIN, ANSWER_WITHIN = timedelta(seconds=3), timedelta(seconds=20)
RETRIES, RETRY_WITHIN = 2, timedelta(seconds=5)


class StoreUnavailable(OSError):
    """A place of files does not answer, or refuses. The message names no address: that may hold a key."""


@contextmanager
def store_errors(unavailable: type[StoreUnavailable], store: str) -> Iterator[None]:
    """Convert errors of a place of files into `unavailable`; `store` names it in the message."""
    from obstore.exceptions import BaseError

    try:
        yield
    except StoreUnavailable:
        raise
    except (BaseError, OSError) as error:
        raise unavailable(f"{store} does not answer, or refuses ({type(error).__name__})") from None


def object_store(settings: Settings, folder: str) -> "ObjectStore":
    """What is stored under this name: a folder of the data folder, which is made, or of the S3 store."""
    from obstore.store import LocalStore

    url = settings.pictures_url.get_secret_value()
    if not url:
        return LocalStore(settings.data_dir / folder, mkdir=True, automatic_cleanup=True)
    return s3_store(s3_address(url), folder)


def s3_store(
    address: S3Address, folder: str = "", *, answer_within: timedelta = ANSWER_WITHIN
) -> "ObjectStore":
    """The S3 store at this address, or a folder of it.

    Args:
        address: where it is.
        folder: below the address's own.
        answer_within: for a whole request and its answer.
    """
    from obstore.store import S3Store

    return S3Store(
        address.bucket,
        prefix="/".join(filter(None, (address.prefix, folder))),
        endpoint=address.endpoint,
        region=address.region,
        access_key_id=address.key_id,
        secret_access_key=address.secret,
        client_options={
            "allow_http": True,
            "connect_timeout": CONNECT_WITHIN,
            "timeout": answer_within,
        },
        retry_config={
            "max_retries": RETRIES,
            "retry_timeout": RETRY_WITHIN,
            "backoff": {
                "init_backoff": timedelta(milliseconds=100),
                "max_backoff": timedelta(seconds=1),
                "base": 2,
            },
        },
    )
