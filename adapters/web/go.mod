module github.com/problemtracking/problems/adapters/web

go 1.26.0

replace (
	github.com/problemtracking/problems/adapters/httpframe => ../httpframe
	github.com/problemtracking/problems/domain => ../../domain
)
