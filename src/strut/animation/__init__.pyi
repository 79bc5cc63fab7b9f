"""Keyframe animations and rigs."""

# Keyframe animations
from .request import Animate as Animate
from .animate import preview_animation as preview_animation
from .animation_file import import_animation as import_animation
from .stories import story_names as story_names, story_path as story_path

# Rigs
from .rig_file import export_rig as export_rig

# Types in their signatures
from .keyframe_extraction import ExtractedKeyframes as ExtractedKeyframes
