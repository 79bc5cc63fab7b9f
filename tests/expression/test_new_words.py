"""The words of a style that a walker on two legs reads: neutral by default, refused where they mean nothing."""

import math

import pytest

from strut.errors import OutOfRangeError
from strut.style import Style


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"sway": -0.1}, "The sway of a style is -0.1"),
        ({"body_height": 0.0}, "The body height of a style is 0"),
        ({"body_height": math.inf}, "The body_height of a style is inf"),
        ({"trunk_pitch_rad": math.nan}, "The trunk_pitch_rad of a style is nan"),
    ],
)
def test_meaningless_words_are_refused(words, sentence):
    with pytest.raises(OutOfRangeError, match=sentence):
        Style(**words)


def test_default_words_are_neutral():
    assert Style(sway=1.0, body_height=1.0, trunk_pitch_rad=0.0, head_pitch_rad=0.0) == Style()
