module github.com/problemtracking/problems/conformance

go 1.26

require github.com/problemtracking/problems/domain v0.1.0

require github.com/anishathalye/porcupine v1.3.1

replace github.com/problemtracking/problems/domain => ../domain
