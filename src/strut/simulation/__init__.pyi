"""Simulation: a motion played in MuJoCo."""

# Types in their signatures
from .sensing import Sensing as Sensing
from .playback import Playback as Playback
from .outcome import Outcome as Outcome
