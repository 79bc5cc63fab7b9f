"""Published numbers beside ours."""

# Alice
from .alice import walking_margin_m as walking_margin_m

# Types in their signatures
from .comparison import Comparison as Comparison
