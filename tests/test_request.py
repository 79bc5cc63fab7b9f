"""Request: JSON both ways for every task, and numbers that mean nothing are refused in one sentence."""

import json
import math

import pytest

from strut.animation.request import Animate
from strut.emotion import Emotion, named_emotion
from strut.errors import OutOfRangeError, StrutError, UnknownNameError
from strut.gaits.crawl.request import Crawl
from strut.gaits.footsteps.request import Steps
from strut.gaits.hand_task.request import HandTask
from strut.gaits.pattern.request import PatternGait
from strut.human.request import HumanGait
from strut.place import LEFT, Footstep, Place
from strut.request import OwnTask, Request
from strut.schemas.keyframes import Animation, AnimationKey

TASKS = (
    Crawl(cycles=3, step_length_m=0.05, balance="y"),
    Steps(goals=(Place(0.1, 0.2, 0.3), Place(1.0, 0.0)), pace=0.03),
    Steps(footsteps=(Footstep(LEFT, Place(0.03, 0.05, 0.1)),), pace="fastest", law="mass"),
    HandTask(task="point", target_m=(1.0, 0.0, 1.0), platform="free"),
    HandTask(task="path.csv", hand="left", path=((0.0, 1.0, 2.0, 3.0), (1.0, 1.0, 2.0, 3.0))),
    HumanGait(cycles=2),
    PatternGait(speed_m_s=0.4, turn_rad_s=0.1),
    Animate(animation=Animation("nod", "happy", (AnimationKey(0.0), AnimationKey(1.0, turn_deg=(0.0, 9.0, 0.0))))),
    OwnTask(name="bow", options={"depth": 1}),
)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_every_request_survives_json(task):
    request = Request(robot="fido", task=task, emotion=named_emotion("sad"), intensity=0.5, margin_m=0.02, strict=True)
    again = Request.from_dict(json.loads(json.dumps(request.as_dict(), allow_nan=False)))
    assert again == request
    assert again.emotion.name == "sad"
    nothing = Request(robot="fido", task=task, emotion=None)
    assert Request.from_dict(nothing.as_dict()) == nothing
    assert nothing.asked == 0.0


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"robot": "fido"}, "task"),
        ({"robot": "fido", "task": {"type": "fly"}}, "fly"),
        ({"robot": "fido", "task": {"type": "crawl", "cycles": "many"}}, "cycles"),
        ({"robot": "fido", "task": {"type": "crawl", "cycles": 1}}, "cycles is 1; choose 2 to 1000"),
    ],
)
def test_a_table_that_is_no_request_names_the_field(table, words):
    with pytest.raises(OutOfRangeError, match=words):
        Request.from_dict(table)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (Steps, "neither a goal nor a list of steps"),
        (
            lambda: Steps(goals=(Place(0.0, 0.0, math.radians(36000.0)),)),
            "heading is 36000 degrees; write it from -360",
        ),
        (lambda: Steps(goals=(Place(1.0, 0.0),), step_length_m=0.001), "Steps of 1 mm never arrive"),
        (lambda: Steps(goals=(Place(1.0, 0.0),), step_height_m=0.0), "The step height is 0 m; .* above 0"),
        (lambda: Steps(goals=(Place(1.0, 0.0),), pace="slow"), "There is no pace 'slow'"),
        (lambda: Crawl(step_length_m=11.0), "no legged robot is that large"),
        (lambda: HandTask(task="wave", user_m=(1e300, 0.0, 0.0)), "The user is more than 1000 m away"),
        (lambda: HandTask(task="wave", user_m=(math.nan, 0.0, 0.0)), "three finite numbers"),
        (lambda: HandTask(task="wave", platform="loose"), "The platform is 'loose'; choose led or free"),
        (lambda: HumanGait(cycles=0), "cycles is 0; choose 1 to 1000"),
        (lambda: PatternGait(speed_m_s=12.0), "The speed is 12 m/s; no legged robot does more than 10"),
        (lambda: PatternGait(turn_rad_s=math.nan), "The turn is nan degrees per second; .* more than 573"),
        (lambda: Request(robot="fido", task=HumanGait(), rate_hz=25.0), "choose 50 to 1000"),
        (
            lambda: Request(robot="fido", task=HumanGait(), retreat="local"),
            "cannot weaken the emotion for a while only",
        ),
    ],
)
def test_numbers_and_words_that_mean_nothing_are_refused(make, words):
    with pytest.raises(StrutError, match=words):
        make()


def test_a_human_rolls_over_the_edges_of_the_feet_and_robots_keep_away_from_them():
    assert Request(robot="fido", task=HumanGait()).min_margin_m == 0.0
    assert Request(robot="fido", task=Crawl()).min_margin_m == 0.010
    assert Request(robot="fido", task=Crawl(), margin_m=0.0).min_margin_m == 0.0


def test_a_misspelt_retreat_is_not_a_global_one():
    with pytest.raises(UnknownNameError, match="There is no retreat 'locale'"):
        Request(robot="fido", task=Crawl(), emotion=Emotion(0.0, 0.0), retreat="locale")


def test_the_layer_of_expression_is_part_of_a_request_both_ways():
    asked = Request(robot="mrpete", task=Crawl(tempo=1.5), expression="animated")
    table = json.loads(json.dumps(asked.as_dict()))
    assert (table["expression"], table["task"]["tempo"]) == ("animated", 1.5)
    assert Request.from_dict(table) == asked
    assert Request(robot="mrpete", task=Crawl()).expression is None  # the robot's usual
    with pytest.raises(UnknownNameError, match="no expression 'lively'"):
        Request(robot="mrpete", task=Crawl(), expression="lively")
    with pytest.raises(OutOfRangeError, match="tempo is 0"):
        Crawl(tempo=0.0)
