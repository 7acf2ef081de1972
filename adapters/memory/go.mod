module github.com/problemtracking/problems/adapters/memory

go 1.26
