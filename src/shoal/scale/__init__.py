"""The same flow on a Dask cluster: files of any size, in and out as folders of Parquet."""
