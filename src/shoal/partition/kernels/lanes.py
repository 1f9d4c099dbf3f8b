"""The inner loops of the tree search, on all the lanes of the processor at once.

A leaf's records and a block's children lie side by side, column by column. These functions walk down the columns
with one number per record or child in vector registers, and return a bit for each that passes the threshold. numba
alone leaves the sums in memory and spends three quarters of the time around loops of 16 or 32 steps. LLVM turns the
vectors into what the processor at hand has, and fuses a product with the sum it is added to where there is an
instruction for that: these sums only screen, and their bounds hold either way. Sums in double precision are not
fused: they are, to the last bit, what `squared_distance` computes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba.core.cgutils
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from shoal.partition.kernels.compiled import intrinsic
from shoal.partition.kernels.tree import FAN, LEAF

__all__ = [
    "bits_of_far_children",
    "bits_of_far_records",
    "bits_of_near_children",
    "bits_of_near_records",
    "fit_block",
    "fit_leaf",
    "lowest_bit",
    "measure_leaf",
]

cgutils: Any = numba.core.cgutils
_FIRST_LOOK = 4  # columns, on the longest axes, that already rule out most leaves as too far


class _Lanes:
    """As many numbers as there are lanes, of single or double precision, with the arithmetic to write formulas."""

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

    def times(self, other: _Lanes, plus: _Lanes) -> _Lanes:
        kind = self.value.type
        if kind.element == ir.DoubleType():
            return self * other + plus
        name = f"llvm.fmuladd.v{kind.count}f32"
        function = cgutils.get_or_insert_function(self.builder.module, ir.FunctionType(kind, [kind] * 3), name)
        return _Lanes(self.builder, self.builder.call(function, [self.value, other.value, plus.value]))

    def where(self, test: Any, other: _Lanes) -> _Lanes:
        return _Lanes(self.builder, self.builder.select(test, self.value, other.value))

    def is_number(self) -> Any:
        return self.builder.fcmp_ordered("ord", self.value, self.value)

    def least(self) -> Any:
        return self._folded(_Lanes.at_most)

    def greatest(self) -> Any:
        return self._folded(_Lanes.at_least)

    def _folded(self, combine: Callable[[_Lanes, _Lanes], _Lanes]) -> Any:
        """Combine the lanes into one number, half with half."""
        lanes = self
        while (half := lanes.value.type.count // 2) > 0:
            kind = ir.VectorType(ir.IntType(32), half)
            halves = (ir.Constant(kind, list(range(start, start + half))) for start in (0, half))
            left, right = (self.builder.shuffle_vector(lanes.value, lanes.value, mask) for mask in halves)
            lanes = combine(_Lanes(self.builder, left), _Lanes(self.builder, right))
        return self.builder.extract_element(lanes.value, ir.Constant(ir.IntType(32), 0))

    def bits(self, comparison: str, other: _Lanes) -> Any:
        """Return a whole number with a bit for every lane where the comparison holds; it does not with NaN."""
        passed = self.builder.fcmp_ordered(comparison, self.value, other.value)
        mask = self.builder.bitcast(passed, ir.IntType(self.value.type.count))
        return self.builder.zext(mask, ir.IntType(64))


_Factors = Callable[[Any], list[tuple[_Lanes, _Lanes]]]


class _Columns:
    """Reads arrays of `kind`, inside a generated function, in vectors of `width` lanes."""

    def __init__(self, context: Any, builder: Any, kind: Any, width: int) -> None:
        self.context = context
        self.builder = builder
        self.type = ir.VectorType(context.get_value_type(kind.dtype), width)
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

    def sums(self, count: Any, factors: _Factors, how_many: int) -> list[_Lanes]:
        """Sum `how_many` products over the first `count` columns, each in the order of the columns."""
        return self.more_sums([self.constant(0.0)] * how_many, None, count, factors)

    def more_sums(self, so_far: list[_Lanes], start: Any, count: Any, factors: _Factors) -> list[_Lanes]:
        """Add the products of the columns `start` to `count` - 1 to sums of those before."""
        totals = [cgutils.alloca_once_value(self.builder, lanes.value) for lanes in so_far]
        with cgutils.for_range(self.builder, count, start=start) as loop:
            for total, (left, right) in zip(totals, factors(loop.index), strict=True):
                before = _Lanes(self.builder, self.builder.load(total))
                self.builder.store(left.times(right, plus=before).value, total)
        return [_Lanes(self.builder, self.builder.load(total)) for total in totals]


def _records(comparison: str) -> Callable[..., Any]:
    def typed(typing_context: Any, points: Any, leaf: Any, image: Any, threshold: Any) -> Any:
        signature = types.int64(points, types.int64, image, points.dtype)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            points, leaf, image, threshold = arguments
            points_kind, image_kind = signature.args[0], signature.args[2]
            columns = _Columns(context, builder, points_kind, LEAF)
            zero = ir.Constant(ir.IntType(64), 0)
            d = builder.extract_value(context.make_array(image_kind)(context, builder, image).shape, 0)

            def factors(j: Any) -> list[tuple[_Lanes, _Lanes]]:
                x = columns.number(builder.load(columns.pointer(image_kind, image, j)))
                z = columns.load(columns.pointer(points_kind, points, leaf, j, zero)) - x
                return [(z, z)]

            if comparison == "<=":
                few = ir.Constant(ir.IntType(64), _FIRST_LOOK)
                some = builder.select(builder.icmp_signed("<", d, few), d, few)
                (distances,) = columns.sums(some, factors, 1)
                result = cgutils.alloca_once_value(builder, distances.bits(comparison, columns.number(threshold)))
                with builder.if_then(builder.icmp_unsigned("!=", builder.load(result), zero)):
                    (distances,) = columns.more_sums([distances], some, d, factors)
                    builder.store(distances.bits(comparison, columns.number(threshold)), result)
                return builder.load(result)

            (distances,) = columns.sums(d, factors, 1)
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
    signature = types.int64(low, high, types.int64, image, low.dtype, out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        low, high, block, image, threshold, out = arguments
        low_kind, high_kind, _, image_kind, _, out_kind = signature.args
        columns = _Columns(context, builder, low_kind, FAN)
        zero = ir.Constant(ir.IntType(64), 0)
        d = builder.extract_value(context.make_array(image_kind)(context, builder, image).shape, 0)

        def factors(j: Any) -> list[tuple[_Lanes, _Lanes]]:
            x = columns.number(builder.load(columns.pointer(image_kind, image, j)))
            below = columns.load(columns.pointer(low_kind, low, block, j, zero)) - x
            above = x - columns.load(columns.pointer(high_kind, high, block, j, zero))
            z = below.at_least(above).at_least(columns.constant(0.0))
            return [(z, z)]

        (distances,) = columns.sums(d, factors, 1)
        columns.store(distances, columns.pointer(out_kind, out, zero))
        return distances.bits("<=", columns.number(threshold))

    return signature, generate


@intrinsic
def bits_of_far_children(typing_context, tree, block, image, from_centre, mirror, limits, threshold, out):  # type: ignore[no-untyped-def]
    """Bits of the children of a block that may hold a record `threshold` or more from `image`; bounds go to `out`.

    The bound is the least of three. With u = record - centre and p = image - centre (`from_centre`), and |u|^2 at
    most `reach`, the squared distance |u - p|^2 is at most

    1. that to the farthest corner of the box;
    2. reach + |p|^2 - 2 u.p, with u.p at its least in the box;
    3. 2 reach + 2 |p|^2 - |u + p|^2 (the parallelogram law), with the box's distance to `mirror`, centre - p.

    `limits` has |p|^2, |p|^2 + 2 centre.p, both with the slack for what cancels in 2 and 3, and 1 - rounding. Where 2
    or 3 is not a number, because squares overflow, 1 is left.
    """
    signature = types.int64(tree, types.int64, image, from_centre, mirror, limits, image.dtype, out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        tree, block, image, from_centre, mirror, limits, threshold, out = arguments
        tree_kind, _, image_kind, from_centre_kind, mirror_kind, limits_kind, _, out_kind = signature.args
        columns = _Columns(context, builder, image_kind, FAN)
        zero = ir.Constant(ir.IntType(64), 0)
        d = builder.extract_value(context.make_array(image_kind)(context, builder, image).shape, 0)

        def of_tree(name: str, *index: Any) -> Any:
            position = tree_kind.fields.index(name)
            return columns.pointer(tree_kind.types[position], builder.extract_value(tree, position), *index)

        def every(pointer: Any) -> _Lanes:
            return columns.number(builder.load(pointer))

        def factors(j: Any) -> list[tuple[_Lanes, _Lanes]]:
            x = every(columns.pointer(image_kind, image, j))
            m = every(columns.pointer(mirror_kind, mirror, j))
            p = builder.load(columns.pointer(from_centre_kind, from_centre, j))
            ends = of_tree("low", block, j, zero), of_tree("high", block, j, zero)
            low, high = (columns.load(end) for end in ends)
            corner = (x - low).at_least(high - x)
            is_positive = builder.fcmp_ordered(">", p, ir.Constant(p.type, 0.0))
            end = columns.load(builder.select(is_positive, *ends))
            outside = (low - m).at_least(m - high).at_least(columns.constant(0.0))
            return [(corner, corner), (columns.number(p), end), (outside, outside)]

        corner, inner, outside = columns.sums(d, factors, 3)
        square, square_and_move, down = (
            every(columns.pointer(limits_kind, limits, ir.Constant(ir.IntType(64), i))) for i in range(3)
        )
        two = columns.constant(2.0)
        reach = columns.load(of_tree("reach", block, zero))
        by_centre = (reach + square_and_move - two * inner).at_most(corner)
        bound = (two * (reach + square) - outside * down).at_most(by_centre)
        columns.store(bound, columns.pointer(out_kind, out, zero))
        return bound.bits(">=", columns.number(threshold))

    return signature, generate


@intrinsic
def measure_leaf(typing_context, points, leaf, image, out, row):  # type: ignore[no-untyped-def]
    """Write the squared distances of the records of a leaf to `image` to ``out[row]``, -1 where there is none."""
    signature = types.void(points, types.int64, image, out, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        points, leaf, image, out, row = arguments
        points_kind, _, image_kind, out_kind, _ = signature.args
        columns = _Columns(context, builder, points_kind, LEAF)
        zero = ir.Constant(ir.IntType(64), 0)
        d = builder.extract_value(context.make_array(image_kind)(context, builder, image).shape, 0)

        def factors(j: Any) -> list[tuple[_Lanes, _Lanes]]:
            x = columns.number(builder.load(columns.pointer(image_kind, image, j)))
            z = columns.load(columns.pointer(points_kind, points, leaf, j, zero)) - x
            return [(z, z)]

        (distances,) = columns.sums(d, factors, 1)
        columns.store(distances.at_least(columns.constant(-1.0)), columns.pointer(out_kind, out, row, zero))
        return context.get_dummy_value()

    return signature, generate


def _fit(width: int, bounds: Callable[..., tuple[_Lanes, _Lanes]], reach: str) -> Callable[..., Any]:
    """Make a function that fits the bounds of ``child`` of ``block`` to the `width` things ``inside`` it.

    `bounds` gives the lanes of what is inside, least and largest in a column; `reach` is the field to take the
    largest of. The function says whether a bound moved.
    """

    def typed(typing_context: Any, tree: Any, inside: Any, block: Any, child: Any) -> Any:
        signature = types.boolean(tree, types.int64, types.int64, types.int64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            tree, inside, block, child = arguments
            tree_kind = signature.args[0]
            columns = _Columns(context, builder, tree_kind.types[tree_kind.fields.index("points")], width)
            zero = ir.Constant(ir.IntType(64), 0)

            def of_tree(name: str, *index: Any) -> Any:
                position = tree_kind.fields.index(name)
                return columns.pointer(tree_kind.types[position], builder.extract_value(tree, position), *index)

            centre = tree_kind.fields.index("centre")
            array = context.make_array(tree_kind.types[centre])(context, builder, builder.extract_value(tree, centre))
            changed = cgutils.alloca_once_value(builder, cgutils.false_bit)

            def update(value: Any, pointer: Any) -> None:
                differs = builder.fcmp_unordered("!=", value, builder.load(pointer))
                builder.store(builder.or_(builder.load(changed), differs), changed)
                builder.store(value, pointer)

            with cgutils.for_range(builder, builder.extract_value(array.shape, 0)) as loop:
                low, high = bounds(columns, of_tree, inside, loop.index)
                update(low.least(), of_tree("low", block, loop.index, child))
                update(high.greatest(), of_tree("high", block, loop.index, child))
            update(columns.load(of_tree(reach, inside, zero)).greatest(), of_tree("reach", block, child))
            return builder.load(changed)

        return signature, generate

    return typed


def _records_of_leaf(columns: _Columns, of_tree: Callable[..., Any], leaf: Any, j: Any) -> tuple[_Lanes, _Lanes]:
    zero = ir.Constant(ir.IntType(64), 0)
    is_there = columns.load(of_tree("points", leaf, zero, zero)).is_number()
    x = columns.load(of_tree("points", leaf, j, zero))
    return x.where(is_there, columns.constant(float("inf"))), x.where(is_there, columns.constant(float("-inf")))


def _children_of_block(columns: _Columns, of_tree: Callable[..., Any], block: Any, j: Any) -> tuple[_Lanes, _Lanes]:
    zero = ir.Constant(ir.IntType(64), 0)
    return columns.load(of_tree("low", block, j, zero)), columns.load(of_tree("high", block, j, zero))


@intrinsic
def fit_leaf(typing_context, tree, leaf, block, child):  # type: ignore[no-untyped-def]
    """Fit the bounds of a leaf, child of `block`, to the records that remain; say whether one moved."""
    return _fit(LEAF, _records_of_leaf, "norms")(typing_context, tree, leaf, block, child)


@intrinsic
def fit_block(typing_context, tree, inside, block, child):  # type: ignore[no-untyped-def]
    """Fit the bounds of the block `inside`, child of `block`, to those of its children; say whether one moved."""
    return _fit(FAN, _children_of_block, "reach")(typing_context, tree, inside, block, child)


@intrinsic
def lowest_bit(typing_context, bits):  # type: ignore[no-untyped-def]
    """Return the position of the lowest bit that is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
