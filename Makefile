# The two commands that matter are `make report` and `make test`; `make help` lists the others.
PYTHON ?= python3
PROFILE ?= quick
MINUTES ?= 12
CALLED := $(shell date +%s)
VENV := .venv
READY := $(VENV)/.ready
DEV := $(VENV)/.ready-dev
MUTANTS := $(VENV)/.ready-mutants
KVREPORT := $(VENV)/bin/kvreport
JBANG := $(VENV)/bin/jbang
SHARED := --numprocesses logical --maxprocesses 4
IN_ORDER := --dist loadscope --no-loadscope-reorder
LOCK := UV_CACHE_DIR=.cache/uv $(VENV)/bin/uv pip compile --quiet --upgrade --universal \
  --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url

.DEFAULT_GOAL := help
.PHONY: help report render publish section lab doctor setup test test-fast coverage lint format \
  lock mutants mutants-python mutants-java

report: $(READY) ## measure for MINUTES=12 in all (PROFILE=quick) and render report/draft/
	@KVREPORT_CALLED=$(CALLED) $(KVREPORT) report --minutes $(MINUTES) --profile $(PROFILE)

render: $(READY) ## render report/draft/ from the runs there are, measuring nothing
	@$(KVREPORT) render

publish: $(READY) ## freeze what the report shows as report/<today>/ (DATE=2026-11-21 for another date)
	@$(KVREPORT) publish $(if $(DATE),--date $(DATE))

section: $(READY) ## measure and re-render one section: make section S=04
	@$(KVREPORT) section $(S) --profile $(PROFILE)

lab: $(READY) ## open JupyterLab with the Java kernel ready
	@$(KVREPORT) lab

doctor: $(READY) ## say what is there, what is missing and how to get it
	@$(KVREPORT) doctor

setup: $(READY) ## prepare everything and measure nothing
	@$(KVREPORT) setup

test: $(DEV) ## pass the tests
	@$(KVREPORT) test $(SHARED) $(IN_ORDER)

test-fast: $(DEV) ## pass those that start no JVM and no browser, in less than a minute
	@$(VENV)/bin/python -m pytest -m fast $(SHARED) --dist worksteal

coverage: $(DEV) ## pass those that are not end to end, and print how much of kvreport they ran
	@$(KVREPORT) test -m "not end_to_end" --cov --cov-report=term $(SHARED) $(IN_ORDER)

mutants: mutants-python mutants-java ## plant faults in the core; fails where no test notices one

mutants-python: $(MUTANTS) ## the same of kvreport only
	@nice $(VENV)/bin/python mutants/python.py

mutants-java: $(DEV) $(JBANG) ## the same of kv only
	@$(JBANG) mutants/MutantsJava.java

lint: $(DEV) $(JBANG) ## check layout, types and imports
	@$(VENV)/bin/python -m pytest tests/test_structure.py
	@$(JBANG) jbang/build/FormatJava.java --check jbang tests/stores mutants

format: $(DEV) $(JBANG) ## lay out Python and Java
	@$(VENV)/bin/ruff check --fix-only --quiet
	@$(VENV)/bin/ruff format --quiet
	@$(JBANG) jbang/build/FormatJava.java jbang tests/stores mutants

lock: $(READY) ## resolve pyproject.toml's pins and the scripts' libraries anew into the locks
	@$(LOCK) pyproject.toml -o requirements.lock
	@$(LOCK) --group dev -c requirements.lock -o requirements-dev.lock
	@$(LOCK) --group mutants -c requirements.lock -c requirements-dev.lock \
	  -o requirements-mutants.lock
	@$(MAKE) --no-print-directory $(READY)
	@$(KVREPORT) lock-libraries

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

# A checkout that was copied or moved needs an environment of its own: the stamp says where it was.
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif

$(READY): requirements.lock pyproject.toml kvreport/bootstrap.py
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is missing: install it (Debian: apt install python3 python3-venv)." >&2; exit 2; }
	@$(PYTHON) -m kvreport.bootstrap $(VENV)

$(DEV): requirements-dev.lock $(READY)
	@$(PYTHON) -m kvreport.bootstrap $(VENV) requirements-dev.lock

$(MUTANTS): requirements-mutants.lock $(DEV)
	@$(PYTHON) -m kvreport.bootstrap $(VENV) requirements-mutants.lock

$(JBANG): | $(READY)
	@$(KVREPORT) setup
