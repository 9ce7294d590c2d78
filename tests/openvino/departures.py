"""The checks whose outcome differs from OpenVINO's, each with the reason."""

DEPARTURES = {
    "shape of bad text": "OpenVINO reads an unknown size as 0; a shape that is not static is refused here",
    "tensor too small": "OpenVINO makes a tensor larger than its memory; the sizes are compared here",
    "read without weights": "a model without weights can be read and linted; compiling it is refused",
    "read bytes and array": "an array is accepted as weights",
    "compile config second": "settings are accepted in place of the device, since there is one device",
    "set unknown property": "OpenVINO's CPU plugin silently keeps unknown properties; a misspelt one is refused here",
    "set friendly name": "OpenVINO's wrapper ignores an assignment to friendly_name after set_friendly_name",
    "model pickle": "models can be pickled",
    "call with nested list": "nested lists of numbers are accepted as arrays",
    "call with python numbers": "lists of numbers are accepted as arrays",
    "call with text": "a string is refused because it is not an array (TypeError), before it is converted (ValueError)",
    "build with node keyword": "the first parameter of a builder may be named, as its documentation says",
    "profiling off": "OpenVINO lists layers without times; the list is empty without PERF_COUNT",
    "value, copies of shapes": "shapes, types, layouts and tensors can be copied",
    "value, pickles of types": "shapes, types and tensors can be pickled",
    "value, tensor big endian": "OpenVINO reads the bytes of an array of the other byte order without swapping them",
    "edit, set unknown attribute": "OpenVINO ignores an attribute that the operation does not have",
    "variable of f32 set to f64": "a variable may be set to any numeric type; OpenVINO refuses f64, i64 and 16-bit integers",
    "form, channels of a dynamic rank": "OpenVINO's CPU runs no layer of a dynamic rank",
    "setting, register plugin": "there is one device; OpenVINO looks for the plugin when the device is used",
}
