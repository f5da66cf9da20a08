"""A class of which programs read every kind of attribute."""


class Settings:
    rate = 0.5

    def __init__(self, scale=2.0):
        self.scale = scale

    def apply(self, x):
        return x * self.scale * self.rate

    @property
    def double(self):
        return self.scale * 2

    @classmethod
    def make(cls, x):
        return x * cls.rate

    @staticmethod
    def add(x):
        return x + 1
