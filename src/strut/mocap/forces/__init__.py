"""Forces: joint angles → ground-reaction forces under each foot and joint torques, compared with force plates."""
