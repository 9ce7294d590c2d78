"""Settings of a project: what each command can be told once, in a file, and where each value comes from."""

from irrun.settings.known import COMMANDS, SETTINGS, Setting, settings_for
from irrun.settings.project import BadConfiguration, Project, Projects, read
from irrun.settings.resolving import Value, resolve

__all__ = ["COMMANDS", "SETTINGS", "BadConfiguration", "Project", "Projects", "Setting", "Value", "read", "resolve"]
__all__ += ["settings_for"]
