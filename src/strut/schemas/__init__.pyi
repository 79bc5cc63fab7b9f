"""Typed tables of TOML files."""

# Types in their signatures
from .body import Platform as Platform
from .gait import GaitTable as GaitTable
from .expression import (
    ExpressionTable as ExpressionTable,
    Neutral as Neutral,
    EmotionAnchor as EmotionAnchor,
    Axes as Axes,
    Pace as Pace,
    WordMappings as WordMappings,
    AnimatedTable as AnimatedTable,
    LegPose as LegPose,
    JointSwing as JointSwing,
    WordMapping as WordMapping,
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
