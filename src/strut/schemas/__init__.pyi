"""Typed tables of TOML files."""

# Types in their signatures
from .body import (
    BallFoot as BallFoot,
    Chain as Chain,
    ChainBody as ChainBody,
    ChainFrame as ChainFrame,
    ChainLink as ChainLink,
    ChainRow as ChainRow,
    FlatFoot as FlatFoot,
    JointLimit as JointLimit,
    LimbBody as LimbBody,
    LimbChain as LimbChain,
    LimbJoint as LimbJoint,
    LimbLink as LimbLink,
    Mount as Mount,
    Platform as Platform,
    Rod as Rod,
    Trunk as Trunk,
    TrunkPart as TrunkPart,
)
from .control import (
    ControlTable as ControlTable,
    LegSpring as LegSpring,
    LineFoot as LineFoot,
    ObserverGains as ObserverGains,
    RegulatorGains as RegulatorGains,
    StandingGains as StandingGains,
    SwingGains as SwingGains,
    TransitionTable as TransitionTable,
    WalkingGains as WalkingGains,
)
from .eyes import (
    EyesTable as EyesTable,
)
from .fields import (
    Floor as Floor,
    ScaledServo as ScaledServo,
    Servo as Servo,
    Shape as Shape,
)
from .folder import (
    Tables as Tables,
)
from .gait_library import (
    GaitGrid as GaitGrid,
    GaitLibraryTable as GaitLibraryTable,
    GridAxis as GridAxis,
)
from .imported import (
    DefaultLimit as DefaultLimit,
    ImportedBody as ImportedBody,
    LinkFoot as LinkFoot,
    LinkFrame as LinkFrame,
    LinkLimb as LinkLimb,
    LinkShape as LinkShape,
    OwnJoint as OwnJoint,
)
from .segments import (
    Bound as Bound,
    DefaultSubject as DefaultSubject,
    MeasuredSubject as MeasuredSubject,
    SegmentBody as SegmentBody,
    SegmentJoint as SegmentJoint,
    SegmentLimit as SegmentLimit,
    SegmentServo as SegmentServo,
    SegmentShape as SegmentShape,
    SegmentTable as SegmentTable,
    Skin as Skin,
)
from .gait import GaitTable as GaitTable
from .expression import (
    ExpressionTable as ExpressionTable,
    Neutral as Neutral,
    EmotionAnchor as EmotionAnchor,
    Axes as Axes,
    Pace as Pace,
    ParameterMappings as ParameterMappings,
    AnimatedTable as AnimatedTable,
    LegPose as LegPose,
    JointSwing as JointSwing,
    ParameterMapping as ParameterMapping,
    PosturesMapping as PosturesMapping,
    ActivityMapping as ActivityMapping,
    JerkinessMapping as JerkinessMapping,
    ShakeTerm as ShakeTerm,
)
from .hands import (
    ChainsTable as ChainsTable,
    PostureTask as PostureTask,
    RouteTask as RouteTask,
    PointTask as PointTask,
    StudyTable as StudyTable,
    Head as Head,
    Gain as Gain,
    Swing as Swing,
    Levels as Levels,
    StudyEmotion as StudyEmotion,
)
from .collision import CollisionTable as CollisionTable
from .human import (
    ContactTable as ContactTable,
    MarkerTable as MarkerTable,
    SymmetryTable as SymmetryTable,
    SubjectTable as SubjectTable,
    ContactPlace as ContactPlace,
    Capsule as Capsule,
)
from .control import CommandRange as CommandRange
from .toml_file import TomlFile as TomlFile
