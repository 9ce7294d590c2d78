"""The property of messages."""

from enum import Enum

from irrun.properties.names import Property


class Level(Enum):
    """The least severity of a message."""

    NO = -1
    ERR = 0
    WARNING = 1
    INFO = 2
    DEBUG = 3
    TRACE = 4


level = Property("LOG_LEVEL")
