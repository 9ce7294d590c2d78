"""The property of messages."""

from irrun.openvino.properties.names import Choice, Property


class Level(Choice):
    """The least severity of a message."""

    NO = -1
    ERR = 0
    WARNING = 1
    INFO = 2
    DEBUG = 3
    TRACE = 4


level: Property = Property("LOG_LEVEL", Level)
