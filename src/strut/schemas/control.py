"""control.toml: how a torque-controlled biped is driven: motors, springs, line feet, and gains of its controllers."""

from __future__ import annotations

from strut.schemas.fields import Count, NotNegative, Positive, Range, Table, Text, Vector
from strut.schemas.toml_file import WrongFieldError

Gains = tuple[Positive, Positive]  # of position [1/s2] and of velocity [1/s]


class LineFoot(Table, frozen=True):
    """A foot that touches the ground along the line from heel to toe: points of a body, and the line's radius."""

    body: Text
    joint: Text
    toe_m: Vector
    heel_m: Vector
    radius_m: NotNegative


class LegSpring(Table, frozen=True):
    """A joint that only a spring moves: at rest it is `rest_rad`, plus `ratio` times the joint that it follows."""

    joint: Text
    rest_rad: float = 0.0
    follows: Text | None = None
    ratio: float = 0.0


class StandingGains(Table, frozen=True):
    """Feedback of a stand: accelerations per error, and how contact forces are shared out."""

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
    """The swing foot: feedback of place, pitch and yaw, clearance, and how it lands."""

    place: Gains
    pitch: Gains
    yaw: Gains
    clearance_m: Positive
    landing_depth_m: NotNegative
    landing_speed_m_s: NotNegative
    done_share: Positive


class RegulatorGains(Table, frozen=True):
    """The regulator of a walk by a gait library: negative gains set the foot farther along an excess of speed.

    Args:
        height_m: At which the gains hold; linear between, increasing.
        forward: Leg pitch of the swing leg per missing speed forward [rad s/m].
        left: Abduction of the swing leg per missing speed to the left [rad s/m].
        joint: Feedback of the swing leg's motors.
        abduction: Which motor of a leg abducts.
        pitch: Which one swings it forward.
        foot: Which one turns its sole, against pitch.
    """

    height_m: tuple[Positive, ...]
    forward: tuple[float, ...]
    left: tuple[float, ...]
    joint: Gains
    abduction: Count = 0
    pitch: Count = 2
    foot: Count = 4

    def __post_init__(self) -> None:
        if not len(self.height_m) == len(self.forward) == len(self.left) > 0:
            raise WrongFieldError(("height_m",), "needs as many numbers as forward and left, one gain for each height.")


class WalkingGains(Table, frozen=True):
    """Feedback of a walk: accelerations per error, step time and width, and how foot placement is corrected."""

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
    """How fast estimated velocity follows the standing leg [1/s], and how a leg's load is seen in a spring."""

    velocity: Positive
    load_joints: tuple[Text, Text]
    loaded_rad: Positive


class TransitionTable(Table, frozen=True):
    """Limits of references while one mode or source takes over from another."""

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
    """What may be asked of a walk, and of the height of a stand."""

    forward_m_s: Range
    sideways_m_s: Range
    turn_rad_s: Range
    walking_height_m: Range
    standing_height_m: Range
    walking_pitch_rad: Range = (0.0, 0.0)
    lift: Range = (1.0, 1.0)


class ControlTable(Table, frozen=True):
    """How a biped on two line feet is controlled; left foot first, motors and their damping leg by leg.

    `contact_load_n` is the load from which on a foot counts as in contact; a twentieth of the weight if None.
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
