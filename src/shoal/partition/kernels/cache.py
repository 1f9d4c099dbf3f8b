"""Where compiled kernels are kept between runs: a folder of the user's alone, or nowhere.

Loading what is kept runs it, so a folder that somebody else could have written to is not used. numba would use it, and
would look at the file of a kernel alone to see whether its cache is out of date: it would go on to run the old code of
an inner kernel from another file, on arrays of a new shape.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.misc.appdirs import user_cache_dir

from shoal.errors import CacheWarning, warn

__all__ = ["cache_for", "folders", "is_private", "stamp_of"]

_KERNELS = Path(__file__).parent


def stamp_of(folder: Path) -> str:
    """Return a digest of every file of a folder of kernels, and of what compiles them.

    It changes with anything that can be compiled into a kernel, constants such as the size of a leaf among them, since
    kernels import no code from outside their folder. The dates of files would not do: an installer may set them all to
    the same. (The processor is in numba's own key of what it keeps.)
    """
    digest = sha256(repr((sys.version, numba.__version__, llvmlite.__version__, np.__version__)).encode())
    for file in sorted(folder.glob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def folders() -> list[Path]:
    """Return where compiled code may be kept, best first: the folder NUMBA_CACHE_DIR names, or here, or the user's."""
    name = f"shoal-{sha256(os.fsencode(_KERNELS)).hexdigest()[:16]}"  # another one for every copy of shoal
    if chosen := getattr(config, "CACHE_DIR", ""):
        return [Path(chosen).absolute() / name]
    users = Path(user_cache_dir("shoal"))
    # Without a home folder that is "~/.cache/shoal", which would be a folder named "~".
    return [_KERNELS / "__pycache__" / "compiled", *([users / name] if users.is_absolute() else [])]


def is_private(folder: Path) -> bool:
    """Whether a folder is there, or could be made, to which this user can write and nobody else."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "geteuid"):  # Windows has no such owners; there, the folders are below the user's own
            own, around = folder.lstat(), folder.parent.stat()
            if not stat.S_ISDIR(own.st_mode) or own.st_uid != os.geteuid() or own.st_mode & 0o022:
                return False
            if around.st_uid not in (0, os.geteuid()) or around.st_mode & (0o002 | stat.S_ISVTX) == 0o002:
                return False  # others could put a folder of theirs in its place
            folder.chmod(0o700)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


_folder = next((str(one) for one in folders() if is_private(one)), None)
_stamp = stamp_of(_KERNELS)
_said: list[bool] = []


def cache_for(function: Any) -> Any:
    """Return the cache of a kernel, which numba asks for compiled code and gives what it compiled."""
    return _MemoryCache() if _folder is None else _KernelCache(function)


def _say_once() -> None:
    if not _said:
        _said.append(True)
        warn(
            "Compiled code cannot be kept, since no folder for it is writable and yours alone; it is compiled in every "
            "run, in memory. Set NUMBA_CACHE_DIR to a folder of yours.",
            CacheWarning,
        )


class _MemoryCache(NullCache):  # type: ignore[misc]
    """Keeps nothing, and says so once."""

    def save_overload(self, sig: Any, data: Any) -> None:
        _say_once()


class _Locator:
    """Says where the compiled code of a kernel is kept, and by what it is out of date."""

    def __init__(self, function: Any) -> None:
        self._py_file = function.__code__.co_filename
        self._line = function.__code__.co_firstlineno

    def ensure_cache_path(self) -> None:
        pass

    def get_cache_path(self) -> str | None:
        return _folder

    def get_source_stamp(self) -> str:
        return _stamp

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Kept(CompileResultCacheImpl):  # type: ignore[misc]
    """What is kept of a kernel, and under which name."""

    def __init__(self, function: Any) -> None:
        self._lineno, self._locator = function.__code__.co_firstlineno, _Locator(function)
        module = Path(function.__code__.co_filename).stem
        self._filename_base = self.get_filename_base(f"{module}.{function.__qualname__}", getattr(sys, "abiflags", ""))


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """numba's cache in a folder of ours; what cannot be read there is compiled again."""

    _impl_class = _Kept

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever reading a damaged file raises
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:  # a full disk, perhaps
            _say_once()
