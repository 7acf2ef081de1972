module github.com/problemtracking/problems/app

go 1.26
