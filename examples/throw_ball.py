"""Throw a ball so that it lands in a basket after two bounces: gradients through contact.

Each flight ends at a contact, whose time is solved for; each bounce takes speed away. The derivative goes
through the times of contact and the loop over them. Newton's method finds the throw.

    python examples/throw_ball.py
"""

import numpy as np

import runtime as rt
from beside import beside_python
from plots import show_plot

GRAVITY, RESTITUTION, FRICTION = 9.81, 0.75, 0.9


def landing(speed, angle, bounces):
    """Where the ball comes down after so many bounces; it leaves the hand 1.5 m above the ground."""
    x, y = 0.0, 1.5
    u, v = speed * np.cos(angle), speed * np.sin(angle)
    for bounce in range(bounces + 1):
        contact = (v + np.sqrt(v * v + 2.0 * GRAVITY * y)) / GRAVITY
        x += u * contact
        v = RESTITUTION * (GRAVITY * contact - v)
        u *= FRICTION
        y = 0.0
    return x


@rt.function
def aim(speed, angle, bounces, basket, limit):
    """Newton's method for the speed; the speed, and the throws that were tried."""
    tried = np.zeros(limit)
    count = 0
    while count < limit:
        tried[count] = speed
        count += 1
        x, slope = rt.value_and_grad(landing)(float(speed), angle, bounces)
        if abs(x - basket) < 1e-9:
            break
        speed = speed - (x - basket) / slope
    return speed, tried[:count]


def flight(speed: float, angle: float, bounces: int, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Places of the ball at equal times, to be drawn."""
    h, x, y, u, v = 0.002, 0.0, 1.5, speed * np.cos(angle), speed * np.sin(angle)
    places = []
    while bounces >= 0:
        places.append((x, max(y, 0.0)))
        x, y, v = x + h * u, y + h * v, v - h * GRAVITY
        if y < 0.0:
            bounces, y, u, v = bounces - 1, 0.0, FRICTION * u, -RESTITUTION * v
    chosen = np.array(places)[:: max(1, len(places) // points)]
    return chosen[:, 0], chosen[:, 1]


def main(basket: float = 12.0, engine: str = "auto", picture: str | None = None) -> float:
    """Returns where the ball lands that is thrown with the speed that was found."""
    speed, tried = beside_python(aim, 5.0, 0.8, 2, basket, 30, engine=engine, tolerance=1e-9)
    print(f"{speed:.4f} m/s, found in {len(tried)} throws: " + ", ".join(f"{s:.3f}" for s in tried))
    x, y = flight(speed, 0.8, 2, 200)
    show_plot("the throw", x, {"height": y}, picture)
    return float(landing(speed, 0.8, 2))


if __name__ == "__main__":
    main(picture="throw_ball.png")
