"""Structs of arrays and numbers, which compiled functions take as a single pointer.

numba passes a tuple as one argument for each number in it: a two-dimensional array takes seven. A
search that passes a tuple of fifty arrays from function to function spends most of its compile time
on these arguments. A `Struct` is a pointer to the addresses, shapes and strides of its arrays,
which are loaded where they are used. It is immutable, so the compiler may keep what it has loaded.

    @dataclass(frozen=True, eq=False)
    class Board(Struct):
        stones: NDArray[np.int8]
        k: int

The fields are arrays, integers, floats, booleans, tuples of integers and other structs. In compiled
code `board.stones` is an array without an owner: it must not be returned to Python.
`dataclasses.replace` makes a struct with other fields, and `allocate` one with new arrays.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

WORD = ir.IntType(64)  # every number of a struct takes as much
BYTES = ir.IntType(8).as_pointer()
StructT = TypeVar("StructT", bound="Struct")


class StructType(types.Type):
    """Numba type of a struct: its class and the types of its fields."""

    def __init__(self, name: str, members: tuple[tuple[str, Any], ...]) -> None:
        self.members = members
        digest = hashlib.sha256(repr(members).encode()).hexdigest()
        super().__init__(f"{name}.{digest[:16]}")


@dataclass(frozen=True, eq=False)
class Struct:
    """Base class of all structs, which are frozen dataclasses."""

    def __post_init__(self) -> None:
        members = [(each.name, getattr(self, each.name)) for each in fields(self)]
        types_of = tuple((name, _type_of(value)) for name, value in members)
        memory = np.array([w for _, value in members for w in _words(value)], np.int64)
        vars(self).update(
            _numba_type_=_struct_type(type(self).__name__, types_of),
            _memory=memory,
            _address=memory.ctypes.data,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Support copying and pickling: the copy has arrays of its own, at other addresses."""
        return type(self), tuple(getattr(self, each.name) for each in fields(self))


def allocate(kind: type[StructT], sizes: Mapping[str, int], **given: Any) -> StructT:
    """Return a struct of the given fields and of new arrays.

    The annotation of an array names its lengths, which are in `sizes` or numbers, and its first
    values unless they are 0: `Annotated[NDArray[np.int16], "plies, 2", NONE]`.

    Args:
        kind: the class of the struct.
        sizes: the lengths by the names that the annotations use.
        **given: the fields without such an annotation.
    """
    new = {}
    for name, dtype, lengths, first in _arrays(kind):  # type: ignore[arg-type]  # it is hashable
        shape = [sizes.get(each, each) for each in lengths]
        new[name] = np.full(shape, first, dtype) if first else np.zeros(shape, dtype)
    return kind(**new, **given)


def record(members: list[tuple[str, Any]]) -> np.dtype[np.void]:
    """Return an aligned record type; uncompiled code too finds its members as attributes."""
    return np.dtype((np.record, np.dtype(members, align=True)))


@lru_cache
def _arrays(kind: type[Struct]) -> list[tuple[str, Any, list[Any], int]]:
    """Return the names, types, lengths and first values of the arrays that are annotated so."""
    found = []
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if get_origin(hint) is Annotated:
            array, lengths, *first = get_args(hint)
            dtype = get_args(get_args(array)[1])[0]
            shape = [int(each) if each.isdigit() else each for each in lengths.split(", ")]
            found.append((name, dtype, shape, *(first or [0])))
    return found


_struct_type = lru_cache(maxsize=1024)(StructType)


def _type_of(value: Any) -> Any:
    """Return the numba type of a field."""
    if isinstance(value, np.ndarray):
        return _array_type(value.dtype, value.ndim, "C" if value.flags.c_contiguous else "A")
    if isinstance(value, Struct):
        return vars(value)["_numba_type_"]
    return numba.typeof(value)


@lru_cache(maxsize=1024)
def _array_type(dtype: Any, dimensions: int, layout: Any) -> Any:
    return types.Array(numba.from_dtype(dtype), dimensions, layout)


def _words(value: Any) -> Iterator[int]:
    """Yield the 64-bit words of a field, as `_load` reads them."""
    if isinstance(value, np.ndarray):
        yield from (value.ctypes.data, value.size, *value.shape, *value.strides)
    elif isinstance(value, Struct):
        yield vars(value)["_address"]
    elif isinstance(value, tuple):
        yield from value
    elif isinstance(value, float):
        yield int(np.float64(value).view(np.int64))
    else:
        yield int(value)


def _count(member: Any) -> int:
    """Return the number of words of a field of this type."""
    if isinstance(member, types.Array):
        return 2 + 2 * int(member.ndim)
    return int(member.count) if isinstance(member, types.UniTuple) else 1


@register_model(StructType)
class _StructModel(models.PrimitiveModel):  # a pointer
    def __init__(self, manager: Any, kind: StructType) -> None:
        super().__init__(manager, kind, BYTES)


@typeof_impl.register(Struct)
def _typeof_struct(value: Struct, _: Any) -> Any:
    return vars(value)["_numba_type_"]


@unbox(StructType)
def _unbox_struct(_: StructType, value: Any, context: Any) -> Any:
    address = context.pyapi.object_getattr_string(value, "_address")
    pointer = context.pyapi.long_as_voidptr(address)
    context.pyapi.decref(address)
    failed = cgutils.is_not_null(context.builder, context.pyapi.err_occurred())
    return NativeValue(pointer, is_error=failed)


@infer_getattr
class _StructAttribute(AttributeTemplate):
    key = StructType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return dict(kind.members).get(name)


@lower_getattr_generic(StructType)
def _load_field(context: Any, builder: Any, kind: StructType, pointer: Any, name: str) -> Any:
    names = [member for member, _ in kind.members]
    at = names.index(name)
    before = sum(_count(member) for _, member in kind.members[:at])
    member = kind.members[at][1]
    if isinstance(member, types.Array):
        return _load_array(context, builder, member, pointer, before)
    if isinstance(member, types.UniTuple):
        numbers = [_load(builder, pointer, before + i, WORD) for i in range(member.count)]
        return cgutils.pack_array(builder, numbers, ty=WORD)
    if isinstance(member, types.Boolean):
        return builder.icmp_unsigned("!=", _load(builder, pointer, before, WORD), WORD(0))
    return _load(builder, pointer, before, context.get_value_type(member))


def _load_array(context: Any, builder: Any, member: Any, pointer: Any, at: int) -> Any:
    """Load the array whose words start at `at`; contiguous strides follow from the shape."""
    array = cgutils.create_struct_proxy(member)(context, builder)
    array.meminfo = array.parent = BYTES(None)
    array.data = _load(builder, pointer, at, array.data.type)
    array.nitems = _load(builder, pointer, at + 1, WORD)
    size = WORD(context.get_abi_sizeof(context.get_data_type(member.dtype)))
    array.itemsize = size
    many = member.ndim
    shape = [_load(builder, pointer, at + 2 + i, WORD) for i in range(many)]
    if member.layout == "C":
        strides = [size]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
    else:
        strides = [_load(builder, pointer, at + 2 + many + i, WORD) for i in range(many)]
    array.shape = cgutils.pack_array(builder, shape, ty=WORD)
    array.strides = cgutils.pack_array(builder, strides, ty=WORD)
    return array._getvalue()


def _load(builder: Any, pointer: Any, at: int, kind: Any) -> Any:
    """Load the number at an offset as invariant, since compiled code never overwrites it."""
    place = builder.gep(builder.bitcast(pointer, WORD.as_pointer()), [WORD(at)])
    loaded = builder.load(builder.bitcast(place, kind.as_pointer()))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded
