"""Registry of the invoice providers by id."""

from collections.abc import Callable, Mapping
from functools import partial

import httpx

from backend.core.config.external_providers import create_providers
from backend.core.config.modules import INVOICE_FILE, INVOICE_UBL
from backend.core.config.settings import Settings
from backend.core.texts import _
from backend.invoices.providers.base import InvoiceProvider
from backend.invoices.providers.file import FileProvider
from backend.invoices.providers.ubl.provider import create_ubl_provider

PROVIDER_NAMES = {
    INVOICE_FILE: _("El programa de tu contador (archivo)"),
    INVOICE_UBL: _("Proveedor tecnológico (UBL 2.1)"),
}
"""Names of the providers for staff."""


def create_invoice_providers(
    places: Mapping[str, str], settings: Settings, transport: httpx.AsyncBaseTransport | None = None
) -> dict[str, InvoiceProvider]:
    """Create the invoice providers by id, except a provider without credentials. `transport` connects to the sandbox.

    `places` has the class of each provider by its id: see `backend.core.config.modules.registered_providers`.

    Raises:
        CannotStart: a provider outside this program cannot be created.
    """
    factories: dict[str, Callable[[], InvoiceProvider]] = {
        INVOICE_FILE: FileProvider,
        INVOICE_UBL: partial(create_ubl_provider, settings, transport),
    }
    usable = {
        provider_id: place
        for provider_id, place in places.items()
        if provider_id != INVOICE_UBL or settings.has_invoice_provider
    }
    return create_providers(InvoiceProvider, usable, factories, settings)
