from __future__ import annotations

from irrun.ops import Array, ElementType, Fact, Fold, Legacy, Op, Out, Shape, attr, op


@op("Parameter", opset=1)
class Parameter(Op):
    """An input of the model, with a given element type and partial shape."""

    departures = {"u1": "refuses u1, u3 and u6", "dynamic rank": "refuses a dynamic rank"}

    outputs = (Out("output", "element_type"),)
    legacy = (
        Legacy("cacheable", writer="OpenVINO", since="2020.4", until="2021.1"),
        Legacy("offset", "size", until="2021.4"),
    )
    foldable = Fold.NEVER

    element_type: ElementType = attr(doc="the type of the input")
    shape: Shape = attr(
        doc="the shape of the input, ? or an interval for a dynamic dim, ... for a dynamic rank", openvino=Shape(())
    )

    def infer(self) -> Fact:
        return Fact(self.element_type, self.shape)

    def run(self) -> Array:
        raise NotImplementedError("the value of a Parameter is given to the plan")
