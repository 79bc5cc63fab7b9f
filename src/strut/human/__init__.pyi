"""Human gait: synthesis, analysis and inverse optimal control."""

# Task
from .request import HumanGait as HumanGait

# Synthesis
from .problem.gait_options import named_gait_options as named_gait_options
from .transitions.composed_walk import compose_walk as compose_walk

# Analysis
from .analysis.condition_comparison import compare_conditions as compare_conditions
from .analysis.gait_expression import gait_expression as gait_expression
from .analysis.naturalness import Naturalness as Naturalness
from .report.gait_report import save_gait_report as save_gait_report

# Inverse optimal control
from .inverse.inverse_optimal_control import (
    ExplainedWalk as ExplainedWalk,
    PredictedWalk as PredictedWalk,
    predict as predict,
)

# Types in their signatures
from .analysis.gait_analysis import GaitAnalysis as GaitAnalysis
from .gait import Gait as Gait
from .problem.criteria import Criteria as Criteria
from .problem.gait_options import GaitOptions as GaitOptions
from .synthesis.initial_guess import GuessOptions as GuessOptions
from .inverse.inverse_optimal_control import ExplainedCriterion as ExplainedCriterion, Fit as Fit
from .analysis.condition_comparison import ConditionComparison as ConditionComparison, Spread as Spread
from .transitions.composed_walk import ComposedWalk as ComposedWalk
from .analysis.gait_expression import GaitExpression as GaitExpression
from .transitions.walk_pieces import WalkPiece as WalkPiece
from .analysis.muscle_activity import MuscleActivity as MuscleActivity
from .walking_direction import WalkingDirection as WalkingDirection
from .analysis.reference_bands import BandScore as BandScore
from .analysis.gait_parameters import GaitParameters as GaitParameters, Work as Work
from .analysis.gait_comparison import (
    GaitComparison as GaitComparison,
    Dissimilarity as Dissimilarity,
    CriteriaValues as CriteriaValues,
)
from .analysis.leg_figures import LegFigures as LegFigures
