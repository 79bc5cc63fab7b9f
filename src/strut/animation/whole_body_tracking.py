"""Whole-body tracking: an animation made feasible by full-body trajectory optimisation, at once or in windows."""

from __future__ import annotations

from strut.animation.animation_frames import FRAMES_PER_S, AnimationFrames
from strut.animation.animation_ik import PlantedStance, retime_frames, sample_times, stance_feet
from strut.animation.feasible_animation import FeasibleAnimation
from strut.arrays import Array
from strut.ocp.reduced_model import ReducedModel
from strut.ocp.support_constraints import ReferenceMotion
from strut.ocp.windowed_tracking import track_motion

SPARE_M = 0.004  # of the balance margin, for what lies between two frames


def track_whole_body(
    stance: PlantedStance,
    drawing: AnimationFrames,
    raw_qpos: Array,
    *,
    margin_m: float,
    rate_hz: float,
    window_intervals: int | None = None,
) -> FeasibleAnimation:
    """Return the movement nearest to a drawing that the whole body can do.

    Args:
        stance: Who, and how it stands.
        drawing: N frames.
        raw_qpos: Their coordinates. Shape (N, nq).
        margin_m: Balance margin that shall be kept.
        rate_hz: Samples per second of the result.
        window_intervals: Intervals between keyframes per window; None to solve the whole at once.
    """
    body = ReducedModel(stance.robot)
    q = body.coordinates(raw_qpos)
    given = ReferenceMotion(body, 1.0 / FRAMES_PER_S, q, stance_feet(drawing), drawing.key, margin_m + SPARE_M)
    near = track_motion(given, window_intervals=window_intervals)
    frame_time_s = near.frame_time_s
    times = sample_times(float(frame_time_s[-1]), rate_hz)
    shown_s = frame_time_s * (times[-1] / frame_time_s[-1])  # so that the last sample is the end
    frames = retime_frames(drawing, shown_s, times)
    return FeasibleAnimation(
        times,
        body.qpos(near.at(times * (frame_time_s[-1] / times[-1]))[0]),
        stance_feet(frames),
        frames.eyes,
        frame_time_s=frame_time_s,
        frame_qpos=body.qpos(near.at_frames()),
        stretch=near.stretch,
        why={interval: near.reason(interval) for interval in range(len(near.stretch))},
        solved=near.solved,
        rounds=len(near.parts),
    )
