"""Objects of classes of the program, and their attributes."""

BOX = """
class Box:
    def __init__(self):
        self.count = 0
"""
POINT = """
class Point:
    made = 0

    def __init__(self, x):
        self.x = x
        Point.made += 1
"""
PROGRAMS = {
    "an_attribute_of_a_global_object_is_written_and_read": BOX
    + """
BOX = Box()

def f(a, n):
    BOX.count += 1
    if a[0] > 0:
        BOX.count += 10
    return BOX.count
""",
    "an_attribute_of_a_global_object_is_written_in_a_loop": """
class Box:
    pass

BOX = Box()

def f(a, n):
    for x, y in zip(a.copy(), np.arange(4)):
        BOX.total = x
    return a
""",
    "a_static_division_by_zero_in_match": BOX
    + """
def f(a, n):
    box = Box()
    match 1 // box.count:
        case 1 | 2:
            pass
        case k if k:
            pass
    return a
""",
    "a_class_attribute_stored_before_the_test_of_a_staged_while": POINT
    + """
def f(a, n):
    p = Point(a[0])
    i = 0
    while i < n and a[1] != i:
        i += 1
    return p
""",
    "a_slot_first_written_in_a_loop_that_learns_its_variables": POINT
    + """
def f(a, n):
    p, b, i = Point(a[0]), 1, 0
    while i < n % 4:
        i += 1
        if a[1] > n:
            p = Point(a[2])
            b = b * 2
    return p, b
""",
    "a_dataclass_compared_with_a_class_or_an_object": """
import dataclasses

@dataclasses.dataclass
class Vec:
    x: float
    y: float

def f(a, n):
    vec = Vec(1.0, -2.0)
    vec = vec if a[0] > 0 else Vec
    return Vec(1.0, -2.0) == vec
""",
    "an_object_or_another_from_a_method_in_a_loop": """
class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def scale(self, k):
        if k > 3:
            return self
        return Vec(self.x * k, self.y)

def f(a, n):
    vec = Vec(0.0, 0.0)
    i = 0
    while i < n:
        i += 1
        vec = Vec(1.0, -2.0).scale(a[0])
        a[1] = i
    return vec.x, a
""",
    "a_global_and_an_object_stored_in_a_finally": """
class Node:
    def __init__(self, v):
        self.v = v

G, TABLE = None, {}

def f(a, n):
    global G
    node = Node(n)
    try:
        if a[0] > 0:
            raise ValueError(n)
    finally:
        G = Node(5)
        TABLE['u'] = (node, n)
    return G.v, TABLE['u'][0].v
""",
    "a_variable_of_a_closure_that_one_path_rebinds": """
class Node:
    def __init__(self, v):
        self.v = v

KEPT = [Node(0)]

def f(a, n):
    k = 0
    one = Node(n)
    two = Node(n)
    if n % 2:
        return two.v, k
    try:
        if a[0] > 2:
            raise KeyError(k)
        one = two
    except ValueError:
        one = two

    def add():
        nonlocal one, two, k
        k += two.v

    add()
    one.v += 1
    KEPT[:] = [Node(-n), two]
    return KEPT[1].v, k
""",
}
