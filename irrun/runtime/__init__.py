"""Plans and their execution."""

from irrun.runtime.execute import execute
from irrun.runtime.executor import Executor
from irrun.runtime.plan import Plan, Step
from irrun.runtime.planning import AS_WRITTEN, plan
from irrun.runtime.request import Observer, Request
from irrun.runtime.state import State

__all__ = ["AS_WRITTEN", "Executor", "Observer", "Plan", "Request", "State", "Step", "execute", "plan"]
