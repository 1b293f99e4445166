# `make help` lists what there is. Needs python3 (3.11 or newer) with pip, and nothing else.

PYTHON ?= python3
ENV    := .venv
BIN    := $(ENV)/bin
STAMP  := $(ENV)/.up-to-date
GAME   ?= fww
CODE   := engine pbem worker tests

# Compiled code is kept, whatever the shell says: the tests start many processes.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help env test long check format bench mutants faults demo lock clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

env: $(STAMP)  ## build .venv from the hash-pinned requirements (nothing to do when it is up to date)

# The environment is made without pip of its own, so that it works where Debian's python3-venv is
# missing; the pip at hand fills it (`--python`), and a system marked as externally managed stays untouched.
# What builds comes first, pinned too: nothing is fetched in the dark to build something else.
$(STAMP): pyproject.toml requirements-build.txt requirements.txt requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; say which: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv --without-pip $(ENV)
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --require-hashes -r requirements-build.txt
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --require-hashes --no-build-isolation \
	  -r requirements.txt -r requirements-dev.txt
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --no-deps --no-build-isolation --no-index -e .
	@touch $@

test: env  ## every test, on two cores
	$(BIN)/python -m pytest -n 2 --dist worksteal tests

long: env  ## the tests that are too long for every change
	$(BIN)/python -m pytest -n 2 --dist worksteal -m long tests

check: env  ## style, types and the direction of imports
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/check

format: env  ## put the code into the house's layout
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

bench: env  ## measure, and compare with the bars
	$(BIN)/python -m tests.bench

mutants: env  ## does a game's suite notice altered rules? (GAME=fww)
	$(BIN)/python -m tests.mutants $(GAME) $(if $(SEED),--seed $(SEED))

faults: env  ## is anything lost or doubled when everything breaks? an hour (KILLS=300, PART=kills)
	$(BIN)/python -m tests.faults $(if $(KILLS),--kills $(KILLS)) $(if $(PART),--part $(PART))

demo: env  ## a campaign played by mail on this machine; every letter in demo/
	$(BIN)/pbem demo

lock:  ## choose versions anew (needs uv on the path): uv.lock and the hash-pinned exports
	uv lock --no-config $(if $(UPGRADE),--upgrade)
	uv export --no-config --quiet --frozen --no-header --only-group build -o requirements-build.txt
	uv export --no-config --quiet --frozen --no-emit-project --no-header --no-default-groups -o requirements.txt
	uv export --no-config --quiet --frozen --no-header --only-group dev -o requirements-dev.txt

clean:  ## remove what was built
	rm -rf $(ENV) .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
