"""Motion → what really happens, in MuJoCo."""
