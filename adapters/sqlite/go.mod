module github.com/problemtracking/problems/adapters/sqlite

go 1.26
