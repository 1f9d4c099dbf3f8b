"""The inner loops of the tree search, on all the lanes of the processor at once.

A leaf's records and a block's children lie side by side, column by column. These functions walk down the columns
with one number per record or child in vector registers, and return a bit for each that passes the threshold. numba
alone leaves the sums in memory and spends three quarters of the time around loops of 16 or 32 steps. LLVM turns the
vectors into what the processor at hand has; sums are in the order written and nothing is fused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba.core.cgutils
import numba.extending
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from shoal.partition.tree import FAN, LEAF

__all__ = ["bits_of_far_children", "bits_of_far_records", "bits_of_near_children", "bits_of_near_records", "lowest_bit"]

cgutils: Any = numba.core.cgutils
intrinsic: Any = numba.extending.intrinsic
_FLOAT = ir.FloatType()


class _Lanes:
    """As many single-precision numbers as there are lanes, with the arithmetic to write formulas."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder = builder
        self.value = value

    def __add__(self, other: _Lanes) -> _Lanes:
        return _Lanes(self.builder, self.builder.fadd(self.value, other.value))

    def __sub__(self, other: _Lanes) -> _Lanes:
        return _Lanes(self.builder, self.builder.fsub(self.value, other.value))

    def __mul__(self, other: _Lanes) -> _Lanes:
        return _Lanes(self.builder, self.builder.fmul(self.value, other.value))

    def at_least(self, other: _Lanes) -> _Lanes:
        larger = self.builder.fcmp_ordered(">", self.value, other.value)
        return _Lanes(self.builder, self.builder.select(larger, self.value, other.value))

    def at_most(self, other: _Lanes) -> _Lanes:
        smaller = self.builder.fcmp_ordered("<", self.value, other.value)
        return _Lanes(self.builder, self.builder.select(smaller, self.value, other.value))

    def square(self) -> _Lanes:
        return self * self

    def root(self) -> _Lanes:
        kind = self.value.type
        name = f"llvm.sqrt.v{kind.count}f32"
        function = cgutils.get_or_insert_function(self.builder.module, ir.FunctionType(kind, [kind]), name)
        return _Lanes(self.builder, self.builder.call(function, [self.value]))

    def bits(self, comparison: str, other: _Lanes) -> Any:
        """Return a whole number with a bit for every lane where the comparison holds; it does not with NaN."""
        passed = self.builder.fcmp_ordered(comparison, self.value, other.value)
        mask = self.builder.bitcast(passed, ir.IntType(self.value.type.count))
        return self.builder.zext(mask, ir.IntType(64))


class _Columns:
    """Reads arrays, inside a generated function, in vectors of `width` lanes."""

    def __init__(self, context: Any, builder: Any, width: int) -> None:
        self.context = context
        self.builder = builder
        self.type = ir.VectorType(_FLOAT, width)
        self.width = width

    def pointer(self, kind: Any, array: Any, *index: Any) -> Any:
        """Return the address of an element of an array."""
        struct = self.context.make_array(kind)(self.context, self.builder, array)
        return cgutils.get_item_pointer(self.context, self.builder, kind, struct, list(index))

    def number(self, value: Any) -> _Lanes:
        """Put one number into every lane."""
        one = self.builder.insert_element(ir.Constant(self.type, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
        every = ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width)
        return _Lanes(self.builder, self.builder.shuffle_vector(one, ir.Constant(self.type, ir.Undefined), every))

    def constant(self, value: float) -> _Lanes:
        return _Lanes(self.builder, ir.Constant(self.type, [value] * self.width))

    def load(self, pointer: Any) -> _Lanes:
        return _Lanes(self.builder, self.builder.load(self._as_vector(pointer), align=4))

    def store(self, lanes: _Lanes, pointer: Any) -> None:
        self.builder.store(lanes.value, self._as_vector(pointer), align=4)

    def _as_vector(self, pointer: Any) -> Any:
        return self.builder.bitcast(pointer, self.type.as_pointer())

    def sums(self, count: Any, terms: Callable[[Any], list[_Lanes]], how_many: int) -> list[_Lanes]:
        """Sum `how_many` terms over the columns 0 to `count` - 1, each sum in the order of the columns."""
        totals = [cgutils.alloca_once_value(self.builder, self.constant(0.0).value) for _ in range(how_many)]
        with cgutils.for_range(self.builder, count) as loop:
            for total, term in zip(totals, terms(loop.index), strict=True):
                self.builder.store((_Lanes(self.builder, self.builder.load(total)) + term).value, total)
        return [_Lanes(self.builder, self.builder.load(total)) for total in totals]


def _records(comparison: str) -> Callable[..., Any]:
    def typed(typing_context: Any, points: Any, leaf: Any, image: Any, threshold: Any) -> Any:
        signature = types.int64(points, types.int64, image, types.float32)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            points, leaf, image, threshold = arguments
            columns = _Columns(context, builder, LEAF)
            zero = ir.Constant(ir.IntType(64), 0)
            points_kind, image_kind = signature.args[0], signature.args[2]
            d = builder.extract_value(context.make_array(image_kind)(context, builder, image).shape, 0)

            def terms(j: Any) -> list[_Lanes]:
                x = columns.number(builder.load(columns.pointer(image_kind, image, j)))
                return [(columns.load(columns.pointer(points_kind, points, leaf, j, zero)) - x).square()]

            (distances,) = columns.sums(d, terms, 1)
            return distances.bits(comparison, columns.number(threshold))

        return signature, generate

    return typed


@intrinsic
def bits_of_near_records(typing_context, points, leaf, image, threshold):  # type: ignore[no-untyped-def]
    """Bits of the records of a leaf whose squared distance to `image` is at most `threshold`."""
    return _records("<=")(typing_context, points, leaf, image, threshold)


@intrinsic
def bits_of_far_records(typing_context, points, leaf, image, threshold):  # type: ignore[no-untyped-def]
    """Bits of the records of a leaf whose squared distance to `image` is at least `threshold`."""
    return _records(">=")(typing_context, points, leaf, image, threshold)


@intrinsic
def bits_of_near_children(typing_context, low, high, block, image, threshold, out):  # type: ignore[no-untyped-def]
    """Bits of the children of a block whose box is at most `threshold` from `image`; distances go to `out`."""
    signature = types.int64(low, high, types.int64, image, types.float32, out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        low, high, block, image, threshold, out = arguments
        low_kind, high_kind, _, image_kind, _, out_kind = signature.args
        columns = _Columns(context, builder, FAN)
        zero = ir.Constant(ir.IntType(64), 0)
        d = builder.extract_value(context.make_array(image_kind)(context, builder, image).shape, 0)

        def terms(j: Any) -> list[_Lanes]:
            x = columns.number(builder.load(columns.pointer(image_kind, image, j)))
            below = columns.load(columns.pointer(low_kind, low, block, j, zero)) - x
            above = x - columns.load(columns.pointer(high_kind, high, block, j, zero))
            return [below.at_least(above).at_least(columns.constant(0.0)).square()]

        (distances,) = columns.sums(d, terms, 1)
        columns.store(distances, columns.pointer(out_kind, out, zero))
        return distances.bits("<=", columns.number(threshold))

    return signature, generate


@intrinsic
def bits_of_far_children(typing_context, tree, block, image, from_centre, limits, threshold, out):  # type: ignore[no-untyped-def]
    """Bits of the children of a block that may hold a record `threshold` or more from `image`; bounds go to `out`.

    `limits` has |p|, |p|^2 with its slack, 1 + rounding and 1 - rounding. The bound is the least of four. With
    u = record - centre and p = image - centre (`from_centre`), the squared distance is |u|^2 + |p|^2 - 2 u.p, and
    |u|^2 is at most `reach`:

    1. to the farthest corner of the box;
    2. reach + |p|^2 - 2 u.p, u.p at its least in the box;
    3. to the far side of the ball;
    4. reach + |p|^2 - 2 u.p, u.p at its least in the ball, written with the distance to the ball's middle.
    """
    signature = types.int64(tree, types.int64, image, from_centre, limits, types.float32, out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        tree, block, image, from_centre, limits, threshold, out = arguments
        tree_kind, _, image_kind, from_centre_kind, limits_kind, _, out_kind = signature.args
        columns = _Columns(context, builder, FAN)
        zero = ir.Constant(ir.IntType(64), 0)
        d = builder.extract_value(context.make_array(image_kind)(context, builder, image).shape, 0)

        def of_tree(name: str, *index: Any) -> Any:
            position = tree_kind.fields.index(name)
            return columns.pointer(tree_kind.types[position], builder.extract_value(tree, position), *index)

        def every(pointer: Any) -> _Lanes:
            return columns.number(builder.load(pointer))

        def terms(j: Any) -> list[_Lanes]:
            x = every(columns.pointer(image_kind, image, j))
            p = every(columns.pointer(from_centre_kind, from_centre, j))
            centre = every(of_tree("centre", j))
            low = columns.load(of_tree("low", block, j, zero))
            high = columns.load(of_tree("high", block, j, zero))
            middle = columns.load(of_tree("middle", block, j, zero))
            corner = (x - low).at_least(high - x).square()
            inner = (p * (low - centre)).at_most(p * (high - centre))
            return [corner, inner, (middle - x).square()]

        corner, inner, to_middle = columns.sums(d, terms, 3)
        length, square, up, down = (
            every(columns.pointer(limits_kind, limits, ir.Constant(ir.IntType(64), i))) for i in range(4)
        )
        two = columns.constant(2.0)
        reach = columns.load(of_tree("reach", block, zero))
        radius = columns.load(of_tree("radius", block, zero))
        middle_norm = columns.load(of_tree("middle_norm", block, zero))
        in_box = reach + square - two * inner
        ball = (to_middle.root() * up + radius).square()
        in_ball = (to_middle + reach + two * radius * length) * up - middle_norm * down
        bound = corner.at_most(in_box).at_most(ball.at_most(in_ball))
        columns.store(bound, columns.pointer(out_kind, out, zero))
        return bound.bits(">=", columns.number(threshold))

    return signature, generate


@intrinsic
def lowest_bit(typing_context, bits):  # type: ignore[no-untyped-def]
    """Return the position of the lowest bit that is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
