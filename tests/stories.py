"""Stories that several tests tell: keyframes of Cassie, Alice and Mr. Pete."""

from strut.schemas.keyframes import Animation, AnimationKey, FootPose

MRPETE_STANDS = {
    "[LR]F_hip_pitch": 62.315,
    "[LR]F_knee": 107.853,
    "[LR]F_ankle_pitch": 137.623,
    "[LR]H_hip_pitch": 117.628,
    "[LR]H_knee": -108.024,
    "[LR]H_ankle_pitch": 119.67,
    **{
        f"{side}{joint}": sign * angle
        for side, sign in (("L", 1.0), ("R", -1.0))
        for joint, angle in {
            "F_hip_yaw": -175.658,
            "F_hip_spin": -144.943,
            "F_shin_spin": -20.115,
            "F_ankle_spin": -173.027,
            "H_hip_yaw": 30.071,
            "H_hip_spin": 145.048,
            "H_shin_spin": -164.187,
            "H_ankle_spin": 48.705,
        }.items()
    },
}
ALICE_STANDS = {"*_hip_pitch": 37.536, "*_knee": 68.081, "*_ankle_pitch": 30.545}


def sway(*, width_m: float = 0.1, time_s: float = 0.5, height_m: float = -0.1) -> Animation:
    """Return a shift sideways and nothing else, from a stand."""
    frames = (
        AnimationKey(0.0, (0.0, 0.0, height_m)),
        AnimationKey(0.4, (0.0, 0.0, height_m)),
        AnimationKey(0.4 + time_s, (0.0, width_m, height_m)),
        AnimationKey(0.8 + time_s, (0.0, width_m, height_m)),
    )
    return Animation("sway", "neutral", frames)


def slow_nod() -> Animation:
    """Return what any body can do as it is drawn."""
    frames = (AnimationKey(0.0), AnimationKey(1.0, (0.0, 0.02, -0.04), (0.0, 8.0, 4.0)), AnimationKey(2.0))
    return Animation("nod", "neutral", frames)


def dance(beats: int = 6, beat_s: float = 0.48) -> Animation:
    """Return a dance from side to side that is too fast for Cassie."""
    frames = [AnimationKey(0.0), AnimationKey(0.4, (0.0, 0.0, -0.08), (0.0, 6.0, 0.0))]
    for beat in range(beats):
        side = 1.0 if beat % 2 else -1.0
        place = (0.0, 0.08 * side, -0.02 if beat % 2 else -0.06)
        frames.append(AnimationKey(0.4 + beat_s * (beat + 1), place, (4.0 * side, 2.0, 8.0 * side)))
    last_s = frames[-1].time_s
    return Animation("dance", "happy", (*frames, AnimationKey(last_s + 0.6)))


def paw() -> Animation:
    """Return Mr. Pete's bow, after which he lifts a paw."""
    frames = (
        AnimationKey(0.0),
        AnimationKey(0.5, (-0.03, 0.0, -0.04), (0.0, 10.0, 0.0)),
        AnimationKey(1.0, (0.02, 0.03, 0.01), (5.0, -4.0, 6.0)),
        AnimationKey(1.3, (0.02, 0.03, 0.01), feet={"LF": FootPose((0.03, 0.0, 0.05))}),
        AnimationKey(1.6, (0.0, 0.0, 0.01)),
        AnimationKey(2.2),
    )
    return Animation("paw", "happy", frames, posture_deg=MRPETE_STANDS)


def alice_sways() -> Animation:
    """Return Alice shifting her weight quickly."""
    frames = (
        AnimationKey(0.0),
        AnimationKey(0.2, (0.0, 0.03, -0.005)),
        AnimationKey(0.4, (0.0, -0.03, -0.01)),
        AnimationKey(0.6, (0.0, 0.03, -0.005)),
        AnimationKey(1.0),
    )
    return Animation("sway", "happy", frames, posture_deg=ALICE_STANDS)


def human_bows() -> Animation:
    """Return a person bowing from bent knees, feet flat."""
    bent = {"Hip*_RY": -15.0, "Knee*": 30.0, "Ankle*_RY": -15.0}
    frames = (AnimationKey(0.0), AnimationKey(0.4, (0.0, 0.03, -0.03), (0.0, 5.0, 0.0)), AnimationKey(0.8))
    return Animation("bow", "happy", frames, posture_deg=bent)
