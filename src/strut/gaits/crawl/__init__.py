"""Crawl: a quadruped lifts one foot at a time (Mr. Pete)."""
