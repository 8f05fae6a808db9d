# `make help` lists the targets.

.PHONY: help setup serve build test test-llm fuzz bench check-external fmt clean
.DEFAULT_GOAL := help

help: ## This list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

setup: ## Install what building and testing needs (again: a second)
	@bash scripts/setup.sh

serve: ## Build the page and serve it at 127.0.0.1:8080, or the next free port
	@bash -euc '. scripts/step.sh; step "set-up" bash scripts/setup.sh; step "build" bash scripts/build.sh --if-changed'
	@node scripts/serve.mjs

build: setup ## Build the page into dist/ and open it in Chromium once
	@bash scripts/build.sh

test: ## Format, lints and all tests but those with a model; FORCE=1 repeats what passed unchanged
	@bash scripts/test.sh

test-llm: ## The end-to-end tests with a small real language model on this machine
	@bash scripts/test.sh llm

fuzz: ## Feed readers of untrusted text with garbage; SECONDS=20 each, TARGET=name for one
	@SECONDS_EACH=$(or $(SECONDS),20) bash scripts/fuzz.sh $(TARGET)

bench: setup ## Measure size and speed of the built page
	@bash scripts/build.sh --if-changed
	@bash -uc '. scripts/env.sh; failed=0; for part in bench bench-decode bench-parquet bench-smooth bench-ratings bench-throughput; do node scripts/$$part.mjs || failed=1; done; exit $$failed'

check-external: ## Compare ratings with those of other programs; DATA=folder with their files
	@bash scripts/check-external.sh "$(DATA)"

fmt: ## Format the source
	@cargo fmt && cargo fmt --manifest-path fuzz/Cargo.toml

clean: ## Remove everything that was built here (the tools stay)
	@rm -rf dist node_modules tests/e2e/shots fuzz/target fuzz/corpus
	@cargo clean --quiet
