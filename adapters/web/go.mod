module github.com/problemtracking/problems/adapters/web

go 1.26.0

replace (
	github.com/problemtracking/problems/adapters => ..
	github.com/problemtracking/problems/adapters/files => ../files
	github.com/problemtracking/problems/adapters/memory => ../memory
	github.com/problemtracking/problems/conformance => ../../conformance
	github.com/problemtracking/problems/domain => ../../domain
)

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/coreos/go-oidc/v3 v3.21.0
	github.com/go-jose/go-jose/v4 v4.1.9
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/microcosm-cc/bluemonday v1.0.27
	github.com/mileusna/useragent v1.3.5
	github.com/problemtracking/problems/adapters v0.1.0
	github.com/problemtracking/problems/adapters/files v0.1.0
	github.com/problemtracking/problems/adapters/memory v0.1.0
	github.com/problemtracking/problems/domain v0.1.0
	github.com/yuin/goldmark v1.8.7
	golang.org/x/net v0.62.0
	golang.org/x/oauth2 v0.38.0
	golang.org/x/sync v0.25.0
	golang.org/x/text v0.44.0
)

require (
	github.com/aymerick/douceur v0.2.0 // indirect
	github.com/gorilla/css v1.0.1 // indirect
	golang.org/x/time v0.16.0 // indirect
)
