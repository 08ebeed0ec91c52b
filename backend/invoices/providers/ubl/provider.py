"""Invoice provider that receives documents as UBL."""

from typing import ClassVar

import httpx
from pydantic import SecretStr
from stdnum.co import nit

from backend.core.config.modules import INVOICE_UBL
from backend.core.config.settings import (
    SANDBOX_INVOICE_KEY,
    SANDBOX_INVOICE_NIT,
    SANDBOX_INVOICE_SOFTWARE,
    SANDBOX_INVOICE_URL,
    GatewayEnv,
    Settings,
)
from backend.invoices.documents import Document
from backend.invoices.providers.base import InvoiceProvider, Issued
from backend.invoices.providers.ubl.client import UblClient
from backend.invoices.providers.ubl.codes import PRODUCTION, TESTS, Software, build_code_parts, build_qr_text
from backend.invoices.providers.ubl.xml import build_ubl_xml


class UblProvider(InvoiceProvider):
    """Provider that issues documents through a service authorized by the DIAN, or the embedded sandbox."""

    id: ClassVar[str] = INVOICE_UBL

    def __init__(self, client: UblClient, software: Software) -> None:
        self._client = client
        self.software = software
        self.is_test = software.environment == TESTS

    async def issue(self, document: Document) -> Issued:
        """Issue this invoice. See `InvoiceProvider.issue`."""
        return await self._send(document)

    async def credit(self, document: Document) -> Issued:
        """Issue this credit note. See `InvoiceProvider.credit`."""
        return await self._send(document)

    async def find(self, document: Document) -> Issued | None:
        """Return the result for this document's number; None if it was not issued. See `InvoiceProvider.find`."""
        return await self._client.find(document.full_number)

    def qr(self, document: Document, code: str) -> str:
        """Return the text of the document's QR code."""
        return build_qr_text(document, code, self.software.environment)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _send(self, document: Document) -> Issued:
        code = build_code_parts(document, self.software).code()
        xml = build_ubl_xml(document, code, self.software)
        return await self._client.send(document.full_number, document.kind, xml)


def get_software(settings: Settings) -> Software:
    """Return the software that creates the documents: the one in the settings, or the sandbox's software."""
    if settings.uses_sandbox_invoices:
        software_id, pin = SANDBOX_INVOICE_SOFTWARE
        number = nit.compact(SANDBOX_INVOICE_NIT)
    else:
        software_id, pin = settings.invoice_software_id, settings.invoice_software_pin.get_secret_value()
        number = nit.compact(settings.invoice_software_nit)
    environment = PRODUCTION if settings.gateway_env is GatewayEnv.PRODUCTION else TESTS
    return Software(software_id, pin, number[:-1], number[-1:], environment)


def create_ubl_provider(settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> UblProvider:
    """Create the provider according to the settings. `transport` connects to the embedded sandbox, if the shop uses it.

    Raises:
        RuntimeError: the sandbox is configured, but no transport is given.
    """
    if settings.uses_sandbox_invoices and transport is None:
        raise RuntimeError("the embedded invoice provider needs a transport, and none was given")
    url = SANDBOX_INVOICE_URL if settings.uses_sandbox_invoices else settings.invoice_api_url
    key = SecretStr(SANDBOX_INVOICE_KEY) if settings.uses_sandbox_invoices else settings.invoice_api_key
    return UblProvider(UblClient(url, key, transport), get_software(settings))
