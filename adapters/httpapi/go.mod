module github.com/problemtracking/problems/adapters/httpapi

go 1.26.0

require (
	github.com/danielgtaylor/huma/v2 v2.37.2
	github.com/go-json-experiment/json v1.27.2
	github.com/problemtracking/problems/adapters v0.1.0
	github.com/problemtracking/problems/domain v0.1.0
	github.com/rs/cors v1.11.1
	github.com/yuin/goldmark v1.8.7
	golang.org/x/net v0.62.0
)

require (
	golang.org/x/text v0.44.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace github.com/problemtracking/problems/domain => ../../domain

replace github.com/problemtracking/problems/adapters => ..
