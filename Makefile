# Two commands do everything: `make benchmark` and `make test`. Both set themselves up in .venv.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
ARGS ?=

.PHONY: benchmark test check format clean
.DEFAULT_GOAL := benchmark

benchmark: .venv/core ## train every learner, certify every player, write results/
	$(BIN)/python scripts/benchmark.py $(ARGS)

test: check ## static checks, then the whole test suite
	$(BIN)/python -m pytest $(ARGS)

check: .venv/dev ## ruff, ruff format and mypy --strict
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: .venv/dev ## rewrite the code as `make check` wants it
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## remove the virtual environment, results and runs
	rm -rf .venv results runs

.venv/python:
	$(PYTHON) -m venv .venv
	touch $@

.venv/core: .venv/python pyproject.toml constraints.txt
	@echo "installing tttenv and what it needs into .venv"
	$(PIP) --editable .
	touch $@

.venv/dev: .venv/python pyproject.toml constraints.txt
	@echo "installing tttenv, its extras and the test tools into .venv"
	$(PIP) --editable '.[window,adapters,dev]'
	touch $@ .venv/core
