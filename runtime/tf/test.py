"""`tf.test`: assertions about tensors, for `unittest`."""

from __future__ import annotations

import tempfile
import unittest
from typing import Any

import numpy as np
import optree

from runtime.tf.dtypes import as_dtype
from runtime.tf.names import refusing
from runtime.tf.tensors import Tensor

main = unittest.main


class TestCase(unittest.TestCase):
    """A test case whose assertions take tensors, arrays, numbers, and structures of these."""

    def evaluate(self, tensors: Any) -> Any:
        """Tensors as arrays of NumPy."""
        return optree.tree_map(lambda x: np.asarray(x)[()] if isinstance(x, Tensor) else x, tensors)

    def get_temp_dir(self) -> str:
        if not hasattr(self, "_folder"):
            self._folder = tempfile.TemporaryDirectory()
            self.addCleanup(self._folder.cleanup)
        return self._folder.name

    def _array(self, value: Any) -> Any:
        return np.asarray(self.evaluate(value))

    def _each(self, check: Any, a: Any, b: Any, msg: Any) -> None:
        """Checks what is at the same place of two structures."""
        if isinstance(a, dict):
            self.assertEqual(set(a), set(b), msg)
            for key in a:
                self._each(check, a[key], b[key], msg)
        elif isinstance(a, list | tuple) and any(isinstance(x, dict | list | tuple | Tensor) for x in a):
            self.assertEqual(len(a), len(b), msg)
            for x, y in zip(a, b, strict=True):
                self._each(check, x, y, msg)
        else:
            check(self._array(a), self._array(b), err_msg=msg or "")

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Of one shape, and equal; NaN equals NaN."""

        def check(x: Any, y: Any, err_msg: str) -> None:
            self.assertEqual(x.shape, y.shape, msg)
            np.testing.assert_array_equal(x, y, err_msg)

        self._each(check, a, b, msg)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None) -> None:
        def check(x: Any, y: Any, err_msg: str) -> None:
            self.assertEqual(x.shape, y.shape, msg)
            np.testing.assert_allclose(x, y, rtol, atol, err_msg=err_msg)

        self._each(check, a, b, msg)

    def assertAllCloseAccordingToType(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """As close as the narrower of two dtypes may be."""
        sizes = [np.finfo(x.dtype).eps for x in map(self._array, (a, b)) if x.dtype.kind in "fc"]
        if sizes and max(sizes) > 1e-4:  # float16
            rtol, atol = max(rtol, 1e-3), max(atol, 1e-3)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        with self.assertRaises(AssertionError, msg=msg):
            self.assertAllEqual(a, b)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        with self.assertRaises(AssertionError, msg=msg):
            self.assertAllClose(a, b, rtol, atol)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        self.assertTrue(np.all(self._array(a) > self._array(comparison_target)), a)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        self.assertTrue(np.all(self._array(a) >= self._array(comparison_target)), a)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        self.assertTrue(np.all(self._array(a) < self._array(comparison_target)), a)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        self.assertTrue(np.all(self._array(a) <= self._array(comparison_target)), a)

    def assertAllInRange(self, target: Any, lower_bound: Any, upper_bound: Any) -> None:
        found = self._array(target)
        self.assertTrue(np.all((lower_bound <= found) & (found <= upper_bound)), target)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        self.assertLessEqual(set(self._array(target).ravel().tolist()), set(expected_set))

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Any = None) -> None:
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        self.assertEqual(as_dtype(self._array(target).dtype), as_dtype(expected_dtype))

    def assertNear(self, f1: Any, f2: Any, err: float, msg: Any = None) -> None:
        self.assertLessEqual(abs(float(self._array(f1)) - float(self._array(f2))), err, msg)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        self.assertAllClose(farray1, farray2, 0.0, err, msg)

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        self.assertLen(container, 0, msg)

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        self.assertGreater(len(container), 0, msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        self.assertTrue(minv <= value <= maxv, msg)

    def assertStartsWith(self, actual: str, expected_start: str, msg: Any = None) -> None:
        self.assertTrue(actual.startswith(expected_start), msg or actual)


__getattr__ = refusing(__name__, "tf.test")
