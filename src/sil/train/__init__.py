"""Training of the policy; needs the extra `train`."""
