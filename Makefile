# make demo    protect the built-in survey and show the result
# make test    the tests but the slow ones
# make test-all    the rest: clusters, browsers, servers, the book, distribution, kills, studies, long random runs
# make test-long   the randomised tests again, with other examples every time and many more of them
# make studies  every table and figure of the papers again, into docs/studies/results; needs the files of ../shared/data
# make check   all tests, lint and types: what CI runs
# make docs    all pages as HTML, in docs/_build; nothing in them is fetched from elsewhere
# Each sets up a .venv first, with uv where it is installed and pip where it is not.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-all test-long lint types check benchmark studies docs clean
.DELETE_ON_ERROR:
# Tests start many programs; what one compiles is kept for the next, whatever the shell says.
export PYTHONDONTWRITEBYTECODE :=

.venv/pyvenv.cfg:
	@if command -v uv >/dev/null 2>&1; then uv venv --quiet --python $(PYTHON) .venv; else $(PYTHON) -m venv .venv; fi

.venv/installed: .venv/pyvenv.cfg pyproject.toml
	@echo "Installing shoal into .venv"
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(BIN)/python --editable .; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .; fi
	@touch $@

.venv/installed-dev: .venv/installed
	@echo "Installing what the tests need"
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(BIN)/python --editable ".[dev]"; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"; fi
	@touch $@

demo: .venv/installed
	@$(BIN)/shoal demo

test: .venv/installed-dev
	$(BIN)/python -m pytest -n 2 --dist loadfile -q -m "not slow"

test-all: .venv/installed-dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup -q -m slow

test-long: .venv/installed-dev
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -n 2 --dist loadfile -q -m "hypothesis or randomised"

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/installed-dev
	$(BIN)/mypy

check: test test-all lint types

benchmark: .venv/installed-dev
	$(BIN)/python benchmarks/mdav.py

studies: .venv/installed-dev
	$(BIN)/python -m studies

docs: .venv/installed
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python $(BIN)/python --editable ".[docs]"; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"; fi
	$(BIN)/sphinx-build -q -W -E -a docs docs/_build
	$(BIN)/python docs/check_built.py docs/_build

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis shoal-demo
