"""File storage that the shop's replicas share: a folder of the data folder, or the S3 store in `PICTURES_URL`."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from backend.core.config.settings import Settings
from backend.core.config.values import S3Address, parse_s3_address

if TYPE_CHECKING:
    from obstore.store import ObjectStore

CONNECT_TIMEOUT, REQUEST_TIMEOUT = timedelta(seconds=3), timedelta(seconds=20)
MAX_RETRIES, RETRY_TIMEOUT = 2, timedelta(seconds=5)


class StoreUnavailable(OSError):
    """A file store does not answer, or refuses a request.

    The message contains no URL, because the URL may contain a key.
    """


@contextmanager
def translate_store_errors(unavailable: type[StoreUnavailable], store: str) -> Iterator[None]:
    """Convert errors of a file store into the exception `unavailable`, whose message names the `store`."""
    from obstore.exceptions import BaseError

    try:
        yield
    except StoreUnavailable:
        raise
    except (BaseError, OSError) as error:
        raise unavailable(f"{store} does not answer, or refuses ({type(error).__name__})") from None


def open_object_store(settings: Settings, folder: str) -> "ObjectStore":
    """Open a folder for files: in the S3 store if `PICTURES_URL` is set, else in the data folder.

    A missing folder is created in the data folder.
    """
    from obstore.store import LocalStore

    url = settings.pictures_url.get_secret_value()
    if not url:
        return LocalStore(settings.data_dir / folder, mkdir=True, automatic_cleanup=True)
    return open_s3_store(parse_s3_address(url), folder)


def open_s3_store(
    address: S3Address, folder: str = "", *, request_timeout: timedelta = REQUEST_TIMEOUT
) -> "ObjectStore":
    """Open an S3 store, or a folder of it.

    Args:
        address: the store's address.
        folder: a folder below the address's own prefix.
        request_timeout: timeout of a request including its response.
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
            "connect_timeout": CONNECT_TIMEOUT,
            "timeout": request_timeout,
        },
        retry_config={
            "max_retries": MAX_RETRIES,
            "retry_timeout": RETRY_TIMEOUT,
            "backoff": {
                "init_backoff": timedelta(milliseconds=100),
                "max_backoff": timedelta(seconds=1),
                "base": 2,
            },
        },
    )
