"""Body story: a drawing made feasible by the dynamics of the whole body, at once or piece by piece."""

from __future__ import annotations

from strut.drawing import FRAMES_PER_S, Drawing
from strut.generators.feasible_story import FeasibleStory
from strut.generators.planted_story import PlantedStance, feet_down, retimed, sample_times
from strut.optimal.near_motion import near_motion
from strut.optimal.planned_body import PlannedBody
from strut.optimal.stances import GivenMotion
from strut.robot import Array

SPARE_M = 0.004  # of the balance margin, for what lies between two frames


def body_story(
    stance: PlantedStance,
    drawing: Drawing,
    raw_qpos: Array,
    *,
    margin_m: float,
    rate_hz: float,
    piece_intervals: int | None = None,
) -> FeasibleStory:
    """Return the movement nearest to a drawing that the whole body can do.

    Args:
        stance: Who, and how it stands.
        drawing: N frames.
        raw_qpos: Their coordinates. Shape (N, nq).
        margin_m: Balance margin that shall be kept.
        rate_hz: Samples per second of the result.
        piece_intervals: Intervals between keyframes per piece; None to solve the whole at once.
    """
    body = PlannedBody(stance.robot)
    q = body.coordinates(raw_qpos)
    given = GivenMotion(body, 1.0 / FRAMES_PER_S, q, feet_down(drawing), drawing.key, margin_m + SPARE_M)
    near = near_motion(given, piece_intervals=piece_intervals)
    frame_time_s = near.frame_time_s
    times = sample_times(float(frame_time_s[-1]), rate_hz)
    shown_s = frame_time_s * (times[-1] / frame_time_s[-1])  # so that the last sample is the end
    frames = retimed(drawing, shown_s, times)
    return FeasibleStory(
        times,
        body.qpos(near.at(times * (frame_time_s[-1] / times[-1]))[0]),
        feet_down(frames),
        frames.eyes,
        frame_time_s=frame_time_s,
        frame_qpos=body.qpos(near.at_frames()),
        stretch=near.stretch,
        why={interval: near.reason(interval) for interval in range(len(near.stretch))},
        solved=near.solved,
        rounds=len(near.parts),
    )
