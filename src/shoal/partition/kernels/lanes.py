"""The inner loops of the tree search, on all the lanes of the processor at once.

A leaf's records and a block's children lie side by side, column by column. These functions walk down the columns
with one number per record or child in vector registers, and return a bit for each that passes the threshold. numba
alone leaves the sums in memory and spends three quarters of the time around loops of 16 or 32 steps. LLVM turns the
vectors into what the processor at hand has, and fuses a product with the sum it is added to where there is an
instruction for that: these sums only screen, and their bounds hold either way. Sums in double precision are not
fused: they are, to the last bit, what `squared_distance` computes.

In a tree with nominal columns the squares of the first columns count up to the caps of `coded` or, if the distance is
one to a centroid, of `centroid`; both are None elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from shoal.partition.kernels.compiled import intrinsic
from shoal.partition.kernels.tree import FAN, LEAF
from shoal.partition.kernels.vectors import Columns, Factors, Lanes, cgutils

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

_FIRST_LOOK = 4  # columns, on the longest axes, that already rule out most leaves as too far


def _caps(columns: Columns, kinds: tuple[Any, Any], values: tuple[Any, Any]) -> tuple[Any, Any, Any] | None:
    """Return the type of `caps`, the array and how many columns it counts for; None in a tree without codes.

    `kinds` and `values` are of a `Coded` and of a `Centroid`, whose caps are taken if it is there.
    """
    if isinstance(kinds[0], types.NoneType):
        return None

    def field(which: int, name: str) -> tuple[Any, Any]:
        position = kinds[which].fields.index(name)
        return kinds[which].types[position], columns.builder.extract_value(values[which], position)

    return *field(0 if isinstance(kinds[1], types.NoneType) else 1, "caps"), field(0, "capped")[1]


def _all_sums(columns: Columns, caps: tuple[Any, Any, Any] | None, d: Any, factors: Factors, count: int) -> list[Lanes]:
    """Sum `count` products over all columns."""
    if caps is None:
        return columns.sums(d, factors, count)
    return columns.more_sums(columns.sums_with_caps(*caps, factors, count), caps[2], d, factors)


def _records(comparison: str) -> Callable[..., Any]:
    def typed(points: Any, image: Any, coded: Any, centroid: Any) -> Any:
        signature = types.int64(points, types.int64, image, points.dtype, coded, centroid)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            points, leaf, image, threshold = arguments[:4]
            points_kind, _, image_kind = signature.args[:3]
            columns = Columns(context, builder, points_kind, LEAF)
            caps = _caps(columns, signature.args[4:], arguments[4:])
            zero = ir.Constant(ir.IntType(64), 0)
            d = columns.length(image_kind, image)

            def factors(j: Any) -> list[tuple[Lanes, Lanes]]:
                x = columns.number(builder.load(columns.pointer(image_kind, image, j)))
                z = columns.load(columns.pointer(points_kind, points, leaf, j, zero)) - x
                return [(z, z)]

            if comparison == "<=":
                if caps is None:
                    few = ir.Constant(ir.IntType(64), _FIRST_LOOK)
                    some = builder.select(builder.icmp_signed("<", d, few), d, few)
                    (distances,) = columns.sums(some, factors, 1)
                else:
                    some = caps[2]
                    (distances,) = columns.sums_with_caps(*caps, factors, 1)
                result = cgutils.alloca_once_value(builder, distances.bits(comparison, columns.number(threshold)))
                with builder.if_then(builder.icmp_unsigned("!=", builder.load(result), zero)):
                    (distances,) = columns.more_sums([distances], some, d, factors)
                    builder.store(distances.bits(comparison, columns.number(threshold)), result)
                return builder.load(result)

            (distances,) = _all_sums(columns, caps, d, factors, 1)
            return distances.bits(comparison, columns.number(threshold))

        return signature, generate

    return typed


@intrinsic
def bits_of_near_records(typing_context, points, leaf, image, threshold, coded, centroid):  # type: ignore[no-untyped-def]
    """Bits of the records of a leaf whose squared distance to `image` is at most `threshold`."""
    return _records("<=")(points, image, coded, centroid)


@intrinsic
def bits_of_far_records(typing_context, points, leaf, image, threshold, coded, centroid):  # type: ignore[no-untyped-def]
    """Bits of the records of a leaf whose squared distance to `image` is at least `threshold`."""
    return _records(">=")(points, image, coded, centroid)


@intrinsic
def bits_of_near_children(typing_context, low, high, block, image, threshold, coded, out):  # type: ignore[no-untyped-def]
    """Bits of the children of a block whose box is at most `threshold` from `image`; distances go to `out`."""
    signature = types.int64(low, high, types.int64, image, low.dtype, coded, out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        low, high, block, image, threshold, coded, out = arguments
        low_kind, high_kind, _, image_kind, _, coded_kind, out_kind = signature.args
        columns = Columns(context, builder, low_kind, FAN)
        caps = _caps(columns, (coded_kind, types.none), (coded, None))
        zero = ir.Constant(ir.IntType(64), 0)
        d = columns.length(image_kind, image)

        def factors(j: Any) -> list[tuple[Lanes, Lanes]]:
            x = columns.number(builder.load(columns.pointer(image_kind, image, j)))
            below = columns.load(columns.pointer(low_kind, low, block, j, zero)) - x
            above = x - columns.load(columns.pointer(high_kind, high, block, j, zero))
            z = below.at_least(above).at_least(columns.constant(0.0))
            return [(z, z)]

        (distances,) = _all_sums(columns, caps, d, factors, 1)
        columns.store(distances, columns.pointer(out_kind, out, zero))
        return distances.bits("<=", columns.number(threshold))

    return signature, generate


@intrinsic
def bits_of_far_children(typing_context, tree, block, image, from_centre, mirror, limits, threshold, centroid, out):  # type: ignore[no-untyped-def]
    """Bits of the children of a block that may hold a record `threshold` or more from `image`; bounds go to `out`.

    The bound is the least of three. With u = record - centre and p = image - centre (`from_centre`), and |u|^2 at
    most `reach`, the squared distance |u - p|^2 is at most

    1. that to the farthest corner of the box;
    2. reach + |p|^2 - 2 u.p, with u.p at its least in the box;
    3. 2 reach + 2 |p|^2 - |u + p|^2 (the parallelogram law), with the box's distance to `mirror`, centre - p.

    `limits` has |p|^2, |p|^2 + 2 centre.p, both with the slack for what cancels in 2 and 3, and 1 - rounding. Where 2
    or 3 is not a number, because squares overflow, 1 is left. What nominal columns add to 2 and 3 is in `limits` too:
    there `from_centre` is 0 and `mirror` not a number, which adds nothing more.
    """
    signature = types.int64(tree, types.int64, image, from_centre, mirror, limits, image.dtype, centroid, out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        tree, block, image, from_centre, mirror, limits, threshold, centroid, out = arguments
        tree_kind, _, image_kind, from_centre_kind, mirror_kind, limits_kind, _, centroid_kind, out_kind = (
            signature.args
        )
        columns = Columns(context, builder, image_kind, FAN)
        position = tree_kind.fields.index("coded")
        coded = builder.extract_value(tree, position)
        caps = _caps(columns, (tree_kind.types[position], centroid_kind), (coded, centroid))
        zero = ir.Constant(ir.IntType(64), 0)
        d = columns.length(image_kind, image)

        def of_tree(name: str, *index: Any) -> Any:
            position = tree_kind.fields.index(name)
            return columns.pointer(tree_kind.types[position], builder.extract_value(tree, position), *index)

        def every(pointer: Any) -> Lanes:
            return columns.number(builder.load(pointer))

        def factors(j: Any) -> list[tuple[Lanes, Lanes]]:
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

        corner, inner, outside = _all_sums(columns, caps, d, factors, 3)
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
        columns = Columns(context, builder, points_kind, LEAF)
        zero = ir.Constant(ir.IntType(64), 0)
        d = columns.length(image_kind, image)

        def factors(j: Any) -> list[tuple[Lanes, Lanes]]:
            x = columns.number(builder.load(columns.pointer(image_kind, image, j)))
            z = columns.load(columns.pointer(points_kind, points, leaf, j, zero)) - x
            return [(z, z)]

        (distances,) = columns.sums(d, factors, 1)
        columns.store(distances.at_least(columns.constant(-1.0)), columns.pointer(out_kind, out, row, zero))
        return context.get_dummy_value()

    return signature, generate


def _fit(width: int, bounds: Callable[..., tuple[Lanes, Lanes]], reach: str) -> Callable[..., Any]:
    """Make a function that fits the bounds of ``child`` of ``block`` to the `width` things ``inside`` it.

    `bounds` gives the lanes of what is inside, least and largest in a column; `reach` is the field to take the
    largest of. The function says whether a bound moved.
    """

    def typed(typing_context: Any, tree: Any, inside: Any, block: Any, child: Any) -> Any:
        signature = types.boolean(tree, types.int64, types.int64, types.int64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            tree, inside, block, child = arguments
            tree_kind = signature.args[0]
            columns = Columns(context, builder, tree_kind.types[tree_kind.fields.index("points")], width)
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


def _records_of_leaf(columns: Columns, of_tree: Callable[..., Any], leaf: Any, j: Any) -> tuple[Lanes, Lanes]:
    zero = ir.Constant(ir.IntType(64), 0)
    is_there = columns.load(of_tree("points", leaf, zero, zero)).is_number()
    x = columns.load(of_tree("points", leaf, j, zero))
    return x.where(is_there, columns.constant(float("inf"))), x.where(is_there, columns.constant(float("-inf")))


def _children_of_block(columns: Columns, of_tree: Callable[..., Any], block: Any, j: Any) -> tuple[Lanes, Lanes]:
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
