"""Models as read, compiled and run, in terms of this project."""

from irrun.jobs.collector import collection_paused

with collection_paused():
    from irrun.model.arguments import InputError
    from irrun.model.compiled import Compiled, Outputs, Session, build
    from irrun.model.loaded import Loaded, load
    from irrun.model.port import Port

__all__ = ["Compiled", "InputError", "Loaded", "Outputs", "Port", "Session", "build", "load"]
