import os

# Before PyTorch is imported: its threads wait for each other busily, and everything here is small.
os.environ["OMP_NUM_THREADS"] = "1"

from hypothesis import settings

# Machines are shared and noisy: what a test asserts is never a time.
settings.register_profile("sil", deadline=None, derandomize=True)
settings.load_profile("sil")
