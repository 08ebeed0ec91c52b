"""Problems of settings in the store's language: `trompo doctor` prints no English sentence for any invalid setting."""

import string

import pytest

from backend.core.config.problems import ProblemKind, SettingProblem, SettingsError, create_problem
from backend.core.config.settings import Settings, load_settings
from backend.operations.doctor.command import format_text, to_settings_findings
from backend.operations.doctor.setting_problems import describe_problem
from tests.production import PRODUCTION
from tests.spanish import find_english

NOT_FROM_SETTINGS = {
    ProblemKind.UNKNOWN_PROVIDER,
    ProblemKind.TAKEN_PROVIDER,
    ProblemKind.FAILED_PROVIDER,
    ProblemKind.WRONG_PROVIDER_CLASS,
    ProblemKind.WRONG_PROVIDER_ID,
    ProblemKind.FAILED_SEARCH_ENGINE,
    ProblemKind.WRONG_SEARCH_ENGINE,
    ProblemKind.UNUSABLE_FOLDER,
    ProblemKind.DEMO_IDENTITY,
    ProblemKind.DEMO_WAREHOUSE,
}
"""Problems that are found when the shop is assembled from valid settings."""
PRODUCTION_ONLY = {"GATEWAY_ENV": "production"}
FAULTS = {
    ProblemKind.UNREADABLE_FILE: {"SECRET_KEY_FILE": "/nowhere/secret"},
    ProblemKind.NOT_HTTP_URL: {"PUBLIC_URL": "tienda.example"},
    ProblemKind.NO_FILE: {"SSL_CERT_FILE": "/nowhere/authorities.pem"},
    ProblemKind.NOT_NETWORKS: {"TRUSTED_PROXIES": "10.0.0.0/99"},
    ProblemKind.NOT_AES_KEY: {"PRIVATE_KEY": "short"},
    ProblemKind.NOT_DATABASE_URL: {"DATABASE_URL": "mysql://db/shop"},
    ProblemKind.NOT_S3_ADDRESS: {"PICTURES_URL": "https://s3.example"},
    ProblemKind.NOT_VAPID_KEY: {"VAPID_PRIVATE_KEY": "AAAA"},
    ProblemKind.NOT_SYNONYMS: {"SEARCH_SYNONYMS": "pelota"},
    ProblemKind.NOT_HOST: {"ALLOWED_HOSTS": "https://tienda.example"},
    ProblemKind.NOT_ORIGIN: {"STORE_CORS": "tienda.example/{x}"},
    ProblemKind.NOT_SLASHED: {"STORE_CORS": "/x/g"},
    ProblemKind.NOT_EXPRESSION: {"STORE_CORS": "/(x/"},
    ProblemKind.LONG_EXPRESSION: {"STORE_CORS": f"/{'x' * 201}/"},
    ProblemKind.REPEATED_GROUP: {"STORE_CORS": "/(x)+/"},
    ProblemKind.BACKREFERENCE: {"STORE_CORS": r"/(x)\1/"},
    ProblemKind.COMPLEX_EXPRESSION: {"STORE_CORS": "/x*x*x*x*/"},
    ProblemKind.NOT_PROVIDER: {"PAYMENT_PROVIDERS": "my bank"},
    ProblemKind.REPEATED_PROVIDER: {"PAYMENT_PROVIDERS": "gateway_pse,gateway_pse"},
    ProblemKind.UNKNOWN_NAME: {"ENV_FILE": "unknown"},
    ProblemKind.MISSPELT_NAME: {"ENV_FILE": "misspelt"},
    ProblemKind.MISSING: {"ALERT_WEBHOOK": "https://tienda.example/avisos"},
    ProblemKind.NEEDS_REDIS: {"WORKERS": "2"},
    ProblemKind.INCOMPLETE_GATEWAY: {"P_KEY": "x"},
    ProblemKind.INCOMPLETE_INVOICES: {"INVOICE_API_KEY": "x"},
    ProblemKind.NEEDS_PUBLIC_URL: PRODUCTION_ONLY,
    ProblemKind.WEAK_SECRET: {**PRODUCTION_ONLY, "SECRET_KEY": "x"},
    ProblemKind.NEEDS_SECRET_KEY: PRODUCTION_ONLY,
    ProblemKind.NEEDS_CARRIER_SANDBOX: PRODUCTION_ONLY,
    ProblemKind.NEEDS_SMTP_HOST: PRODUCTION_ONLY,
}
"""Environments that cause each kind of problem. The two files named by ENV_FILE are created by the test."""
WRONG_VALUES = (
    "", "-1", "999999999999999999999", "1.5", "nan", "x", "a b", "{x}", "http://", "é" * 400, "/(x+)+/", "1e999",
)  # fmt: skip
"""Invalid values: every setting with limits refuses at least one of them."""


def read_problems(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> tuple[SettingProblem, ...]:
    with monkeypatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            load_settings()
        except SettingsError as error:
            return error.problems
    return ()


def check_sentence(problem: SettingProblem) -> None:
    sentence = describe_problem(problem)
    given = str(problem.values.get("provider", problem.setting))
    assert find_english(sentence.replace(given, "…") if given else sentence) == [], sentence
    assert problem.sentence not in sentence
    assert "no es un valor válido" not in sentence, problem
    assert not sentence.endswith((": ", " ")), problem
    assert sentence.startswith(f"{problem.setting}: " if problem.setting else ""), problem


def names_in(sentence: str) -> set[str]:
    return {name for _text, name, _spec, _conversion in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize(("kind", "environment"), FAULTS.items())
def test_each_problem_of_settings_is_described_in_spanish(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    kind: ProblemKind,
    environment: dict[str, str],
) -> None:
    if "ENV_FILE" in environment:
        file = tmp_path_factory.mktemp("settings") / ".env"
        file.write_text({"unknown": "XYZZY=1\n", "misspelt": "STORE_NAM=1\n"}[environment["ENV_FILE"]])
        environment = {"ENV_FILE": str(file)}
    problems = read_problems(monkeypatch, environment)
    assert kind.name in {problem.kind for problem in problems}
    for problem in problems:
        check_sentence(problem)


def test_every_kind_of_problem_has_a_test() -> None:
    assert set(FAULTS) | NOT_FROM_SETTINGS == set(ProblemKind)


@pytest.mark.parametrize("kind", sorted(NOT_FROM_SETTINGS))
def test_each_problem_that_follows_from_valid_settings_is_described_in_spanish(kind: ProblemKind) -> None:
    values = dict.fromkeys({*names_in(kind.value), "setting"}, "X")
    check_sentence(create_problem(kind, **values))


@pytest.mark.parametrize("value", WRONG_VALUES)
def test_every_setting_with_a_wrong_value_is_described_in_spanish(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    problems = read_problems(monkeypatch, {name.upper(): value for name in Settings.model_fields})
    for problem in problems:
        check_sentence(problem)


def test_wrong_values_of_these_tests_violate_every_setting_with_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = {
        problem.setting
        for value in WRONG_VALUES
        for problem in read_problems(monkeypatch, {name.upper(): value for name in Settings.model_fields})
    }
    limited = {name.upper() for name, field in Settings.model_fields.items() if field.metadata}
    assert limited <= named


def test_limits_are_described_with_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = read_problems(
        monkeypatch,
        {
            "PORT": "70000",
            "WORKERS": "0",
            "DRAIN_SECONDS": "301",
            "STORE_LOCALE": "fr",
            "GATEWAY_ENV": "live",
            "SSL_CERT_FILE": "/nowhere/authorities.pem",
        },
    )
    assert sorted(map(describe_problem, problems)) == [
        "DRAIN_SECONDS: debe ser 300 o menos",
        "GATEWAY_ENV: debe ser sandbox o production",
        "PORT: debe ser 65.535 o menos",
        "SSL_CERT_FILE: el archivo no existe",
        "STORE_LOCALE: debe ser el código de un idioma: es (español) o en (inglés)",
        "WORKERS: debe ser 1 o más",
    ]


def test_doctor_lists_everything_that_production_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = read_problems(
        monkeypatch, dict.fromkeys(PRODUCTION, "") | PRODUCTION_ONLY | {"CARRIER_SANDBOX": "no"}
    )
    text = format_text(to_settings_findings(problems))
    assert "falla  ajustes: GATEWAY_ENV=production necesita P_KEY\n" in text
    assert find_english(text) == []
