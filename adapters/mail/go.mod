module github.com/problemtracking/problems/adapters/mail

go 1.26.0

require (
	github.com/emersion/go-sasl v0.0.0-20241020182733-b788ff22d5a6
	github.com/emersion/go-smtp v0.25.1
	github.com/problemtracking/problems/domain v0.1.0
	github.com/wneessen/go-mail v0.8.1
	golang.org/x/net v0.62.0
	golang.org/x/text v0.44.0
)

require golang.org/x/crypto v0.59.0 // indirect

replace github.com/problemtracking/problems/domain => ../../domain
