"""Models as read, compiled and run, in terms of this project."""

from irrun.model.arguments import InputError
from irrun.model.model import Compiled, Loaded, Outputs, Session, build, load
from irrun.model.port import Port

__all__ = ["Compiled", "InputError", "Loaded", "Outputs", "Port", "Session", "build", "load"]
