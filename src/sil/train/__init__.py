"""Training of the policy by self-improved learning; needs the extra `train`."""
