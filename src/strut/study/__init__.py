"""Motion → stimuli → survey → answers → statistics: whether people see the feeling."""
