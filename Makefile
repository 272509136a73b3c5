# `make league-night` plays a league; `make test` is all that CI runs; `make help` lists the rest.
# Needs Python 3.11 or later with its venv module, and make. Everything else goes into .venv.

PYTHON ?= python3
# Workers of the tests: those with processes wait for much of their time.
JOBS ?= 3

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
LEAGUE := $(VENV)/league
JS_INSTALLED := sdk/js/node_modules/installed
PACKAGES := proto/pips referee/pips_referee sample_bots/pips_sample_bots sdk/pips_sdk tournaments/pips_tourney
NPM = npm --no-audit --no-fund --ignore-scripts --loglevel=error $(NPM_CACHE)
# Where the home cannot be written to, what npm fetches is kept here.
NPM_CACHE = $(shell mkdir -p ~/.npm 2>/dev/null && [ -w ~/.npm ] || echo "--cache='$(CURDIR)/build/npm'")

.DEFAULT_GOAL := help

# --- playing

league-night: $(LEAGUE)  ## play a league night of sample bots and print the standings
	-@if command -v npm >/dev/null; then $(MAKE) --no-print-directory js; fi
	$(BIN)/pips-tourney run tournaments/league_night.toml --new

# --- checking

CHECKS := check-format check-lint check-layers check-contract check-hooks
check: $(CHECKS) check-types  ## all static checks

check-format: $(INSTALLED)
	$(BIN)/ruff format --check .

PRETTIER = sdk/js/node_modules/.bin/prettier $$(git ls-files '*.js' '*.css')
check-js: $(JS_INSTALLED)
	@$(PRETTIER) --check --log-level=warn
	@sdk/js/node_modules/.bin/tsc -p jsconfig.json  # the pages' types, by JSDoc

check-lint: $(INSTALLED)
	$(BIN)/ruff check .

check-types: $(INSTALLED)
	$(BIN)/mypy

check-layers: $(INSTALLED)
	$(BIN)/lint-imports

# The contract may grow, but what was released goes on working.
LAST_RELEASE = $(shell git describe --tags --abbrev=0 --match 'v*' 2>/dev/null)
check-contract: $(INSTALLED)
	$(BIN)/buf lint
	$(if $(LAST_RELEASE),$(BIN)/buf breaking --against '.git#tag=$(LAST_RELEASE)',@echo 'buf breaking: nothing was released yet')

check-hooks: $(INSTALLED)
	$(BIN)/pre-commit validate-config

size: $(INSTALLED)  ## lines by room and kind, words, commands, options, league keys, beside the last release
	@$(BIN)/python -m tests.house.size

# What holds bots in is tested twice where root runs the tests: as root, and as a user without rights.
FENCE := tests/pips_tourney/sandbox tests/pips_tourney/arena/test_keeper.py tests/pips_tourney/league/test_strangers.py \
	tests/pips_referee/service/test_organiser.py \
	tests/pips_tourney/bots/test_interpreter.py::test_requirements_are_installed_once_beside_the_runners_sdk \
	tests/faults/test_submissions.py::test_in_a_fence_submissions_gain_nothing_and_hold_nobody_up

# The fence without namespaces, as root in a container: where bubblewrap does not work.
CONTAINED := tests/pips_tourney/sandbox tests/faults/test_zoo.py tests/faults/test_submissions.py tests/e2e/test_tiers.py

# Where the home cannot be written to, what is fetched and made once is kept here.
ifneq ($(shell [ -w ~ ] || echo no),)
export XDG_CACHE_HOME := $(CURDIR)/build/cache
endif

# Types are checked beside the tests, which leave half a core to them.
test: test-begin $(INSTALLED)  ## everything that CI runs: the checks, all tests, the coverage they must reach; SYSTEM=no
	@$(MAKE) --no-print-directory -j2 --output-sync=target $(CHECKS) $$(command -v npm >/dev/null && echo check-js)
	@if command -v npm >/dev/null; then $(BIN)/pips-bot workshop --install || true; fi
	$(BIN)/coverage erase
	@$(BIN)/mypy & types=$$!; \
	$(BIN)/pytest -n $(JOBS) --dist loadgroup -m "not long" --cov --cov-report=; tests=$$?; wait $$types && exit $$tests
	$(BIN)/python -m tests.as_another_user -q -n $(JOBS) --dist loadgroup $(FENCE)
	$(BIN)/python -m tests.in_a_container -q -n $(JOBS) --dist loadgroup -k landlock $(CONTAINED)
	$(BIN)/coverage report --include='*/pips_referee/games/*' --fail-under=100
	$(BIN)/coverage report --omit='*/pips_referee/games/*' --fail-under=90

test-begin:
	@echo 'This takes about 14 minutes on two cores that do nothing else, and more where much is to be installed.'
	@.ci/install .ci/packages

test-long: $(INSTALLED) $(JS_INSTALLED)  ## the tests that `make test` leaves out for the time they take
	$(BIN)/pytest -n $(JOBS) --dist loadgroup -m long

test-machines:  ## the README's first commands on bare Debian 12 and 13, as root; an hour, or one: ROW=NAME TESTS=FILES
	@$(PYTHON) -m tests.machines '$(ROW)' '$(TESTS)'

test-pythons:  ## all but the end-to-end tests on Python 3.12 to 3.14, as far as this machine has them
	$(PYTHON) -m tests.pythons -n $(JOBS) --dist loadgroup

lab: $(INSTALLED)  ## laboratories, and how long each takes: make lab WHAT=soak ARGS='--matches 500'
	$(BIN)/python -m tests.lab $(WHAT) $(ARGS)

bench: $(INSTALLED)  ## measure what everything costs; takes some minutes and both cores
	$(BIN)/python -m tests.lab bench

# --- mending

format: $(INSTALLED)  ## let ruff format the code and mend what it can
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

format-js: $(JS_INSTALLED)  ## the same for JavaScript and CSS
	@$(PRETTIER) --write --log-level=warn

proto: $(INSTALLED)  ## generate the contract's Python code again
	$(BIN)/python hatch_build.py

# --- .venv: made when it is not there, installed into again when what decides its contents has changed

docs: $(INSTALLED)  ## build the pages of docs/ into build/docs; warnings are errors
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs

site: $(INSTALLED) $(JS_INSTALLED)  ## a league night and the pages of docs/ as a static site in build/site
	$(BIN)/python -m tests.release.site

release: $(INSTALLED) $(JS_INSTALLED)  ## what a release uploads, in dist/: made twice with the same bytes, and tried
	$(BIN)/python -m tests.release

install: $(INSTALLED)  ## make .venv and install everything into it

$(LEAGUE): EXTRA := league
$(INSTALLED): EXTRA := all
$(LEAGUE) $(INSTALLED): pyproject.toml hatch_build.py $(wildcard proto/pips/v1/*.proto)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'Pips needs Python 3.11 or later, and "$(PYTHON)" is not one; name one with: make PYTHON=python3.12'; exit 1; } >&2
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	  echo '"$(PYTHON)" has no venv; on Debian and Ubuntu: apt-get install python3-venv'; exit 1; } >&2
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRA)]'
	$(BIN)/python -m compileall -q $(PACKAGES)  # a bot's sandbox cannot write what it has compiled
	@touch $@ $(LEAGUE)

js: $(JS_INSTALLED)  ## install what the JavaScript SDK and its sample bots need; needs Node 18 or later with npm

# A copy of the SDK, as some versions of npm make it, would lack the contract.
$(JS_INSTALLED): sdk/js/package-lock.json sample_bots/js/package.json
	@command -v npm >/dev/null || { echo 'there is no npm; on Debian and Ubuntu: apt-get install nodejs npm' >&2; exit 1; }
	$(NPM) ci --prefix sdk/js
	$(NPM) install --install-links=false --prefix sample_bots/js --no-package-lock
	@touch $@

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: bench check check-contract check-format check-hooks check-js check-layers check-lint check-types docs format \
	format-js help install js lab league-night proto release site size test test-begin test-long test-machines test-pythons
