"""MuJoCo, behind functions of whole trajectories."""

# Types in their signatures
from .body_wrench import Movement as Movement
