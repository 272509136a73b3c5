# `make league-night` plays a league; `make test` is all that CI runs; `make help` lists the rest.
# Needs Python 3.11 or later with its venv module, and make. Everything else goes into .venv.

PYTHON ?= python3
JOBS ?= 2

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
JS_INSTALLED := sdk/js/node_modules/installed
PACKAGES := proto/pips referee/pips_referee sample_bots/pips_sample_bots sdk/pips_sdk tournaments/pips_tourney
NPM := npm --no-audit --no-fund --ignore-scripts --loglevel=error

.DEFAULT_GOAL := help

# --- playing

league-night: $(INSTALLED)  ## play a league night of sample bots and print the standings
	-@if command -v npm >/dev/null; then $(MAKE) --no-print-directory js; fi
	$(BIN)/pips-tourney run tournaments/league_night.toml --new

circle: $(INSTALLED)  ## play a league of three bots that beat one another in a circle, in Dominion
	@mkdir -p build
	$(BIN)/pips-tourney run tests/circle/league.toml --db build/circle.db --new

# --- checking

check: check-format check-lint check-types check-layers check-contract check-hooks  ## all static checks

check-format: $(INSTALLED)
	$(BIN)/ruff format --check .

PRETTIER = sdk/js/node_modules/.bin/prettier $$(git ls-files '*.js' '*.css')
check-js: $(JS_INSTALLED)
	@$(PRETTIER) --check --log-level=warn

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
	tests/pips_tourney/bots/test_interpreter.py tests/pips_referee/test_organiser.py tests/faults/test_submissions.py

test: check check-js  ## everything that CI runs: the checks, all tests, the coverage they must reach
	$(BIN)/coverage erase
	$(BIN)/pytest -n $(JOBS) --dist loadgroup -m "not long" --cov --cov-report=
	$(BIN)/python -m tests.as_another_user -q $(FENCE)
	$(BIN)/coverage report --include='*/pips_referee/games/*' --fail-under=100
	$(BIN)/coverage report --omit='*/pips_referee/games/*' --fail-under=90

test-long: $(INSTALLED) $(JS_INSTALLED)  ## the tests that `make test` leaves out for the time they take
	$(BIN)/pytest -n $(JOBS) --dist loadgroup -m long

page-cache: $(INSTALLED)  ## what a bot gains by the page cache: 2,000 matches, with a memory and without
	$(BIN)/python -m tests.faults.page_cache

channels: $(INSTALLED)  ## what still carries words between two rotations of a bot, in bits a second
	$(BIN)/python -m tests.faults.channels

soak: $(INSTALLED)  ## 10,000 random matches of every game, over all seats and options
	$(BIN)/python -m tests.soak

fuzz: $(INSTALLED)  ## 100,000 mutated messages to a live referee
	$(BIN)/python -m tests.faults.fuzz

ghosts: $(INSTALLED)  ## 100,000 mutated replies of a language model, in all games
	$(BIN)/python -m tests.ghosts

chaos: $(INSTALLED)  ## nights whose processes are killed again and again: make chaos NIGHTS=20
	$(BIN)/python -m tests.faults.chaos --nights $(or $(NIGHTS),20)

# Those that CI has are tested by `make test`; the others' compilers are hundreds of megabytes.
test-languages: $(INSTALLED)  ## build and play the bots of every language; installs the compilers that are missing
	.ci/install g++:g++ lua5.4:lua5.4 ruby:ruby jq:jq perl:perl mawk:mawk node:nodejs \
		javac:default-jdk-headless go:golang-go rustc:rustc mcs:mono-mcs mono:mono-runtime
	$(BIN)/pytest -q -n0 tests/pips_sdk/lines/every_language.py

evening: $(INSTALLED)  ## a teacher's evening replayed: a class of 25, two nights, a gala, a hosted night; takes minutes
	$(BIN)/python -m tests.evening

place: $(INSTALLED)  ## a class hands in to a place, which is killed meanwhile; takes half a minute
	$(BIN)/pytest -n0 tests/e2e/place_story.py

place-kills: $(INSTALLED)  ## a place is killed 20 times while a class hands in; nothing may be lost
	$(BIN)/python -m tests.place.kills --kills $(or $(KILLS),20)

place-flood: $(INSTALLED)  ## 10,000 connections to a place; those who were there before go on
	$(BIN)/python -m tests.place.flood

bench-place: $(INSTALLED)  ## 30 students hand in within five minutes: how long each waits, and what the pages take
	$(BIN)/python -m tests.place

mutation: $(INSTALLED)  ## mutation tests of a game's rules: make mutation GAME=serpent
	$(BIN)/python -m tests.mutation $(or $(GAME),serpent)

simulate: $(INSTALLED)  ## simulated leagues: whether intervals and stopping rules keep their promises; takes hours
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.simulate $(or $(LEAGUES),1000) $(TABLE)

simulate-nights: $(INSTALLED)  ## whole nights of faults on simulated time: make simulate-nights SEED=1 NIGHTS=100
	$(BIN)/python -m tests.nights --seed $(or $(SEED),1) --nights $(or $(NIGHTS),100)

simulate-mutants: $(INSTALLED)  ## planted mistakes, and how long simulated nights take to find each: MUTANT=ledger SECONDS=60
	$(BIN)/python -m tests.nights.mutants --seconds $(or $(SECONDS),600) $(MUTANT)

worth: $(INSTALLED)  ## fit the games' value functions anew, and say how true they are: make worth GAME=serpent
	$(BIN)/python -m tests.worth $(if $(GAME),--game $(GAME))

pippip-policy: $(INSTALLED)  ## teach the networks of Pip-Pip!'s `search` anew, by two million hands in C++: make pippip-policy SEATS="3 4"
	$(BIN)/python sample_bots/learned/pippip/teach.py sample_bots/pips_sample_bots/pippip/cards.json $(if $(SEATS),--seats $(SEATS))

wichita-prices: $(INSTALLED)  ## improve the prices of Wichita's `search`, by trial against `greedy`: make wichita-prices SEATS="2 4"
	$(BIN)/python sample_bots/learned/wichita/teach.py sample_bots/pips_sample_bots/wichita/prices.json $(if $(SEATS),--seats $(SEATS))

luck: $(INSTALLED)  ## the mean luck of 10,000 deals in every game, and one test that it is 0
	$(BIN)/python -m tests.worth.luck

analysis: $(INSTALLED)  ## whether analyses tell the truth: planted mistakes, costs, intervals; what screening takes
	$(BIN)/python -m tests.worth.costs
	$(BIN)/python -m tests.worth.screening

worth-of-margins: $(INSTALLED)  ## what a match by margin is worth beside by result, on thousands of deals; an hour at first
	$(BIN)/python -m tests.simulate.worth $(MINUTES)

silence: $(INSTALLED)  ## what the time until the next question tells, with and without a pace
	$(BIN)/python -m tests.silence

bench: $(INSTALLED)  ## measure what everything costs; takes some minutes and both cores
	$(BIN)/python -m tests.bench

bench-runner: $(INSTALLED)  ## how many matches a second one runner stores and rates, and its CPU time for each
	$(BIN)/python -m tests.bench runner

bench-growth: $(INSTALLED)  ## what 512 bots and 1,000,000 stored matches cost; it takes half an hour
	$(BIN)/python -m tests.bench growth million

bench-truth: $(INSTALLED)  ## CPU time until the order of the bots is right and settled, game by game and lever by lever
	$(BIN)/python -m tests.bench.truth

PEERS := .venv-peers
bench-web: $(INSTALLED)  ## what the pages cost: their share of a night with 1 and 50 spectators, their age, the page of 10,000 matches
	$(BIN)/python -m tests.bench.web

bench-peers: $(INSTALLED) $(PEERS)/installed  ## our games beside those of other libraries, which it installs in .venv-peers
	$(BIN)/python -m tests.bench.peers $(PEERS)/bin/python

$(PEERS)/installed: tests/bench/peers.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

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

pictures: $(INSTALLED)  ## take the pictures of the README anew, from a night that is played for them
	$(BIN)/python -m tests.pictures

gallery: $(INSTALLED)  ## every page in all shapes, into artifacts/web/: pictures, axe, keyboard; takes minutes
	$(BIN)/pytest -q -n0 -m long tests/pips_tourney/web/test_gallery.py tests/pips_tourney/place/test_place_gallery.py

install: $(INSTALLED)  ## make .venv and install everything into it

$(INSTALLED): pyproject.toml hatch_build.py $(wildcard proto/pips/v1/*.proto)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'Pips needs Python 3.11 or later, and "$(PYTHON)" is not one; name one with: make PYTHON=python3.12'; exit 1; } >&2
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	  echo '"$(PYTHON)" has no venv; on Debian and Ubuntu: apt-get install python3-venv'; exit 1; } >&2
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]'
	$(BIN)/python -m compileall -q $(PACKAGES)  # a bot's sandbox cannot write what it has compiled
	@touch $@

js: $(JS_INSTALLED)  ## install what the JavaScript SDK and its sample bots need; needs Node 18 or later with npm

$(JS_INSTALLED): sdk/js/package-lock.json sample_bots/js/package.json
	@command -v npm >/dev/null || { echo 'there is no npm; on Debian and Ubuntu: apt-get install nodejs npm' >&2; exit 1; }
	$(NPM) ci --prefix sdk/js
	$(NPM) install --prefix sample_bots/js --no-package-lock
	@touch $@

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: pippip-policy test-languages evening analysis bench bench-growth bench-peers bench-place bench-runner bench-truth bench-web channels chaos check check-contract check-format check-hooks check-js \
	check-layers check-lint check-types circle docs format format-js fuzz gallery ghosts help install js league-night luck mutation page-cache pictures place place-flood place-kills proto silence simulate simulate-mutants simulate-nights size soak test test-long wichita-prices worth worth-of-margins
