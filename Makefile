# The two commands that matter are `make report` and `make test`; `make help` lists the others.
PYTHON ?= python3
PROFILE ?= quick
VENV := .venv
READY := $(VENV)/.ready
KVREPORT := $(VENV)/bin/kvreport

.DEFAULT_GOAL := help
.PHONY: help report render publish test section lab doctor setup lock

report: $(READY) ## measure what is missing (PROFILE=quick) and render report/draft/
	@$(KVREPORT) report --profile $(PROFILE)

render: $(READY) ## render report/draft/ from the runs there are, measuring nothing
	@$(KVREPORT) render

publish: $(READY) ## freeze what the report shows as report/<today>/ (DATE=2026-11-21 for another date)
	@$(KVREPORT) publish $(if $(DATE),--date $(DATE))

test: $(READY) ## pass the tests
	@$(KVREPORT) test

section: $(READY) ## measure and re-render one section: make section S=04
	@$(KVREPORT) section $(S) --profile $(PROFILE)

lab: $(READY) ## open JupyterLab with the Java kernel ready
	@$(KVREPORT) lab

doctor: $(READY) ## tell what is there, what is missing and how to get it
	@$(KVREPORT) doctor

setup: $(READY) ## prepare everything and measure nothing
	@$(KVREPORT) setup

lock: $(READY) ## resolve pyproject.toml's pins anew into requirements.lock
	@UV_CACHE_DIR=.cache/uv $(VENV)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url pyproject.toml -o requirements.lock

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

$(READY): requirements.lock pyproject.toml kvreport/bootstrap.py
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is missing: install it (Debian: apt install python3 python3-venv)." >&2; exit 2; }
	@$(PYTHON) -m kvreport.bootstrap $(VENV)
