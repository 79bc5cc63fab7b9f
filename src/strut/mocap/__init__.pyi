"""Motion capture: recording trials → subject model, joint angles, events and forces."""

# Marker fit
from .marker_fit.fit import MarkerFit as MarkerFit
from .marker_fit.subject_model import SubjectModel as SubjectModel
from .markers.marker_set import read_marker_set as read_marker_set
from .recording_report import save_fit as save_fit

# Forces
from .captured_walk import CapturedWalk as CapturedWalk
from .gait_trial import GaitTrial as GaitTrial, prepare_trial as prepare_trial
from .recording_report import save_capture as save_capture

# Types in their signatures
from .markers.marker_set import MarkerSet as MarkerSet, Landmark as Landmark
from .forces.ground_forces import GroundForces as GroundForces, Bands as Bands
from .forces.force_agreement import ForceAgreement as ForceAgreement
from .forces.moment_comparison import MomentAgreement as MomentAgreement
from .emg import EmgEnvelopes as EmgEnvelopes
from .markers.gaps import Gap as Gap
from .markers.marker_checks import MarkerFault as MarkerFault
from .events.foot_paths import WalkingPaths as WalkingPaths, FootPath as FootPath
from .events.plate_events import PlateStance as PlateStance
from .marker_fit.subject_model import MeasuredLength as MeasuredLength, PlacedMarker as PlacedMarker
from .forces.plate_comparison import Agreement as Agreement, PlateForces as PlateForces
from .forces.footprints import Footprint as Footprint
from .forces.load_sharing import FootLoads as FootLoads
from .forces.plate_alignment import PlateAlignment as PlateAlignment
