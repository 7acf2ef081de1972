module github.com/problemtracking/problems/domain

go 1.26
