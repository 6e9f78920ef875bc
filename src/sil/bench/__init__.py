"""Experiments: the paper's tables and figures, our program and others on the same instances."""
