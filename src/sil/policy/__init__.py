"""The learned policy: a network that chooses the next node, and the engines that run it."""
