"""Studies with people: design, server, statistics and report."""

# Design
from .design.power import sample_size as sample_size
from .study_folder import new_study as new_study
from .design.simulated_study import rehearse_study as rehearse_study
from .design.preregistration import preregister_study as preregister_study
from .stimuli.film import film_study as film_study
from .design.trial_plan import Trial as Trial

# Server
from .server.server import serve_study as serve_study
from .study_folder import back_up_study as back_up_study, forget_participant as forget_participant

# Answers
from .statistics.answers import read_answers as read_answers
from .statistics.study_statistics import study_statistics as study_statistics
from .report.study_report import report_study as report_study
from .report.code_sheet import save_code_sheet as save_code_sheet

# Types in their signatures
from .statistics.answers import Answers as Answers
from .design.simulated_study import SimulatedStudy as SimulatedStudy
from .statistics.study_statistics import StudyStatistics as StudyStatistics, Choices as Choices
from .design.power import SampleSize as SampleSize
from .statistics.labels import Codes as Codes, Labels as Labels, LabelCount as LabelCount
from .design.audience import Audience as Audience
from .statistics.ratings import RatingMean as RatingMean, Correlation as Correlation, ControlEffect as ControlEffect
from .statistics.mixed import MixedModel as MixedModel, Term as Term
from .statistics.preferences import Preferences as Preferences, Strength as Strength, PairPreference as PairPreference
from .statistics.rating_curves import RatingCurve as RatingCurve
from .statistics.confidence import Confidence as Confidence, EmotionConfidence as EmotionConfidence
from .statistics.group_effects import GroupEffect as GroupEffect
from .questions.question import Finding as Finding, Question as Question, AskContext as AskContext
from .questions.rating import RatingQuestion as RatingQuestion
from .questions.form_fields import read_choice_field as read_choice_field, read_number_field as read_number_field
from .statistics.cells import (
    read_any_text as read_any_text,
    read_number as read_number,
    read_rating as read_rating,
    read_whole_number as read_whole_number,
    read_word as read_word,
)
from .design.response_models import (
    WordShares as WordShares,
    ScaleRatings as ScaleRatings,
    Wishes as Wishes,
    Shown as Shown,
    SimulatedObserver as SimulatedObserver,
)
from .design.design import Design as Design, StimulusEntry as StimulusEntry, Session as Session, Display as Display
from .statistics.confusion import Confusion as Confusion, Kappa as Kappa, Learning as Learning, BlockRate as BlockRate
from .statistics.recognition import Recognition as Recognition
from .statistics.significance import Significance as Significance
from .design.groups import Group as Group
from .design.custom_questions import CustomQuestion as CustomQuestion
from .design.recruitment import Ethics as Ethics, Recruiting as Recruiting
from .design.translations import Translation as Translation
