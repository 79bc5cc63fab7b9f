"""How far the emotions of a robot are apart for an observer."""

# Emotions of a robot
from .distinguish import Discriminability as Discriminability
from .emotion_distance import emotion_distances as emotion_distances
from .emotion_map import emotion_map_png as emotion_map_png, emotion_page as emotion_page
from .features import expressive_features as expressive_features
