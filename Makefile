# Two commands do everything: `make benchmark` and `make test`. Both set themselves up in .venv.
# The folder of a test says when it runs: tests/ after each change, the slow folders below in CI.

PYTHON ?= python3
BIN := .venv/bin
# Into the environment in whose folder the target lies.
INSTALL = .venv/bin/uv pip install --quiet --python $(@D)
# uv reads none of pip's settings: a folder or an index that pip is to use is passed on to it.
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
TESTED := learn,window,llm,hf,hub,language,onnx,adapters,dev
ARGS ?=
DISTURBANCES ?= 20
SECONDS ?= 600

SLOW := tests/page tests/programs tests/training tests/large

.PHONY: benchmark docs pictures test test-quick test-all test-rest test-slow test-lowest test-disturbed test-rllib test-ray test-loggers test-agents test-gpu campaign campaign-short check format clean
.DEFAULT_GOAL := benchmark

benchmark: .venv/base ## train every learner, certify every player, write results/
	@$(MAKE) --no-print-directory --jobs 2 .venv/compiled .venv/core
	$(BIN)/python scripts/benchmark.py $(ARGS)

docs: .venv-docs/ready ## build the documentation, its code run, and the page to play on
	.venv-docs/bin/python -m tttenv compile
	@echo "building docs/_build/html/index.html; the code of new and changed pages runs first, in minutes"
	.venv-docs/bin/python -m sphinx -W --keep-going -q docs docs/_build/html $(ARGS)
	.venv-docs/bin/python -m tttenv report --out docs/_build/html/report/index.html

pictures: .venv/dev .venv/compiled ## remake the pictures and tables that show the players in checkpoints/
	$(BIN)/python scripts/pictures.py $(ARGS)

test: .venv/dev .venv/compiled ## static checks and quick tests, in minutes: run it after each change
	@$(MAKE) --no-print-directory --jobs 2 check test-quick  # mypy uses one core only

test-quick: .venv/dev .venv/compiled ## the quick tests without the static checks
	$(BIN)/python -m pytest $(ARGS)

test-all: test test-rest ## every test, in half an hour

test-rest: ## what `make test` leaves out
	$(MAKE) test-slow ARGS=
	$(MAKE) campaign-short ARGS="--seed 1"  # the same cases each time; longer runs draw new ones
	$(MAKE) .venv-docs/ready .venv-rllib/ready .venv-agents/ready
	$(MAKE) --jobs 2 docs test-rllib test-ray test-loggers test-agents ARGS=  # a core each

test-slow: .venv/dev .venv/compiled ## the page in a browser, programs, trainings and large boards
	$(BIN)/python -m pytest $(SLOW) $(ARGS)

test-lowest: .venv-lowest/ready ## the quick tests with the lowest versions that pyproject.toml allows, on Python 3.11
	.venv-lowest/bin/python -m tttenv compile
	.venv-lowest/bin/python -m pytest $(ARGS)

test-disturbed: .venv/dev ## tests of trainings, first weights disturbed as by another CPU's rounding
	$(BIN)/python -m pytest tests/training -m trained --disturbances $(DISTURBANCES) $(ARGS)

test-rllib: .venv-rllib/ready ## RLlib, and wrappers of its older Gymnasium, in an environment of its own
	.venv-rllib/bin/python -m pytest -n 0 tests/rllib $(ARGS)
	.venv-rllib/bin/python -m pytest -n 0 tests/env/test_wrappers.py \
		-k 'each_wrapper and not RepeatAction or NextStep'  # the rest needs Gymnasium 1.4

test-ray: .venv-rllib/ready ## the executor on a local Ray cluster of three nodes, in the same one
	.venv-rllib/bin/python -m pytest -n 0 tests/ray_cluster $(ARGS)

test-loggers: .venv-rllib/ready ## trainings logged to wandb, offline, and to MLflow, in the same one
	.venv-rllib/bin/python -m pytest -n 0 tests/loggers $(ARGS)

test-agents: .venv-agents/ready ## verifiers and OpenEnv, in an environment of their own
	.venv-agents/bin/python -m pytest -n 0 tests/agents $(ARGS)

test-gpu: .venv/dev .venv/compiled ## trainings on CUDA, for machines with a GPU; CI has none
	$(BIN)/python -m pytest -n 0 tests/gpu $(ARGS)

campaign: .venv/dev ## attack the package for SECONDS: kills, failing disks
	$(BIN)/python -m tests.campaign --seconds $(SECONDS) $(ARGS)

campaign-short: .venv/dev ## the same with as many cases on every machine, a minute of them
	$(BIN)/python -m tests.campaign --short $(ARGS)

check: .venv/dev ## ruff, ruff format, mypy --strict, and the budgets of lines and of the manual
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m tests.budgets
	$(BIN)/mypy

format: .venv/dev ## rewrite the code as `make check` wants it
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## remove the virtual environments, results, runs and the built documentation
	rm -rf .venv .venv-docs .venv-lowest .venv-rllib .venv-agents
	rm -rf results runs docs/_build docs/reference/generated

.venv/python:
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip --disable-pip-version-check install --quiet \
		--constraint constraints.txt uv
	touch $@

.venv/base: .venv/python pyproject.toml constraints.txt
	@echo "installing tttenv and what compiles it into .venv"
	$(INSTALL) --constraint constraints.txt --editable .
	touch $@

.venv/core: .venv/base
	@echo "installing what its learners need into .venv"
	$(INSTALL) --constraint constraints.txt --editable '.[learn]'
	touch $@

.venv/compiled: .venv/base $(wildcard tttenv/*/*_kernel.py tttenv/*/*/*_kernel.py tttenv/utils/*.py)
	$(BIN)/python -m tttenv compile
	touch $@

.venv/dev: .venv/base
	@echo "installing the extras and the test tools into .venv"
	$(INSTALL) --constraint constraints.txt --editable '.[$(TESTED)]'
	touch $@ .venv/core

.venv-docs/ready: .venv/python pyproject.toml constraints.txt
	@echo "installing tttenv and what builds its documentation into .venv-docs"
	$(PYTHON) -m venv .venv-docs
	$(INSTALL) --constraint constraints.txt --editable '.[learn,docs]'
	touch $@

.venv-lowest/ready: .venv/python pyproject.toml
	@echo "installing tttenv, its extras and the test tools, as old as can be, into .venv-lowest"
	$(PYTHON) -m venv .venv-lowest
	$(INSTALL) --resolution lowest-direct --editable '.[$(TESTED)]'
	touch $@

.venv-rllib/ready: .venv/python pyproject.toml constraints-rllib.txt
	@echo "installing tttenv, RLlib, wandb, MLflow and the test tools into .venv-rllib"
	$(PYTHON) -m venv .venv-rllib
	$(INSTALL) --constraint constraints-rllib.txt --editable '.[learn,rllib,wandb]' \
		mlflow-skinny hypothesis pytest pytest-xdist
	touch $@

.venv-agents/ready: .venv/python pyproject.toml constraints-agents.txt
	@echo "installing tttenv, verifiers, OpenEnv and the test tools into .venv-agents"
	$(PYTHON) -m venv .venv-agents
	$(INSTALL) --constraint constraints-agents.txt --editable '.[agents]' hypothesis pytest pytest-xdist
	touch $@
