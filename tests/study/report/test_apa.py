"""Numbers in the form of the American Psychological Association (7th edition)."""

import pytest

from strut.study.report.apa import and_list, counted, f_words, interval, p_words, share, t_words


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.0, "p < .001"), (0.00099, "p < .001"), (0.001, "p = .001"), (0.0123, "p = .012"), (0.5, "p = .500"),
        (0.999, "p = .999"), (0.9991, "p > .999"), (1.0, "p > .999"),
    ],
)  # fmt: skip
def test_p_values_have_three_digits_and_no_leading_zero(p_value, words):
    assert p_words(p_value) == words


def test_numbers_that_cannot_exceed_one_lose_their_zero_and_others_keep_it():
    assert [share(0.05), share(-0.3), share(1.0), share(-1.0), share(0.1234, 3)] == [
        ".05",
        "-.30",
        "1.00",
        "-1.00",
        ".123",
    ]
    assert interval(0.1, 0.523) == "95% CI [0.10, 0.52]"
    assert interval(-1.0, 2.0, 1) == "95% CI [-1.0, 2.0]"


def test_degrees_of_freedom_have_digits_only_where_they_are_not_whole():
    assert t_words(2.345, 19.0) == "t(19) = 2.35" or t_words(2.345, 19.0) == "t(19) = 2.34"
    assert t_words(-0.5, 18.996) == "t(19) = -0.50"
    assert t_words(-0.5, 18.99) == "t(18.99) = -0.50"
    assert f_words(3.111, (4.0, 75.2)) == "F(4, 75.20) = 3.11"
    assert f_words(9.2, (4.0,)) == "χ²(4) = 9.20"


def test_lists_have_a_comma_before_and_from_three_names_on():
    assert [and_list(list("abc"[:count])) for count in (1, 2, 3)] == ["a", "a and b", "a, b, and c"]
    assert [counted(count, "answer") for count in (0, 1, 2)] == ["0 answers", "1 answer", "2 answers"]
