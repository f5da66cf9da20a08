"""Classes of which programs change instances."""


class Counter:
    def __init__(self):
        self.count, self.total = 0, 0.0

    def add(self, amount):
        self.count += 1
        self.total += amount


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value
