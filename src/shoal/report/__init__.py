"""Reports: what is known about a release, what may be published of it, and how it is shown."""
