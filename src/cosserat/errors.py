"""Exceptions and warnings: one base class, so that a caller can catch everything this package raises."""


class CosseratError(Exception):
    """Base of every error raised by this package."""


class GeometryError(CosseratError, ValueError):
    """A geometric quantity is not what it must be (a rotation, an axis, an inertia)."""


class ModelError(CosseratError, ValueError):
    """The description of a mechanism is wrong; the message names the item and the remedy."""


class PlaceError(ModelError):
    """A place on a body was named that does not exist."""


class ParameterError(ModelError):
    """A parameter is unknown, defined twice, or given a value it cannot take."""


class FileFormatError(CosseratError, ValueError):
    """A file could not be read; the message gives the file and the path inside it."""


class SolveError(CosseratError, RuntimeError):
    """A solver was asked for something it cannot do (never used for a run that merely fails: see `Status`)."""


class MissingDependencyError(CosseratError, ImportError):
    """An optional library is needed; the message gives the pip command."""


class CosseratWarning(UserWarning):
    """Something a user will want to know but that does not stop the work."""
