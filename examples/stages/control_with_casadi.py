"""CasADi: the model and the solver of a controller are plain Python, with `if`, `while` and stores.

A car shall follow a speed. IPOPT finds the throttles; what it differentiates is the program below.
"""

import casadi as ca
import numpy as np

from autograph.stages import SelectStage


class CasadiStage(SelectStage):
    """Branches become `casadi.if_else`; a loop takes at most `limit` iterations."""

    name, types, limit = "casadi", (ca.SX, ca.MX), 50

    where, both, either, negate = map(staticmethod, (ca.if_else, ca.logic_and, ca.logic_or, ca.logic_not))

    def truth(self, value):
        if value.numel() != 1:
            self.refuse("the truth of a vector", "use casadi.logic_all or casadi.logic_any")
        return value


stage = CasadiStage()


def acceleration(speed, throttle):
    drive = 3.0 * throttle if throttle > 0 else 8.0 * throttle  # the brakes are stronger than the engine
    if speed > 0:
        return drive - 0.004 * speed * speed
    return drive


def faster(speed, throttle, seconds=0.5):
    """A step of implicit Euler, solved by Newton's method."""
    new, steps = speed, 0
    while abs(new - speed - seconds * acceleration(new, throttle)) > 1e-10 and steps < 6:
        error = new - speed - seconds * acceleration(new, throttle)
        new -= error / (1 + seconds * 0.008 * max(new, 0))
        steps += 1
    return new


def drive(throttles, speeds, limit):
    """Write the speeds that the throttles give into an array."""
    for i in range(speeds.shape[0] - 1):
        speeds[i + 1] = faster(speeds[i], throttles[i])
        if speeds[i + 1] > limit:
            speeds[i + 1] = limit  # the car holds it by itself
    return speeds


def main(steps=20, limit=14.0):
    wanted = np.array([15.0 if i < steps / 2 else 5.0 for i in range(steps + 1)])
    throttles, speeds = ca.SX.sym("throttles", steps), ca.SX.zeros(steps + 1)
    speeds = stage.convert(drive)(throttles, speeds, limit)
    problem = {"x": throttles, "f": ca.sumsqr(speeds - wanted) + 1e-3 * ca.sumsqr(throttles)}
    quiet = {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False}
    found = ca.nlpsol("follow", "ipopt", problem, quiet)(x0=0.5, lbx=-1, ubx=1)["x"].full().ravel()

    made = ca.Function("drive", [throttles], [speeds])(found).full().ravel()
    plain = drive(found, np.zeros(steps + 1), limit)  # the same function, in Python
    assert np.allclose(made, plain, rtol=1e-12, atol=1e-12)
    print("speeds", np.round(plain, 1), "as in plain Python")
    return plain


if __name__ == "__main__":
    main()
