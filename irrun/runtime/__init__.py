"""Plans and their execution."""

from irrun.runtime.execute import Observer, execute
from irrun.runtime.memory import Memory
from irrun.runtime.plan import Plan, Step
from irrun.runtime.planning import AS_WRITTEN, plan
from irrun.runtime.state import State
from irrun.runtime.tiers import Tiers

__all__ = ["AS_WRITTEN", "Memory", "Observer", "Plan", "State", "Step", "Tiers", "execute", "plan"]
