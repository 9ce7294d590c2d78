"""Plans and their execution."""

from irrun.runtime.crews import Crews
from irrun.runtime.execute import Observer, execute
from irrun.runtime.memory import Memory
from irrun.runtime.plan import AS_WRITTEN, Plan, Step, plan
from irrun.runtime.state import State

__all__ = ["AS_WRITTEN", "Crews", "Memory", "Observer", "Plan", "State", "Step", "execute", "plan"]
