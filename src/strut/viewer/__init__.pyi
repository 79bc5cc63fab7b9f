"""Pictures, films and pages."""

# Pictures
from .files import save_pose_strip as save_pose_strip

# Types in their signatures
from .animation import FilmOptions as FilmOptions
