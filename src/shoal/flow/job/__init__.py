"""Jobs: files that say what `shoal.protect` is to do, written by hand or begun by `shoal describe FILE -o job.toml`."""
