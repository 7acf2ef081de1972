module github.com/problemtracking/problems/adapters/archive

go 1.26.0

require (
	github.com/go-json-experiment/json v1.27.2
	github.com/problemtracking/problems/domain v0.1.0
)

replace github.com/problemtracking/problems/domain => ../../domain
