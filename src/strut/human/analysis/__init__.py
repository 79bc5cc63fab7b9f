"""Analysis: human walks in numbers: gait parameters, elevation angles, similarity, criteria."""
