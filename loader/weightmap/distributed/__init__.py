"""Models checked, measured and compared by many workers, on Dask or on Ray; a Dask array per tensor.

with weightmap.distributed.on_dask("tcp://scheduler:8786") as crew:    # or on_ray()
    for verdict in crew.validate(paths, values=True):                  # as they are done
        print(verdict.path, verdict.status)

Only paths and fingerprints travel: a worker maps the file itself, so that all workers of a machine share its page cache, and
refuses where it sees another file. Needs `weightmap[dask]` or `weightmap[ray]`, on the workers too.
"""

from __future__ import annotations

from weightmap.distributed.arrays import dask_array
from weightmap.distributed.crew import Crew, NoWorkersError
from weightmap.distributed.dask_crew import on_dask
from weightmap.distributed.handle import Handle, handle
from weightmap.distributed.ray_crew import on_ray

__all__ = ["Crew", "Handle", "NoWorkersError", "dask_array", "handle", "on_dask", "on_ray"]
