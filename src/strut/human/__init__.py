"""The human: subjects, gait problems on the optimal-control engine, and whether a gait looks like a person's."""
