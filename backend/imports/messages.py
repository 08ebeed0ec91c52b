"""Texts for staff about problems of a file, a row or a picture, and how to correct them."""

from backend.catalog.importer.headings import get_hint
from backend.core.db.tables import JsonObject
from backend.core.texts import _
from backend.imports.spreadsheet_parsing import MAX_FILE_BYTES, MAX_ROWS, Fault, UnreadableProductFile
from backend.spreadsheet_reader.models import ForeignFormat

ROW_TEXTS: dict[str, str] = {
    "cell": _("No se entiende."),
    "formula": _("La fórmula de esta celda da error, o se guardó sin calcular: escribe el valor."),
    "no name": _("Escribe el nombre, la dirección o el SKU del producto."),
    "before": _("Tiene que ser más alto que el precio."),
    "taken": _("Ya es de otro producto: {detail}."),
    "unknown": _("Ningún producto tiene este SKU. Si es nuevo, escribe su nombre."),
    "needed": _("Hace falta: el producto es nuevo."),
    "which": _("El producto tiene varias presentaciones: escribe el SKU de una."),
    "twice": _("Ya está en la fila {detail}."),
    "name twice": _(
        "La fila {detail} tiene el mismo nombre. Si es otro producto, escribe un nombre distinto; si es otra "
        "presentación, escribe en las dos su opción y su valor."
    ),
    "gone": _("La tienda no tiene «{detail}»."),
    "differs": _("Es del producto entero, y en la fila {detail} dice otra cosa."),
    "option unnamed": _("Escribe de qué opción es «{detail}»: Talla, Color…"),
    "option empty": _("Escribe el valor de {detail}, o borra la opción."),
    "option again": _("«{detail}» está dos veces en la fila."),
    "option names": _("Todas las filas de un producto llevan las mismas opciones. Las de la fila {detail}."),
    "option twice": _("La fila {detail} es ya esta presentación: cambia un valor, o borra una de las dos."),
    "option taken": _("La presentación {detail} tiene ya estos valores, y no está en la hoja."),
    "option rows": _(
        "Cambian las opciones del producto: hace falta una fila de cada presentación. Falta: {detail}."
    ),
    "other row": _("Un producto nuevo entra con todas sus filas, y la fila {detail} tiene un error."),
    "too many": _("Un producto tiene hasta {detail} presentaciones en una hoja."),
    "reserved": _("Unidades apartadas para pedidos: {detail}. No puede haber menos."),
    "category": _("No hay categoría «{detail}». Escríbela como está en la tienda, o deja que se cree."),
    "collection": _("No hay colección «{detail}». Escríbela como está en la tienda, o deja que se cree."),
    "tag": _("No hay etiqueta «{detail}». Escríbela como está en la tienda, o deja que se cree."),
    "type": _("No hay tipo «{detail}». Escríbelo como está en la tienda, o deja que se cree."),
    "several": _(
        "La tienda tiene varias «{detail}». Escribe la dirección de una: está en «Descargar lo que hay»."
    ),
    "picture missing": _("Falta la foto {detail}: súbela con la hoja."),
    "picture gone": _("La foto {detail} ya no está en la tienda."),
    "picture not fetched": _("No se pudo descargar la foto de {detail}."),
    "picture not stored": _("La foto {detail} no se pudo guardar. Importa esta fila otra vez."),
    "without picture": _(
        "El producto entró sin esa foto y quedó oculto. Corrige la dirección y envía esta fila otra vez."
    ),
    "pictures kept": _("Sus fotos quedaron como estaban. Corrige la dirección y envía esta fila otra vez."),
    "option count": _("Una presentación lleva hasta tres opciones, y esta tiene más: {detail}."),
    "changed since": _("Alguien lo cambió después de la vista previa. Mira cómo quedó."),
    "failed": _("Algo falló de nuestro lado. Importa esta fila otra vez."),
    "currency": _("Escribe el precio en pesos colombianos: 89900."),
    "lost digits": _("¿Faltan ceros? Escribe el precio completo y sin decimales: 89900."),
    "check digit": _("La última cifra no corresponde a las demás. Compara el código con el del empaque."),
    "excluded": _("Un producto excluido de IVA tiene tarifa 0: cambia una de las dos."),
    "unit": _("Es mucho. ¿Está en gramos o en milímetros? Escribe la unidad: 350 g, 240 mm."),
    "extra cells": _(
        "La fila tiene celdas de más («{detail}»), quizá por una coma sin comillas. Corrígela, o ponle nombre a esa "
        "columna."
    ),
    "short row": _("La fila tiene menos celdas que el encabezado y le falta «{detail}». Complétala."),
    "code is date": _(
        "Una hoja de cálculo convirtió el código en una fecha ({detail}). Dale a la columna el formato Texto y escribe "
        "el código otra vez."
    ),
    "code is exponent": _(
        "Una hoja de cálculo convirtió el código en un número con exponente ({detail}). Dale a la columna el formato "
        "Texto y escribe el código otra vez."
    ),
    "code is rounded": _(
        "Una hoja de cálculo redondeó el código, que tiene más de 15 cifras ({detail}). Dale a la columna el formato "
        "Texto y escribe el código otra vez."
    ),
    "cells": _("La fila no tiene tantas celdas como el encabezado. Complétala."),
    "encoding": _("Hay letras que no se pueden leer («{detail}»). Escríbelas otra vez."),
}
"""Texts by the code of a problem."""
NOTE_TEXTS: dict[str, str] = {
    "rounded": _("«{detail}» tiene centavos: queda en pesos enteros."),
    "negative stock": _("Dice {detail} unidades: quedan en 0."),
    "sold out": _("Dice «{detail}»: quedan 0 unidades."),
    "thousands": _("«{detail}» se leyó con punto o coma de miles."),
    "no measure": _("«{detail}» no dice cuánto mide o pesa: queda como está."),
    "no bar code": _("«{detail}» no es un código de barras: queda como está."),
    "large measure": _("¿Seguro que son {detail}? Si está en otra unidad, escríbela: 350 g, 240 mm."),
    "html": _("Venía en HTML: queda como texto, con sus párrafos y listas."),
    "tax added": _("Venía sin IVA: le sumamos el {detail} %."),
    "age range": _("«{detail}» queda en la edad que tiene a los más pequeños."),
    "several weights": _("Las presentaciones pesan distinto: queda el peso mayor, {detail} kg."),
    "variant hidden": _("Esta presentación está oculta en el archivo: entra con 0 unidades."),
    "sale ends": _("La oferta termina el {detail}. Aquí no termina sola: quita ese día el precio antes."),
    "discount left out": _(
        "El archivo trae un descuento de {detail} que no se importa: queda el precio normal."
    ),
    "short row": _("La fila tiene menos celdas que el encabezado: no dice {detail}. Eso queda como está."),
    "address taken": _("La dirección anterior {detail} ya lleva a otra página: así se queda."),
    "price zero": _("Con precio 0 queda oculto: escribe el precio y publícalo, o pon «sí» en «Gratis»."),
}
"""Texts by the code of a note. A note reports what was remarkable in a cell or row, such as a rounded price."""
SET_ASIDE_TEXTS: dict[str, str] = {
    "total": _("Es un total."),
    "group": _("Es el título de un grupo."),
    "hidden row": _("La fila está oculta."),
    "hidden sheet": _("La hoja está oculta."),
    "no code": _("No tiene código, y las demás filas sí."),
    "repeated head": _("Repite los nombres de las columnas."),
    "no values": _("Solo tiene fórmulas sin valor."),
    "hints": _("Son las ayudas de la hoja."),
    "other sheet": _("Es otra hoja con una lista. Si también va, súbela aparte."),
}
"""Reasons why a row or a sheet is not imported, by code."""
FILE_NOTES: dict[str, str] = {
    "tax not said": _("El archivo no dice si los precios llevan el IVA: los tomamos con el IVA incluido."),
    "stock not said": _("El archivo no dice cuántas unidades hay: escríbelas después."),
}
"""Sentences about the whole file, by code."""
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
    Fault.NO_SHEET: _("No es una hoja de Excel (.xlsx) ni un CSV, o está dañada."),
    Fault.TOO_COMPLEX: _(
        "No pudimos leer el archivo: pide demasiada memoria o tiempo. Copia los productos a un archivo nuevo y "
        "guárdalo como .xlsx."
    ),
    Fault.NO_HEAD: _(
        "No encontramos los nombres de las columnas en las primeras filas. Copia la primera fila de la plantilla."
    ),
    Fault.TWICE: _(
        "Varias columnas son para lo mismo: {column}. Deja una, o impórtalo en la oficina y elige."
    ),
    Fault.EMPTY: _("La hoja no tiene filas con datos."),
    Fault.QUOTE: _(
        "En la fila {line} hay comillas dentro de una celda, o faltan unas. Escríbelas dobles, o guarda el archivo como"
        " .xlsx."
    ),
    Fault.PASSWORD: _(
        "El archivo tiene clave. Quítala y súbelo otra vez: en Excel, Archivo → Información → Proteger libro → Cifrar "
        "con contraseña."
    ),
    Fault.ENCODING: _(
        "En la fila {line} hay letras que no se pueden leer. Guarda el archivo como .xlsx o como CSV UTF-8."
    ),
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


def format_note(note: JsonObject) -> str:
    """Return the text about a cell whose value was changed when it was read."""
    return NOTE_TEXTS[note["code"]].format(detail=note["detail"])


def format_file_note(code: str) -> str:
    """Return the sentence of a note about the whole file."""
    return FILE_NOTES[code]


def format_set_aside(reason: str) -> str:
    """Return the reason why a row or a sheet is not imported, for staff."""
    return SET_ASIDE_TEXTS[reason]


def format_file_problem(error: UnreadableProductFile) -> str:
    """Return the text about a file that cannot be read: the reason, and how to correct it."""
    if error.fault is Fault.OTHER_FORMAT:
        return f"{FORMAT_TEXTS[ForeignFormat(error.detail)]} {HOW_TO_SAVE}"
    return FILE_TEXTS[error.fault].format(
        megabytes=MAX_FILE_BYTES >> 20,
        rows=MAX_ROWS,
        column=error.detail,
        line=error.line,
    )
