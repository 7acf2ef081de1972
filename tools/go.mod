module github.com/problemtracking/problems/tools

go 1.26.0

require (
	github.com/problemtracking/problems/domain v0.1.0
	golang.org/x/text v0.43.0
)

replace github.com/problemtracking/problems/domain => ../domain
