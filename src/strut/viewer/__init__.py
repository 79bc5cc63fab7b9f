"""Motions → pictures people look at: a still, a film, plots, a page, a live viewer."""
