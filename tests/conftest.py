"""What all tests share: one Hypothesis profile, whose verdicts do not depend on a busy machine."""

from hypothesis import settings

settings.register_profile("bankwise", deadline=None)
settings.load_profile("bankwise")
