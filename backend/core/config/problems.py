"""Problems of settings: their kinds and values, and the error that stops the start of the shop.

Their sentences are English, like all messages during the start. `backend.operations.doctor.setting_problems`
describes them in the store's language. Translations cannot be imported here: a setting chooses their language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic_core import PydanticCustomError

from backend.core.errors import CannotStart


class ProblemKind(StrEnum):
    """Kinds of problems of settings. Each value is the English sentence, with placeholders in braces."""

    # Values of one setting: the sentence follows the setting's name
    UNREADABLE_FILE = "{name} names a file that cannot be read ({reason})"
    NOT_HTTP_URL = "must start with http:// or https://"
    NO_FILE = "names no file"
    NOT_NETWORKS = "must be addresses or networks with commas between them"
    NOT_AES_KEY = "must be 32 hexadecimal digits"
    NOT_DATABASE_URL = "must be like postgresql://user:password@host/name or sqlite:///file.db"
    NOT_S3_ADDRESS = (
        "must be like https://KEY:SECRET@host/bucket or https://KEY:SECRET@host/bucket/folder?region=name"
    )
    NOT_VAPID_KEY = "is not the base64url of a P-256 private key (VAPID_PRIVATE_KEY)"
    NOT_SYNONYMS = "must be groups of single words, with commas between words and semicolons between groups"
    NOT_HOST = "{part} is not a host: it must be like www.tienda.example, without https:// and port"
    NOT_ORIGIN = "{part} is not an origin: it must be like https://tienda.example, without a path"
    NOT_SLASHED = "{part} must be a regular expression between slashes, with no flag but i"
    NOT_EXPRESSION = "{part} is not a regular expression"
    LONG_EXPRESSION = "{part} is longer than {limit} characters"
    REPEATED_GROUP = "{part} repeats a group, which could take long to try"
    BACKREFERENCE = "{part} refers back to a group, which could take long to try"
    COMPLEX_EXPRESSION = "{part} has more than {repetitions} repetitions or {options} options"
    NOT_PROVIDER = "{part} is neither a provider's id nor id=package.module:Class"
    REPEATED_PROVIDER = "{provider} is listed twice"

    # Settings that depend on others: the sentence names all of them
    UNKNOWN_NAME = "{name} in .env is not a setting"
    MISSPELT_NAME = "{name} in .env is not a setting: did you mean {closest}?"
    MISSING = "{setting} needs {missing}"
    NEEDS_REDIS = "WORKERS above 1 needs REDIS_URL"
    INCOMPLETE_GATEWAY = "some gateway credentials are set, but {missing} are missing"
    INCOMPLETE_INVOICES = "some credentials of the invoice provider are set, but {missing} are missing"
    NEEDS_PUBLIC_URL = "GATEWAY_ENV=production needs PUBLIC_URL with https://"
    WEAK_SECRET = "{name} can be guessed: use the output of `{command}`"  # noqa: S105 - a sentence
    NEEDS_SECRET_KEY = "GATEWAY_ENV=production needs SECRET_KEY: use the output of `{command}`"  # noqa: S105 - a sentence
    NEEDS_CARRIER_SANDBOX = (
        "GATEWAY_ENV=production needs CARRIER_SANDBOX: false for labels that are paid, true for test labels"
    )
    NEEDS_SMTP_HOST = "GATEWAY_ENV=production needs SMTP_HOST: without it no mail is sent"

    # Classes and folders that settings name: checked while the shop is assembled
    UNKNOWN_PROVIDER = (
        "the module block of {service} names {providers}, which does not exist (there are: {available})"
    )
    TAKEN_PROVIDER = "{providers} is a provider of the program; give yours another id"
    FAILED_PROVIDER = "provider {provider} ({place}): {error}: {reason}"
    WRONG_PROVIDER_CLASS = "provider {provider} ({place}) is no {port}"
    WRONG_PROVIDER_ID = "the provider at {place} has the id {found}, not {provider}"
    FAILED_SEARCH_ENGINE = "SEARCH_ENGINE ({place}): {error}: {reason}"
    WRONG_SEARCH_ENGINE = "SEARCH_ENGINE ({place}) is no SearchEngine"
    UNUSABLE_FOLDER = (
        "{folder} cannot hold its data ({reason}): set DATA_DIR to a folder that its user owns, or may create"
    )

    # Values of the demo shop: a shop in production does not open with them
    DEMO_IDENTITY = "{setting} is the demo shop's: set your own, or run `trompo init`"
    DEMO_WAREHOUSE = "{settings}: the demo shop's warehouse; set your own, or run `trompo init`"


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """A problem of one setting, or of settings that belong together.

    Attributes:
        kind: name of a `ProblemKind`, or type of an error of Pydantic.
        sentence: the problem in English, without the name in `setting`.
        values: the values in the sentence.
        setting: name of the setting whose value is invalid; empty if the sentence names the settings.
    """

    kind: str
    sentence: str
    values: Mapping[str, object] = field(default_factory=dict)
    setting: str = ""

    def __str__(self) -> str:
        return f"{self.setting}: {self.sentence}" if self.setting else self.sentence


class SettingsError(CannotStart):
    """An error for invalid settings. It is printed in one line per problem, without a traceback and without secrets."""

    problems: tuple[SettingProblem, ...] = ()


class IncompleteSettings(ValueError):
    """A setting needs another one that is missing, or two settings contradict each other."""

    def __init__(self, problems: list[SettingProblem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def create_problem(kind: ProblemKind, **values: object) -> SettingProblem:
    """Return a problem of this kind. Its sentence names the settings, so the field `setting` stays empty."""
    return SettingProblem(kind.name, kind.value.format(**values), values)


def value_error(kind: ProblemKind, **values: object) -> PydanticCustomError:
    """Return an error to raise in the validator of a setting."""
    return PydanticCustomError(kind.name, kind.value, values)


def settings_error(*problems: SettingProblem) -> SettingsError:
    """Return an error with these problems. If there are several, each has its own line in the message."""
    listed = f" {problems[0]}" if len(problems) == 1 else "".join(f"\n  {problem}" for problem in problems)
    error = SettingsError(f"Trompo cannot start:{listed}")
    error.problems = problems
    return error
