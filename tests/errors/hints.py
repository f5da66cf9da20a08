"""The examples of docs/errors/ with their hints applied: by title, what is written in place of what.

The programs that come out of it run, and give what plain Python gives (`test_hints.py`). Where the hint says
to do something outside, the same is done around the call.
"""

Changes = dict[str, str]

#: of examples whose message has a hint
FOLLOWED: dict[str, Changes] = {
    "A staged number as an axis": {
        "def total(x, k):\n    axis = int(k.sum())": "def total(x, axis):",
        "np.array([0])": "0",
    },
    "bytes of a staged number": {
        "bytes([int(x[0])])": "int(x[0])",
        "pack(np.array([3.0]))": "bytes([pack(np.array([3.0]))])",
    },
    "A text that changes something": {"def __str__": "def text", 'f"{sample}"': "sample.text()"},
    "A bytearray that gets staged numbers": {"bytearray(2)": "np.zeros(2, np.uint8)"},
    "A bytearray that grows": {
        "bytearray()": "[]",
        "packed(np.array([3.0, 4.0]))": "bytearray(packed(np.array([3.0, 4.0])))",
    },
    "Assigning to `shape`": {"x.shape = (4,)": "x = x.reshape((4,))"},
    "An array of objects made inside": {"[x, None], dtype=object": "[x[0], np.nan], dtype=float"},
    "An array of records made inside": {
        'table = np.zeros(2, dtype="u1,f8")': "f0, f1 = np.zeros(2, np.uint8), np.zeros(2)",
        'table["f1"] = x\n    return table["f1"]': "f1[:] = x\n    return f1",
    },
    "An array of an iterator": {"filter(None, x)": "list(filter(None, x))"},
    "NumPy is given an iterator": {"np.max(items)": "np.max(list(items))"},
    "An array beside the values of a dict": {"weights.values()": "np.array(list(weights.values()))"},
    "id of a staged value": {"id(x) % 2": "x is x"},
    "Whether two results are the same object": {"a is b": "a == b"},
    "An attribute of ndarrays about memory": {
        "x.ctypes.data": "2 * x",
        "address(np.array([3.0, 1.0]))": "address(np.array([3.0, 1.0])).ctypes.data > 0",
    },
    "A list that holds itself": {
        "ring = [1]\nring.append(ring)": "class Ring:\n    def __len__(self):\n        return 1\n\n\n"
        "ring = Ring()\nring.next = ring",
    },
    "Resizing in place": {"x.resize(2)\n    return x": "return np.resize(x, 2)"},
    "A NumPy function of a staged number that stays in C": {"np.nditer(x)": "x.ravel()"},
    "A staged number in decimal": {
        "fractions.Fraction(int(x[0]), 3)": "int(x[0])",
        "third(np.array([2.0]))": "fractions.Fraction(third(np.array([2.0])), 3)",
    },
    "A regular expression over a staged text": {
        're.sub("[0-9]", "#", f"{x[0]}")': 'f"{x[0]}"',
        "hide(np.array([2.0]))": 're.sub("[0-9]", "#", hide(np.array([2.0])))',
    },
    "Statistics of the standard library": {
        "statistics.mean([int(v) for v in x])": "[int(v) for v in x]",
        "mean(np.array([2.5, 1.0]))": "statistics.mean(mean(np.array([2.5, 1.0])))",
    },
    "A frozenset of staged numbers": {"frozenset(": "set("},
    "Pickling": {
        "pickle.dumps(x)": "x",
        "save(np.array([3.0]))": "pickle.dumps(save(np.array([3.0])))",
    },
    "The one that most people see first": {
        'json.dumps({"x": float(x[0])})': '{"x": float(x[0])}',
        "save(np.array([3.0]))": "json.dumps(save(np.array([3.0])))",
    },
    "Loop state that never settles": {"t = ()": "t = []", "t = (t, x)": "t.append(x)"},
    "A generator advanced in a branch or a loop": {
        "    steps = (step / 2 for step in [1.0, 2.0])\n    while x[0] > 0:\n": (
            "    for step in [1.0, 2.0]:\n        if not x[0] > 0:\n            break\n"
        ),
        "next(steps)": "step / 2",
    },
    "A global without a value before a branch": {"@rt.function": "seen = 0\n\n\n@rt.function"},
    "An array that gains a dimension in each iteration": {"np.stack": "np.concatenate"},
    "locals() beside a staged condition": {
        "@rt.function": "def names(x, y):\n    return locals()\n\n\n@rt.function",
        "return locals()\n\n\nf(": "return names(x, y)\n\n\nf(",
    },
    "A generator is decorated": {
        "    for i in range(3):\n        yield x + i": "    return [x + i for i in range(3)]\n\n\nf(1.0)",
    },
    "An async generator is decorated": {
        "async def": "def",
        "    for i in range(3):\n        yield x + i": "    return [x + i for i in range(3)]\n\n\nf(1.0)",
    },
    "A generator that yields inside a try": {
        "    try:\n        while x > 1:\n            yield x\n            x = x / 2\n"
        '    finally:\n        print("done")\n': "    while x > 1:\n        yield x\n        x = x / 2\n",
        "    return sum(halves(x))\n": (
            '    try:\n        return sum(halves(x))\n    finally:\n        print("done")\n'
        ),
    },
    "rt.cond with values": {"x, -x)": "lambda: x, lambda: -x)"},
    "rt.cond with values, by hand": {"1, 2)": "lambda: 1, lambda: 2)"},
    "rt.while_loop without a body": {"None": "lambda i: i + 1"},
    "rt.while_loop whose body loses a part of the state": {"i + 1,": "(i + 1, s),"},
    "rt.while_loop whose body returns too much": {"s, s)": "s)"},
    "A context manager that may yield twice": {
        "    except ZeroDivisionError:\n        yield": "    except ZeroDivisionError:\n        pass",
    },
    "np.errstate that raises": {
        '    with np.errstate(divide="raise"):\n        return 1 / x': (
            '    if np.any(x == 0):\n        raise FloatingPointError("divide")\n    return 1 / x'
        ),
        "[0.0]": "[2.0]",
    },
    "np.seterr that raises": {
        'divide="raise"': 'divide="warn"',
        "inverse(np.array([0.0]))": "print(inverse(np.array([2.0])))",
    },
    "A lock": {
        "    with lock:\n        return x + 1": "    return x + 1",
        "f(np.array([1.0]))": "with lock:\n    print(f(np.array([1.0])))",
    },
    "eval and exec": {'eval("x + 1")': "x + 1"},
    "Asking the user": {
        "def scale(x)": "def scale(x, answer)",
        'float(input("factor? "))': "answer",
        "20.0])": '20.0]), float("2")',
    },
    "Reading a file": {
        "def load(x)": "def load(x, weights)",
        '    with open("weights.txt") as file:\n        return x + float(file.read())': (
            "    return x + weights"
        ),
        "20.0])": '20.0]), float(open(__file__).read(1) == "@")',
    },
    "A function that is not to be converted": {
        "    log(x)\n": "",
        "step(np.array([20.0]))": "y = step(np.array([20.0]))\nlog(y)",
    },
    "The date": {
        "def age(x)": "def age(x, today)",
        "datetime.date.today().year": "today.year",
        "[1971])": "[1971]), datetime.date.today()",
    },
    "A fresh identifier": {
        "def tag(x)": "def tag(x, key)",
        "str(uuid.uuid4())": "key, x",
        "20.0])": "20.0]), len(str(uuid.uuid4()))",
    },
    "Environment variables": {
        "def scaled(x)": "def scaled(x, scale)",
        'float(os.environ.get("SCALE", "1"))': "float(scale)",
        "20.0])": '20.0]), os.environ.get("SCALE", "1")',
    },
    "The working directory": {
        "def where(x)": "def where(x, folder)",
        "os.getcwd()": "folder, x",
        "20.0])": "20.0]), os.getcwd()",
    },
    "np.load": {
        "@rt.function": 'np.save(__file__ + ".npy", np.ones(1))\n\n\n@rt.function',
        "def load(x)": "def load(x, weights)",
        'np.load("weights.npy")': "weights",
        "20.0])": '20.0]), np.load(__file__ + ".npy")',
    },
    "np.seterr and np.set_printoptions": {
        '    np.seterr(all="ignore")\n': "",
        "f(np.array([20.0]))": 'np.seterr(all="ignore")\nf(np.array([20.0]))',
    },
    "A socket": {
        "def f(x):\n    s = socket.socket()": "def f(x):",
        "f(np.array([20.0]))": "s = socket.socket()\ns.close()\nf(np.array([20.0]))",
    },
    "A thread": {
        "    threading.Thread(target=print).start()\n": "",
        "f(np.array([20.0]))": "t = threading.Thread(target=int)\nt.start()\nt.join()\nf(np.array([20.0]))",
    },
    "A process": {
        '    subprocess.run(["true"])\n': "",
        "f(np.array([20.0]))": 'subprocess.run(["true"])\nf(np.array([20.0]))',
    },
    "A value per thread": {
        "f(x)": "f(x, scale)",
        "local.scale\n\n\nf(": "scale\n\n\nf(",
        "20.0])": "20.0]), local.scale",
    },
    "A context variable": {"f(x)": "f(x, factor)", "scale.get()": "factor", "20.0])": "20.0]), scale.get()"},
    "An iterator from outside": {"next(numbers)": "next(iter(numbers))", "iter([1, 2, 3])": "[1, 2, 3]"},
    "Lines of an open file": {
        "return x + float(next(lines))": "for line in lines:\n        x = x + float(line)\n    return x",
        'io.StringIO("1\\n2\\n")': 'list(io.StringIO("1\\n2\\n"))',
    },
    "A bytearray from outside": {
        "    data.append(3)\n    return x": "    return x",
        "f(np.array([20.0]))": "data.append(3)\nf(np.array([20.0]))",
    },
    "A progress bar": {
        "    bar = tqdm(total=len(x))\n    for v in x:": "    for v in tqdm(x, disable=True):",
        "        bar.update(1)\n": "",
    },
    "All attributes of an object at once": {'vars(options)["scale"]': "options.scale"},
    "A staged value kept by code that is not converted": {
        "    keep(x)\n    return": "    return",
        "f(np.array([20.0]))": "keep(f(np.array([20.0])))\nkept",
    },
    "A long list from outside": {"range(2000)]": "range(2000)]\ntable = tuple(table)"},
    "A long dict from outside": {
        "def f(x)": "def f(x, prices)",
        "np.array([20.0])": "np.array([20.0]), prices",
    },
    "A set of objects from outside": {"{Box()}": "[Box()]"},
    "A function with a cache and an effect": {"weight(n)\n\n\nf": "weight.__wrapped__(n)\n\n\nf"},
    "An iterator that is stored outside": {
        "    kept.append(v for v in x)\n    return x": "    return x",
        "f(np.array([1.0]))": "kept.append(v for v in f(np.array([1.0])))\n[*kept[0]]",
    },
    "A function that is made inside and returned": {
        "lambda: y": "y",
        "f(np.array([1.0]))": "y = f(np.array([1.0]))\n(lambda: y)()",
    },
    "Shuffling in place": {
        "    random.shuffle(xs)\n": "",
        "f([1, 2, 3])": "xs = [1, 2, 3]\nrandom.Random(3).shuffle(xs)\nf(xs)",
    },
    "The same object among the arguments": {"x is y": "x == y"},
    "The hash of staged numbers": {
        "hash((int(x[0]), int(x[1]))) % 8": "x[0], x[1]",
        "bucket(np.array([0, 1]))": "hash(bucket(np.array([0, 1]))) % 8",
    },
    "An attribute that a class gets in a branch": {"    pass": "    last = 0.0"},
    "An object array": {
        "f(np.array([1, None], dtype=object))": "f(np.array([1, 2], dtype=object).astype(np.float64))"
    },
    "A masked array": {"mask=[0, 1])": "mask=[0, 1]).filled(0.0)"},
    "A structured array as a whole": {
        'np.sort(table, order="price")["count"]': 'table["count"][np.argsort(table["price"])]',
    },
    "A record that is returned or kept": {"table[0]": "table.price[0]"},
    "An array of strings": {
        "f(names):\n    return names[0]": "f(codes):\n    return codes[0]",
        'f(np.array(["a", "b"]))': (
            'names, codes = np.unique(np.array(["b", "a"]), return_inverse=True)\nnames[f(codes)]'
        ),
    },
    "An array of dates": {'dtype="datetime64[D]")': 'dtype="datetime64[D]").astype(np.int64)'},
    "A matrix": {"\nf(m)": "\nf(np.asarray(m))"},
    "A subclass of ndarray": {"np.zeros(2).view(Metres)": "np.asarray(np.zeros(2).view(Metres))"},
    "An array that cannot be staged in a list": {
        "np.array([None])": "np.array([2], dtype=object).astype(np.float64)"
    },
    "An array that cannot be staged in a global or an attribute": {
        'model.names = np.array(["a"])': (
            'model.names = np.array(["a"])\nnames, model.codes = np.unique(model.names, return_inverse=True)'
        ),
        "model.names[0]": "model.codes[0]",
        "f(np.array([1.0]))": "names[f(np.array([1.0]))]",
    },
    "A data frame": {"f(Frame())": "f(np.asarray(Frame()))"},
    "A table of pandas": {
        "def total(table)": "def total(price)",
        'table["price"].sum()': "price.sum()",
        "[1.5, 2.5]})": '[1.5, 2.5]})["price"].to_numpy()',
    },
    "A series of pandas": {"[1.5, 2.5])": "[1.5, 2.5]).to_numpy()"},
    "The wrong dtype for an input_signature": {"np.array([1, 2])": "np.array([1, 2]).astype('float64')"},
    "The wrong shape for an input_signature": {"[3]": "[None, 3]"},
    "A list or a number for an input_signature": {
        "f([1.0, 2.0, 3.0])": "f(np.asarray([1.0, 2.0, 3.0], dtype='float64'))"
    },
    "Too many arguments for an input_signature": {
        '"float64")]': '"float64"), rt.TensorSpec([], "float64")]',
        "2.0)": "np.array(2.0))",
    },
    "An input_signature of texts": {
        '["f64[3]"]': '[rt.TensorSpec([None, 3], "float64")]',
        "x + 1": "x + 1\n\n\nf(np.ones((2, 3)))",
    },
    "An input_signature that is no list": {
        "rt.TensorSpec([3])": "[rt.TensorSpec([3])]",
        "x + 1": "x + 1\n\n\nf(np.ones(3))",
    },
    "A misspelled dtype": {"flaot64": "float64"},
    "A dtype that cannot be staged": {"datetime64[D]": "int64"},
    "A shape that is none": {'"n"': "None"},
    "A negative length": {"-1": "None"},
    "A misspelled engine": {"nativ": "native", "x + 1": "x + 1\n\n\nf(1.0)"},
    "An engine in place of the function": {'"native"': 'engine="native"', "x + 1": "x + 1\n\n\nf(1.0)"},
    "A class is decorated": {
        "@rt.function\nclass": "class",
        "    def": "    @rt.function\n    def",
        "return x": "return x\n\n\nModel()(1.0)",
    },
    "A ufunc is decorated": {"np.sin)": "lambda x: np.sin(x))(0.0)"},
    "What is decorated is no function": {"3)": "lambda: 3)()"},
    "A Tensor of strings": {'["a"]': "[1.0]"},
    "A Tensor of strings in a staged function": {'"a"': "1.0"},
    "A view as another class": {"x.view(np.matrix)": "x"},
    "np.where without `out` and with `where`": {
        "np.sqrt(x, where=x > 0)": (
            "np.sqrt(x, where=x > 0, out=np.zeros(2)), np.where(x > 0, np.sqrt(np.abs(x)), 0)"
        ),
    },
    "An array from outside that is hidden in an object": {
        "f(x)": "f(x, values)",
        'object.__getattribute__(table, "values")\n\n\n': "values\n\n\n",
        "f(np.ones(2))": 'f(np.ones(2), object.__getattribute__(table, "values"))',
    },
    "Too large a trace": {
        "for row in ((1.0,) * 150,) * 150:": "for row in np.array(((1.0,) * 150,) * 150):",
    },
    "A function that is saved before it was called": {
        'rt.save("double", double)': 'rt.save("double", double, rt.TensorSpec([None, 3]))',
    },
    "An argument that is written and exported to ONNX": {
        "    x /= x.sum()": "    x = x.copy()\n    x /= x.sum()"
    },
    "An operation that ONNX does not have": {
        "np.convolve(x, np.ones(3) / 3)": "(x[:-2] + x[1:-1] + x[2:]) / 3"
    },
    "A result that no file can describe": {"return Range(x.min(), x.max())": "return x.min(), x.max()"},
    "A function that is saved and needs Python": {
        "    model.last = x.sum()\n    return x * model.scale": "    return x * model.scale, x.sum()",
    },
    "A gradient with respect to an int": {"(2.0, 3)": "(2.0, float(3))"},
    "A gradient function that forgets an argument": {"lambda g: g * factor": "lambda g: (g * factor, None)"},
    "A gradient of a text": {'f"the sum is {x.sum()}"': "x.sum()"},
    "A gradient of an array": {"rt.grad(": "rt.jacobian("},
    "A gradient of a function that returns nothing": {"np.sum(x * x)": "return np.sum(x * x)"},
    "argnums beyond the arguments": {"argnums=2": "argnums=1"},
    "A result that depends on the argument through an int only": {"int(x * 10)": "(x * 10)"},
    "A direction of another shape": {"np.ones(2)": "np.ones(3)"},
    "`rt.remat` of a function with an effect": {'    print("called")\n': ""},
    "A variable made by each call": {
        "@rt.function\ndef count():\n    calls = rt.Variable(0)\n": "@rt.function\ndef count(calls):\n",
        "count()\ncount()": "calls = rt.Variable(0)\ncount(calls)\ncount(calls)",
    },
    "A variable made on a condition": {
        "    if x.sum() > 0:\n        scale = rt.Variable(x.sum())\n        x = x / scale": (
            "    if x.sum() > 0:\n        scale.assign(x.sum())\n        x = x / scale"
        ),
        "@rt.function": "scale = rt.Variable(1.0)\n\n\n@rt.function",
    },
    "A NaN while check_numerics is on": {
        "np.log(p)": "np.log(np.where(p > 0, p, 1.0))",
        "    entropy(np": "    print(entropy(np",
        "0.0]))": "0.0])))",
    },
    "A number that outgrows 64 bits": {"n * n": "float(n) * n"},
    "x.item() of an array of unknown length": {"x.item()": "x[0]"},
    "np.shares_memory": {
        "np.shares_memory(x, y)\n\n\n": "x + y\n\n\n",
        "f(np.ones(2), np.ones(2))": "x, y = np.ones(2), np.ones(2)\n[np.shares_memory(x, y), f(x, y)]",
    },
    "round to a staged number of digits": {
        "f(x)": "f(x, digits)",
        "int(x[1])": "digits",
        "2.0])": "2.0]), 2",
    },
    "A note added to an exception": {
        "    try:\n        return": "    return",
        "    except ArithmeticError as error:\n": "",
        '        error.add_note("in f")\n        raise\n': "",
        "f(np.zeros(1))": (
            "try:\n    f(np.zeros(1))\nexcept ArithmeticError as error:\n"
            '    error.add_note("in f")\n    print(error.__notes__)'
        ),
    },
    "except* over staged values": {"except*": "except"},
    "A power that may be complex": {"float(x[0])": "complex(x[0])"},
    "An int to a negative power": {"int(n[0])": "float(n[0])"},
    "A zip is returned": {"zip(range(n), x)": "list(zip(range(n), x))"},
    "The native engine is demanded": {'engine="native"': 'engine="auto"'},
    "A concrete function with other arguments": {
        "two = f.get_concrete_function(np.zeros(2))\n": "",
        "two(": "f(",
    },
    "A concrete function with too few arguments": {
        "two = f.get_concrete_function(np.zeros(2), np.zeros(2))\n": "",
        "two(np.zeros(2))": "f(np.zeros(2), np.zeros(2))",
    },
    "A misspelled option of rt.function": {"pyton": "python", "x + 1": "x + 1\n\n\nf(1.0)"},
    "An option that does not exist": {"jit=True": 'engine="native"', "x + 1": "x + 1\n\n\nf(1.0)"},
    "A function made by exec": {
        'exec("def f(x):\\n    return x + 1")': (
            'text = "def f(x):\\n    return x + 1"\n'
            'filename = autograph.register_source(text)\nexec(compile(text, filename, "exec"))'
        ),
        "rt.function(f)": "rt.function(f)(1.0)",
    },
    "A built-in function to convert": {"len)": "lambda x: len(x))([1])"},
    "A class to convert": {
        "autograph.convert(Model)": "Model.__call__ = autograph.convert(Model.__call__)\nModel()(1.0)"
    },
    "The name `ag__`": {"ag__": "three", "+ three": "+ three\n\n\nf(1.0)"},
    "A lambda made by eval": {
        'f = eval("lambda x: x + 1")': (
            'text = "lambda x: x + 1"\n'
            'filename = autograph.register_source(text)\nf = eval(compile(text, filename, "eval"))'
        ),
        "rt.function(f)": "rt.function(f)(1.0)",
    },
    "A value is converted": {"3)": "lambda: 3)()"},
    "A compiled module is converted": {
        "import math": "import fractions as math",
        "(math)": "(math).Fraction(1, 3)",
    },
    "The name of a module is converted": {
        'autograph.convert_module("math")': (
            "import textwrap\n\nautograph.convert_module(textwrap).shorten('a b', 9)"
        ),
    },
    "do_not_convert of a value": {"do_not_convert(3)": "do_not_convert(len)([1])"},
    "register_source of something else": {"print": '"x = 1", "<mine>"'},
    "The converted text of a built-in function": {
        "autograph.to_code(len)": "def size(x):\n    return len(x)\n\n\nautograph.to_code(size).count('len')",
    },
    "A result that is a constant": {"return 1.0": "return 1.0 * x.sum()"},
    "wrt of an array that the function does not read": {"weights.copy()": "weights"},
    "A tape that is used twice": {"GradientTape()": "GradientTape(persistent=True)"},
    "A tape that is to watch an array": {
        "x = np.ones(3)": "x = rt.constant(np.ones(3))",
        "    tape.watch(x)": "    tape.watch(x)\n    y = x.sum()\ntape.gradient(y, x)",
    },
    "A tape and a number that left it": {"float(w[0])": "w[0]"},
    "A tape and a function that draws random numbers": {
        "noisy():": "noisy(noise):",
        "* rng.normal(size=2)": "* noise",
        "noisy()\ntape": "noisy(rng.normal(size=2))\ntape",
    },
    "A gradient in another block than its tape": {
        "    if loss > 0:\n        w.assign_sub(tape.gradient(loss, w))": (
            "    slope = tape.gradient(loss, w)\n    if loss > 0:\n        w.assign_sub(slope)"
        ),
    },
}
