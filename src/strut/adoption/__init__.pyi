"""What `strut.adopt` returns, and how to check and draw a robot's folder."""

# Import of a robot
from .adopt import AdoptedRobot as AdoptedRobot
from .folder_check import FolderCheck as FolderCheck, check_folder as check_folder
from .portrait import portrait_page as portrait_page, portrait_png as portrait_png

# Types in their signatures
from .note import Note as Note, Severity as Severity
