"""Problems of settings in the store's language, for `trompo doctor` and `trompo init`.

The start of the shop prints the same problems in English: see `backend.core.config.problems`.
"""

from collections.abc import Sequence

from backend.core.config.problems import ProblemKind, SettingProblem
from backend.core.texts import _

_TEXTS = {
    ProblemKind.UNREADABLE_FILE: _("{name} nombra un archivo que no se puede leer ({reason})"),
    ProblemKind.NOT_HTTP_URL: _("debe empezar por http:// o https://"),
    ProblemKind.NO_FILE: _("el archivo no existe"),
    ProblemKind.NOT_NETWORKS: _("deben ser direcciones o redes IP, separadas por comas"),
    ProblemKind.NOT_AES_KEY: _("deben ser 32 dígitos hexadecimales"),
    ProblemKind.NOT_DATABASE_URL: _(
        "debe ser como postgresql://usuario:clave@servidor/nombre o sqlite:///archivo.db"
    ),
    ProblemKind.NOT_S3_ADDRESS: _(
        "debe ser como https://LLAVE:SECRETO@servidor/bucket o "
        "https://LLAVE:SECRETO@servidor/bucket/carpeta?region=nombre"
    ),
    ProblemKind.NOT_VAPID_KEY: _("no es una llave privada P-256 en base64url"),
    ProblemKind.NOT_SYNONYMS: _(
        "deben ser grupos de palabras sueltas: comas entre las palabras, punto y coma entre los grupos"
    ),
    ProblemKind.NOT_HOST: _(
        "{part} no es un servidor: escríbelo como www.tienda.example, sin https:// ni puerto"
    ),
    ProblemKind.NOT_ORIGIN: _("{part} no es un origen: escríbelo como https://tienda.example, sin ruta"),
    ProblemKind.NOT_SLASHED: _("{part} debe ser una expresión regular entre barras, sin más opción que i"),
    ProblemKind.NOT_EXPRESSION: _("{part} no es una expresión regular"),
    ProblemKind.LONG_EXPRESSION: _("{part} tiene más de {limit} caracteres"),
    ProblemKind.REPEATED_GROUP: _("{part} repite un grupo, y probarlo puede tardar mucho"),
    ProblemKind.BACKREFERENCE: _("{part} se refiere a un grupo anterior, y probarlo puede tardar mucho"),
    ProblemKind.COMPLEX_EXPRESSION: _("{part} tiene más de {repetitions} repeticiones o {options} opciones"),
    ProblemKind.NOT_PROVIDER: _("{part} no es el id de un proveedor, ni id=paquete.modulo:Clase"),
    ProblemKind.REPEATED_PROVIDER: _("{provider} está dos veces"),
    ProblemKind.UNKNOWN_NAME: _("{name} está en .env, pero no es un ajuste"),
    ProblemKind.MISSPELT_NAME: _("{name} está en .env, pero no es un ajuste: ¿querías decir {closest}?"),
    ProblemKind.MISSING: _("{setting} necesita {missing}"),
    ProblemKind.NEEDS_REDIS: _("con WORKERS mayor que 1 hace falta REDIS_URL"),
    ProblemKind.INCOMPLETE_GATEWAY: _("de las credenciales de la pasarela faltan {missing}"),
    ProblemKind.INCOMPLETE_INVOICES: _("de las credenciales del proveedor de facturas faltan {missing}"),
    ProblemKind.NEEDS_PUBLIC_URL: _("GATEWAY_ENV=production necesita PUBLIC_URL con https://"),
    ProblemKind.WEAK_SECRET: _("{name} se puede adivinar: usa lo que imprime `{command}`"),
    ProblemKind.NEEDS_SECRET_KEY: _(
        "GATEWAY_ENV=production necesita SECRET_KEY: usa lo que imprime `{command}`"
    ),
    ProblemKind.NEEDS_CARRIER_SANDBOX: _(
        "GATEWAY_ENV=production necesita CARRIER_SANDBOX: false para guías que se pagan, true para guías de prueba"
    ),
    ProblemKind.NEEDS_SMTP_HOST: _(
        "GATEWAY_ENV=production necesita SMTP_HOST: sin un servidor no sale ningún correo"
    ),
    ProblemKind.UNKNOWN_PROVIDER: _(
        "{setting}: el programa no tiene el proveedor {providers}; tiene {available}"
    ),
    ProblemKind.TAKEN_PROVIDER: _("{providers} es un proveedor del programa: ponle otro id al tuyo"),
    ProblemKind.FAILED_PROVIDER: _(
        "el proveedor {provider} ({place}) no se pudo crear ({error}: {reason}): revisa que su paquete esté instalado"
    ),
    ProblemKind.WRONG_PROVIDER_CLASS: _("el proveedor {provider} ({place}) no es de la clase {port}"),
    ProblemKind.WRONG_PROVIDER_ID: _("el proveedor de {place} tiene el id {found}, no {provider}"),
    ProblemKind.FAILED_SEARCH_ENGINE: _(
        "SEARCH_ENGINE ({place}) no se pudo crear ({error}: {reason}): revisa que su paquete esté instalado"
    ),
    ProblemKind.WRONG_SEARCH_ENGINE: _("SEARCH_ENGINE ({place}) no es de la clase SearchEngine"),
    ProblemKind.UNUSABLE_FOLDER: _(
        "{folder} no puede guardar los datos ({reason}): pon en DATA_DIR una carpeta de su usuario, o que este"
        " pueda crear"
    ),
    ProblemKind.DEMO_IDENTITY: _(
        "{setting} es el de la tienda de demostración: pon el tuyo, o corre `trompo init`"
    ),
    ProblemKind.DEMO_WAREHOUSE: _(
        "{settings}: es la bodega de demostración; pon la tuya, o corre `trompo init`"
    ),
}
_NOT_A_NUMBER, _NOT_WHOLE = _("debe ser un número"), _("debe ser un número entero")
_LIKE_EXAMPLE = _("debe ser como {example}")
_PYDANTIC_TEXTS = {
    "bool_parsing": _("debe ser true o false"),
    "int_parsing": _NOT_WHOLE,
    "int_parsing_size": _NOT_WHOLE,
    "int_from_float": _NOT_WHOLE,
    "float_parsing": _NOT_A_NUMBER,
    "finite_number": _NOT_A_NUMBER,
    "greater_than_equal": _("debe ser {ge} o más"),
    "less_than_equal": _("debe ser {le} o menos"),
    "string_too_short": _("no puede quedar vacío"),
    "string_too_long": _("tiene más de {max_length} caracteres"),
    "string_pattern_mismatch": _LIKE_EXAMPLE,
    "enum": _LIKE_EXAMPLE,
}
_EXAMPLES = {
    "ALERT_EMAIL": "ana@tienda.example",
    "CARRIER_ORIGIN_DANE_CODE": _("11001000, el código DANE de Bogotá"),
    "SEARCH_ENGINE": _("paquete.modulo:Clase"),
    "STORE_WHATSAPP": "57 300 123 4567",
}
"""Valid values of the settings that have a pattern."""
_CHOICES = {
    "DATABASE_POOLER": _("debe ser transaction, o quedar vacío"),
    "GATEWAY_ENV": _("debe ser sandbox o production"),
    "LOG_FORMAT": _("debe ser text o json"),
    "STORE_LOCALE": _("debe ser el código de un idioma: es (español) o en (inglés)"),
}
"""Sentences for the settings that have a list of values."""
_OTHER = _("no es un valor válido")


def describe_problem(problem: SettingProblem) -> str:
    """Return the problem as a sentence in the store's language."""
    text = _PYDANTIC_TEXTS.get(problem.kind, _OTHER)
    if text == _LIKE_EXAMPLE:
        text = _CHOICES.get(problem.setting, text)
    if problem.kind in ProblemKind.__members__:
        text = _TEXTS[ProblemKind[problem.kind]]
    values = {  # Pydantic states some limits as floats, and only the digits of an int are grouped
        name: int(value) if isinstance(value, float) else value for name, value in problem.values.items()
    }
    sentence = text.format(**values, example=_EXAMPLES.get(problem.setting, ""))
    return f"{problem.setting}: {sentence}" if problem.setting else sentence


def describe_problems(problems: Sequence[SettingProblem]) -> list[str]:
    """Return the problems as sentences in the store's language."""
    return [describe_problem(problem) for problem in problems]
