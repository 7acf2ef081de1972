module github.com/problemtracking/problems/conformance

go 1.26
