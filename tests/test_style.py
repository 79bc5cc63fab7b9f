"""Style: dimensionless changes against neutral."""

import math

import pytest

from strut.errors import OutOfRangeError
from strut.style import Style


def test_the_default_is_neutral():
    assert Style() == Style(tempo=1.0, direction=1, stride=1.0, lift=1.0, postures=())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"tempo": -1.0}, "The tempo of a style is -1; it must be a finite factor of at least 0."),
        ({"stride": math.nan}, "The stride of a style is nan; it must be a finite factor of at least 0."),
        ({"lift": math.inf}, "The lift of a style is inf; it must be a finite factor of at least 0."),
        ({"tempo": 0.0}, "The tempo of a style is 0, so no step would end; use stride 0 to march on the spot."),
        ({"direction": 0}, "The direction of a style is 0; use 1 (forwards) or -1 (backwards)."),
        ({"postures": (("sad", math.nan),)}, "The weight of posture 'sad' is nan; it must be a finite number."),
    ],
)
def test_what_no_body_can_read_is_refused(words, sentence):
    with pytest.raises(OutOfRangeError) as caught:
        Style(**words)
    assert str(caught.value) == sentence


def test_marching_on_the_spot_is_a_style():
    assert Style(stride=0.0).stride == 0.0
