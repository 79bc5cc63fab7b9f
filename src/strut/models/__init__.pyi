"""MJCF, URDF or tables → Robot."""

# Types in their signatures
from .rig import Rig as Rig
