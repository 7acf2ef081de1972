module github.com/problemtracking/problems/adapters/httpframe

go 1.26.0

require (
	github.com/problemtracking/problems/domain v0.1.0
	golang.org/x/time v0.16.0
)

replace github.com/problemtracking/problems/domain => ../../domain
