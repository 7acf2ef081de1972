# Works from a fresh clone with Go and make. "make test" needs the programs of "make deps"
# as well. "make deps" installs them on Debian as root, and names them elsewhere: the tests
# without their program fail, all others run. adapters/postgres/postgrestest says how the
# tests choose their PostgreSQL.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: packages packages-test failover-test help test-postgres test-postgres-quick run build test test-long long-waiting long-others check bench bench-quick bench-versus bench-versus-quick benchmarks attack attack-quick fmt deps postgres-image conformance-report saboteurs false-alarms simulate release screenshots mail-test litestream-test

# What is built does not depend on the directory. All targets, and what the tests build,
# share what one of them has compiled.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)

VERSION := $(shell git describe --tags --match 'v[0-9]*' --always --dirty 2>/dev/null || echo unknown)
MODULES  = $(shell go list -m -f '{{.Dir}}' | sed 's,^$(CURDIR)/,,')
# Modules outside of the workspace: what only developers need, and an adapter as
# somebody else writes it.
APART    = tools conformance/examples/outoftree

# $(call each,MODULES,COMMAND) runs a command in each module as it is on its own,
# outside of the workspace.
each = export GOWORK=off; for module in $(1); do (cd $$module && $(2)) || { echo "failed in $$module"; exit 1; }; done
step = @echo "== $(1)"

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 28

run: build ## build and run the service on a SQLite file in your data directory
	@bin/problems serve --hints=always

build: ## build bin/problems
	@go build -ldflags '-X main.version=$(VERSION)' -o bin/problems ./app/cmd/problems

# The race detector watches all packages but the unraced ones. It would find little there, at
# up to ten times the cost: they compute, or drive packages that it watches.
# Of the pages and the API, it watches the tests that start goroutines themselves, or clients of
# streams, as their source says.
# It skips SQLite's engine and its C library: translated C would take six times as long.
# It cannot skip the driver: a package without the detector shares its instances of
# generic functions, such as those below sync.Map, with all others. They would report
# races where there are none. The tests of e2e have the detector in the program under test.
race    = -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc/...=-race=false
starts  = go func|\.Go.func|synctest.Test|NewServer|NewUnstartedServer|onSocket|openBy|WithCancel
atonce  = ^($(shell awk -F '[^A-Za-z0-9]' '/^func /{f=$$2} /$(starts)/ && f ~ /^Test/{print f}' adapters/httpapi/*_test.go adapters/web/*_test.go | sort -u | paste -sd'|'))$$
unraced = /(adapters/(archive|httpapi|postgres/postgrestest|web|web/internal/(graph|markdown))|app/internal/(cli|transfer)|conformance/(dataset|internal/scaffold|storebench)|domain/(date|mail|predicate(/.*)?|rules|search|text))$$
# At its end, a program with the detector waits for goroutines that still run: by default for a
# second, which a hundred test programs would spend.
export GORACE := atexit_sleep_ms=50
# Tests of the worker of e-mail that live through days, one second after the other, run in
# test-long without it: the others have the same goroutines.
days   = ForDays$$
mailer = github.com/problemtracking/problems/app/internal/mailworker

postgres = github.com/problemtracking/problems/adapters/postgres
sqlite   = github.com/problemtracking/problems/adapters/sqlite
api      = github.com/problemtracking/problems/adapters/httpapi
web      = github.com/problemtracking/problems/adapters/web
e2e      = github.com/problemtracking/problems/app/e2e
suite    = github.com/problemtracking/problems/conformance

# "make check" vets what the tests do not.
gotest = go test -vet=off -count=1 -timeout 40m
# Benchmarks check every answer. Those of SQLite, and of packages without the detector, run once.
once   = -bench . -benchtime 1x

# Tests also wait for servers and for the disk: three of them share two processors.
beside = -parallel $(shell echo $$((($$(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2)))

# Of e2e and of the tests in a browser, what every change may break: the answers, the pages, a
# day of a team. TestPages has the same commands in each shell: test-long runs those of zsh.
quick = TestDay|TestPages|TestHTTP|TestExistingClient|TestServersAgree|TestRestart
day   = ^(TestDay|TestWithoutScripts)$$
# Of the adapters for databases, what every change may break: the promises of the port, the
# schema, the searches. The states of a server or a file take longer: test-long tries them,
# with the race detector.
stores = ^(TestConformance|$(plain))$$
plain  = TestConformanceOfFinding|TestMigrate|TestExamine.*|TestSearchAgainstTheDomain|TestSearchesUseIndexes|Fuzz.*
# Of the packages that pass, people see the number. CI sees a line for each.
brief = $(if $(CI),cat,awk '/^ok / { passed++; next } /^\?/ { next } { print; fflush() } END { if (passed) print "ok   " passed " packages" }')

# Most of these tests make much garbage and hold little: fewer collections take a fifth of the
# processors less from those of the pages.
#
# .ci/run runs test-long as well. Of the packages, it asks for those that the race detector does
# not watch there, or not in whole.
ONLY   = .
unlike = $(unraced)|/conformance$$

test: deps build ## run the tests of everyday work on every store: some minutes, and a page of output
	@go run ./adapters/postgres/postgrestest/which
	@trap 'exit 130' INT; failed=; { \
	GOGC=400 $(gotest) -short -skip '$(days)' $$(go list work | grep -vxE '$(postgres)|$(sqlite)|$(e2e)' | grep -E '$(ONLY)') || failed=yes; \
	$(gotest) -short -run '$(stores)' $(postgres) $(sqlite) || failed=yes; \
	$(gotest) -short $(beside) -run '^($(quick))$$' -skip '^TestPages$$/^zsh$$' $(e2e) || failed=yes; \
	(cd tools && GOWORK=off $(gotest) -run '$(day)' ./browser) || failed=yes; \
	[[ -z $$failed ]]; } 2>&1 | $(brief)

# The tests of PostgreSQL, and those in a browser, wait now and then. With four processors,
# the others run beside them. With fewer, their time limits would be exceeded.
jobs = $(shell [[ $$(getconf _NPROCESSORS_ONLN) -ge 4 ]] && echo 2 || echo 1)

test-long: deps build ## run the other tests: races, saboteurs, kills, power cuts, browsers, clients, PostgreSQL 13 and 18, mail, short benchmarks and attacks
	@failed=; $(MAKE) --no-print-directory --keep-going --jobs=$(jobs) long-waiting long-others || failed=yes; \
	$(MAKE) --no-print-directory --keep-going test-postgres-quick mail-test bench-quick bench-versus-quick attack-quick || failed=yes; \
	[[ -z $$failed ]]

# The tests that -short leaves out, as their first lines say, of packages without the detector
# and of the suite itself. Of the cases of the suite, those about power cuts, replicas and
# take-overs: -short runs all others through two handles, and what survives a cut of the power
# survives a kill.
left   = ^($(shell grep -rhB1 'if testing.Short() {' --include='*_test.go' adapters/postgres/postgrestest app conformance | sed -n 's/^func \(Test[A-Za-z]*\).*/\1/p' | paste -sd'|'))$$
cut    = /power-cut$$|/replica|/take-over$$|^CONF-004$$
# Of PostgreSQL and SQLite, the race detector skips tests with one call after the other. Of
# the suite, it watches the cases with calls at once through one handle: two share nothing
# that the stores of two cases do not share. It watches the others on the store in memory.
killed  = TestServerKilled|TestKill.*
unwatched = $(killed)|TestPooler|TestRestoreCut|TestCut.*|TestServiceCut.*
watched = $(gotest) $(race) $(beside) $(1) -skip '^($(unwatched)|$(plain))$$' -conformance.run '^COM-004/[a-z-]*$$|at-once$$|/linear$$|/held$$'
cuts    = $(gotest) $(beside) $(1) -run '^TestConformance$$' -conformance.run '$(cut)'

# Of the example, -short leaves out the crashes, which SQLite and PostgreSQL have.
long-waiting:
	@trap 'exit 130' INT; failed=; $(gotest) $(beside) $(postgres) -run '^($(unwatched))$$' || failed=yes; \
	$(call cuts,$(postgres)) || failed=yes; \
	$(call watched,$(postgres)) || failed=yes; \
	$(call each,$(APART),$(gotest) -short -skip '$(day)' ./...); \
	[[ -z $$failed ]]

# The tests of the suite itself take longest: they begin first, so that no processor idles at
# the end.
long-others:
	@trap 'exit 130' INT; failed=; all=$$(go list work | grep -vxE '$(postgres)|$(sqlite)|$(suite)|$(e2e)'); \
	raced=$$(grep -vE '$(unraced)' <<< "$$all"); \
	$(gotest) $(race) -skip '$(days)' $$raced || failed=yes; \
	$(gotest) $(race) $(web) $(api) -run '$(atonce)' || failed=yes; \
	$(call watched,$(sqlite)) || failed=yes; \
	$(call cuts,$(sqlite)) || failed=yes; \
	$(gotest) $(once) -run '^($(killed))$$' $(sqlite) || failed=yes; \
	$(gotest) $(once) -run '$(left)|$(days)' $(suite) $(mailer) $$(grep -vxF "$$raced" <<< "$$all") || failed=yes; \
	$(gotest) $(beside) $(e2e) -program.race -skip '^($(subst TestPages|TestHTTP|,,$(quick)))$$|^TestHTTP$$/^(sqlite|postgres)$$|^TestPages$$/^bash$$' || failed=yes; \
	[[ -z $$failed ]]

# With VERSION=all, all of them. The programs come from npm: see tools/postgres/version.
versions = $(if $(filter all,$(VERSION)),$(notdir $(wildcard tools/postgres/versions/*)),$(VERSION))
on_each  = failed=; for version in $(1); do programs=$$(tools/postgres/version $$version) || exit 1; \
	PROBLEMS_TEST_POSTGRES= PROBLEMS_TEST_POSTGRES_PROGRAMS=$$programs $(2) || { failed=yes; echo "failed on PostgreSQL $$version"; }; done; [[ -z $$failed ]]

test-postgres: ## run the tests of the adapter on one version of PostgreSQL, as in VERSION=13, or on all with VERSION=all
	@[[ "$(origin VERSION)" == "command line" ]] || { echo "name the version: make test-postgres VERSION=13, or VERSION=all"; exit 2; }
	@$(call on_each,$(versions),go test -count=1 -timeout 20m ./adapters/postgres)

# What differs most between versions: the statements of the schema, of searches and of
# catalogues. Cases have names in upper case.
ends    = 13 18
between = ^(TestConformance|TestMigrate|TestSchema.*|TestExamine.*|TestServerIsChecked)$$/^(FIND|ID|VER)-|^(FEED|RES)-001|^[a-z]

test-postgres-quick: ## run a selection of them on the oldest and the newest version, for some seconds
	@$(call on_each,$(ends),go test -vet=off -short -count=1 -run '$(between)' ./adapters/postgres)

# The tags of tests with targets of their own: what they hide is checked all the same.
tags = -tags packages,failover,postfix
# A library, as one of its packages has it.
library = go list -deps -test -f '{{with .Module}}{{if and .Version (not .Replace)}}{{.}}{{end}}{{end}}'
# The linters compile each module with the libraries of the workspace. With the same ones, it
# compiles on its own.
alone = own=$$($(library) ./...) && { ! grep -vxF -e '' -e "$$libraries" <<< "$$own" || { echo "the workspace has other versions of these: go work sync"; false; }; }
lint = go vet $(tags) $(1) && $(CURDIR)/bin/tools/staticcheck $(tags) $(1) && $(CURDIR)/bin/tools/errcheck $(tags) -ignoretests -exclude $(CURDIR)/tools/errcheck.txt $(1)

check: ## check format, code, modules, dependencies and generated files
	$(call step,format)
	@unformatted=$$(gofmt -l $(MODULES) $(APART)); [[ -z $$unformatted ]] || { echo "make fmt would change: $$unformatted"; exit 1; }
	$(call step,each module on its own)
	@libraries=$$($(library) work); $(call each,$(MODULES),go mod tidy -diff && $(alone)); $(call each,$(APART),go mod tidy -diff)
	$(call step,lint)
	@$(call each,tools,go build -o ../bin/tools/ honnef.co/go/tools/cmd/staticcheck github.com/kisielk/errcheck)
	@$(call lint,$(patsubst %,./%/...,$(MODULES)))
	@$(call each,$(APART),$(call lint,./...))
	$(call step,dependencies between modules)
	@$(call each,tools,go run ./checkarrows -C ..)
	@$(call each,domain,outside=$$(go list -deps -f '{{if not .Standard}}{{.ImportPath}}{{end}}' ./... | grep -v '^github.com/problemtracking/problems/domain' || true); [[ -z $$outside ]] || { echo "domain depends on $$outside"; exit 1; })
	$(call step,generated files)
	@$(call each,tools,go run ./gentext -check -o ../domain)

# How many, or the first and the last: make simulate SEEDS=77..77 SIMULATE=-simulate.trace
SEEDS    = 1000
SIMULATE =

simulate: ## let servers, clients and their store fail in virtual time, as SEEDS=1000 seeds have it, and hold every answer against a ledger
	@cd tools && GOWORK=off go test -count=1 -timeout 0 -run '^TestSimulate$$' -v ./simulate -simulate.seeds $(SEEDS) $(SIMULATE) | grep -v '^=== '

# Flags for it: make bench BENCH='-rounds 5 -large 1000000'. "bin/tools/bench -h" explains them.
BENCH =
driver = (cd tools && GOWORK=off go build -o ../bin/tools/bench ./bench)

bench: build ## measure the service on every store beside what the machine could do: a table, and bin/bench.json
	@$(driver)
	@bin/tools/bench -json bin/bench.json $(BENCH)

bench-quick: build ## the same on little data for a moment, into bin/bench-quick.md: fails on errors, never on times
	@$(driver)
	@bin/tools/bench -problems 500 -prepared 20 -connections 8 -rounds 1 -warmup 50ms -duration 150ms -history 2000 -listeners 0,1,20 -streams 20 -idle 300ms -webhooks 30 -hang 500ms $(BENCH) > bin/bench-quick.md

# The commit that this one is held against. Who makes something slower on purpose moves it,
# and says why in the message of the commit.
REF      = $(shell cat tools/bench/reference)
versus   = bin/tools/bench -versus bin/versus/problems -limits=false -feed=false -webhooks 0
everyday = load,page,state,comment,relate,create

bench-versus: build other-build ## measure this commit beside another one, as in REF=v0.1.0: the ratio of each mix, and which became slower
	@$(driver)
	@$(versus) -mixes $(everyday),search,load-any,web-open,web-problem -connections 1,8 -rounds 12 -duration 1s -json bin/bench-versus.json $(BENCH)

bench-versus-quick: build other-build ## the same for two minutes, into bin/bench-versus.md: fails when a mix became slower by a tenth for sure
	@$(driver)
	@$(versus) -stores sqlite,postgres -mixes $(everyday) -connections 8 -problems 2000 -prepared 50 -rounds 9 -warmup 50ms -duration 300ms $(BENCH) > bin/bench-versus.md || failed=yes; \
	sed '/^| mix .*ratio/,/^$$/!d' bin/bench-versus.md; [[ -z $${failed:-} ]]

.PHONY: govulncheck
govulncheck: ## look for known vulnerabilities in the code that the program and the tools call; fails when it cannot look
	@$(call each,tools,go build -o ../bin/tools/ golang.org/x/vuln/cmd/govulncheck)
	@failed=; for module in $(MODULES) $(APART); do \
	status=0; output=$$(cd $$module && GOWORK=off $(CURDIR)/bin/tools/govulncheck $(if $(VULNDB),-db $(VULNDB)) ./... 2>&1) || status=$$?; \
	echo "== $$module"; echo "$$output"; \
	case $$status in \
	0) ;; \
	3) failed=yes ;; \
	*) echo "govulncheck could not look: nothing is known about vulnerabilities. It needs the database of the Go project, or a copy: make govulncheck VULNDB=file:///path"; exit 1 ;; \
	esac; done; [[ -z $$failed ]] || { echo "there are known vulnerabilities: update the modules above"; exit 1; }

.PHONY: other-build
other-build:
	@git cat-file -e $(REF)^{commit} 2>/dev/null || { echo "this clone does not have the commit $(REF), which REF or tools/bench/reference names: git fetch --unshallow"; exit 1; }
	@source=$$(mktemp -d); trap 'rm -rf $$source' EXIT; git archive $(REF) | tar -x -C $$source; \
	cd $$source && go build -o $(CURDIR)/bin/versus/problems ./app/cmd/problems

# Flags for it: make attack ATTACK='-stores sqlite -attacks keywords-load,http2'.
# "bin/tools/attack -h" explains them. ATTACK_MEMORY is how many MiB a server may take.
ATTACK =
ATTACK_MEMORY = 512
attacker = (cd tools && GOWORK=off go build -o ../bin/tools/attack ./attack)

attack: build ## attack the service on every store as one client can: its memory, and how long others wait; bin/attack.json
	@$(attacker)
	@bin/tools/attack -memory $(ATTACK_MEMORY) -json bin/attack.json $(ATTACK)

attack-quick: build ## a dozen of the attacks, small, into bin/attack-quick.md: fails on memory, deaths and wrong answers, never on times
	@$(attacker)
	@bin/tools/attack -short -memory $(ATTACK_MEMORY) $(ATTACK) > bin/attack-quick.md

benchmarks: ## run the Go benchmarks of all modules, as benchstat reads them
	@go test -run '^$$' -bench . -benchmem -count 6 work
	@cd tools && GOWORK=off go test -run '^$$' -bench . -count 6 ./browser

# A release is a commit beside the branch, in which no module replaces another:
# tools/internal/release says how and why.
release: ## make the commit of a release, tag every module, and make the packages of the tag in bin/packages, as in VERSION=v0.2.0; it pushes nothing
	@[[ "$(origin VERSION)" == "command line" ]] || { echo "name the version: make release VERSION=v0.2.0"; exit 2; }
	@cd tools && GOWORK=off go run ./release -C .. -to $(CURDIR)/bin/packages $(VERSION)

packages: ## make packages for Debian and RPM, images, a chart and lists of components of this commit, into bin/packages
	@cd tools/packages && GOWORK=off go run . -C ../.. -version $(VERSION) -to ../../bin/packages

packages-test: ## install, upgrade and remove them on a systemd and a Docker engine of their own, and build them twice: some minutes, as root on Debian
	@cd tools/packages && GOWORK=off go test -count=1 -timeout 30m -tags packages -v .
	@cd tools && GOWORK=off go test -count=1 -timeout 30m -tags packages -run '^TestPackages' ./release

mail-test: ## send e-mail and replies through Postfix, with STARTTLS and a password: as root on Debian, where it installs them
	@PATH=$$PATH:/usr/sbin; command -v postfix >/dev/null && command -v saslpasswd2 >/dev/null || tools/postgres/install postfix sasl2-bin libsasl2-modules
	@$(gotest) -tags postfix -run '^TestPostfix$$' $(e2e)

failover-test: ## lose, freeze and move the primary of a cluster with Patroni, etcd and HAProxy, as app/docs/failover.md has it: some minutes, as root on Debian
	@patroni=$$(tools/patroni/provide) && go test -count=1 -timeout 20m -tags failover -run '^TestPatroni$$' -v ./app/e2e -patroni "$$patroni"

litestream-test: ## go back to a moment of a SQLite store by Litestream, as app/docs/recovery.md has it: builds Litestream, which takes minutes the first time
	@cd tools/litestream && GOWORK=off CGO_ENABLED=0 go build -o ../../bin/tools/litestream github.com/benbjohnson/litestream/cmd/litestream
	@$(gotest) -tags litestream -run '^TestBackToAMomentByLitestream$$' $(e2e) -litestream $(CURDIR)/bin/tools/litestream

screenshots: build ## make pictures of every page in a browser, narrow and wide, light and dark, into bin/screenshots
	@cd tools && GOWORK=off go run ./screenshots -binary $(CURDIR)/bin/problems -to $(CURDIR)/bin/screenshots

fmt: ## format all Go files and tidy all modules
	@gofmt -w $(MODULES) $(APART)
	@$(call each,$(MODULES) $(APART),go mod tidy)

deps: ## install what the tests need beside Go: on Debian, as root; elsewhere say what is missing
	@missing= faster=; for program in curl gcc jq npm pgbouncer promtool python3 strace zsh; do PATH=$$PATH:/usr/sbin command -v $$program >/dev/null || missing+=" $$program"; done; \
	[[ $$missing != *gcc* ]] || missing+=" libc6-dev"; \
	missing=$${missing/promtool/prometheus}; \
	for program in postgres pg_basebackup; do command -v $$program >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/$$program" >/dev/null || { missing+=" postgresql"; break; }; done; \
	for program in chromium chromium-browser google-chrome; do ! command -v $$program >/dev/null || break; [[ $$program != google-chrome ]] || missing+=" chromium"; done; \
	[[ $$(id -u) != 0 ]] || ! command -v apt-get >/dev/null || command -v chromium-headless-shell >/dev/null || faster=chromium-headless-shell?; \
	[[ -z $$missing$$faster ]] || tools/postgres/install $$missing $$faster || [[ -z $$missing ]] || echo "The tests that need one of these will fail:$$missing"
	@tools/postgres/provide

reports = $(CURDIR)/bin/conformance
report  = -conformance.version $(VERSION) -conformance.report $(reports)

conformance-report: deps build ## hold every adapter, and the server on each, against the contract, and write the reports to bin/conformance
	@rm -rf $(reports)
	@failed=; for adapter in memory sqlite postgres; do go test -count=1 -run '^TestConformance$$' ./adapters/$$adapter $(report) || failed=yes; done; \
	go test -count=1 -run '^TestHTTP$$' ./app/e2e $(report) || failed=yes; \
	(cd conformance/examples/outoftree && GOWORK=off go test -count=1 -run '^TestConformance$$' . $(report)) || failed=yes; \
	go run ./conformance/cmd/problems-conformance summary $(reports)/* | tee $(reports)/README.md; \
	[[ -z $$failed ]]

saboteurs: ## run every case of the suite on every store with a planted fault, and print which cases catch it
	@mkdir -p bin
	@go test -count=1 -timeout 60m -run '^TestSaboteurs$$' ./conformance -saboteurs.matrix $(CURDIR)/bin/saboteurs.md
	@cat bin/saboteurs.md

false-alarms: ## run the seeded cases 1,000 times on the memory adapter, of which none may fail
	@go test -count=1 -timeout 60m -run '^TestConformance$$' -v ./adapters/memory -conformance.rounds 1000 -conformance.report $(CURDIR)/bin/false-alarms | grep -v '^ *\(---\|===\)'

postgres-image: ## build the image for tests where no registry is reached
	@tools/postgres/image
