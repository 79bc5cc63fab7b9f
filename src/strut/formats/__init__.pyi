"""Readers and writers of files."""

# Protocols
from .reader import Reader as Reader
from .exchange import FolderWriter as FolderWriter, Writer as Writer

# Samples
from .resample import resampled as resampled

# Types in their signatures
from .exchange import Exported as Exported
from .resample import Alias as Alias
