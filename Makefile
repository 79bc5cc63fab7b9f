# make demo | test | docs | bench | lint: each makes .venv and installs what it needs, and is quick the second time.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 3  # of two cores: browsers are waited for now and then; more cores take more, such as WORKERS=9
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# make bench-quick: the smallest case of every benchmark; make bench-peers: beside other solvers, in an environment of their own.
.PHONY: demo test pytest docs bench bench-quick bench-peers lint ruff mypy lock clean

demo: $(VENV)/installed
	$(BIN)/strut demo --out demo --force

# Types are checked beside the tests.
test: ruff
	$(MAKE) --no-print-directory --jobs 2 mypy pytest

# One thread in each of the workers: more would wait for each other. Compiled modules are kept: many tests start processes.
pytest: export OMP_NUM_THREADS = 1
pytest: export OPENBLAS_NUM_THREADS = 1
pytest: export MUJOCO_GL = disable
pytest: export PYTHONDONTWRITEBYTECODE =
pytest: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder  # what a file plans is planned in one worker

lint: ruff mypy

ruff: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

mypy: $(VENV)/installed-dev
	$(BIN)/mypy --num-workers 2

# The site, with the API from the docstrings, in site/.
docs: $(VENV)/installed-docs
	$(BIN)/python docs/make_architecture.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/installed-dev
	for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

bench-quick: export OMP_NUM_THREADS = 1
bench-quick: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n 2 -m "benchmark or not benchmark" tests/test_benchmarks.py

bench-peers: $(VENV)/installed .venv-peers/installed
	$(BIN)/python benchmarks/peers.py .venv-peers/bin/python

.venv-peers/installed: benchmarks/peers.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/peers.txt
	touch $@

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "strut needs Python 3.11 or newer; call make PYTHON=python3.x with one.")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(INSTALL) --editable '.[dev]'
	touch $@

$(VENV)/installed-docs: $(VENV)/installed
	$(INSTALL) --editable '.[docs]'
	touch $@

# Newest versions that fit pyproject.toml; commit the result.
lock:
	rm -rf .lock && $(PYTHON) -m venv .lock
	.lock/bin/python -m pip install --quiet --disable-pip-version-check '.[dev,bench,docs]'
	{ echo '# Versions that are known to work together; written by `make lock`.'; \
	  .lock/bin/python -m pip freeze --exclude strut; } > constraints.txt
	rm -rf .lock build

clean:
	rm -rf $(VENV) .venv-peers .lock demo site
