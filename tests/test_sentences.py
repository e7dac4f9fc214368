"""Titles and sentences of chapters, against the frames behind them: each number is computed once
more, by plain pandas.
"""

import pytest

from kvreport.base.text import number


@pytest.mark.parametrize(
    ("value", "written"),
    [(1234.4, "1,234"), (99.96, "100"), (12.34, "12.3"), (0.456, "0.46"), (-16.34, "-16.3")],
)
def test_numbers_have_three_digits_whatever_their_sign(value, written):
    assert number(value) == written
