"""Whether kernels are compiled: not with ``NUMBA_DISABLE_JIT=1``, the debug path."""

import os

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
