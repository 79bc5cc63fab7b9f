"""Style: one vocabulary for every body; neutral by default, refused where a value means nothing."""

import math

import pytest

from strut.errors import OutOfRangeError
from strut.schemas.expression import ParameterMappings
from strut.style import PARAMETER_GROUPS, STYLE_PARAMETERS, Style, parameter_label


def test_the_default_is_neutral():
    assert Style() == Style(tempo=1.0, direction=1, stride=1.0, lift=1.0, postures=())


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"tempo": -1.0}, "The tempo of a style is -1; it must be a finite factor of at least 0."),
        ({"stride": math.nan}, "The stride of a style is nan; it must be a finite factor of at least 0."),
        ({"lift": math.inf}, "The lift of a style is inf; it must be a finite factor of at least 0."),
        ({"tempo": 0.0}, "The tempo of a style is 0, so no step would end; use stride 0 to march on the spot."),
        ({"sway": -0.1}, "The sway of a style is -0.1; it must be a finite factor of at least 0."),
        ({"body_height": 0.0}, "The body height of a style is 0, so the body would lie on the ground."),
        ({"body_height": math.inf}, "The body_height of a style is inf; it must be a finite factor of at least 0."),
        (
            {"trunk_pitch_rad": math.nan},
            "The trunk_pitch_rad of a style is nan; it must be an angle from -1.57 to 1.57 rad.",
        ),
        ({"elbow_rad": -0.1}, "The elbow_rad of a style is -0.1; it must be an angle from 0 to 3.14 rad."),
        ({"gaze": 1.1}, "The gaze of a style is 1.1; rescale it to [0, 1]."),
        ({"direction": 0}, "The direction of a style is 0; use 1 (forwards) or -1 (backwards)."),
        ({"postures": (("sad", math.nan),)}, "The weight of posture 'sad' is nan; it must be a finite number."),
    ],
)
def test_values_out_of_range_are_refused(parameters, sentence):
    with pytest.raises(OutOfRangeError) as caught:
        Style(**parameters)
    assert str(caught.value) == sentence


def test_every_parameter_that_a_table_can_map_is_weakened_in_exactly_one_group():
    weakened = [name for group in PARAMETER_GROUPS for name in group]
    numbers = set(ParameterMappings.__struct_fields__) - {"direction", "postures"}
    assert sorted(weakened) == sorted(numbers)


def test_marching_on_the_spot_is_a_style():
    assert Style(stride=0.0).stride == 0.0


def test_speed_is_pace_times_step_length_with_its_direction():
    assert Style(tempo=0.5, stride=1.2, direction=-1).speed == pytest.approx(-0.6)


@pytest.mark.parametrize("name", STYLE_PARAMETERS)
def test_every_parameter_has_a_meaning_a_unit_and_a_range_around_its_neutral_value(name):
    parameter = STYLE_PARAMETERS[name]
    assert parameter.meaning
    assert parameter.unit in ("factor", "rad", "share")
    assert parameter.min <= parameter.neutral <= parameter.max
    assert parameter.visible > 0.0
    assert name.endswith("_rad") == (parameter.unit == "rad")
    assert getattr(Style(), name) == parameter.neutral
    for end in (parameter.min - 0.01, parameter.max + 0.01):
        with pytest.raises(OutOfRangeError, match=f"The {name} of a style is "):
            Style(**{name: end})


def test_the_label_of_a_parameter_has_no_unit():
    assert parameter_label("trunk_pitch_rad") == "trunk pitch"
