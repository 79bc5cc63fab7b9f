"""A robot under its own controllers: requests, sequences, live driving and gait libraries."""

# Tasks and requests
from .request import PilotedWalk as PilotedWalk
from .controllers.reference import StandRequest as StandRequest, WalkRequest as WalkRequest, PlayRequest as PlayRequest
from .animation_request import play_request as play_request

# Simulation
from .piloted_simulation import simulate_requests as simulate_requests, World as World, Push as Push
from .piloted_sequence import perform_sequence as perform_sequence

# Live
from .live.live_pilot import LivePilot as LivePilot, LiveState as LiveState, Stick as Stick

# Gait libraries
from .gait_library.gait_library import GaitLibrary as GaitLibrary, PeriodicGait as PeriodicGait
from .gait_library.gait_library_build import build_gait_library as build_gait_library
from .gait_library.gait_library_file import load_gait_library as load_gait_library

# Types in their signatures
from .plant.torque_plant import TorquePlant as TorquePlant, SensorNoise as SensorNoise
from .controllers.reference import StandReference as StandReference, WalkReference as WalkReference
from .gait_library.gait_store import GaitRecord as GaitRecord, GaitStore as GaitStore
from .piloted_simulation import (
    Clock as Clock,
    PilotedRun as PilotedRun,
    PilotedOutcome as PilotedOutcome,
    BegunPhase as BegunPhase,
)
