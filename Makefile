# Everything here works on a fresh clone with nothing but make and Python 3.11 or newer.
# The packages go into a virtual environment in this folder (VENV), made on first use and again only
# when pyproject.toml changes.

VENV ?= .venv
BIN := $(VENV)/bin

# The first Python on the path that is new enough; `make PYTHON=/path/to/python3.13 test` overrules.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
ifeq ($(origin PYTHON),undefined)
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo "$$p" && break; done)
endif

# Two processes of pytest-xdist on a machine with two cores; PYTEST_ARGS= for one.
PYTEST_ARGS ?= -n auto --dist worksteal
PROGRAMS ?= 20000
SEED ?= $(shell date +%s)
BENCH_ARGS ?=
# The release of Catalyst whose tests `make catalyst` runs.
CATALYST := 0.15.0
CATALYST_TESTS := frontend/test/pytest/test_autograph.py

.DEFAULT_GOAL := help
.PHONY: help demo test test-all verify lint format types docs docs-serve bench clean
.PHONY: fuzz fuzz-converter fuzz-files stages tapes catalyst

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 20

demo: $(VENV)/.run  ## set up and run a real example: source, converted source, graph, result, time
	$(BIN)/python examples/demo.py

test: $(VENV)/.dev  ## set up and run all tests, doctests and documentation blocks included
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-all: $(VENV)/.dev  ## the same on both engines, with the cases that say nearly the same as others
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m "long or not long"

verify: $(VENV)/.dev  ## the situations once more: each load that a trace took as known is made, and compared
	AUTOGRAPH_VERIFY=loads $(BIN)/python -m pytest $(PYTEST_ARGS) tests/features

lint: $(VENV)/.dev  ## ruff: rules and format, changing nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev  ## ruff: repair what can be repaired
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev  ## mypy over both packages
	$(BIN)/mypy

docs: $(VENV)/.docs  ## build the documentation into site/; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs-serve: $(VENV)/.docs  ## serve the documentation at http://127.0.0.1:8000
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

fuzz: $(VENV)/.dev  ## run PROGRAMS random programs, decorated and not, and compare (default 20000)
	$(BIN)/python -m tests.random_programs --count $(PROGRAMS) --seed $(SEED) $(FUZZ_ARGS)

fuzz-converter: $(VENV)/.dev  ## run PROGRAMS random Python programs, converted and not, on plain values
	$(BIN)/python -m tests.python_programs --count $(PROGRAMS) --seed $(SEED) $(FUZZ_ARGS)

stages: $(VENV)/.dev  ## run 2000 random programs over toy libraries by both bases of stages, and compare
	$(BIN)/python -m tests.stage_programs --count 2000 --seed $(SEED) $(FUZZ_ARGS)

fuzz-files: $(VENV)/.dev  ## load and call PROGRAMS saved files in which something is changed (default 20000)
	$(BIN)/python -m tests.runtime.saving.fuzz --count $(PROGRAMS) --seed $(SEED) $(FUZZ_ARGS)

tapes: $(VENV)/.dev  ## each way to a gradient, over NumPy's functions, methods and writes; random programs
	$(BIN)/python -m tests.runtime.gradients.tape_matrix
	$(BIN)/python -m tests.runtime.gradients.tape_fuzz 600
	$(BIN)/python -m tests.runtime.gradients.try_fuzz 600

bench: $(VENV)/.dev  ## run every script of tests/benchmarks and print medians and ratios
	$(BIN)/python tests/benchmarks/run.py $(BENCH_ARGS)

catalyst: .venv-catalyst/.catalyst  ## Catalyst's tests of AutoGraph over a stage: CHECKOUT=path/to/catalyst
	@test -f "$(CHECKOUT)/$(CATALYST_TESTS)" || { echo "make: say CHECKOUT=path/to/catalyst, where its version" \
		"$(CATALYST) is checked out: $(CATALYST_TESTS) is to be there" >&2; exit 2; }
	.venv-catalyst/bin/python examples/stages/with_catalyst/run.py "$(CHECKOUT)/$(CATALYST_TESTS)" $(CATALYST_ARGS)

clean:  ## remove environments, caches and built documentation
	rm -rf .venv* site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; say make PYTHON=/path/to/python" >&2; exit 2; }
	@"$(PYTHON)" -c '$(NEW_ENOUGH)' || { echo "make: $(PYTHON) is older than Python 3.11" >&2; exit 2; }
	"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); echo "make: $(PYTHON) cannot make a virtual environment;" \
		"on Debian and Ubuntu, apt install python3-venv" >&2; exit 2; }

# A stamp per set of extras: nothing is installed again while pyproject.toml stays as it is.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/.run

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(INSTALL) --editable '.[dev,docs]'
	@touch $@ $(VENV)/.dev $(VENV)/.run

.venv-catalyst/.catalyst: pyproject.toml
	$(MAKE) --no-print-directory VENV=.venv-catalyst .venv-catalyst/.run
	.venv-catalyst/bin/python -m pip install --quiet --disable-pip-version-check \
		pennylane-catalyst==$(CATALYST) pytest pytest-mock flaky
	@touch $@
