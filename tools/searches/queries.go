package main

// query is a question about problems.
type query struct{ predicate, sort string }

// queries are the documented ones, and the everyday ones of scripts and people.
var queries = []query{
	{predicate: "watching = YES"},
	{predicate: "read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser"},
	{predicate: "state.resolved = NO AND assignee.identifier = $ApiUser", sort: "-modificationDate"},
	{predicate: "creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)"},
	{predicate: "creationDate > CAST('2020-01-12', 'NSDate')", sort: "creationDate"},
	{predicate: "SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0"},
	{predicate: "SUBQUERY(history, $h, $h.modificationDate > CAST('2020-01-12', 'NSDate') AND $h.modifier.identifier = $ApiUser).@count > 0"},
	{predicate: "title CONTAINS[c] 'API'"},
	{predicate: "title CONTAINS[c] 'problem 99999'"},
	{predicate: "identifier IN {1, 2}"},
	{predicate: "milestone.name =[c] 'Next'"},
	{predicate: "milestone.name =[c] 'Next' AND state.resolved = NO", sort: "priority.order"},
	{predicate: "state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0"},
	{predicate: "ANY keywords.name = 'build' AND state.resolved = NO"},
	{predicate: "TRUEPREDICATE"},
	{predicate: "TRUEPREDICATE", sort: "-modificationDate"},
	{predicate: "title MATCHES '.*9999.*' AND identifier < 10000"},
	{predicate: "title MATCHES '.*9999.*'"},
}
