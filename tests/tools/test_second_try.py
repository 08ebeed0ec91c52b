from tools.second_try import MAX_RETRIED_TESTS, can_be_retried

BROWSER = "tests/e2e/test_cart.py::test_a_line[320]"


def test_few_tests_of_a_browser_are_tried_again() -> None:
    assert can_be_retried([BROWSER])
    assert can_be_retried([BROWSER] * MAX_RETRIED_TESTS)
    assert not can_be_retried([BROWSER] * (MAX_RETRIED_TESTS + 1))


def test_no_other_test_is() -> None:
    assert not can_be_retried([])
    assert not can_be_retried(["tests/backend/core/test_money.py::test_pesos"])
    assert not can_be_retried([BROWSER, "tests/failure/test_outage.py::test_redis"])
