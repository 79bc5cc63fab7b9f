"""Optimal control of your own body; docs/how_to/solve_your_own_problem.md solves one."""

# Models
from .kinematic_tree import read_tree as read_tree

# Problems
from .problem import (
    OptimalControlProblem as OptimalControlProblem,
    ContactPhase as ContactPhase,
    Parameter as Parameter,
    Bounds as Bounds,
    periodic as periodic,
)
from .node_symbols import Scales as Scales

# Costs and constraints
from .problem import (
    LagrangeCost as LagrangeCost,
    MayerCost as MayerCost,
    MeanCost as MeanCost,
    RateCost as RateCost,
    TrackingCost as TrackingCost,
    Constraint as Constraint,
    BoundaryConstraint as BoundaryConstraint,
)
from .sparse_nlp import column as column, square as square

# Solutions
from .collocation import DirectCollocation as DirectCollocation, Solution as Solution
from .trajectory import guess_between as guess_between
from .shooting_refinement import refine_by_shooting as refine_by_shooting
from .torque_playback import playback_error as playback_error

# Types in their signatures
from .interior_point import (
    Iteration as Iteration,
    SolverOptions as SolverOptions,
    SolverOutcome as SolverOutcome,
    InteriorPoint as InteriorPoint,
)
from .contact_schedule import PhaseTime as PhaseTime
from .problem import (
    BoundarySymbols as BoundarySymbols,
    ImpactCost as ImpactCost,
    SampleCost as SampleCost,
    LiftedVariable as LiftedVariable,
)
from .node_symbols import NodeSymbols as NodeSymbols
from .trajectory import Trajectory as Trajectory
from .kinematic_tree import KinematicTree as KinematicTree, TreeJoint as TreeJoint, Welded as Welded
from .soundness import Soundness as Soundness
from .tree_elements import (
    Anchor as Anchor,
    Tendon as Tendon,
    PointClosure as PointClosure,
    FrameClosure as FrameClosure,
    JointClosure as JointClosure,
    TendonClosure as TendonClosure,
    Stretch as Stretch,
)
