"""Whole-body tracking: an animation made feasible by full-body trajectory optimisation, at once or in windows."""

from __future__ import annotations

from strut.animation.animation_frames import FRAMES_PER_S, AnimationFrames
from strut.animation.animation_ik import PlantedStance, retime_frames, sample_times, stance_feet
from strut.animation.feasible_animation import FeasibleAnimation
from strut.arrays import Array
from strut.ocp.reduced_model import ReducedModel
from strut.ocp.support_constraints import ReferenceMotion
from strut.ocp.windowed_tracking import track_motion

SPARE_M = 0.004  # added to the balance margin, for the motion between two frames


def track_whole_body(
    stance: PlantedStance,
    frames: AnimationFrames,
    frame_qpos: Array,
    *,
    margin_m: float,
    rate_hz: float,
    window_intervals: int | None = None,
) -> FeasibleAnimation:
    """Return the feasible motion nearest to an animation, with all joints optimised.

    Args:
        stance: The robot in its planted stance.
        frames: N frames.
        frame_qpos: Their configurations. Shape (N, nq).
        margin_m: Balance margin to keep.
        rate_hz: Samples per second of the result.
        window_intervals: Intervals between keyframes per window; None for a single optimisation.
    """
    body = ReducedModel(stance.robot)
    q = body.coordinates(frame_qpos)
    reference = ReferenceMotion(body, 1.0 / FRAMES_PER_S, q, stance_feet(frames), frames.key, margin_m + SPARE_M)
    tracked = track_motion(reference, window_intervals=window_intervals)
    frame_time_s = tracked.frame_time_s
    times = sample_times(float(frame_time_s[-1]), rate_hz)
    stretched_s = frame_time_s * (times[-1] / frame_time_s[-1])  # so that the last sample is the end
    samples = retime_frames(frames, stretched_s, times)
    return FeasibleAnimation(
        times,
        body.qpos(tracked.at(times * (frame_time_s[-1] / times[-1]))[0]),
        stance_feet(samples),
        samples.eyes,
        frame_time_s=frame_time_s,
        frame_qpos=body.qpos(tracked.at_frames()),
        stretch=tracked.stretch,
        why={interval: tracked.reason(interval) for interval in range(len(tracked.stretch))},
        solved=tracked.solved,
        rounds=len(tracked.parts),
    )
