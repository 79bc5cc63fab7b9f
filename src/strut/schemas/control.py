"""control.toml: a torque-controlled biped: motors, springs, line feet, and gains of its controllers."""

from __future__ import annotations

from strut.schemas.fields import Count, NotNegative, Positive, Range, Table, Text, Vector
from strut.schemas.toml_file import WrongFieldError

Gains = tuple[Positive, Positive]  # of position [1/s2] and of velocity [1/s]


class LineFoot(Table, frozen=True):
    """A foot whose contact is the line from heel to toe, two points of a body, with a radius."""

    body: Text
    joint: Text
    toe_m: Vector
    heel_m: Vector
    radius_m: NotNegative


class LegSpring(Table, frozen=True):
    """A passive joint with a spring, at rest at `rest_rad` plus `ratio` times the joint that it follows."""

    joint: Text
    rest_rad: float = 0.0
    follows: Text | None = None
    ratio: float = 0.0


class StandingGains(Table, frozen=True):
    """Feedback gains for standing (acceleration per error), and weights of the contact forces."""

    com: Gains
    height: Gains
    rotation: tuple[Gains, Gains, Gains]
    sole_middle_m: float
    flat_foot: Gains
    moment_weight: Positive
    regularisation: Positive
    least_force_n: NotNegative
    friction: Positive


class SwingGains(Table, frozen=True):
    """Feedback gains of the swing foot (position, pitch, yaw), its clearance and its landing."""

    place: Gains
    pitch: Gains
    yaw: Gains
    clearance_m: Positive
    landing_depth_m: NotNegative
    landing_speed_m_s: NotNegative
    done_share: Positive


class RegulatorGains(Table, frozen=True):
    """The foot placement regulator of library gaits: negative gains place the foot farther along an excess of speed.

    Args:
        height_m: Base heights of the gains, increasing; gains are linear between them.
        forward: Leg pitch of the swing leg per missing speed forward [rad s/m].
        left: Abduction of the swing leg per missing speed to the left [rad s/m].
        joint: Feedback of the swing leg's motors.
        abduction: Number of the motor of a leg that abducts.
        pitch: Of the one that swings it forward.
        foot: Of the one that turns its sole, against pitch.
    """

    height_m: tuple[Positive, ...]
    forward: tuple[float, ...]
    left: tuple[float, ...]
    joint: Gains
    abduction: Count
    pitch: Count
    foot: Count

    def __post_init__(self) -> None:
        if not len(self.height_m) == len(self.forward) == len(self.left) > 0:
            raise WrongFieldError(("height_m",), "needs as many numbers as forward and left, one gain for each height.")


class WalkingGains(Table, frozen=True):
    """Feedback gains for walking (acceleration per error), step time and width, and limits of foot placement."""

    step_s: Positive
    width_m: Positive
    width_range_m: Range
    height: Gains
    rotation: tuple[Gains, Gains, Gains]
    flat_foot: Gains
    swing: SwingGains
    swing_damping: NotNegative
    speed_correction: NotNegative
    largest_correction_m_s: NotNegative
    largest_correction_share: NotNegative
    regulator: RegulatorGains | None = None


class ObserverGains(Table, frozen=True):
    """Rate at which the estimated velocity follows the stance leg [1/s], and springs that show the load of a leg."""

    velocity: Positive
    load_joints: tuple[Text, Text]
    loaded_rad: Positive


class TransitionTable(Table, frozen=True):
    """Limits of references during a change of mode or source."""

    shortest_s: Positive
    speed_rad_s: Positive
    speed_m_s: Positive
    walking_acceleration_m_s2: Positive
    turn_acceleration_rad_s2: Positive
    lean_m: Positive
    lean_s: Positive
    stop_speed_m_s: Positive
    stop_capture_m: Positive
    stop_lag_s: NotNegative
    settle_s: Positive


class CommandRange(Table, frozen=True):
    """Allowed commands of a walk, and heights of a stand."""

    forward_m_s: Range
    sideways_m_s: Range
    turn_rad_s: Range
    walking_height_m: Range
    standing_height_m: Range
    walking_pitch_rad: Range = (0.0, 0.0)
    lift: Range = (1.0, 1.0)


class ControlTable(Table, frozen=True):
    """Control of a biped on two line feet; left foot first, motors and their damping leg by leg.

    `contact_load_n` is the load above which a foot counts as in contact; a twentieth of the weight if None.
    """

    base: Text
    imu: Text
    motors: tuple[Text, ...]
    motor_damping: tuple[NotNegative, ...]
    foot: tuple[LineFoot, LineFoot]
    spring: tuple[LegSpring, ...]
    standing: StandingGains
    walking: WalkingGains
    observer: ObserverGains
    transition: TransitionTable
    command: CommandRange
    contact_load_n: Positive | None = None
    slip_load_n: Positive | None = None
