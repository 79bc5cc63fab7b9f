"""What an emotion does to a body."""

# Style
from .blend import anchor_weights as anchor_weights
from .expressed_share import (
    expressed_shares as expressed_shares,
    main_parameters as main_parameters,
    not_expressed as not_expressed,
)
