"""From requests to motions, part by part: who drafts what, what a receipt and a motion say, and the parts of shows."""

from dataclasses import replace
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.animation.animate import animate
from strut.animation.animation_file import load_animation
from strut.animation.stories import story_path
from strut.draft import Violation
from strut.emotion import named_emotion
from strut.errors import BadMotionError, OutOfRangeError, RefusedError, UnknownNameError
from strut.gaits.crawl.crawl_drafts import CrawlDrafts
from strut.gaits.crawl.request import Crawl
from strut.gaits.footsteps.request import Steps
from strut.gaits.footsteps.step_drafts import StepDrafts
from strut.gaits.hand_task.hand_drafts import HandDrafts
from strut.gaits.hand_task.perform import _point
from strut.gaits.hand_task.request import HandTask
from strut.gaits.pattern.gait_drafts import GaitDrafts
from strut.gaits.pattern.request import PatternGait
from strut.human.request import HumanGait
from strut.human.synthesis.human_drafts import HumanDrafts
from strut.models.catalogue import load_robot
from strut.pilot import piloted_sequence as piloted_show
from strut.pilot.gait_library import gait_evaluation as gait_trials
from strut.pilot.piloted_sequence import _motion, _receipt, perform_sequence
from strut.pilot.request import PilotedWalk
from strut.pilot.sequence import ShowPart, _stood, _walked, queue_of_story, queue_of_words
from strut.pipeline.candidates import generator_for
from strut.pipeline.run import motion_of, run
from strut.place import Place
from strut.receipt import Reason, ReasonKind
from strut.request import OwnTask, Request
from strut.retargeting.repair import repair
from strut.schemas.keyframes import AnimationKey
from strut.verify.measure import measure
from strut.verify.receipt_builder import planned_receipt
from tests.alice import ALICE
from tests.pipeline.test_trials import FASTEST, standing
from tests.pipeline.test_weakening import HAPPY, Picky

CASSIE = load_robot("cassie")
TORQUE = Violation("torque", np.array([True]), "9 N m")
SLOWER = Reason(ReasonKind.SLOWED, None, "slower")


def test_each_task_is_drafted_by_its_own_generator_with_its_rate_and_margin(mrpete, heiman):
    def made(robot, task, **options):
        return generator_for(Request(robot=robot.name, task=task, rate_hz=25.0, **options), robot)

    crawl = made(mrpete, Crawl(), margin_m=0.004)
    assert (type(crawl), crawl.robot, crawl.margin_m, crawl.rate_hz) == (CrawlDrafts, mrpete, 0.004, 25.0)
    steps = made(ALICE, Steps(goals=(Place(0.1, 0.0),)))
    assert (type(steps), steps.robot, steps.rate_hz) == (StepDrafts, ALICE, 25.0)
    gait = made(ALICE, PatternGait())
    assert (type(gait), gait.rate_hz) == (GaitDrafts, 25.0)
    pepper = load_robot("pepper")
    for emotion in (None, named_emotion("happy")):
        hand = made(pepper, HandTask(task="still"), emotion=emotion)
        assert (type(hand), hand.expressive) == (HandDrafts, emotion is not None)
    human = generator_for(Request(robot="heiman", task=HumanGait(), rate_hz=60.0), heiman)
    assert (type(human), human.robot, human.rate_hz) == (HumanDrafts, heiman, 60.0)
    with pytest.raises(OutOfRangeError, match="No generator of strut does 'dance'"):
        made(ALICE, OwnTask(name="dance"))


def test_a_strict_request_says_what_it_would_give_otherwise():
    picky = Picky(lambda style: style.lift <= 1.31)
    weakened = run(HAPPY, robot=ALICE, generator=picky).receipt
    assert (weakened.verdict, weakened.expression) == ("weakened", None)  # the published layer needs no word
    with pytest.raises(RefusedError, match=r"Without --strict it would walk at intensity 0\.00 of 1\.00 asked"):
        run(msgspec.structs.replace(HAPPY, strict=True), robot=ALICE, generator=picky)


def test_a_motion_says_at_21_even_instants_how_much_it_expresses():
    draft = measure(standing())
    receipt = planned_receipt(draft, emotion=None, asked=0.0, intensity=0.0, binding_limits=())
    fading = replace(draft, share_over_time=np.linspace(0.2, 1.0, len(draft.time_s)))
    assert_allclose(motion_of(FASTEST, fading, receipt).meta["shown_over_time"], np.linspace(0.2, 1.0, 21), atol=1e-4)
    assert motion_of(FASTEST, draft, receipt).meta["shown_over_time"] is None


def test_a_motion_of_a_draft_has_its_own_torques_and_forces_where_it_knows_them():
    draft = measure(standing())
    receipt = planned_receipt(draft, emotion=None, asked=0.0, intensity=0.0, binding_limits=())
    plain = motion_of(FASTEST, draft, receipt)
    assert_allclose(plain.torque_nm, draft.measured.torque_nm)
    assert_allclose(plain.ground_force_n, draft.measured.ground_force_n)
    assert_allclose(plain.cop_in_world, draft.measured.cop_in_world)
    own = replace(draft, torque_nm=np.ones_like(plain.torque_nm), ground_force_n=np.ones_like(plain.ground_force_n))
    told = motion_of(FASTEST, own, receipt)
    assert (told.torque_nm == 1.0).all()
    assert (told.ground_force_n == 1.0).all()
    assert (plain.meta["emotion"], plain.meta["pad"], plain.meta["seed"]) == (None, None, None)
    assert plain.meta["options"] == {"margin_m": FASTEST.min_margin_m, "rate_hz": 20.0}
    felt = motion_of(msgspec.structs.replace(FASTEST, emotion=named_emotion("sad")), draft, receipt)
    assert (felt.meta["emotion"], felt.meta["pad"]) == ("sad", list(named_emotion("sad").pad))


def test_a_point_is_three_numbers_in_their_order():
    assert _point(np.array([1, 2, 3])) == (1.0, 2.0, 3.0)
    assert _point(None) is None
    for wrong in ([1.0, 2.0], [1.0, 2.0, 3.0, 4.0]):
        with pytest.raises(OutOfRangeError, match=f"this one has {len(wrong)}"):
            _point(wrong)


@pytest.mark.parametrize("task", [PatternGait, PilotedWalk])
def test_sideways_alone_does_not_go_forwards(task):
    assert task.chosen(sideways_m_s=0.1).speed_m_s == 0.0
    assert task.chosen(sideways_m_s=0.1, speed_m_s=0.2).speed_m_s == 0.2
    assert task.chosen(sideways_m_s=0.0).speed_m_s is None


def test_stories_that_walk_are_parts_of_shows_by_name():
    """All words are read before any story is made feasible, so that the last one is what is refused."""
    for story in ("curiosity", "happy"):
        with pytest.raises(UnknownNameError, match="dance wildly"):
            queue_of_words(CASSIE, f"{story}, dance wildly")


@pytest.mark.parametrize(
    ("words", "kind"),
    [("dance wildly", "part of a show"), ("stand 1 s,dance", "part of a show"), ("dance", "story")],
)
def test_what_means_nothing_is_called_a_story_only_where_it_is_one_word_alone(words, kind):
    with pytest.raises(UnknownNameError, match=f"no {kind} 'dance"):
        queue_of_words(CASSIE, words)


@pytest.mark.parametrize("words", ["walk {} m at 0.4 m/s", "walk backwards {} m at 0.4 m/s"])
def test_a_walk_takes_its_way_over_its_speed_and_at_most_five_minutes(words):
    (part,) = queue_of_words(CASSIE, words.format(119))
    assert part.request.distance_m == 119.0
    with pytest.raises(OutOfRangeError, match="would take 302 s; a walk of a show takes at most 300 s"):
        queue_of_words(CASSIE, words.format(121))
    with pytest.raises(OutOfRangeError, match="would take 310 s"):
        queue_of_words(CASSIE, "walk left 46.5 m at 0.15 m/s")


def test_a_walk_of_a_story_lasts_to_the_next_keyframe_at_whose_height_it_arrives():
    story = load_animation(story_path("cassie", "curiosity"))
    frame = AnimationKey(time_s=1.5, mode="walk", speed_m_s=(0.3, -0.1), eyes="wide", base_m=(0.0, 0.0, 0.5))
    then = AnimationKey(time_s=4.0, base_m=(0.1, 0.2, -0.05))
    part = _walked(CASSIE, story, frame, then)
    walk = part.request
    assert (walk.forward_m_s, walk.left_m_s, walk.duration_s) == (0.3, -0.1, 2.5)
    assert walk.height_m == pytest.approx(CASSIE.standing_qpos[2] - 0.05)
    assert (part.name, part.eyes, part.feeling) == ("walk at 0.3 m/s", ((0.0, "wide"),), story.emotion)


def test_a_story_is_cut_where_it_walks_and_what_stands_begins_anew():
    story = load_animation(story_path("cassie", "happy"))
    walk = {"mode": "walk", "speed_m_s": (0.3, 0.0)}
    keys = [AnimationKey(time_s=0.0, **walk), AnimationKey(time_s=2.0, **walk), AnimationKey(time_s=3.0)]
    parts = queue_of_story(CASSIE, msgspec.structs.replace(story, keyframe=tuple(keys)))
    assert [(part.request.duration_s, part.request.forward_m_s) for part in parts] == [(2.0, 0.3), (1.0, 0.3)]
    assert _stood(CASSIE, story, keys[-1:], "mass", None) == []  # one keyframe lasts no time


def test_what_stands_between_walks_is_made_feasible_from_its_own_start(monkeypatch):
    asked = []

    def run_once(request, *, robot):
        assert robot is CASSIE
        asked.append(request)
        receipt = SimpleNamespace(reasons=(SLOWER,), verdict="ok" if request.margin_m is None else "weakened")
        return SimpleNamespace(receipt=receipt, meta={"eyes": [[0.5, "wide"]]})

    monkeypatch.setattr("strut.pilot.sequence.run", run_once)
    monkeypatch.setattr("strut.pilot.sequence.play_request", lambda motion, robot: "play")
    story = load_animation(story_path("cassie", "sad"))
    keys = [AnimationKey(time_s=2.0), AnimationKey(time_s=2.5, mode="walk", speed_m_s=(0.3, 0.0))]
    (part,) = _stood(CASSIE, story, keys, "body", 0.02)
    frames = asked[0].task.animation.keyframe
    assert [(frame.time_s, frame.mode, frame.speed_m_s) for frame in frames] == [
        (0.0, "stand", (0.0, 0.0)),
        (0.5, "stand", (0.0, 0.0)),
    ]
    assert (asked[0].margin_m, asked[0].task.method, asked[0].emotion.name) == (0.02, "body", "sad")
    assert (part.request, part.eyes, part.reasons, part.feeling) == ("play", ((0.5, "wide"),), (SLOWER,), "sad")
    asked.clear()
    (fine,) = _stood(CASSIE, story, keys, "mass", None)
    assert fine.reasons == ()


def test_a_show_is_refused_for_what_it_breaks_and_weakened_for_what_its_parts_lack():
    draft = measure(standing())
    parts = (ShowPart("a", None, reasons=(SLOWER,)), ShowPart("b", None))
    happy = named_emotion("happy")
    assert (_receipt(draft, (), parts[1:], None).verdict, _receipt(draft, (), parts[1:], None).reasons) == ("ok", ())
    weakened = _receipt(draft, (), parts, happy)
    assert (weakened.verdict, weakened.reasons, weakened.intensity_kept) == ("weakened", (SLOWER,), 1.0)
    refused = _receipt(draft, (TORQUE,), parts, None)
    assert (refused.verdict, refused.reasons, refused.intensity_asked) == ("refused", (TORQUE.reason, SLOWER), None)


def test_a_show_says_which_part_did_what_when():
    draft = measure(standing())
    motion = motion_of(
        FASTEST, draft, planned_receipt(draft, emotion=None, asked=0.0, intensity=0.0, binding_limits=())
    )
    parts = (ShowPart("walk 1 m", None, ((0.0, "sad"),), feeling="sad"), ShowPart("stand 1 s", None))
    begun = [SimpleNamespace(number=n, phase=phase, at_s=at) for n, phase, at in ((0, "walk", 0.5), (1, "hold", 2.0))]
    run = SimpleNamespace(motion=motion, begun=begun)
    receipt = _receipt(draft, (), parts, named_emotion("sad"))
    found = _motion(run, draft, parts, "walk 1 m, stand 1 s", receipt)
    assert found.meta["show"] == [
        {"part": "walk 1 m", "phase": "walk", "at_s": 0.5},
        {"part": "stand 1 s", "phase": "hold", "at_s": 2.0},
    ]
    assert (found.meta["title"], found.meta["feelings"]) == ("walk 1 m, stand 1 s", ["sad"])
    assert (found.meta["emotion"], found.meta["pad"]) == ("sad", list(named_emotion("sad").pad))
    assert found.meta["eyes"] == [[0.0, "neutral"], [0.5, "sad"]]
    words = _motion(run, draft, parts, "walk 1 m", _receipt(draft, (), parts, None))
    assert (words.meta["emotion"], words.meta["pad"]) == (None, None)


@pytest.mark.parametrize(("off_m_s", "from_s", "to_s"), [(0.0, 5.5, 9.5), (0.1, 5.0, 9.5), (0.1, 5.5, 10.0)])
def test_the_speed_of_a_walk_is_that_between_its_fourth_and_its_eighth_second(monkeypatch, off_m_s, from_s, to_s):
    """It begins at 1.5 s; outside the time that counts it runs at ten times the speed."""
    time_s = np.round(np.arange(0.0, 14.0, 0.01), 2)
    steady = (time_s > from_s - 1e-9) & (time_s < to_s - 1e-9)
    x = np.append(0.0, np.cumsum(np.where(steady, 0.3, 3.0)[:-1] * 0.01))
    wrong = x + off_m_s * time_s
    motion = SimpleNamespace(time_s=time_s, qpos=np.column_stack([wrong, 0.0 * x, 0.0 * x]))
    begun = [SimpleNamespace(phase="stand", at_s=0.0), SimpleNamespace(phase="walk", at_s=1.5)]
    outcome = SimpleNamespace(fell=False, finished=True, upright_s=14.0)
    run = SimpleNamespace(begun=begun, motion=motion, outcome=outcome)
    monkeypatch.setattr(gait_trials, "simulate_requests", lambda *_, **__: run)
    assert gait_trials.walked("cassie", (0.3, 0.0, 0.8), None)["speed_off_m_s"] == pytest.approx(off_m_s, abs=2e-3)


def test_a_story_that_stands_becomes_a_request_and_one_that_walks_a_show(monkeypatch):
    asked = []
    shows = []
    monkeypatch.setattr("strut.animation.animate.run", lambda request, **who: asked.append((request, who)) or "motion")
    monkeypatch.setattr(
        "strut.pilot.piloted_sequence.perform_sequence",
        lambda robot, story, **how: shows.append((robot, story, how)) or "show",
    )
    sad, curiosity = (load_animation(story_path("cassie", name)) for name in ("sad", "curiosity"))
    assert animate(CASSIE, sad, margin_m=0.02, rate_hz=40.0, strict=True, method="body") == "motion"
    ((request, who),) = asked
    assert (request.robot, request.task.animation, request.task.method) == ("cassie", sad, "body")
    assert (request.emotion.name, request.margin_m, request.rate_hz, request.strict) == ("sad", 0.02, 40.0, True)
    assert who == {"robot": CASSIE, "on_progress": None}
    assert animate("cassie", curiosity, rate_hz=40.0) == "show"
    assert shows[0][0].name == "cassie"
    assert shows[0][1:] == (curiosity, {"rate_hz": 40.0, "method": "mass", "margin_m": None, "strict": False})
    assert len(asked) == 1


@pytest.fixture
def staged(monkeypatch):
    """A show whose simulation is a robot that stands: what was simulated, and what is broken."""
    stage = SimpleNamespace(calls=[], broken=(), fell=False, piloted=True, draft=measure(standing()))
    receipt = planned_receipt(stage.draft, emotion=None, asked=0.0, intensity=0.0, binding_limits=())
    motion = motion_of(FASTEST, stage.draft, receipt)

    def simulated(requests, robot, **how):
        stage.calls.append((requests, robot, how))
        begun = [SimpleNamespace(number=0, phase="hold", at_s=0.0)]
        return SimpleNamespace(motion=motion, begun=begun, outcome=SimpleNamespace(fell=stage.fell))

    def judged(draft, *, margin_m):
        assert (draft, margin_m) == (stage.draft, 0.0)  # who is carried by controllers is not judged by a margin
        return draft, stage.broken

    monkeypatch.setattr(piloted_show, "simulate_requests", simulated)
    monkeypatch.setattr(piloted_show, "draft_of_run", lambda robot, run: stage.draft)
    monkeypatch.setattr(piloted_show, "judge", judged)
    monkeypatch.setattr(piloted_show, "was_piloted", lambda draft: stage.piloted)
    monkeypatch.setattr(piloted_show, "load_gait_library", lambda robot: "gaits")
    return stage


def test_a_show_is_simulated_as_it_is_asked_and_takes_its_time(staged):
    shown = perform_sequence(CASSIE, "stand 1 s, stand 2 s", rate_hz=40.0, friction=0.3, seed=5)
    ((requests, robot, how),) = staged.calls
    assert [request.hold_s for request in requests] == [1.0, 2.0]
    assert (robot, how["library"], how["clock"].record_hz) == (CASSIE, None, 40.0)
    assert (how["world"].friction, how["world"].seed) == (0.3, 5)
    assert 0.0 <= shown.receipt.solve_s < 1.0
    perform_sequence(CASSIE, "stand 1 s", walker="library")
    assert staged.calls[1][2]["library"] == "gaits"


def test_a_show_that_breaks_a_limit_is_refused_and_a_weaker_one_if_strict(staged, monkeypatch):
    staged.broken = (TORQUE,)
    with pytest.raises(RefusedError, match="torque: 9 N m"):
        perform_sequence(CASSIE, "stand 1 s")
    staged.broken = ()
    weaker = ShowPart("a", queue_of_words(CASSIE, "stand 1 s")[0].request, reasons=(SLOWER,))
    monkeypatch.setattr(piloted_show, "queue_of_words", lambda robot, words: (weaker,))
    assert perform_sequence(CASSIE, "stand 1 s").receipt.verdict == "weakened"
    with pytest.raises(RefusedError, match="slower"):
        perform_sequence(CASSIE, "stand 1 s", strict=True)


def test_a_show_too_short_to_judge_says_so_unless_it_fell(staged):
    staged.piloted = False
    with pytest.raises(OutOfRangeError, match="The show has 5 samples, too few to judge it by"):
        perform_sequence(CASSIE, "stand 1 s")
    staged.fell = True
    staged.broken = (Violation("fall", np.array([True]), "it falls"),)
    with pytest.raises(RefusedError, match="it falls"):
        perform_sequence(CASSIE, "stand 1 s")


def test_motions_are_repaired_with_their_own_feeling_and_only_if_they_break_a_limit(monkeypatch):
    asked = []
    verdict = SimpleNamespace(verdict="refused")
    monkeypatch.setattr("strut.retargeting.repair.check", lambda motion, robot, margin_m: verdict)
    monkeypatch.setattr("strut.retargeting.repair.RepairDrafts", lambda *arguments: arguments)
    monkeypatch.setattr("strut.retargeting.repair.run", lambda request, **how: asked.append((request, how)))
    draft = measure(standing())
    sad = named_emotion("sad")
    receipts = [
        planned_receipt(draft, emotion=felt, asked=1.0, intensity=1.0, binding_limits=()) for felt in (sad, None)
    ]
    told, plain = (motion_of(FASTEST, draft, receipt) for receipt in receipts)
    for motion in (told, plain, replace(plain, receipt=None)):
        repair(motion, ALICE, margin_m=0.02, rate_hz=40.0)
    assert [request.emotion.pad for request, _ in asked] == [sad.pad, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]
    request, how = asked[0]
    assert (request.emotion.name, request.margin_m, request.rate_hz, request.task.name) == ("sad", 0.02, 40.0, "repair")
    assert how["generator"].generator == (ALICE, told, 0.02, 40.0)
    verdict.verdict = "ok"
    with pytest.raises(BadMotionError, match="there is nothing to repair"):
        repair(plain, ALICE)
    repair(replace(plain, contact=np.zeros_like(plain.contact)), ALICE)  # whose feet are not known has to be looked at
    assert len(asked) == 4
