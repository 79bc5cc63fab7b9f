"""Server: the survey on the web, and the database of its answers."""
