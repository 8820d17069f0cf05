# Everything starts from a plain Python: `make quickstart`, `make test`.
# Another interpreter: `make test PYTHON=python3.13`.

PYTHON ?= python3
VENV ?= .venv
TENSORFLOW_VENV ?= .venv-tensorflow
TENSORFLOW ?= tensorflow-cpu~=2.21.0 tf-keras~=2.21.0 tensorboard>=2.20 ipython

BIN := $(VENV)/bin
# Many images of Python switch bytecode off; without it a run spends a minute on reading sources.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n auto --dist worksteal
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help quickstart smoke test test-slow torture compare packages lint format matrix package docs docs-serve bench golden clean

help: ## Show these lines
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

quickstart: $(VENV)/.installed-examples ## Install what is needed and train a small model
	$(BIN)/python examples/quickstart.py

smoke: $(VENV)/.installed-dev ## What to run after every edit: under a minute
	$(PYTEST) -q -m 'smoke and not slow' tests

test: lint ## Install what is needed, check the code, run all tests but the slow ones
	$(PYTEST) -m 'not slow'

test-slow: $(VENV)/.installed-dev ## The tests that `make test` leaves out, before a release
	$(PYTEST) -m slow tests

torture: $(VENV)/.installed-dev ## Kill, interrupt, feed and soak it (options: ARGS="kill --tries 100")
	$(BIN)/python -m tests.robustness $(ARGS)

lint: $(VENV)/.installed-dev ## ruff, mypy and pyright
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/basedpyright --pythonpath $(BIN)/python

matrix: $(VENV)/.installed-release ## Other Pythons, the oldest packages, wheel and sdist (options: ARGS="-s package-3.12")
	$(BIN)/nox $(ARGS)

package: $(VENV)/.installed-release ## Build wheel and sdist in dist/, and check them
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

format: $(VENV)/.installed-dev ## Format the code and mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# MkDocs's theme would ask its makers for news in every run.
docs: $(VENV)/.installed-docs ## Build the documentation as a site, in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/python tools/site/check.py

docs-serve: $(VENV)/.installed-docs ## Show the documentation, and build it again at every change
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

bench: $(VENV)/.installed-examples $(TENSORFLOW_VENV)/.installed ## Compare the speed with TensorFlow's (options: ARGS=...)
	$(BIN)/python benchmarks/run.py --tensorflow-python $(TENSORFLOW_VENV)/bin/python $(ARGS)

compare: $(VENV)/.installed-dev $(TENSORFLOW_VENV)/.installed ## Run random programs on TensorFlow and on Runnel (options: ARGS=...)
	TF_USE_LEGACY_KERAS=1 $(BIN)/python -m tests.compare --tensorflow-python $(TENSORFLOW_VENV)/bin/python $(ARGS)

packages: $(VENV)/.installed-dev ## Packages' own tests, on Runnel (options: ARGS="gpflow --sources DIR")
	$(BIN)/python -m tests.packages $(ARGS)

golden: $(VENV)/.installed-dev $(TENSORFLOW_VENV)/.installed ## Record TensorFlow's answers for the tests again
	set -e; for script in tests/golden/make_*.py; do \
	  echo $$script; TF_USE_LEGACY_KERAS=1 $(TENSORFLOW_VENV)/bin/python $$script; \
	done
	set -e; for script in tests/golden/check_*.py; do \
	  echo $$script; folder=$$(mktemp -d); $(BIN)/python $$script write $$folder; \
	  TF_USE_LEGACY_KERAS=1 $(TENSORFLOW_VENV)/bin/python $$script check $$folder; \
	  rm -rf $$folder; \
	done

clean: ## Remove caches and results; the virtual environments stay
	rm -rf build dist .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis quickstart_*.png quickstart.keras
	find . -path './.venv*' -prune -o -name __pycache__ -type d -exec rm -rf {} +

# An environment is made once; its packages are installed again when pyproject.toml changes.
$(BIN)/python $(TENSORFLOW_VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Runnel needs Python 3.11 or newer: make PYTHON=python3.13")'
	$(PYTHON) -m venv $(@D:/bin=)

$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	@echo "Installing Runnel and its requirements in $(VENV) (the first time takes a few minutes)"
	$(BIN)/python $(PIP_INSTALL) --editable '.[$*]'
	@touch $@

$(TENSORFLOW_VENV)/.installed: | $(TENSORFLOW_VENV)/bin/python
	@echo "Installing TensorFlow in $(TENSORFLOW_VENV)"
	$(TENSORFLOW_VENV)/bin/python $(PIP_INSTALL) $(foreach package,$(TENSORFLOW),'$(package)')
	@touch $@
