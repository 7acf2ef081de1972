module github.com/problemtracking/problems/adapters/client

go 1.26.0
