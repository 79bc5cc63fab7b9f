"""Motion → what it needs from the body, whether the body can give it, and how much expression it can afford."""
