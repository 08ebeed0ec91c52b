"""A document as XML: UBL 2.1 `Invoice` and `CreditNote` with what the DIAN's annex 1.9 asks for.

It is not signed: whoever sends it to the DIAN adds the signature as a second `UBLExtension`. Element order is the
schema's; the rules of the annex that a line follows are named beside it.
"""

from collections.abc import Iterable
from decimal import Decimal
from xml.etree import ElementTree as ET

from backend.core.money import Cop
from backend.invoices.documents import Document, DocumentLine, Party, Place, by_rate
from backend.invoices.parties import FINAL_CONSUMER, NIT
from backend.invoices.providers.ubl.codes import Software, amount, fingerprint, qr_address, time_text
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
"""A unit (table 13.3.6)."""
PAID_AT_ONCE, OWED = "1", "2"
"""Forma de pago: contado, crédito (13.3.4.1)."""
TRANSFER, NOT_SAID = "47", "1"
"""Medio de pago: transferencia débito bancaria, no definido (13.3.4.2)."""
OWN_CODE = "999"
"""An item's code is the seller's own (table 13.3.5)."""
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
"""The root, the kind of operation (13.1.5), the profile (FAD03, CAD03), and what the code is."""

for _name, _namespace in PREFIXES.items():
    ET.register_namespace(_name, _namespace)


class Node:
    """An element, and adding to it. Names are written with their prefix: `cbc:ID`."""

    def __init__(self, element: ET.Element) -> None:
        self.element = element

    def add(self, name: str, text: str | None = None, **attributes: str) -> "Node":
        """A new last child."""
        prefix, _colon, local = name.partition(":")
        child = ET.SubElement(self.element, f"{{{PREFIXES[prefix]}}}{local}", attributes)
        child.text = text
        return Node(child)

    def money(self, name: str, pesos: Cop) -> None:
        """An amount of pesos."""
        self.add(name, amount(pesos), currencyID="COP")


def ubl_xml(document: Document, code: str, software: Software) -> bytes:
    """The document with its CUFE or CUDE, in UTF-8."""
    root_name, operation, profile, code_name = KINDS[document.kind]
    namespace = f"{UBL}{root_name}-2"
    ET.register_namespace("", namespace)
    root = Node(ET.Element(f"{{{namespace}}}{root_name}"))
    is_invoice = document.kind is InvoiceKind.INVOICE
    _extensions(root, document, code, software)
    root.add("cbc:UBLVersionID", "UBL 2.1")
    root.add("cbc:CustomizationID", operation)
    root.add("cbc:ProfileID", profile)
    root.add("cbc:ProfileExecutionID", software.environment)
    root.add("cbc:ID", document.full_number)
    root.add("cbc:UUID", code, schemeID=software.environment, schemeName=code_name)
    root.add("cbc:IssueDate", document.local.date().isoformat())
    root.add("cbc:IssueTime", time_text(document.local))
    root.add("cbc:InvoiceTypeCode" if is_invoice else "cbc:CreditNoteTypeCode", "01" if is_invoice else "91")
    root.add("cbc:Note", f"Pedido {document.order_number}")
    root.add("cbc:DocumentCurrencyCode", "COP")
    root.add("cbc:LineCountNumeric", str(len(document.lines)))
    if document.corrects is None:
        root.add("cac:OrderReference").add("cbc:ID", str(document.order_number))
    _correction(root, document)
    _party(root.add("cac:AccountingSupplierParty"), document.seller, document.prefix, is_seller=True)
    _party(root.add("cac:AccountingCustomerParty"), document.buyer, "", is_seller=False)
    means = root.add("cac:PaymentMeans")
    means.add("cbc:ID", PAID_AT_ONCE if document.prepaid is None else OWED)
    means.add("cbc:PaymentMeansCode", TRANSFER if document.is_transfer else NOT_SAID)
    means.add("cbc:PaymentDueDate", document.local.date().isoformat())
    if document.prepaid is not None:
        prepaid = root.add("cac:PrepaidPayment")
        prepaid.add("cbc:ID", str(document.order_number))
        prepaid.money("cbc:PaidAmount", document.prepaid)
        prepaid.add("cbc:ReceivedDate", document.local.date().isoformat())
    _taxes(root, document.lines)
    totals = root.add("cac:LegalMonetaryTotal")
    totals.money("cbc:LineExtensionAmount", document.base)
    totals.money("cbc:TaxExclusiveAmount", document.base)
    totals.money("cbc:TaxInclusiveAmount", document.total)
    if document.prepaid is not None:
        totals.money("cbc:PrepaidAmount", document.prepaid)
    totals.money("cbc:PayableAmount", document.payable)
    for place, line in enumerate(document.lines, 1):
        _line(root, place, line, is_invoice=is_invoice)
    ET.indent(root.element, " ")
    written: bytes = ET.tostring(root.element, "UTF-8", xml_declaration=True)
    return written


def _extensions(root: Node, document: Document, code: str, software: Software) -> None:
    """What the DIAN adds to UBL: the range, whose software, its fingerprint, the address of the QR."""
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
    dian.add("sts:SoftwareSecurityCode", fingerprint(software, document.full_number), **AGENCY)
    dian.add("sts:AuthorizationProvider").add(
        "sts:AuthorizationProviderID", DIAN_NIT, schemeID=DIAN_CHECK_DIGIT, schemeName=NIT, **AGENCY
    )
    dian.add("sts:QRCode", qr_address(code, software.environment))


def _correction(root: Node, document: Document) -> None:
    """Which invoice a credit note corrects, and why."""
    if document.corrects is None:
        return
    why = root.add("cac:DiscrepancyResponse")
    why.add("cbc:ReferenceID", document.corrects.number)
    why.add("cbc:ResponseCode", document.corrects.concept)
    why.add("cbc:Description", document.corrects.description)
    root.add("cac:OrderReference").add("cbc:ID", str(document.order_number))
    corrected = root.add("cac:BillingReference").add("cac:InvoiceDocumentReference")
    corrected.add("cbc:ID", document.corrects.number)
    corrected.add("cbc:UUID", document.corrects.code, schemeName="CUFE-SHA384")
    corrected.add("cbc:IssueDate", document.corrects.issued_on.isoformat())


def _party(group: Node, party: Party, prefix: str, *, is_seller: bool) -> None:
    group.add("cbc:AdditionalAccountID", "1" if party.is_company else "2")
    node = group.add("cac:Party")
    document = {"schemeName": party.document_type, **AGENCY}
    if party.check_digit:
        document["schemeID"] = party.check_digit
    if not party.is_company:  # FAK61: a natural person is identified by itself
        node.add("cac:PartyIdentification").add("cbc:ID", party.document, **document)
    node.add("cac:PartyName").add("cbc:Name", party.name)
    if party.place is not None:
        _address(node.add("cac:PhysicalLocation").add("cac:Address"), party.place)
    taxed = node.add("cac:PartyTaxScheme")
    taxed.add("cbc:RegistrationName", party.name)
    taxed.add("cbc:CompanyID", party.document, **document)
    taxed.add("cbc:TaxLevelCode", party.tax_level, listName="48" if party.tax_scheme == IVA[0] else "49")
    if party.place is not None:
        _address(taxed.add("cac:RegistrationAddress"), party.place)
    _scheme(taxed, party.tax_scheme, TAX_NAMES[party.tax_scheme])
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


def _address(node: Node, place: Place) -> None:
    node.add("cbc:ID", place.code)
    node.add("cbc:CityName", place.name)
    node.add("cbc:CountrySubentity", place.department)
    node.add("cbc:CountrySubentityCode", place.department_code)
    node.add("cac:AddressLine").add("cbc:Line", place.address)
    country = node.add("cac:Country")
    country.add("cbc:IdentificationCode", "CO")
    country.add("cbc:Name", "Colombia", languageID="es")


def _scheme(node: Node, scheme_id: str, name: str) -> None:
    scheme = node.add("cac:TaxScheme")
    scheme.add("cbc:ID", scheme_id)
    scheme.add("cbc:Name", name)


def _taxes(node: Node, lines: Iterable[DocumentLine]) -> None:
    """One `TaxTotal` for the IVA, with a `TaxSubtotal` for each rate (FAS01)."""
    rates = by_rate(lines)
    total = node.add("cac:TaxTotal")
    total.money("cbc:TaxAmount", sum(tax for _rate, _base, tax in rates))
    for rate, base, tax in rates:
        part = total.add("cac:TaxSubtotal")
        part.money("cbc:TaxableAmount", base)
        part.money("cbc:TaxAmount", tax)
        category = part.add("cac:TaxCategory")
        category.add("cbc:Percent", f"{rate}.00")
        _scheme(category, *IVA)


def _line(root: Node, place: int, line: DocumentLine, *, is_invoice: bool) -> None:
    node = root.add("cac:InvoiceLine" if is_invoice else "cac:CreditNoteLine")
    node.add("cbc:ID", str(place))
    quantity = "cbc:InvoicedQuantity" if is_invoice else "cbc:CreditedQuantity"
    node.add(quantity, f"{line.quantity}.00", unitCode=UNIT)
    node.money("cbc:LineExtensionAmount", line.base)
    if not is_invoice:
        _taxes(node, [line])
    if line.discount:
        allowance = node.add("cac:AllowanceCharge")
        allowance.add("cbc:ID", "1")
        allowance.add("cbc:ChargeIndicator", "false")
        allowance.add("cbc:AllowanceChargeReason", DISCOUNT)
        allowance.add("cbc:MultiplierFactorNumeric", _decimal(Decimal(100 * line.discount) / line.gross, 2))
        allowance.money("cbc:Amount", line.discount)
        allowance.money("cbc:BaseAmount", line.gross)
    if is_invoice:
        _taxes(node, [line])
    item = node.add("cac:Item")
    item.add("cbc:Description", line.title)
    item.add("cac:SellersItemIdentification").add("cbc:ID", line.code)
    standard = item.add("cac:StandardItemIdentification")
    standard.add("cbc:ID", line.code, schemeID=OWN_CODE, schemeName="Estándar de adopción del contribuyente")
    price = node.add("cac:Price")
    price.add("cbc:PriceAmount", _decimal(Decimal(line.gross) / line.quantity, 6), currencyID="COP")
    price.add("cbc:BaseQuantity", f"{line.quantity}.00", unitCode=UNIT)


def _decimal(value: Decimal, most: int) -> str:
    """With two decimals at least, and `most` at most."""
    text = f"{value:.{most}f}"
    whole, _point, decimals = text.partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"
