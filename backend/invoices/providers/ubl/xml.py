"""Conversion of a document to XML: UBL 2.1 `Invoice` and `CreditNote` according to the DIAN's annex 1.9.

The XML is not signed: the service that sends it to the DIAN adds the signature as a second `UBLExtension`. The
order of the elements is that of the UBL schema. Comments cite the rules of the annex.
"""

from collections.abc import Iterable
from decimal import Decimal
from xml.etree import ElementTree as ET

from backend.core.money import Cop
from backend.invoices.documents import Document, DocumentLine, DocumentPlace, Party, sum_by_rate
from backend.invoices.parties import FINAL_CONSUMER, NIT
from backend.invoices.providers.ubl.codes import (
    Software,
    build_qr_address,
    compute_fingerprint,
    format_amount,
    format_time,
)
from backend.invoices.states import InvoiceKind

UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
CAC, CBC = f"{UBL}CommonAggregateComponents-2", f"{UBL}CommonBasicComponents-2"
EXT, STS = f"{UBL}CommonExtensionComponents-2", "dian:gov:co:facturaelectronica:Structures-2-1"
PREFIXES = {"cac": CAC, "cbc": CBC, "ext": EXT, "sts": STS}
AGENCY = {
    "schemeAgencyID": "195",
    "schemeAgencyName": "CO, DIAN (Dirección de Impuestos y Aduanas Nacionales)",
}
DIAN_NIT, DIAN_CHECK_DIGIT = "800197268", "4"
UNIT = "94"
"""Code of a unit (table 13.3.6)."""
PAID_AT_ONCE, CREDIT = "1", "2"
"""Codes of the payment form (forma de pago, 13.3.4.1): paid immediately (contado), on credit (crédito)."""
TRANSFER, UNDEFINED = "47", "1"
"""Codes of the payment means (medio de pago, 13.3.4.2): bank transfer (débito bancaria), not defined (no definido)."""
OWN_CODE = "999"
"""Marks an item's code as the seller's own (table 13.3.5)."""
DISCOUNT = "Descuento comercial"
IVA = ("01", "IVA")
TAX_NAMES = {"01": "IVA", "ZZ": "No aplica"}
KINDS = {
    InvoiceKind.INVOICE: ("Invoice", "10", "DIAN 2.1: Factura Electrónica de Venta", "CUFE-SHA384"),
    InvoiceKind.CREDIT_NOTE: (
        "CreditNote",
        "20",
        "DIAN 2.1: Nota Crédito de Factura Electrónica de Venta",
        "CUDE-SHA384",
    ),
}
"""Root element, kind of operation (13.1.5), profile (FAD03, CAD03), and name of the code."""

for _name, _namespace in PREFIXES.items():
    ET.register_namespace(_name, _namespace)


class Node:
    """An XML element to which children are added. Names are written with their prefix: `cbc:ID`."""

    def __init__(self, element: ET.Element) -> None:
        self.element = element

    def add(self, name: str, text: str | None = None, **attributes: str) -> "Node":
        """Add a new child at the end and return it."""
        prefix, _colon, local = name.partition(":")
        child = ET.SubElement(self.element, f"{{{PREFIXES[prefix]}}}{local}", attributes)
        child.text = text
        return Node(child)

    def add_money(self, name: str, pesos: Cop) -> None:
        """Add a child element with an amount in pesos."""
        self.add(name, format_amount(pesos), currencyID="COP")


def build_ubl_xml(document: Document, code: str, software: Software) -> bytes:
    """Return the document with its CUFE or CUDE, in UTF-8."""
    root_name, operation, profile, code_name = KINDS[document.kind]
    namespace = f"{UBL}{root_name}-2"
    ET.register_namespace("", namespace)
    root = Node(ET.Element(f"{{{namespace}}}{root_name}"))
    is_invoice = document.kind is InvoiceKind.INVOICE
    _add_extensions(root, document, code, software)
    root.add("cbc:UBLVersionID", "UBL 2.1")
    root.add("cbc:CustomizationID", operation)
    root.add("cbc:ProfileID", profile)
    root.add("cbc:ProfileExecutionID", software.environment)
    root.add("cbc:ID", document.full_number)
    root.add("cbc:UUID", code, schemeID=software.environment, schemeName=code_name)
    root.add("cbc:IssueDate", document.local.date().isoformat())
    root.add("cbc:IssueTime", format_time(document.local))
    root.add("cbc:InvoiceTypeCode" if is_invoice else "cbc:CreditNoteTypeCode", "01" if is_invoice else "91")
    root.add("cbc:Note", f"Pedido {document.order_number}")
    root.add("cbc:DocumentCurrencyCode", "COP")
    root.add("cbc:LineCountNumeric", str(len(document.lines)))
    if document.corrects is None:
        root.add("cac:OrderReference").add("cbc:ID", str(document.order_number))
    _add_correction(root, document)
    _add_party(root.add("cac:AccountingSupplierParty"), document.seller, document.prefix, is_seller=True)
    _add_party(root.add("cac:AccountingCustomerParty"), document.buyer, "", is_seller=False)
    means = root.add("cac:PaymentMeans")
    means.add("cbc:ID", PAID_AT_ONCE if document.prepaid is None else CREDIT)
    means.add("cbc:PaymentMeansCode", TRANSFER if document.is_transfer else UNDEFINED)
    means.add("cbc:PaymentDueDate", document.local.date().isoformat())
    if document.prepaid is not None:
        prepaid = root.add("cac:PrepaidPayment")
        prepaid.add("cbc:ID", str(document.order_number))
        prepaid.add_money("cbc:PaidAmount", document.prepaid)
        prepaid.add("cbc:ReceivedDate", document.local.date().isoformat())
    _add_taxes(root, document.lines)
    totals = root.add("cac:LegalMonetaryTotal")
    totals.add_money("cbc:LineExtensionAmount", document.base)
    totals.add_money("cbc:TaxExclusiveAmount", document.base - document.excluded)
    totals.add_money("cbc:TaxInclusiveAmount", document.total)
    if document.prepaid is not None:
        totals.add_money("cbc:PrepaidAmount", document.prepaid)
    totals.add_money("cbc:PayableAmount", document.payable)
    for place, line in enumerate(document.lines, 1):
        _add_line(root, place, line, is_invoice=is_invoice)
    ET.indent(root.element, " ")
    written: bytes = ET.tostring(root.element, "UTF-8", xml_declaration=True)
    return written


def _add_extensions(root: Node, document: Document, code: str, software: Software) -> None:
    """Add the DIAN's UBL extensions: number range, owner and fingerprint of the software, address of the QR code."""
    dian = (
        root.add("ext:UBLExtensions")
        .add("ext:UBLExtension")
        .add("ext:ExtensionContent")
        .add("sts:DianExtensions")
    )
    if document.range is not None:
        control = dian.add("sts:InvoiceControl")
        control.add("sts:InvoiceAuthorization", document.range.resolution)
        period = control.add("sts:AuthorizationPeriod")
        period.add("cbc:StartDate", document.range.valid_from.isoformat())
        period.add("cbc:EndDate", document.range.valid_until.isoformat())
        numbers = control.add("sts:AuthorizedInvoices")
        if document.prefix:
            numbers.add("sts:Prefix", document.prefix)
        numbers.add("sts:From", str(document.range.first))
        numbers.add("sts:To", str(document.range.last))
    dian.add("sts:InvoiceSource").add(
        "cbc:IdentificationCode",
        "CO",
        listAgencyID="6",
        listAgencyName="United Nations Economic Commission for Europe",
        listSchemeURI="urn:oasis:names:specification:ubl:codelist:gc:CountryIdentificationCode-2.1",
    )
    provider = dian.add("sts:SoftwareProvider")
    provider.add(
        "sts:ProviderID",
        software.provider_nit,
        schemeID=software.provider_check_digit,
        schemeName=NIT,
        **AGENCY,
    )
    provider.add("sts:SoftwareID", software.id, **AGENCY)
    dian.add("sts:SoftwareSecurityCode", compute_fingerprint(software, document.full_number), **AGENCY)
    dian.add("sts:AuthorizationProvider").add(
        "sts:AuthorizationProviderID", DIAN_NIT, schemeID=DIAN_CHECK_DIGIT, schemeName=NIT, **AGENCY
    )
    dian.add("sts:QRCode", build_qr_address(code, software.environment))


def _add_correction(root: Node, document: Document) -> None:
    """Add the invoice that a credit note corrects, and the reason."""
    if document.corrects is None:
        return
    reason = root.add("cac:DiscrepancyResponse")
    reason.add("cbc:ReferenceID", document.corrects.number)
    reason.add("cbc:ResponseCode", document.corrects.concept)
    reason.add("cbc:Description", document.corrects.description)
    root.add("cac:OrderReference").add("cbc:ID", str(document.order_number))
    corrected = root.add("cac:BillingReference").add("cac:InvoiceDocumentReference")
    corrected.add("cbc:ID", document.corrects.number)
    corrected.add("cbc:UUID", document.corrects.code, schemeName="CUFE-SHA384")
    corrected.add("cbc:IssueDate", document.corrects.issued_on.isoformat())


def _add_party(group: Node, party: Party, prefix: str, *, is_seller: bool) -> None:
    group.add("cbc:AdditionalAccountID", "1" if party.is_company else "2")
    node = group.add("cac:Party")
    document = {"schemeName": party.document_type, **AGENCY}
    if party.check_digit:
        document["schemeID"] = party.check_digit
    if not party.is_company:  # FAK61: a natural person has a separate identification
        node.add("cac:PartyIdentification").add("cbc:ID", party.document, **document)
    node.add("cac:PartyName").add("cbc:Name", party.name)
    if party.place is not None:
        _add_address(node.add("cac:PhysicalLocation").add("cac:Address"), party.place)
    taxed = node.add("cac:PartyTaxScheme")
    taxed.add("cbc:RegistrationName", party.name)
    taxed.add("cbc:CompanyID", party.document, **document)
    taxed.add("cbc:TaxLevelCode", party.tax_level, listName="48" if party.tax_scheme == IVA[0] else "49")
    if party.place is not None:
        _add_address(taxed.add("cac:RegistrationAddress"), party.place)
    _add_scheme(taxed, party.tax_scheme, TAX_NAMES[party.tax_scheme])
    legal = node.add("cac:PartyLegalEntity")
    legal.add("cbc:RegistrationName", party.name)
    legal.add("cbc:CompanyID", party.document, **document)
    if is_seller and prefix:
        legal.add("cac:CorporateRegistrationScheme").add("cbc:ID", prefix)
    if party.email and party.document != FINAL_CONSUMER:
        contact = node.add("cac:Contact")
        if party.phone:
            contact.add("cbc:Telephone", party.phone)
        contact.add("cbc:ElectronicMail", party.email)


def _add_address(node: Node, place: DocumentPlace) -> None:
    node.add("cbc:ID", place.code)
    node.add("cbc:CityName", place.name)
    node.add("cbc:CountrySubentity", place.department)
    node.add("cbc:CountrySubentityCode", place.department_code)
    node.add("cac:AddressLine").add("cbc:Line", place.address)
    country = node.add("cac:Country")
    country.add("cbc:IdentificationCode", "CO")
    country.add("cbc:Name", "Colombia", languageID="es")


def _add_scheme(node: Node, scheme_id: str, name: str) -> None:
    scheme = node.add("cac:TaxScheme")
    scheme.add("cbc:ID", scheme_id)
    scheme.add("cbc:Name", name)


def _add_taxes(node: Node, lines: Iterable[DocumentLine]) -> None:
    """Add one `TaxTotal` for the IVA, with a `TaxSubtotal` for each rate (FAS01). Excluded lines have none."""
    rates = sum_by_rate(lines)
    if not rates:
        return
    total = node.add("cac:TaxTotal")
    total.add_money("cbc:TaxAmount", sum(tax for _rate, _base, tax in rates))
    for rate, base, tax in rates:
        part = total.add("cac:TaxSubtotal")
        part.add_money("cbc:TaxableAmount", base)
        part.add_money("cbc:TaxAmount", tax)
        category = part.add("cac:TaxCategory")
        category.add("cbc:Percent", f"{rate}.00")
        _add_scheme(category, *IVA)


def _add_line(root: Node, place: int, line: DocumentLine, *, is_invoice: bool) -> None:
    node = root.add("cac:InvoiceLine" if is_invoice else "cac:CreditNoteLine")
    node.add("cbc:ID", str(place))
    quantity = "cbc:InvoicedQuantity" if is_invoice else "cbc:CreditedQuantity"
    node.add(quantity, f"{line.quantity}.00", unitCode=UNIT)
    node.add_money("cbc:LineExtensionAmount", line.base)
    if not is_invoice:
        _add_taxes(node, [line])
    if line.discount:
        allowance = node.add("cac:AllowanceCharge")
        allowance.add("cbc:ID", "1")
        allowance.add("cbc:ChargeIndicator", "false")
        allowance.add("cbc:AllowanceChargeReason", DISCOUNT)
        allowance.add(
            "cbc:MultiplierFactorNumeric", _format_decimal(Decimal(100 * line.discount) / line.gross, 2)
        )
        allowance.add_money("cbc:Amount", line.discount)
        allowance.add_money("cbc:BaseAmount", line.gross)
    if is_invoice:
        _add_taxes(node, [line])
    item = node.add("cac:Item")
    item.add("cbc:Description", line.title)
    item.add("cac:SellersItemIdentification").add("cbc:ID", line.code)
    standard = item.add("cac:StandardItemIdentification")
    standard.add("cbc:ID", line.code, schemeID=OWN_CODE, schemeName="Estándar de adopción del contribuyente")
    price = node.add("cac:Price")
    price.add("cbc:PriceAmount", _format_decimal(Decimal(line.gross) / line.quantity, 6), currencyID="COP")
    price.add("cbc:BaseQuantity", f"{line.quantity}.00", unitCode=UNIT)


def _format_decimal(value: Decimal, max_decimals: int) -> str:
    """Format the value with at least two decimals, and at most `max_decimals`."""
    text = f"{value:.{max_decimals}f}"
    whole, _point, decimals = text.partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"
