from tools.second_try import MOST, may_be_tried_again

BROWSER = "tests/e2e/test_cart.py::test_a_line[320]"


def test_few_tests_of_a_browser_are_tried_again() -> None:
    assert may_be_tried_again([BROWSER])
    assert may_be_tried_again([BROWSER] * MOST)
    assert not may_be_tried_again([BROWSER] * (MOST + 1))


def test_no_other_test_is() -> None:
    assert not may_be_tried_again([])
    assert not may_be_tried_again(["tests/backend/core/test_money.py::test_pesos"])
    assert not may_be_tried_again([BROWSER, "tests/failure/test_outage.py::test_redis"])
