"""The shadow heap of a trace: what a load from an object of the run would give, known while tracing.

* `places.py`: what a fact is about.
* `places.py`: which two references may be one object.
* `shadow.py`: the facts, by field and reference, for each block that is open; what makes them go.

No control flow, no NumPy, no operation is appended here: the room imports the graph alone.
`runtime/objects/references.py` asks it at each load and tells it of each store; `tracer/trace.py`
shows it each operation, and the statements of `control_flow` where paths part and meet.
"""
