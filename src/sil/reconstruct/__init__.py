"""Reconstructors, which improve a solution, and how they share the rounds."""
