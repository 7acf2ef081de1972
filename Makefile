# Works from a fresh clone with Go and make; "make test" wants curl, a C compiler,
# strace, pgbouncer and PostgreSQL as well. "make deps" installs them where it may,
# and names them elsewhere: the tests that need them fail, all others run. Which
# PostgreSQL the tests use: see adapters/postgres/postgrestest.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build test check bench fmt deps postgres-image

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
MODULES  = $(shell go list -m -f '{{.Dir}}' | sed 's,^$(CURDIR)/,,')

# $(call each,MODULES,COMMAND) runs a command in each module as it is on its own,
# outside of the workspace.
each = export GOWORK=off; for module in $(1); do (cd $$module && $(2)) || { echo "failed in $$module"; exit 1; }; done
step = @echo "== $(1)"

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

run: build ## build and run the service on a SQLite file in your data directory
	@bin/problems serve --hints=always

build: ## build bin/problems
	@go build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/problems ./app/cmd/problems

test: deps build ## run all tests of all modules with the race detector
	$(call step,tests of $(MODULES) tools)
	@go run ./adapters/postgres/postgrestest/which
	@go test -race -count=1 -timeout 20m work
	@$(call each,tools,go test -count=1 ./...)

check: ## check format, code, modules, dependencies and generated files
	$(call step,format)
	@unformatted=$$(gofmt -l $(MODULES) tools); [[ -z $$unformatted ]] || { echo "make fmt would change: $$unformatted"; exit 1; }
	$(call step,each module on its own)
	@$(call each,$(MODULES) tools,go mod tidy -diff && go build ./... && go vet ./...)
	$(call step,lint)
	@$(call each,tools,go build -o ../bin/tools/ tool)
	@$(call each,$(MODULES) tools,$(CURDIR)/bin/tools/staticcheck ./...)
	@$(call each,$(MODULES) tools,$(CURDIR)/bin/tools/errcheck -ignoretests -exclude $(CURDIR)/tools/errcheck.txt ./...)
	$(call step,dependencies between modules)
	@$(call each,tools,go run ./checkarrows -C ..)
	@$(call each,domain,outside=$$(go list -deps -f '{{if not .Standard}}{{.ImportPath}}{{end}}' ./... | grep -v '^github.com/problemtracking/problems/domain' || true); [[ -z $$outside ]] || { echo "domain depends on $$outside"; exit 1; })
	$(call step,generated files)
	@$(call each,tools,go run ./gentext -check -o ../domain/text/tables.go)

bench: ## run the Go benchmarks of all modules
	@go test -run '^$$' -bench . -benchmem work

fmt: ## format all Go files and tidy all modules
	@gofmt -w $(MODULES) tools
	@$(call each,$(MODULES) tools,go mod tidy)

deps: ## install what the tests need beside Go: on Debian, as root; elsewhere say what is missing
	@missing=; for program in curl gcc strace pgbouncer; do PATH=$$PATH:/usr/sbin command -v $$program >/dev/null || missing+=" $$program"; done; \
	[[ $$missing != *gcc* ]] || missing+=" libc6-dev"; \
	[[ -z $$missing ]] || tools/postgres/install $$missing || echo "The tests that need one of these will fail:$$missing"
	@tools/postgres/provide

postgres-image: ## build the image for tests where no registry is reached
	@tools/postgres/image
