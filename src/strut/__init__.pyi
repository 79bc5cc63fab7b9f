"""The names that `import strut` offers: nouns, a function for every verb, files, robots and emotions."""

# Nouns
from .emotion import Emotion as Emotion
from .style import Style as Style
from .score import Score as Score, ScoreKey as ScoreKey
from .robot import Robot as Robot
from .place import Place as Place, Footstep as Footstep
from .schemas.keyframes import Animation as Animation, AnimationKey as AnimationKey, FootPose as FootPose
from .request import Request as Request
from .motion import Motion as Motion
from .receipt import Receipt as Receipt, Reason as Reason
from .recording import Recording as Recording
from .errors import StrutError as StrutError

# Robots and emotions
from .models.catalogue import robots as robots, load_robot as load_robot, robot_of as robot_of
from .adoption.adopt import adopt as adopt
from .emotion import emotions as emotions, named_emotion as named_emotion
from .expression.blend import style_for as style_for
from .perception.distinguish import distinguish as distinguish

# Motions
from .pipeline.walk import walk as walk
from .gaits.hand_task.perform import perform as perform
from .animation.animate import animate as animate
from .retargeting.repair import repair as repair
from .retargeting.retarget import retarget as retarget
from .retargeting.body_parts import BodyParts as BodyParts, Correspondence as Correspondence
from .retargeting.body_parts import read_correspondence as read_correspondence
from .human.synthesis.synthesize import synthesize as synthesize
from .pipeline.run import run as run

# People
from .formats.recording_file import read_recording as read_recording
from .mocap.marker_fit.fit import fit as fit
from .mocap.captured_walk import capture as capture
from .human.reconstruction.reconstruct import reconstruct as reconstruct
from .human.analysis.gait_analysis import analyze as analyze
from .human.inverse.inverse_optimal_control import explain as explain

# What a motion does
from .verify.check import check as check
from .simulation.playback import simulate as simulate

# Viewer
from .viewer.viewer import show as show
from .viewer.files import (
    save_views as save_views,
    save_png as save_png,
    save_gif as save_gif,
    save_mp4 as save_mp4,
    save_html as save_html,
)
from .pilot.live.drive_page import drive as drive
from .gallery.demo import demo as demo

# Files
from .formats.motion_file import load_motion as load_motion, save_motion as save_motion
from .formats.exchange import export as export
from .animation.animation_file import load_animation as load_animation

# Published systems, studies and plug-ins
from .reproduction.systems import reproduce as reproduce
from .study.stimuli.session_stimuli import stimuli as stimuli
from .registry import plugins as plugins
from .plumbing.installation import doctor as doctor, InstalledPart as InstalledPart

# Rooms with more names
from . import adoption as adoption, animation as animation, expression as expression
from . import (
    formats as formats,
    gaits as gaits,
    human as human,
    kinematics as kinematics,
    library as library,
    mocap as mocap,
)
from . import ocp as ocp, perception as perception, pilot as pilot, reproduction as reproduction, study as study
from . import verify as verify, viewer as viewer

from . import engines as engines, gallery as gallery, models as models, schemas as schemas, simulation as simulation

# Modules of nouns, for generators, limits, tasks and readers of your own
from . import audit as audit, draft as draft, errors as errors, receipt as receipt, recording as recording
from . import registry as registry, request as request, robot as robot
