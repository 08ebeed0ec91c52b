"""Codes as in the DIAN's annex, XML that is valid by the UBL 2.1 schema, and a provider over HTTP."""

from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from lxml import etree
from pypdf import PdfReader
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.web.http_client import NoAnswer, ServiceUnavailable
from backend.invoices.creation import ISSUE
from backend.invoices.documents import restore_document
from backend.invoices.issue_job import Invoices
from backend.invoices.models import Invoice
from backend.invoices.pdf import build_document_pdf
from backend.invoices.providers.ubl.codes import TESTS, CodeParts, Software, build_code_parts, build_qr_text
from backend.invoices.providers.ubl.provider import UblProvider, get_software
from backend.invoices.providers.ubl.xml import CAC, CBC, build_ubl_xml
from backend.migrations.sandbox_tables import SandboxInvoice
from backend.orders.models import OrderLine
from backend.pricing import SHIPPING, Adjustment, PricedLine
from backend.sandbox.invoicing import Fault
from tests.backend.invoices.desk import (
    BOOK,
    TROMPO,
    Killed,
    book_refund,
    crash_at_lock,
    enable_invoices,
    list_documents,
    place_paid_order,
    run_issue_job,
)
from tests.store_defaults import Defaults

SCHEMAS = Path(__file__).parents[2] / "ubl_2_1" / "maindoc"
NS = {"cac": CAC, "cbc": CBC, "sts": "dian:gov:co:facturaelectronica:Structures-2-1"}
ROLLS = PricedLine("roll", 3, 7_333, 5)

# The examples of annex 1.9, 11.2.1 (CUFE) and 11.4.3 (CUDE of a credit note), as public programs that implement it
# repeat them. The hash that the annex prints for a debit note does not match the parts printed next to it.
CUFE = CodeParts(
    number="323200000129",
    day="2019-01-16",
    time="10:53:10-05:00",
    base="1500000.00",
    iva="285000.00",
    inc="0.00",
    ica="0.00",
    total="1785000.00",
    seller="700085371",
    buyer="800199436",
    key="693ff6f2a553c3646a063436fd4dd9ded0311471",
    environment="1",
)
CUDE = CodeParts(
    number="8110007871",
    day="2019-01-12",
    time="07:00:00-05:00",
    base="5000.00",
    iva="950.00",
    inc="0.00",
    ica="0.00",
    total="5950.00",
    seller="900373076",
    buyer="8355990",
    key="12301",
    environment="1",
)


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        (CUFE, "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"),
        (CUDE, "907e4444decc9e59c160a2fb3b6659b33dc5b632a5008922b9a62f83f757b1c448e47f5867f2b50dbdb96f48c7681168"),
    ],
)  # fmt: skip
def test_invoice_codes_match_the_examples_of_the_dian_annex(parts: CodeParts, code: str) -> None:
    assert parts.code() == code


@cache
def read_schema(kind: str) -> etree.XMLSchema:
    name = "Invoice" if kind == "invoice" else "CreditNote"
    return etree.XMLSchema(etree.parse(SCHEMAS / f"UBL-{name}-2.1.xsd"))


def require_valid(row: Invoice) -> None:
    """Check that the XML is valid UBL 2.1."""
    assert row.xml is not None
    read_schema(row.kind).assertValid(etree.fromstring(row.xml))


@pytest.fixture
async def invoices(shop: Shop, shop_defaults: Defaults) -> Invoices:
    """Return the service with the embedded provider."""
    provider = shop.invoices.providers["ubl"]
    return await enable_invoices(shop, provider)


def read_texts(row: Invoice) -> dict[str, str]:
    """Return the texts of the XML by path."""
    assert row.xml is not None
    root = ET.fromstring(row.xml)
    paths = (
        "cbc:CustomizationID", "cbc:ProfileID", "cbc:ProfileExecutionID", "cbc:ID", "cbc:UUID",
        "cac:AccountingSupplierParty//cbc:CompanyID", "cac:AccountingSupplierParty//cbc:TaxLevelCode",
        "cac:AccountingCustomerParty//cbc:CompanyID", "cac:PaymentMeans/cbc:PaymentMeansCode",
        "cac:LegalMonetaryTotal/cbc:LineExtensionAmount", "cac:LegalMonetaryTotal/cbc:PayableAmount",
        "cac:TaxTotal/cbc:TaxAmount", ".//sts:InvoiceAuthorization", "cac:DiscrepancyResponse/cbc:ResponseCode",
        "cac:BillingReference//cbc:UUID",
    )  # fmt: skip
    return {path: root.findtext(path, "", NS) for path in paths}


async def test_invoice_and_credit_note_have_valid_xml(shop: Shop, invoices: Invoices) -> None:
    sold = await place_paid_order(
        shop,
        TROMPO,
        BOOK,
        ROLLS,
        shipping=11_900,
        adjustments=[Adjustment(38_001, "trompo"), Adjustment(2_000, SHIPPING)],
        titles={"trompo": "Trompo «Ñandú» & <cuerda>"},
    )
    await book_refund(shop, sold, 100_000, {"trompo": 1})
    await shop.worker.run_due(ISSUE)
    invoice, note = await list_documents(shop)
    assert (invoice.state, invoice.reason, note.state, note.reason) == ("issued", "", "issued", "")
    require_valid(invoice)
    require_valid(note)
    total = sold.totals.total
    assert read_texts(invoice) | {"cbc:UUID": ""} == {
        "cbc:CustomizationID": "10",
        "cbc:ProfileID": "DIAN 2.1: Factura Electrónica de Venta",
        "cbc:ProfileExecutionID": "2",
        "cbc:ID": "SETP990000000",
        "cbc:UUID": "",
        "cac:AccountingSupplierParty//cbc:CompanyID": "900123456",
        "cac:AccountingSupplierParty//cbc:TaxLevelCode": "R-99-PN",
        "cac:AccountingCustomerParty//cbc:CompanyID": "222222222222",
        "cac:PaymentMeans/cbc:PaymentMeansCode": "47",
        "cac:LegalMonetaryTotal/cbc:LineExtensionAmount": f"{total - sold.totals.tax_total}.00",
        "cac:LegalMonetaryTotal/cbc:PayableAmount": f"{total}.00",
        "cac:TaxTotal/cbc:TaxAmount": f"{sold.totals.tax_total}.00",
        ".//sts:InvoiceAuthorization": "18760000001",
        "cac:DiscrepancyResponse/cbc:ResponseCode": "",
        "cac:BillingReference//cbc:UUID": "",
    }
    said = read_texts(note)
    assert (said["cbc:CustomizationID"], said["cbc:ID"], said["cac:DiscrepancyResponse/cbc:ResponseCode"]) == (
        "20", "NC1", "1",
    )  # fmt: skip
    assert said["cac:BillingReference//cbc:UUID"] == invoice.code == read_texts(invoice)["cbc:UUID"]
    assert len(invoice.code) == 96
    _is_on_the_pdf(invoice, sold.totals.total)


async def test_line_of_an_excluded_product_has_no_tax(shop: Shop, invoices: Invoices) -> None:
    sold = await place_paid_order(shop, TROMPO, BOOK)
    async with shop.database.transaction() as session:
        await session.execute(update(OrderLine).where(OrderLine.title == "book").values(tax_excluded=True))
    await book_refund(shop, sold, 20_000, {"book": 1})
    await shop.worker.run_due(ISSUE)
    invoice, note = await list_documents(shop)
    assert (invoice.state, invoice.reason, note.state, note.reason) == ("issued", "", "issued", "")
    for row, taxable in ((invoice, "200000.00"), (note, "0.00")):
        require_valid(row)
        assert row.xml is not None
        root = ET.fromstring(row.xml)
        lines = [*root.findall("cac:InvoiceLine", NS), *root.findall("cac:CreditNoteLine", NS)]
        taxed = {
            line.findtext("cac:Item/cbc:Description", "", NS): line.find("cac:TaxTotal", NS) is not None
            for line in lines
        }
        assert taxed == ({"trompo": True, "book": False} if row is invoice else {"book": False})
        assert root.findtext("cac:LegalMonetaryTotal/cbc:TaxExclusiveAmount", "", NS) == taxable
    assert ET.fromstring(note.xml or b"").find("cac:TaxTotal", NS) is None


def _is_on_the_pdf(row: Invoice, total: int) -> None:
    document = restore_document(row.document)
    pdf = build_document_pdf(document, row.code, build_qr_text(document, row.code, TESTS))
    text = "".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)
    for part in ("SETP990000000", "900123456-8", "Consumidor final", "Trompo «Ñandú»", "18760000001"):
        assert part in text, part
    assert row.code in text.replace("\n", "")
    assert f"{total:,}".replace(",", ".") in text


@pytest.mark.parametrize("fault", [Fault.DROP, Fault.MALFORMED, Fault.SERVER_ERROR, Fault.BAD_GATEWAY])
async def test_document_with_an_unknown_outcome_is_looked_up(
    shop: Shop, invoices: Invoices, fault: Fault
) -> None:
    sandbox = shop.sandbox.invoicing
    assert sandbox is not None
    await place_paid_order(shop)
    (row,) = await list_documents(shop)
    sandbox.faults.plan(fault)
    with pytest.raises(NoAnswer):
        await run_issue_job(invoices, row)
    assert await run_issue_job(invoices, row) is None
    (row,) = await list_documents(shop)
    assert (row.state, row.full_number) == ("issued", "SETP990000000")
    was_made = fault in (Fault.DROP, Fault.MALFORMED)
    assert sandbox.requests == [
        ("POST", "/documents"),
        ("GET", "/documents/SETP990000000"),
        *([] if was_made else [("POST", "/documents")]),
    ]
    require_valid(row)
    async with shop.database.read() as session:
        made = (await session.execute(select(SandboxInvoice.code))).scalars().all()
    assert made == [row.code]


async def test_crash_after_the_response_issues_no_second_document(
    shop: Shop, invoices: Invoices, monkeypatch: pytest.MonkeyPatch
) -> None:
    await place_paid_order(shop)
    (row,) = await list_documents(shop)
    with monkeypatch.context() as patch:
        crash_at_lock(patch, 3)
        with pytest.raises(Killed):
            await run_issue_job(invoices, row)
    await run_issue_job(invoices, row)
    async with shop.database.read() as session:
        made = (await session.execute(select(SandboxInvoice))).scalars().all()
    (row,) = await list_documents(shop)
    assert [(one.number, one.code) for one in made] == [("SETP990000000", row.code)]


async def test_document_whose_number_already_exists_is_looked_up_and_not_rejected(
    shop: Shop, invoices: Invoices
) -> None:
    """Issue the document again, as a concurrent job does: `NoAnswer` makes the job look it up."""
    await place_paid_order(shop)
    (row,) = await list_documents(shop)
    await run_issue_job(invoices, row)
    (row,) = await list_documents(shop)
    with pytest.raises(NoAnswer):
        await invoices.providers["ubl"].issue(restore_document(row.document))


async def test_invalid_document_is_rejected_with_the_names_of_the_violated_rules(
    shop: Shop, invoices: Invoices
) -> None:
    await place_paid_order(shop)
    provider = invoices.providers["ubl"]
    assert isinstance(provider, UblProvider)
    provider.software = Software("somebody else", "1", "900373076", "4", TESTS)
    await shop.worker.run_due(ISSUE)
    (row,) = await list_documents(shop)
    assert row.state == "rejected"
    assert [one.partition(":")[0] for one in row.reason.split("; ")] == ["FAB24b", "FAB27b"]


def invalid_variants(xml: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield invalid variants of a document, each with the rule that rejects it."""
    yield "FAD06", xml.replace(b">consumidor final<", b">x<").replace(b">222222222222<", b">222222222221<")
    yield "FAU14", xml.replace(b'PayableAmount currencyID="COP">258', b'PayableAmount currencyID="COP">259')
    yield "FAD03", xml.replace(b">10</cbc:CustomizationID>", b">20</cbc:CustomizationID>")
    yield "FAB05b", xml.replace(b"18760000001", b"18760000002")
    yield "FAD05c", xml.replace(b"<sts:From>990000000", b"<sts:From>990000001")
    yield "ZB01", xml[:-20]
    yield "ZB01", b'<!DOCTYPE a [<!ENTITY b "c">]>' + xml
    hidden = b'<!DOCTYPE a [<!ENTITY b "c">]>' + xml.partition(b"?>")[2]
    yield "ZB01", hidden.decode().encode("utf-16")


async def test_sandbox_accepts_a_valid_document_and_finds_each_violated_rule(
    shop: Shop, invoices: Invoices
) -> None:
    from backend.core.config.settings import SANDBOX_INVOICE_SOFTWARE
    from backend.sandbox.invoicing.rules import AcceptedDocument, read_document

    await place_paid_order(shop)
    await shop.worker.run_due(ISSUE)
    (row,) = await list_documents(shop)
    assert row.xml is not None
    keys = {"18760000001": "693ff6f2a553c3646a063436fd4dd9ded0311471"}
    assert isinstance(read_document(row.xml, keys, SANDBOX_INVOICE_SOFTWARE), AcceptedDocument)
    for rule, xml in invalid_variants(row.xml):
        assert xml != row.xml, rule
        read = read_document(xml, keys, SANDBOX_INVOICE_SOFTWARE)
        assert not isinstance(read, AcceptedDocument), rule
        assert rule in [one.rule for one in read]


async def test_sandbox_rejects_a_credit_note_without_the_invoices_code(
    shop: Shop, invoices: Invoices
) -> None:
    from backend.core.config.settings import SANDBOX_INVOICE_SOFTWARE
    from backend.sandbox.invoicing.rules import AcceptedDocument, read_document

    sold = await place_paid_order(shop)
    await book_refund(shop, sold, 119_000, {"trompo": 1})
    await shop.worker.run_due(ISSUE)
    invoice, note = await list_documents(shop)
    assert note.xml is not None
    nothing = note.xml.replace(invoice.code.encode(), b"")
    assert nothing != note.xml
    assert isinstance(read_document(note.xml, {}, SANDBOX_INVOICE_SOFTWARE), AcceptedDocument)
    read = read_document(nothing, {}, SANDBOX_INVOICE_SOFTWARE)
    assert not isinstance(read, AcceptedDocument)
    assert [one.rule for one in read] == ["CBF01"]


async def test_document_is_not_issued_with_a_wrong_key(shop: Shop, invoices: Invoices) -> None:
    sandbox = shop.sandbox.invoicing
    assert sandbox is not None
    sandbox.key = "another"
    await place_paid_order(shop)
    (row,) = await list_documents(shop)
    with pytest.raises(ServiceUnavailable):
        await run_issue_job(invoices, row)
    assert (await list_documents(shop))[0].state == "pending"


def test_documents_of_all_kinds_of_customers_are_valid() -> None:
    """Cover a company with an address, a customer without an e-mail, a line without IVA, and a price with centavos."""
    from tests.backend.invoices.sample import SAMPLES

    software = Software("id", "pin", "900373076", "4", TESTS)
    for document in SAMPLES:
        code = build_code_parts(document, software).code()
        xml = build_ubl_xml(document, code, software)
        read_schema(document.kind).assertValid(etree.fromstring(xml))
        assert build_document_pdf(document, code, build_qr_text(document, code, TESTS)).startswith(b"%PDF-")


def test_invoice_software_data_default_to_those_of_the_sandbox(shop: Shop) -> None:
    software = get_software(shop.settings)
    assert (software.provider_nit, software.provider_check_digit, software.environment) == (
        "900373076",
        "4",
        TESTS,
    )
