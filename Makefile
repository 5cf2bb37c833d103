# The commands of this project; `./dev` does the work and prepares what is missing.
# Options travel in ARGS: make test ARGS="-k fence -x"

.DEFAULT_GOAL := help
.PHONY: help setup demo test unit web sabotage check lint format bench bench-peers bench-graphs bench-web chaos firings kill-graphs oracle screenshots fresh lock clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Make .venv with everything needed to develop
	@./dev setup

demo: ## Start Rota with a few examples; watch them here and in a browser (ONCE=1 ends by itself)
	@./dev demo $(if $(ONCE),--once) $(ARGS)

test: ## Lint, types and all tests, on SQLite and a throw-away PostgreSQL
	@./dev test $(ARGS)

unit: ## The fast tests only
	@./dev unit $(ARGS)

web: ## Build the web UI into the package (ARGS=check also lints and tests it)
	@./dev web $(ARGS)

sabotage: ## Break the code on purpose, bug by bug, and see which tests notice
	@./dev sabotage $(ARGS)

check: ## Lint and types, no tests
	@./dev check

lint: ## Lint and format check
	@./dev lint

format: ## Format, and fix what can be fixed
	@./dev format

bench: ## Measure Rota beside the raw limit of each store
	@./dev bench $(ARGS)

bench-peers: ## Measure Rota beside other job queues
	@./dev bench-peers $(ARGS)

chaos: ## Kill, stop and cut everything for half an hour: plain, behind PgBouncer, with a standby (ARGS=--short: two minutes; --plain, --pooler, --standby: one of them)
	@./dev chaos $(ARGS)

firings: ## Kill schedulers and turn their clock over 100,000 instants: none doubled, none missing
	@./dev firings $(ARGS)

bench-graphs: ## Measure runs of graphs on both stores (ARGS=--quick)
	@./dev bench-graphs $(ARGS)

bench-web: ## Measure the web UI in Chromium: paint, large graphs, long lists, frames (ARGS=--quick)
	@./dev bench-web $(ARGS)

kill-graphs: ## Kill workers in the middle of 2,000 graphs with 104,000 edges (ARGS=--long: 1,040,000)
	@./dev kill-graphs $(ARGS)

oracle: ## Compare cron with its oracle in 200,000 cases (ARGS="--cases 5000 --seed 7")
	@./dev oracle $(ARGS)

screenshots: ## Pictures of the web UI for the documentation (ARGS=--all: of every page, into build/)
	@./dev screenshots $(ARGS)

fresh: ## Run demo and test in a fresh clone with an empty home
	@./dev fresh

lock: ## Pin the dependencies again (ARGS=-U takes newer versions)
	@./dev lock $(ARGS)

clean: ## Remove everything that can be made again
	@./dev clean
