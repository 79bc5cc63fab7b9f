"""Report: findings as pages, figures, tables and text."""
