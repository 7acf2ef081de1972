module github.com/problemtracking/problems/adapters/webhook

go 1.26.0

require (
	code.dny.dev/ssrf v0.3.0
	github.com/problemtracking/problems/domain v0.1.0
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
)

require github.com/google/go-cmp v0.7.0 // indirect

replace github.com/problemtracking/problems/domain => ../../domain
