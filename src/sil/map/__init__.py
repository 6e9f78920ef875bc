"""A plan as a map: one HTML file that needs nothing else."""
