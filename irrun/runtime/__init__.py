"""Plans and their execution."""

from irrun.runtime.execute import Observer, execute
from irrun.runtime.plan import Plan, Step, plan
from irrun.runtime.state import State

__all__ = ["Observer", "Plan", "State", "Step", "execute", "plan"]
