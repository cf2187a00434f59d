# Everything happens in .venv inside this checkout: nothing global is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := $(VENV)/.demo

.PHONY: help demo test check format docs dist bench bench-peers clean
help:
	@echo "make demo    check and fix the example kernel, tell the before / after story"
	@echo "make test    run the tests"
	@echo "make check   format, lint, types, import layers"
	@echo "make format  apply the formatter and the linter's safe fixes"
	@echo "make docs    build the documentation as a site, build/site/index.html"
	@echo "make dist    build wheel and sdist, check them, try the wheel in an empty environment"
	@echo "make bench   measure speed (benchmarks/)"

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[ir,sweep,dask,notebook,triton,dev,docs]'
	@touch $@

# The demo needs the compiler's parser alone: no Triton, no Dask.
$(DEMO): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[ir]'
	@touch $@

demo: $(DEMO)
	$(BIN)/python examples/demo.py

# Hundreds of tests start bankwise as a process: none of them should compile its modules again.
test: $(READY)
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m pytest -n auto --dist worksteal

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

EMPTY := build/empty
dist: $(READY)
	rm -rf dist $(EMPTY)
	$(BIN)/python -m build --quiet --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv $(EMPTY)
	$(EMPTY)/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	$(EMPTY)/bin/bankwise --version
	cd $(EMPTY) && bin/bankwise demo
	cd $(EMPTY) && bin/bankwise workbench -o page.html && test -s page.html

bench: $(READY) bench-peers
	$(BIN)/python -m pytest benchmarks -o python_files='bench_*.py' --benchmark-only

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

bench-peers:
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --editable . \
	  'triton==3.9.0' 'tensor-layouts==0.3.2' 'cuxray==0.6.0'
	.venv-bench/bin/python benchmarks/peers.py
	.venv-bench/bin/python benchmarks/peers_cuxray.py
