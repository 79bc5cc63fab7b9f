"""Report: human walks as tables, figures and pages."""
