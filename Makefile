# Trompo. `make run` needs only Python 3.11 or newer and make.
#
#   make run     install everything and start a shop on http://localhost:3000 (PORT and DATA_DIR change port and folder)
#   make release create dist/trompo-VERSION.tar.gz: the code with built pages, for machines without a build; and next to
#               it the backups of a small shop, with which later releases test their upgrade
#   make dev     start the same shop with hot reload, for development
#   make quick   run unit tests and service tests on SQLite, without a browser or a server: while you work
#   make test    install everything, run the suite and check the coverage of the payment and stock code: before each
#               commit that you share (ARGS: only these tests)
#   make test-all run every test, on both databases, at all widths, with all examples: before a release
#   make durations list the slowest 50 tests of the latest run
#   make loaded  run the browser tests of `make test` ten times next to three busy loops (ARGS: other options); continues
#   make try-dev check that a product can be bought in the shops of `make dev` and `reflex run` (a minute)
#   make try-starter STARTER=clone   build the platform's official storefront and buy in it (ten minutes): docs/api.md
#   make try-dashboard use the platform's official dashboard, from npm, with a shop (some minutes)
#   make mutants change the code of payments, stock and rights in 315 places and see whether a test fails (ARGS: other
#               options); continues
#   make wander  simulate random shoppers in a real browser, 20,000 actions (ARGS: other options); continues the last run
#   make fmt     format the code, and correct what the linter can correct
#   make check   check format, lint, types, import contracts, lint rules, dead code, and the collection of the tests
#   make bench   run the measurements
#   make bench-peer compare the shop with the platform's server, from npm, on this machine (twenty minutes; ARGS: options)
#   make docs    build the documentation as a site in dist/docs, with search and without another host
#   make screenshots take the screenshots of the documentation again
#   make lock    rewrite the lock files from pyproject.toml (UPGRADE=--upgrade takes newer versions)
#   make clean   delete everything that these commands created, except the data folder
#   make help    list these targets

SHELL := /bin/sh
.DEFAULT_GOAL := run
.DELETE_ON_ERROR:

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export NODE_USE_SYSTEM_CA := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# uv trusts this machine's certificates, and uses the package index of pip
export UV_SYSTEM_CERTS := 1
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
export PYTHONUNBUFFERED := 1
# store compiled Python files even if the environment disables it: all processes of a test run read them
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
	printf '\n%s\n' "Creating the virtual environment .venv with $$("$$python" --version) …"; \
	"$$python" -m venv .venv

.venv/bin/uv: requirements/uv.txt | .venv/bin/python
	@$(python) -m pip install --quiet --require-hashes --requirement requirements/uv.txt
	@touch $@

# Install a lock file by its hashes. `make run` does not remove the developers' tools and the packages for traces.
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
	@if [ -d .git ]; then git config core.hooksPath .githooks; fi
	@touch $(RUN_STAMP) $@

# The packages of the site are only installed by `make docs`.
DOCS_STAMP := .venv/.installed-docs

$(DOCS_STAMP): requirements/docs.txt requirements/run.txt pyproject.toml | .venv/bin/uv
	$(say) 'Installing the locked packages of the documentation …'
	$(call install,requirements/docs.txt)
	@touch $(RUN_STAMP) $@

# ------------------------------------------------------------------------------------------------ commands

ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.PHONY: run release dev quick test test-all durations loaded mutants try-dev try-starter try-dashboard wander fmt check types rules collection bench bench-peer docs screenshots lock clean help pages browser packages

# The build skips itself if nothing has changed: see storefront/server/build.py.
pages: $(RUN_STAMP)
	$(say) 'Building the pages if needed …'
	@$(python) -m storefront.server.build

run: pages
	$(say) 'Starting the shop …'
	@exec $(python) -m storefront.serve

release: $(DEV_STAMP) pages
	$(say) 'Creating the release …'
	@$(python) -m storefront.server.release
	$(say) 'Writing the backups of a small shop of this release, for the tests of later ones …'
	@$(python) -m tests.backend.migrations.release_fixture

dev: $(DEV_STAMP)
	$(say) 'Starting the shop for development …'
	@exec $(python) -m storefront.server.dev

# Run the tests of one size, with coverage. tests/sizes.py defines the sizes.
define run_size
@$(python) -m tests.bench.calibration
$(say) 'Testing …'
@$(if $(ARGS),,PYTEST_PLUGINS=tests.coverage_plugin) $(python) -m pytest $(or $(ARGS),--size $(1))
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

loaded: $(DEV_STAMP) pages browser packages
	@$(python) -m tests.loaded_runs $(ARGS)

try-dev: $(DEV_STAMP) pages browser
	@$(python) -m pytest -n0 -m developing tests/e2e/test_developing.py

try-starter: $(DEV_STAMP) pages browser
	@$(python) -m tests.foreign.starter $(or $(STARTER),$(error Name a clone of the official storefront: make try-starter STARTER=folder))

try-dashboard: $(DEV_STAMP) pages browser
	@$(python) -m tests.foreign.dashboard

mutants: $(DEV_STAMP)
	@$(python) -m tests.mutants.command $(ARGS)

wander: $(DEV_STAMP) pages browser
	@$(python) -m tests.failure.wandering $(ARGS)

browser: $(DEV_STAMP)
	$(say) 'Preparing the browser …'
	@$(python) tools/browser.py

packages: $(DEV_STAMP)
	$(say) 'Installing the Node packages of the tests if needed …'
	@$(python) -m tests.node_packages

fmt: $(DEV_STAMP)
	@$(python) -m ruff format .
	@$(python) -m ruff check --fix .

check: $(DEV_STAMP)
	@$(MAKE) --no-print-directory --jobs=2 SIDE_BY_SIDE=1 types rules collection

# The slowest check; it runs in parallel with all others.
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
	$(say) 'Own lint rules …'
	@$(python) -m tools.lint_rules
	$(say) 'Dead code …'
	@$(python) tools/dead_code.py

# Collection also stores the compiled tests. Without them, each worker of `make test` needs 8 seconds more.
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

bench-peer: $(DEV_STAMP) pages
	@$(python) -m tests.bench.peer.comparison $(ARGS)

docs: $(DOCS_STAMP)
	$(say) 'Building the documentation …'
	@$(python) -m tools.docs_site

screenshots: $(DEV_STAMP) pages browser
	@$(python) -m tools.screenshots
	@$(python) -m tools.office_screenshots

lock := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras \
  --no-emit-index-url --no-emit-find-links --no-header --no-annotate $(UPGRADE)
compile := $(lock) pyproject.toml --group build

lock: $(DEV_STAMP)
	$(say) 'Locking the Python packages …'
	@$(compile) --output-file requirements/run.txt
	@$(compile) --extra traces --constraints requirements/run.txt --output-file requirements/traces.txt
	@$(compile) --group dev --constraints requirements/run.txt --output-file requirements/dev.txt
	@$(compile) --group docs --constraints requirements/dev.txt --output-file requirements/docs.txt
	@$(lock) --group installer --constraints requirements/dev.txt --output-file requirements/uv.txt

clean:
	rm -rf .venv .web .states build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage test-results

help:
	@sed -n 's/^#   /  /p' Makefile

.DEFAULT:
	@printf '%s\n\n' 'There is no target $@. The targets are:' >&2; $(MAKE) --no-print-directory help >&2; exit 2
