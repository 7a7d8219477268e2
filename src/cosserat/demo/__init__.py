"""Ready-made models: the two-link manipulator of [Grazioso17] and the figures published for it.

What comes in is the name of a variant, what goes out is a `Model`; nothing is solved here.
"""

from cosserat.demo.manipulator import CONVERGED_TIP, DURATION, PUBLISHED_SECONDS, VARIANTS, tip, two_link_arm

__all__ = ["CONVERGED_TIP", "DURATION", "PUBLISHED_SECONDS", "VARIANTS", "tip", "two_link_arm"]
