module example.org/boltstore

go 1.26.0

require (
	github.com/problemtracking/problems/conformance v0.1.0
	github.com/problemtracking/problems/domain v0.1.0
	go.etcd.io/bbolt v1.5.0
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	golang.org/x/sys v0.45.0 // indirect
)

// These two are for clones of the repository alone. An adapter elsewhere has
// none: the versions above are all that it needs.
replace (
	github.com/problemtracking/problems/conformance => ../../../conformance
	github.com/problemtracking/problems/domain => ../../../domain
)
