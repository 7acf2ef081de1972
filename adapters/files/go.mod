module github.com/problemtracking/problems/adapters/files

go 1.26

require (
	github.com/problemtracking/problems/conformance v0.1.0
	github.com/problemtracking/problems/domain v0.1.0
)

require github.com/anishathalye/porcupine v1.3.1 // indirect

replace (
	github.com/problemtracking/problems/conformance => ../../conformance
	github.com/problemtracking/problems/domain => ../../domain
)
