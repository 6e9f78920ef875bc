"""The learned policy: linear attention over the nodes that may come next."""
