"""Real recordings beside the project, and walkers made of sines and by the clock, which are there everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from strut.formats.recording_file import read_recording
from strut.mocap.captured_walk import capture
from strut.mocap.marker_fit.body_geometry import body_points, lengths_array, place_points, pose_body
from strut.mocap.marker_fit.body_priors import human_geometry
from strut.models.subject import subject
from strut.recording import Recording

CMU_UNIT_M = 0.056444


@pytest.fixture(scope="session")
def captured_author(data, made_once):
    """The walk of the thesis's author, without force plates, with its forces."""
    recording = data / "felis_subject3_neutral.c3d"
    return made_once("captured_author", lambda: capture(read_recording(recording), height_m=1.86, mass_kg=75.0))


@pytest.fixture(scope="session")
def captured_qcmas(data, made_once):
    """A walk on force plates with its forces."""
    return made_once("captured_qcmas", lambda: capture(read_recording(data / "qcmas_walk.c3d")))


@pytest.fixture(scope="session")
def captured_sydney(data, made_once):
    """A walk on force plates of another laboratory, with its forces."""
    return made_once("captured_sydney", lambda: capture(read_recording(data / "sydney_walk04.c3d")))


def walker_angles(frames=300, rate_hz=100.0, speed_m_s=1.2, period_s=1.1):
    """Return coordinates of somebody whose joints swing like sines, and who moves on evenly. Shape (T, 34)."""
    names = list(human_geometry().dof_names)
    time_s = np.arange(frames) / rate_hz
    q = np.zeros((frames, 34))
    phase = 2.0 * np.pi * time_s / period_s
    q[:, 0] = speed_m_s * time_s
    q[:, 2] = 0.95 + 0.02 * np.cos(2.0 * phase)
    q[:, 3] = 0.05
    q[:, 4] = 0.05 * np.sin(phase)
    q[:, 5] = 0.08 * np.cos(phase)
    for side, shift in (("Right", 0.0), ("Left", np.pi)):
        sign = -1.0 if side == "Right" else 1.0
        swings = {
            f"Hip{side}_RY": -0.1 - 0.4 * np.cos(phase + shift),
            f"Hip{side}_RX": sign * (0.03 + 0.06 * np.sin(phase + shift)),
            f"Hip{side}_RZ": sign * 0.08 * np.cos(phase + shift),
            f"Knee{side}_RY": 0.5 + 0.45 * np.sin(phase + shift),
            f"Ankle{side}_RY": 0.2 * np.sin(phase + shift + 0.6),
            f"Ankle{side}_RX": sign * 0.1 * np.cos(phase + shift),
            f"Ankle{side}_RZ": sign * 0.1 * np.sin(phase + shift),
            f"Shoulder{side}_RY": 0.3 * np.cos(phase + shift),
            f"Shoulder{side}_RX": sign * 0.2,
            f"Shoulder{side}_RZ": sign * 0.1 * np.sin(phase),
            f"Elbow{side}_RY": -0.5 + 0.2 * np.cos(phase + shift),
        }
        for name, values in swings.items():
            q[:, names.index(name)] = values
    q[:, names.index("Lumbar_RZ")] = -0.1 * np.cos(phase)
    q[:, names.index("Head_RY")] = 0.1 + 0.03 * np.sin(2.0 * phase)
    return q


def walker_recording(robot=None, *, noise_m=0.0, seed=0, **walk):
    """Return the markers of the walker, with noise, and the coordinates that made them."""
    robot = subject() if robot is None else robot
    body = human_geometry()
    q = walker_angles(**walk)
    worn = [(segment, name, at) for segment, own in robot.markers.segment.items() for name, at in own.items()]
    points = body_points(body, [(segment, at) for segment, _, at in worn])
    places = place_points(pose_body(body, q, lengths_array(body, robot.subject.lengths_m)), points)
    places = places + np.random.default_rng(seed).normal(scale=noise_m, size=places.shape) if noise_m else places
    return Recording("walker", walk.get("rate_hz", 100.0), tuple(name for _, name, _ in worn), places), q


def stepper_recording(*, rate_hz=100.0, stride_s=1.1, speed_m_s=1.2, strides=4, belt=False):
    """Return pelvis and feet that step by the clock, and true heel strikes and toe offs by side.

    Heel and toes rest while they are on the ground; the heel rises before the toes leave, the toes sink after it lands.
    """
    time_s = np.arange(round(strides * stride_s * rate_hz)) / rate_hz
    places = {}
    truth = {}
    for side, shift_s in (("R", 0.0), ("L", stride_s / 2.0)):
        strikes = np.arange(-2, strides + 2) * stride_s + shift_s
        truth[side] = (strikes, strikes + 0.62 * stride_s)
        for marker, ahead, leaves, lands in (("HEE", 0.0, 0.45, 1.0), ("TOE", 0.2, 0.62, 1.08)):
            cycle = (time_s - shift_s) / stride_s
            number = np.floor(cycle - (lands - 1.0))
            share = (cycle - (lands - 1.0)) % 1.0
            swing = np.clip((share - (leaves - (lands - 1.0))) / (1.0 - leaves + (lands - 1.0)), 0.0, 1.0)
            smooth = swing**2 * (3.0 - 2.0 * swing)
            x = (number + smooth) * speed_m_s * stride_s + speed_m_s * shift_s + ahead
            z = 0.04 + 0.1 * np.sin(np.pi * smooth) ** 2
            places[f"{side}{marker}"] = np.column_stack([x, np.full_like(x, -0.1 if side == "R" else 0.1), z])
        places[f"{side}ANK"] = places[f"{side}HEE"] + [0.05, 0.0, 0.05]
        places[f"{side}KNE"] = places[f"{side}HEE"] * [1.0, 1.0, 0.0] + [0.1, 0.0, 0.5]
    for name, offset in (
        ("LASI", (0.1, 0.12)),
        ("RASI", (0.1, -0.12)),
        ("LPSI", (-0.08, 0.05)),
        ("RPSI", (-0.08, -0.05)),
    ):
        places[name] = np.column_stack(
            [speed_m_s * time_s + offset[0], np.full_like(time_s, offset[1]), np.full_like(time_s, 1.0)]
        )
    markers = np.stack([*places.values()], axis=1)
    if belt:
        markers = markers - speed_m_s * time_s[:, None, None] * [1.0, 0.0, 0.0]
    return Recording("stepper", rate_hz, tuple(places), markers), truth
