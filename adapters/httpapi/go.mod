module github.com/problemtracking/problems/adapters/httpapi

go 1.26
