"""Section "method": methods of every kind."""

from tests.features.registry import floats, row, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


class Scaler:
    limit = 2.0

    def __init__(self, factor):
        self.factor = factor

    def apply(self, x):
        if x[0] > self.limit:
            return x * self.factor
        return x

    def __call__(self, x):
        return self.apply(x) if x[1] < 0 else -x

    @classmethod
    def over(cls, x):
        return x - cls.limit if x[0] > cls.limit else x

    @staticmethod
    def negated(x):
        return -x if x[0] > 0 else x

    @property
    def effective(self):
        if self.factor > 1:
            return self.factor
        return self.factor * 0 + 1


class Shifted(Scaler):
    def apply(self, x):
        y = super().apply(x)
        return y + 1 if y[0] > 0 else y


class Table:
    def __init__(self, data):
        self.data = data

    def __getitem__(self, i):
        if i < 0:
            return self.data[0]
        return self.data[i]


class Private:
    def __init__(self):
        self.__offset = 5.0

    def __shift(self, v):
        return v + self.__offset if v > 0 else v

    def run(self, x):
        return self.__shift(x[0]) * self.__shift(x[1])


class Clamped:
    def __init__(self, v):
        if v > 2:
            self.v = v * 0 + 2
        else:
            self.v = v


@row("callable object", (Scaler(2.0), X), (Scaler(2.0), Y))
def callable_object(scale, x):
    return scale(x) + scale(-x)


@row("classmethod staticmethod", X, Y)
def class_and_static(x):
    return Scaler.over(x) + Scaler.negated(x) + Shifted(1.0).negated(x)


@row("super call", X, Y)
def super_call(x):
    return Shifted(4.0).apply(x)


@row("property with staged if", X, Y)
def property_staged(x):
    return Scaler(x[0]).effective * x


@row("dunder getitem with staged if", X, Y)
def getitem_staged(x):
    table = Table(x)
    total = 0.0
    for i in range(-1, 2):
        total = total + table[i]
    return total + table[int(x[2])] if abs(x[2]) < 3 else total


@row("name mangled method", X, Y)
def name_mangled(x):
    return Private().run(x)


@scenario("decorated method on instance")
def decorated_on_instance(function):
    scaler = Scaler(2.0)
    scaler.run = function(scaler.apply)
    return [scaler.run(X), scaler.run(Y), scaler.run(X)]


@scenario("decorated method in class")
def decorated_in_class(function):
    class Model:
        def __init__(self, bias):
            self.bias = bias

        @function
        def run(self, x):
            if x[0] > self.bias:
                return x - self.bias
            return x

    small, large = Model(1.0), Model(100.0)
    return [small.run(X), small.run(Y), large.run(X), Model.run(small, X)]


@row("constructor with staged if", X, Y)
def constructor_staged(x):
    return Clamped(x[0]).v + Clamped(x[1]).v


row("bound method", X, Y)(Scaler(3.0).apply)
row("function of callable object", X, Y)(Scaler(3.0))
