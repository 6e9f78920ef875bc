"""Speed of the hot paths, as ratios of two things measured in the same run."""
