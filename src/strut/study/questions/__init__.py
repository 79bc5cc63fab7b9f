"""Questions: the types of question that a study can ask, one file each, with page, script and texts beside it."""
