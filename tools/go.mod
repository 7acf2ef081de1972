module github.com/problemtracking/problems/tools

go 1.26.0

require (
	github.com/problemtracking/problems/adapters/archive v0.1.0
	github.com/problemtracking/problems/domain v0.1.0
	golang.org/x/mod v0.41.0
	golang.org/x/text v0.43.0
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/kisielk/errcheck v1.30.0 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

replace (
	github.com/problemtracking/problems/adapters/archive => ../adapters/archive
	github.com/problemtracking/problems/domain => ../domain
)

tool (
	github.com/kisielk/errcheck
	honnef.co/go/tools/cmd/staticcheck
)
