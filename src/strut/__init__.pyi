"""What `import strut` offers, by what it is for. This is the list: `__init__.py` reads it when a name is used."""

# Nouns
from strut.emotion import Emotion as Emotion
from strut.schemas.keyframes import Animation as Animation, FootPose as FootPose, AnimationKey as AnimationKey
from strut.errors import StrutError as StrutError
from strut.motion import Motion as Motion
from strut.place import Footstep as Footstep, Place as Place
from strut.receipt import Receipt as Receipt
from strut.recording import Recording as Recording
from strut.robot import ContactPoint as ContactPoint, Robot as Robot
from strut.style import Style as Style

# What is asked, and what a user's own generator and limit need
from strut.draft import (
    Detail as Detail,
    Draft as Draft,
    Generator as Generator,
    Limit as Limit,
    Progress as Progress,
    Violation as Violation,
)
from strut.request import OwnTask as OwnTask, Request as Request, RobotTask as RobotTask, TaskKind as TaskKind
from strut.animation.request import Animate as Animate
from strut.gaits.crawl.request import Crawl as Crawl
from strut.gaits.footsteps.request import Steps as Steps
from strut.gaits.hand_task.request import HandTask as HandTask
from strut.gaits.pattern.request import PatternGait as PatternGait
from strut.human.request import HumanGait as HumanGait
from strut.pilot.request import PilotedWalk as PilotedWalk

from strut.pilot.controllers.reference import (
    PlayRequest as PlayRequest,
    StandRequest as StandRequest,
    WalkRequest as WalkRequest,
)

# Who moves, and what can be felt
from strut.emotion import emotion_table as emotion_table, named_emotion as named_emotion
from strut.expression.blend import anchor_weights as anchor_weights, style_for as style_for
from strut.expression.expressed_share import (
    not_expressed as not_expressed,
    main_parameters as main_parameters,
    expressed_shares as expressed_shares,
)
from strut.perception.distinguish import Discriminability as Discriminability, distinguish as distinguish
from strut.perception.expressive_features import expressive_features as expressive_features
from strut.perception.emotion_distance import emotion_distances as emotion_distances
from strut.perception.emotion_map import emotion_map_png as emotion_map_png, emotion_page as emotion_page
from strut.models.catalogue import load_robot as load_robot, robot_names as robot_names, robot_of as robot_of

# Robots of others
from strut.adoption.adopt import AdoptedRobot as AdoptedRobot, adopt as adopt
from strut.adoption.folder_check import FolderCheck as FolderCheck, check_folder as check_folder
from strut.adoption.portrait import portrait_page as portrait_page, portrait_png as portrait_png

# Motions
from strut.human.problem.gait_options import named_gait_options as named_gait_options
from strut.human.reconstruction.reconstruct import reconstruct as reconstruct
from strut.human.synthesis.synthesize import synthesize as synthesize
from strut.human.transitions.composed_walk import compose_walk as compose_walk
from strut.animation.animate import animate as animate, preview_animation as preview_animation
from strut.retargeting.repair import repair as repair
from strut.gaits.hand_task.perform import perform as perform
from strut.pilot.piloted_sequence import perform_sequence as perform_sequence
from strut.pipeline.run import run as run
from strut.pipeline.walk import walk as walk, walk_to as walk_to

# Recordings of people
from strut.capture.captured_walk import CapturedWalk as CapturedWalk, capture_walk as capture_walk
from strut.capture.marker_fit.fit import MarkerFit as MarkerFit, fit as fit
from strut.capture.gait_trial import GaitTrial as GaitTrial, prepare_trial as prepare_trial
from strut.capture.markers.marker_set import read_marker_set as read_marker_set
from strut.formats.recording_file import read_recording as read_recording
from strut.capture.marker_fit.subject_model import SubjectModel as SubjectModel

# What a motion does
from strut.human.analysis.gait_analysis import analyze as analyze
from strut.human.analysis.condition_comparison import compare_conditions as compare_conditions
from strut.human.analysis.gait_expression import gait_expression as gait_expression
from strut.human.inverse.inverse_optimal_control import (
    ExplainedWalk as ExplainedWalk,
    PredictedWalk as PredictedWalk,
    explain as explain,
    predict as predict,
)
from strut.human.analysis.naturalness import Naturalness as Naturalness
from strut.gaits.footsteps.goal_walk import simulate_to_goal as simulate_to_goal
from strut.pilot.live.live_pilot import LivePilot as LivePilot, LiveState as LiveState, Stick as Stick
from strut.pilot.animation_request import play_request as play_request
from strut.pilot.piloted_simulation import Push as Push, World as World, simulate_requests as simulate_requests
from strut.simulation.playback import simulate as simulate
from strut.verify.check import check as check
from strut.verify.goal_ending import GoalEnding as GoalEnding, goal_ending as goal_ending

# Optimal-control problems of your own: see docs/your_own_problem.md
from strut.ocp.kinematic_tree import read_tree as read_tree
from strut.ocp.node_symbols import Scales as Scales
from strut.ocp.sparse_nlp import column as column, square as square
from strut.kinematics.contact_set import ContactRow as ContactRow, ContactSet as ContactSet
from strut.ocp.collocation import DirectCollocation as DirectCollocation, Solution as Solution
from strut.ocp.problem import periodic as periodic
from strut.ocp.problem import (
    BoundaryConstraint as BoundaryConstraint,
    Bounds as Bounds,
    Constraint as Constraint,
    ContactPhase as ContactPhase,
    LagrangeCost as LagrangeCost,
    MayerCost as MayerCost,
    MeanCost as MeanCost,
    OptimalControlProblem as OptimalControlProblem,
    Parameter as Parameter,
    RateCost as RateCost,
    TrackingCost as TrackingCost,
)
from strut.ocp.shooting_refinement import refine_by_shooting as refine_by_shooting
from strut.ocp.torque_playback import playback_error as playback_error
from strut.ocp.trajectory import guess_between as guess_between

# Pictures, films and pages
from strut.viewer.files import (
    save_gif as save_gif,
    save_html as save_html,
    save_mp4 as save_mp4,
    save_png as save_png,
    save_pose_strip as save_pose_strip,
    save_shown as save_shown,
)
from strut.human.report.gait_report import save_gait_report as save_gait_report
from strut.capture.recording_report import save_capture as save_capture, save_fit as save_fit
from strut.pilot.live.drive_page import drive as drive
from strut.viewer.viewer import serve as serve

# Files
from strut.animation.animation_file import load_animation as load_animation, import_animation as import_animation
from strut.animation.stories import story_names as story_names, story_path as story_path
from strut.formats.exchange import Writer as Writer, export as export
from strut.animation.rig_file import export_rig as export_rig
from strut.formats.motion_file import load_motion as load_motion, save_motion as save_motion
from strut.pilot.gait_library.gait_library import GaitLibrary as GaitLibrary, PeriodicGait as PeriodicGait
from strut.pilot.gait_library.gait_library_file import load_gait_library as load_gait_library
from strut.pilot.gait_library.gait_library_build import build_gait_library as build_gait_library
from strut.library.motion_library import LibraryEntry as LibraryEntry, MotionLibrary as MotionLibrary
from strut.formats.resample import resampled as resampled

# What installed packages add
from strut.registry import Plugin as Plugin, plugins as plugins

# Studies with people
from strut.study.statistics.answers import read_answers as read_answers
from strut.study.design.simulated_study import rehearse_study as rehearse_study
from strut.study.report.code_sheet import save_code_sheet as save_code_sheet
from strut.study.stimuli.film import film_study as film_study
from strut.study.study_folder import new_study as new_study
from strut.study.study_folder import back_up_study as back_up_study
from strut.study.study_folder import forget_participant as forget_participant
from strut.study.design.power import sample_size as sample_size
from strut.study.design.preregistration import preregister_study as preregister_study
from strut.study.report.study_report import report_study as report_study
from strut.study.server.server import serve_study as serve_study
from strut.study.stimuli.session_stimuli import save_stimuli as save_stimuli
from strut.study.statistics.study_statistics import study_statistics as study_statistics

# Published numbers beside ours
from strut.reproduction.alice import walking_margin_m as walking_margin_m
from strut.reproduction.systems import reproduce as reproduce
