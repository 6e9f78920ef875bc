from hypothesis import settings

# Machines are shared and noisy: what a test asserts is never a time.
settings.register_profile("sil", deadline=None, derandomize=True)
settings.load_profile("sil")
