"""One block of variables at a time: its records grouped, its values replaced."""
