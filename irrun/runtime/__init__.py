"""Plans and their execution."""

from irrun.runtime.execute import Observer, State, execute
from irrun.runtime.plan import Plan, Step, plan

__all__ = ["Observer", "Plan", "State", "Step", "execute", "plan"]
