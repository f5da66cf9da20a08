"""One trace: its graph under construction, the places that code can write, what values are described by."""
