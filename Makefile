# Trompo. `make run` needs nothing but Python 3.11 or newer and make.
#
#   make run     everything from nothing to a shop on http://localhost:3000 (PORT and DATA_DIR choose another place)
#   make release dist/trompo-VERSION.tar.gz: the code with its built pages, for machines that build nothing
#   make dev     the same shop with hot reload, for work on it
#   make quick   unit tests and services on SQLite, without a browser or a server: while you work
#   make test    from nothing to a green suite, and how much it covers of where money and stock are decided: before each
#               commit that others get (ARGS: only those tests)
#   make test-all the same with every test on both databases, at all widths, with all examples: before a release
#   make durations the slowest 50 tests of the latest run
#   make try-dev that `make dev` and `reflex run` open a shop in which a toy can be bought (a minute)
#   make try-starter STARTER=clone   the platform's official storefront is built and sells from a shop (ten minutes): docs/api.md
#   make try-dashboard the platform's official dashboard, from npm, works on a shop (some minutes)
#   make wander  random shoppers in a real browser, 20,000 actions unless ARGS says otherwise; goes on where it ended
#   make check   format, lint, types, import contracts, lint rules, wording, dead code, and that every test can be collected
#   make bench   measurements
#   make lock    write the locks anew from pyproject.toml (UPGRADE=--upgrade takes newer versions)
#   make clean   remove what was made here; the data folder stays

SHELL := /bin/sh
.DEFAULT_GOAL := run
.DELETE_ON_ERROR:

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export NODE_USE_SYSTEM_CA := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# uv trusts the certificates that this machine trusts, and asks the index that pip asks
export UV_SYSTEM_CERTS := 1
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
export PYTHONUNBUFFERED := 1
# what Python compiles is stored, also where the environment says otherwise: all processes of a test run read it
export PYTHONDONTWRITEBYTECODE :=

python := .venv/bin/python
say := @printf '\n%s\n'

# ------------------------------------------------------------------------------------------------ the environment

RUN_STAMP := .venv/.installed-run
DEV_STAMP := .venv/.installed-dev

.venv/bin/python:
	@python=$${PYTHON:-}; \
	for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
	  [ -n "$$python" ] && break; \
	  "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && python=$$candidate; \
	done; \
	if ! "$${python:-none}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  echo "Trompo needs Python 3.11 or newer: install it, or name it with PYTHON=/path/to/python." >&2; exit 1; \
	fi; \
	printf '\n%s\n' "Making the virtual environment .venv with $$("$$python" --version) …"; \
	"$$python" -m venv .venv

.venv/bin/uv: requirements/uv.txt | .venv/bin/python
	@$(python) -m pip install --quiet --require-hashes --requirement requirements/uv.txt
	@touch $@

# What a lock names, by its hashes. `make run` keeps the developers' tools and the packages for traces.
define install
@.venv/bin/uv pip install --python $(python) --require-hashes --requirement $(1)
@.venv/bin/uv pip install --quiet --python $(python) --no-deps --no-build-isolation --editable .
endef

$(RUN_STAMP): requirements/run.txt pyproject.toml | .venv/bin/uv
	$(say) 'Installing the locked Python packages …'
	$(call install,requirements/run.txt)
	@touch $@

$(DEV_STAMP): requirements/dev.txt requirements/run.txt pyproject.toml | .venv/bin/uv
	$(say) 'Installing the locked Python packages and the developers’ tools …'
	$(call install,requirements/dev.txt)
	@touch $(RUN_STAMP) $@

# ------------------------------------------------------------------------------------------------ commands

ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.PHONY: run release dev quick test test-all durations try-dev try-starter try-dashboard wander check types rules collection bench lock clean pages browser packages

# The build itself knows whether anything has to be built: see storefront/server/build.py.
pages: $(RUN_STAMP)
	$(say) 'Looking after the pages …'
	@$(python) -m storefront.server.build

run: pages
	$(say) 'Opening the shop …'
	@exec $(python) -m storefront.serve

release: pages
	$(say) 'Making the release …'
	@$(python) -m storefront.server.release

dev: $(DEV_STAMP)
	$(say) 'Opening the shop for development …'
	@exec $(python) -m storefront.server.dev

# A size of the suite, with its coverage: tests/sizes.py says which tests it has.
define run_size
@$(python) -m tests.bench.calibration
$(say) 'Testing …'
@$(if $(ARGS),,COVER_ONLY_GUARDING=1) $(python) -m pytest $(or $(ARGS),--size $(1) --cov --cov-report=)
@$(if $(ARGS),,$(python) tools/coverage_gate.py)
endef

quick: $(DEV_STAMP)
	@$(python) -m pytest --size quick

test: $(DEV_STAMP) pages browser packages
	$(call run_size,test)

test-all: $(DEV_STAMP) pages browser packages
	$(call run_size,all)

durations:
	@$(python) -m tests.durations

try-dev: $(DEV_STAMP) pages browser
	@$(python) -m pytest -n0 -m developing tests/e2e/test_developing.py

try-starter: $(DEV_STAMP) pages browser
	@$(python) -m tests.foreign.starter $(or $(STARTER),$(error Name a clone of the official storefront: make try-starter STARTER=folder))

try-dashboard: $(DEV_STAMP) pages browser
	@$(python) -m tests.foreign.dashboard

wander: $(DEV_STAMP) pages browser
	@$(python) -m tests.failure.wandering $(ARGS)

browser: $(DEV_STAMP)
	$(say) 'Looking for a browser …'
	@$(python) tools/browser.py

packages: $(DEV_STAMP)
	$(say) 'Looking after the Node packages of the tests …'
	@$(python) -m tests.node_packages

check: $(DEV_STAMP)
	@$(MAKE) --no-print-directory --jobs=2 SIDE_BY_SIDE=1 types rules collection

# What takes longest, beside all the rest.
types: $(DEV_STAMP)
	$(say) 'Types …'
	@$(python) -m mypy

rules: $(DEV_STAMP)
	$(say) 'Format …'
	@$(python) -m ruff format --check .
	$(say) 'Lint …'
	@$(python) -m ruff check .
	$(say) 'Import contracts …'
	@.venv/bin/lint-imports --no-logo
	$(say) 'Lint rules of our own …'
	@$(python) tools/lint_rules.py
	$(say) 'Wording …'
	@$(python) tools/wording.py
	$(say) 'Dead code …'
	@$(python) tools/dead_code.py

# It also stores the tests as pytest compiles them, which takes each worker of `make test` 8 seconds otherwise.
collection: $(DEV_STAMP)
	$(say) 'Collecting the tests …'
	@found=$$($(python) -m pytest -n0 --collect-only --quiet -p no:cacheprovider) || { echo "$$found"; exit 1; }

bench: $(DEV_STAMP) pages
	@$(python) -m tests.bench.calibration
	@for file in tests/bench/bench_*.py; do \
	  [ -e "$$file" ] || continue; \
	  name=$${file##*/}; printf '\n%s\n' "$${name%.py}"; \
	  $(python) -m "tests.bench.$${name%.py}" || exit 1; \
	done

lock := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras \
  --no-emit-index-url --no-emit-find-links --no-header --no-annotate $(UPGRADE)
compile := $(lock) pyproject.toml --group build

lock: $(DEV_STAMP)
	$(say) 'Locking the Python packages …'
	@$(compile) --output-file requirements/run.txt
	@$(compile) --extra traces --constraints requirements/run.txt --output-file requirements/traces.txt
	@$(compile) --group dev --constraints requirements/run.txt --output-file requirements/dev.txt
	@$(lock) --group installer --constraints requirements/dev.txt --output-file requirements/uv.txt

clean:
	rm -rf .venv .web .states build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage test-results
