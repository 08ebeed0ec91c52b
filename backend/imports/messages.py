"""Texts for staff about problems of a file, a row or a picture, and how to correct them."""

from backend.catalog.importer.headings import get_hint, get_label
from backend.core.db.tables import JsonObject
from backend.core.texts import _
from backend.imports.spreadsheet_parsing import MAX_FILE_BYTES, MAX_ROWS, Fault, UnreadableProductFile
from backend.spreadsheet_reader.models import ForeignFormat

ROW_TEXTS: dict[str, str] = {
    "cell": _("No se entiende."),
    "formula": _("La fórmula de esta celda da error: escribe el valor."),
    "no name": _("Escribe el nombre, la dirección o el SKU del juguete."),
    "before": _("Tiene que ser más alto que el precio."),
    "taken": _("Ya es de otro juguete: {detail}."),
    "unknown": _("Ningún juguete tiene este SKU. Si es nuevo, escribe su nombre."),
    "needed": _("Hace falta: el juguete es nuevo."),
    "which": _("El juguete tiene varias presentaciones: escribe el SKU de una."),
    "twice": _("Ya está en la fila {detail}."),
    "gone": _("La tienda no tiene «{detail}»."),
    "differs": _("Es del juguete entero, y en la fila {detail} dice otra cosa."),
    "option unnamed": _("Escribe de qué opción es «{detail}»: Talla, Color…"),
    "option empty": _("Escribe el valor de {detail}, o borra la opción."),
    "option again": _("«{detail}» está dos veces en la fila."),
    "option names": _("Todas las filas de un juguete llevan las mismas opciones. Las de la fila {detail}."),
    "option twice": _("La fila {detail} es ya esta presentación: cambia un valor, o borra una de las dos."),
    "option taken": _("La presentación {detail} tiene ya estos valores, y no está en la hoja."),
    "option rows": _(
        "Cambian las opciones del juguete: hace falta una fila de cada presentación. Falta: {detail}."
    ),
    "other row": _("Un juguete nuevo entra con todas sus filas, y la fila {detail} tiene un error."),
    "too many": _("Un juguete tiene hasta {detail} presentaciones en una hoja."),
    "reserved": _("Unidades apartadas para pedidos: {detail}. No puede haber menos."),
    "category": _("No hay categoría «{detail}». Escríbela como está en la tienda, o deja que se cree."),
    "collection": _("No hay colección «{detail}». Escríbela como está en la tienda, o deja que se cree."),
    "several": _(
        "La tienda tiene varias «{detail}». Escribe la dirección de una: está en «Descargar lo que hay»."
    ),
    "picture missing": _("Falta la foto {detail}: súbela con la hoja."),
    "picture gone": _("La foto {detail} ya no está en la tienda."),
    "picture not fetched": _("No se pudo descargar la foto de {detail}."),
    "picture not stored": _("La foto {detail} no se pudo guardar. Importa esta fila otra vez."),
    "changed since": _("Alguien lo cambió después de la vista previa. Mira cómo quedó."),
    "failed": _("Algo falló de nuestro lado. Importa esta fila otra vez."),
}
"""Texts by the code of a problem."""
PICTURE_TEXTS: dict[str, str] = {
    "no_picture": _("no es una foto que podamos leer"),
    "too_large": _("tiene demasiados píxeles: hasta 50 millones"),
    "odd_shape": _("es demasiado larga y angosta"),
    "damaged": _("está dañada o tiene clave"),
    "heic": _("está en HEIC: guárdala como JPEG"),
    "too_many_bytes": _("pesa más de 15 MB"),
    "twice": _("tiene el mismo nombre que otra del zip"),
}
"""Reasons why a picture cannot be used, by code."""
ZIP_TEXTS: dict[str, str] = {
    "zip damaged": _("El zip está dañado."),
    "zip too large": _("El zip pesa más de 100 MB: envía las fotos en varios."),
    "zip too many": _("Son demasiadas fotos: hasta 2.000 en un zip y 5.000 en total."),
}
FILE_TEXTS: dict[Fault, str] = {
    Fault.TOO_LARGE: _("El archivo es demasiado grande: hasta {megabytes} MB."),
    Fault.TOO_MANY_ROWS: _(
        "Tiene demasiadas filas: hasta {rows}. Pártelo en varios, o borra las filas y columnas vacías del final."
    ),
    Fault.NO_SHEET: _("No es una hoja de Excel (.xlsx) ni un CSV, está dañada o tiene clave."),
    Fault.TOO_COMPLEX: _(
        "No pudimos leer el archivo: pide demasiada memoria o tiempo. Copia los productos a un archivo nuevo y "
        "guárdalo como .xlsx."
    ),
    Fault.NO_HEAD: _(
        "No encontramos los nombres de las columnas en las primeras filas. Copia la primera fila de la plantilla."
    ),
    Fault.TWICE: _("La columna «{column}» está dos veces: deja una."),
    Fault.EMPTY: _("La hoja no tiene filas con datos."),
}
FORMAT_TEXTS: dict[ForeignFormat, str] = {
    ForeignFormat.ODS: _("Es una hoja de LibreOffice (.ods)."),
    ForeignFormat.XLS: _("Es una hoja de Excel antigua (.xls)."),
    ForeignFormat.XLSB: _("Es un libro binario de Excel (.xlsb)."),
    ForeignFormat.NUMBERS: _("Es una hoja de Numbers."),
    ForeignFormat.WEB_PAGE: _("Es una página web o un XML con nombre de hoja de Excel."),
}
HOW_TO_SAVE = _(
    "Ábrela y guárdala como .xlsx. En LibreOffice: Archivo → Guardar como → Excel 2007-365 (.xlsx). En Excel: Archivo →"
    " Guardar como → Libro de Excel (.xlsx). En Numbers: Archivo → Exportar a → Excel. En Google Sheets: Archivo →"
    " Descargar → Microsoft Excel (.xlsx)."
)


def format_problem(problem: JsonObject) -> str:
    """Return the text about a problem of a cell, and how to correct it."""
    code, column = problem["code"], problem["column"]
    if code == "cell":
        return get_hint(column) or ROW_TEXTS["cell"]
    if code not in ROW_TEXTS and code.startswith("picture "):
        why = PICTURE_TEXTS.get(code.removeprefix("picture "), PICTURE_TEXTS["damaged"])
        return _("La foto {detail} {why}.").format(detail=problem["detail"], why=why)
    return ROW_TEXTS.get(code, ROW_TEXTS["failed"]).format(detail=problem["detail"])


def format_file_problem(error: UnreadableProductFile) -> str:
    """Return why a file cannot be read, and what to do."""
    if error.fault is Fault.OTHER_FORMAT:
        return f"{FORMAT_TEXTS[ForeignFormat(error.detail)]} {HOW_TO_SAVE}"
    return FILE_TEXTS[error.fault].format(
        megabytes=MAX_FILE_BYTES >> 20,
        rows=MAX_ROWS,
        column=get_label(error.detail),
    )
