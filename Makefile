# Everything here needs only python3 (3.11 or newer) with pip; tools go into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: help demo test oldest lint bench docs clean

help:
	@echo "make demo   set up, run the two-link manipulator, write table, plot and 3D view to demo/"
	@echo "make test   linters, types, layers, tests, coverage of the kernels"
	@echo "make oldest the kernels and a few runs with the oldest versions of the dependencies that are supported"
	@echo "make lint   linters, types, layers only"
	@echo "make bench  time this package and its peers in one run"
	@echo "make docs   build the documentation into site/"
	@echo "make clean  remove what the above made"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "cosserat needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# One stamp per set of extras; reinstalled when pyproject.toml changes.
$(VENV)/core.stamp: pyproject.toml | $(BIN)/python
	$(PIP) -e .
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[test,lint]'
	@touch $@

$(VENV)/bench.stamp: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[bench]'
	@touch $@

$(VENV)/docs.stamp: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[docs]'
	@touch $@

demo: $(VENV)/core.stamp
	$(BIN)/cosserat demo --out demo

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Twice: as users run it, then the kernels as plain Python, which is what coverage can see. Threads of BLAS only get in
# each other's way on matrices as small as those of the tests.
test: export OPENBLAS_NUM_THREADS = 1
test: lint
	$(BIN)/pytest -n 2
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q tests/unit/kernels tests/unit/results --cov=src/cosserat/kernels --cov-report=term

# The other end of the range of supported versions; `make test` has the newest.
$(VENV)-oldest/dev.stamp: pyproject.toml tests/oldest.txt
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip --disable-pip-version-check install --quiet -e . -c tests/oldest.txt pytest hypothesis
	@touch $@

oldest: export OPENBLAS_NUM_THREADS = 1
oldest: $(VENV)-oldest/dev.stamp
	$(VENV)-oldest/bin/cosserat doctor
	$(VENV)-oldest/bin/python -m pytest -q tests/unit/kernels tests/unit/jit \
	  --deselect tests/unit/jit/test_native.py::test_a_second_process_needs_no_compiler  # older xarray imports SciPy

bench: $(VENV)/bench.stamp
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1 $(BIN)/python bench/run.py
	$(BIN)/python bench/recursion.py
	$(BIN)/python bench/flexible.py
	$(BIN)/python bench/symbolic.py
	$(BIN)/python bench/strips.py
	$(BIN)/python bench/mooring.py
	$(BIN)/python bench/floating.py
	$(BIN)/python bench/controllers.py
	$(BIN)/python bench/beam_scan.py

docs: $(VENV)/docs.stamp
	$(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) $(VENV)-oldest demo site build dist .numba_cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage
