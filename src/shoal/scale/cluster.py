"""The workers: a Dask cluster that is there already, or one on this machine for as long as the work takes."""

from __future__ import annotations

import logging
import os
import threading
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from shoal.errors import ClusterError, ParameterError, ReadError, ShoalError, WriteError
from shoal.progress import advance
from shoal.write.atomic import reason_of

__all__ = ["Cluster", "refuse_without_dask"]

# dask and distributed are imported inside functions: importing shoal imports none of them.

_NEEDED = ("dask", "distributed", "cryptography")
_ENVIRONMENT = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_QUIET = {  # no page about the cluster that others on this machine could read
    "distributed.nanny.pre-spawn-environ": _ENVIRONMENT,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.memory.target": False,  # nothing is spilled to a folder of Dask's own
    "distributed.worker.memory.spill": False,
    "distributed.worker.preload": ["shoal.scale.worker_signals"],
}
_PATIENCE = "60s"  # for a scheduler to answer
_BETWEEN_LOOKS = 5  # seconds, after workers that are gone


def refuse_without_dask() -> None:
    """Raise ParameterError if Dask is not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise ParameterError(
            f'The engine "dask" needs {", ".join(missing)}, which {are} not installed: pip install "shoal[dask]".',
            parameter="engine",
        )


class Cluster:
    """Workers that carry out tasks, as a context manager; entered again inside, they are the same workers.

    Parameters
    ----------
    scheduler
        The address of a cluster that is there, such as ``tcp://10.0.0.1:8786``. Its workers need shoal installed and
        have to see the same folders. None starts workers on this machine, which speak to each other over encrypted
        connections that nobody else can join, and end with the work.
    workers
        How many workers to start on this machine; by default one for every processor.
    memory
        The memory of each of them, such as "2GB"; by default they share what the machine has.
    client
        A client of Dask that is there, in place of an address; it stays open.
    """

    def __init__(
        self,
        scheduler: str | None = None,
        *,
        workers: int | None = None,
        memory: str | None = None,
        client: Any = None,
    ) -> None:
        refuse_without_dask()
        if scheduler is not None and (workers is not None or memory is not None):
            raise ParameterError(
                "workers and memory are for workers on this machine; a cluster that is there has its own. Leave them "
                "or the scheduler out.",
                parameter="scheduler",
            )
        if workers is not None and workers < 1:
            raise ParameterError(
                f"workers (--workers) is how many are started, 1 or more; it was {workers}.", parameter="workers"
            )
        self._address, self._workers, self._memory, self._given = scheduler, workers, memory, client
        self._started: Any = None
        self._client: Any = None
        self._entered = 0
        self._ending = threading.Event()
        self._keeper: threading.Thread | None = None

    def __enter__(self) -> Self:
        if not self._entered:
            self._start()
        self._entered += 1
        return self

    def _start(self) -> None:
        import dask
        import distributed

        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # its lines can carry arguments of tasks
        if self._given is not None:
            self._client = self._given
            return
        try:
            if self._address is not None:
                self._client = distributed.Client(self._address, timeout=_PATIENCE, set_as_default=False)
                self._client.wait_for_workers(1, timeout=_PATIENCE)
                return
            workers = self._workers or os.cpu_count() or 1
            with dask.config.set(_QUIET):
                self._started = distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    memory_limit=self._memory or "auto",
                    dashboard_address=None,
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                    security=True,
                    protocol="tls",
                    host="127.0.0.1",
                    silence_logs=logging.CRITICAL,
                )
            self._client = distributed.Client(self._started, set_as_default=False)
            self._ending.clear()
            self._keeper = threading.Thread(target=self._keep, args=(self._started, workers), daemon=True)
            self._keeper.start()
        except (OSError, RuntimeError, TimeoutError, ValueError) as error:
            answers = self._client is not None
            self._close()
            raise ClusterError(
                f"The scheduler at {self._address} has no workers. Start some, and run the command again."
                if self._address is not None and answers
                else f"The scheduler at {self._address} does not answer. Check its address, and that it is running."
                if self._address is not None
                else f"No workers could be started on this machine ({type(error).__name__}). Say how many, and how "
                "much memory each has (--workers 2 --worker-memory 2GB); in a script, start under "
                'if __name__ == "__main__".'
            ) from None

    def _keep(self, started: Any, workers: int) -> None:
        """Start workers again that Dask has given up: one that is not back after some seconds, as on a busy machine.

        It would start no other, and tasks would wait for ever.
        """
        while not self._ending.wait(_BETWEEN_LOOKS):
            with suppress(Exception):  # it is being closed
                if len(started.workers) < workers:
                    started.scale(workers)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered -= 1
        if not self._entered:
            self._close()

    def _close(self) -> None:
        self._ending.set()  # before workers end: none of them is to come back
        if self._keeper is not None:
            self._keeper.join()
            self._keeper = None
        for one in (self._client, self._started):
            if one is not None and one is not self._given:
                with suppress(Exception):  # the work is done, or its error is on its way
                    one.close(timeout=10)
        self._client = self._started = None

    def map(self, function: Callable[..., Any], items: Iterable[Any], *shared: Any, doing: str = "") -> list[Any]:
        """Return ``function(item, *shared)`` for every item, in their order; report progress as they end.

        A task that dies with its worker is carried out again elsewhere, so that it must leave nothing behind but whole
        files. The first error ends all.

        Parameters
        ----------
        function
            A function of a module, which workers import.
        items, shared
            What it is called with: one of the items, and what all have in common.
        doing
            What the tasks do, for messages: "reading a part".
        """
        import distributed
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError

        items = list(items)
        if not items:
            return []
        futures = [self._client.submit(_attempt, function, item, shared, pure=False) for item in items]
        place = {future.key: number for number, future in enumerate(futures)}
        results: list[Any] = [None] * len(items)
        try:
            for future in distributed.as_completed(futures, loop=self._client.loop):
                outcome = future.result()
                if isinstance(outcome, _Failure):
                    raise outcome.error
                results[place[future.key]] = outcome
                advance(1 / len(items))
                future.release()
        except ShoalError:
            raise
        except distributed.KilledWorker:
            raise ClusterError(
                f"Workers died again and again while {doing}, most likely because they ran out of memory. Give them "
                "more (--worker-memory), or make blocks smaller (--block-records)."
            ) from None
        except (CommClosedError, FutureCancelledError, OSError, TimeoutError):
            raise ClusterError(
                f"The cluster went away while {doing}: its scheduler was stopped or cannot be reached. Nothing was "
                "released; run the same command again to go on with what is finished."
            ) from None
        except Exception as error:  # what workers without shoal, or with another version of it, make of a task
            raise ClusterError(
                f"Workers could not take up {doing} ({type(error).__name__}). They need the same versions of Python, "
                "shoal and Dask as here."
            ) from None
        finally:
            self._cancel(futures)
        return results

    def _cancel(self, futures: Sequence[Any]) -> None:
        waiting = [future for future in futures if future.status == "pending"]
        if waiting:
            try:
                self._client.cancel(waiting, force=True)
            except Exception:  # the connection is gone, and with it the tasks
                return


class _Failure:
    """An error of a task as its result: Dask would log what it raises, with arguments that carry original values."""

    def __init__(self, error: ShoalError) -> None:
        self.error = error


def _attempt(function: Callable[..., Any], item: Any, shared: tuple[Any, ...]) -> Any:
    try:
        return function(item, *shared)
    except ShoalError as error:
        return _Failure(error)
    except OSError as error:
        kind = ReadError if isinstance(error, FileNotFoundError) else WriteError
        return _Failure(kind(f"A worker could not go on: {reason_of(error)}."))
    except MemoryError:
        return _Failure(
            ClusterError("A worker ran out of memory. Give it more, or make blocks smaller (--block-records).")
        )
    except Exception as error:  # its text may quote values
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return _Failure(
            ClusterError(
                f"A task failed with {type(error).__name__} ({Path(frame.filename).name}, line {frame.lineno})."
            )
        )
