"""Speed of the hot paths, and quality of the search, of the weights and of the paper's method."""
