package finding

import "github.com/problemtracking/problems/domain/problem"

// finding is a predicate, and the exhibits of its answer for Ann.
type finding struct {
	predicate string
	want      []problem.ID
}

func these(ids ...problem.ID) []problem.ID { return ids }

// documentedFindings are queries as clients write them.
func documentedFindings() []finding {
	return []finding{
		{`TRUEPREDICATE`, Without()},
		{`FALSEPREDICATE`, nil},
		{`watching = YES`, these(1)},
		{`watching = NO`, Without(1)},
		{`read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser`, nil},
		{`read = 1`, these(1, 3)},
		{`readByAssignee = YES`, these(1, 3, 8)},
		{`readByAssignee = NO`, these(2, 5, 13)},
		{`creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)`, these(5, 13)},
		{`SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0`, these(3)},
		{`title CONTAINS[c] 'API'`, these(1, 2)},
		{`identifier IN {1, 2}`, these(1, 2)},
		{`milestone.name =[c] 'next'`, these(1, 5)},
		{`(milestone.startDate = nil || milestone.startDate < NOW()) && milestone != nil`, these(1, 2, 5)},
		{`state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0`, these(1)},
		{`ANY relationships.childId = 2`, these(1, 5)},
	}
}

// fieldFindings are about keys with one value.
func fieldFindings() []finding {
	return []finding{
		{`id = 5`, these(5)},
		{`identifier > 2.5`, these(3, 5, 8, 13)},
		{`identifier BETWEEN {2, 5}`, these(2, 3, 5)},
		{`assignee = nil`, these(2, 13)},
		{`assignee != nil`, these(1, 3, 5, 8)},
		{`assignee.name != 'Ann'`, Without(1)},
		{`NOT assignee.name = 'Ann'`, Without(1)},
		{`NOT (assignee.name CONTAINS 'n')`, Without(1)},
		{`assignee.inactive = YES`, these(8)},
		{`assignee.email CONTAINS 'bo@'`, these(3, 5)},
		{`resolveDate < NOW()`, these(3)},
		{`NOT resolveDate < NOW()`, Without(3)},
		{`resolveDate <= nil`, nil},
		{`assignee = originator`, these(1)},
		{`resolver = assignee`, these(2, 13)},
		{`NOT resolver = assignee`, Without(2, 13)},
		{`assignee IN {originator, resolver}`, these(1, 2, 13)},
		{`priority.order = 1 OR priority = nil`, these(1, 3, 5, 13)},
		{`classification.name = nil`, these(2, 3, 8, 13)},
		{`component.fullName = 'Engine/Pump'`, these(1, 5)},
		{`component.successor.name = 'Pump'`, these(8)},
		{`component.parent = nil`, these(2, 3, 8, 13)},
		{`ANY component.children.name = 'Pump'`, these(2)},
		{`ALL component.children.closed = YES`, Without(2)},
		{`ANY state.nextStates.resolved = YES`, Without(3)},
		{`ANY state.previousStates.name = 'Open'`, these(2, 3, 8)},
		{`state.order < 2 AND state.initial = YES`, these(1, 5, 13)},
		{`creationDate = modificationDate`, these(2, 5, 8, 13)},
		{`creationDate < CAST('2026-01-02', 'NSDate')`, these(8)},
		{`NOT (keywords.@count > 0 AND watching = YES)`, Without(1)},
	}
}

// textFindings are about strings.
func textFindings() []finding {
	return []finding{
		{`title CONTAINS 'API'`, these(1)},
		{`title CONTAINS ''`, Without()},
		{`title CONTAINS[d] 'Eclair'`, these(5)},
		{"title CONTAINS[cd] 'ECLAIR \u00dcBER'", these(5, 8)},
		{"title CONTAINS[cd] 'ECLAIR U\u0308BER'", these(5, 8)},
		{"title CONTAINS '\u00fcber'", these(5)},
		{`title BEGINSWITH 'API'`, these(1)},
		{`title ENDSWITH[c] 'ALLES'`, these(5, 8)},
		{`title = 'Crash'`, these(3)},
		{`title =[c] 'CRASH'`, these(3)},
		{`title = 'crash'`, nil},
		{`title != 'Crash'`, Without(3)},
		{`title LIKE '*ea*'`, these(1)},
		{`title LIKE '?rash'`, these(3)},
		{`title LIKE[c] 'api*'`, these(1, 2)},
		{`title LIKE '100% of [a-z]\\* are *'`, these(13)},
		{`title LIKE '*\\?'`, these(13)},
		{`title LIKE '*\\\\*'`, these(13)},
		{`title LIKE[c] '*\\\\\'QUOTED*'`, these(13)},
		{`title LIKE '100% of \\*'`, nil},
		{`title LIKE '*[[]*'`, nil},
		{`title LIKE '100_*'`, nil},
		{`title MATCHES '[A-Z][a-z]+'`, these(3)},
		{`title MATCHES[c] '.*LEAKS'`, these(1)},
		{`title < 'D'`, these(1, 3, 13)},
		{`title >= 'a'`, these(2, 5, 8)},
		{`title IN {'Crash', 'API leaks', nil}`, these(1, 3)},
		{`title IN[c] {'CRASH'}`, these(3)},
		{`'k' IN title`, these(1)},
		{`title CONTAINS "[a-z]* are \\'q"`, these(13)},
		{`title CONTAINS '%'`, these(13)},
		{`title CONTAINS '_'`, these(13)},
		{`title CONTAINS '*'`, these(13)},
		{`title ENDSWITH '?'`, these(13)},
		{`title CONTAINS '; DROP TABLE problems; --'`, nil},
	}
}

// partFindings are about collections.
func partFindings() []finding {
	return []finding{
		{`assignee IN watchers`, these(1)},
		{`watchers CONTAINS originator`, these(1, 2, 5)},
		{`ANY watchers.name = 'Cy'`, these(5)},
		{`ANY keywords.name = 'area'`, these(1)},
		{`ANY keywords.name =[c] 'area'`, these(1, 2)},
		{`NONE keywords.name =[c] 'area'`, these(3, 5, 8, 13)},
		{"ANY keywords.value CONTAINS[cd] 'NAI'", these(5)},
		{`ANY keywords.value = nil`, these(1)},
		{`ALL keywords.value != nil`, Without(1)},
		{`ANY keywords.value = ''`, these(1)},
		{`SUBQUERY(keywords, $k, $k.name =[c] 'area' AND $k.value =[c] 'KITCHEN').@count = 1`, these(1, 2)},
		{`keywords.@count >= 3`, these(1)},
		{`keywords[SIZE] = 0`, these(3, 8, 13)},
		{`ANY comments.text CONTAINS '100% dry_'`, these(1)},
		{`ANY comments.text =[c] 'WET.'`, these(1)},
		{`ANY comments.text LIKE 'one?two'`, these(2)},
		{`ANY comments.text MATCHES 'one.two'`, nil},
		{`ANY comments.author.name = 'Bo'`, these(1)},
		{`comments.@max.creationDate > CAST('2026-03-13T12:00:00Z', 'NSDate')`, these(1)},
		{`comments.@max.creationDate = nil`, these(3, 5, 8, 13)},
		{`ANY relationships.type = 'ParentOf'`, these(2, 5)},
		{`ANY relationships.child.title = 'Crash'`, these(1)},
		{`ALL relationships.parentId = identifier`, Without()},
		{`relationships.@count = 3`, these(1)},
		{`relationships.@sum.type > 1000`, these(1)},
		{`relationships.@sum.type = 0`, these(13)},
		{`relationships.@min.type = 201`, these(8)},
		{`ANY relationships.child.relationships.child.identifier = 8`, these(2, 8)},
		{`ANY history.state.name = 'Open'`, these(1, 3, 5, 13)},
		{`history.@count = 2`, these(3)},
		{`ANY logs.type = 'CommentAdded'`, these(1)},
		{`ANY logs.isSignificant = NO`, these(1, 2)},
		{`ANY logs.author.identifier = $ApiUser`, these(1, 3, 8)},
	}
}

// listFindings are about lists in braces. A list may stand wherever a collection may.
func listFindings() []finding {
	return []finding{
		{`ANY {1, 5, 99} = identifier`, these(1, 5)},
		{`SOME {2, 3} = id`, these(2, 3)},
		{`ALL {1, 5} != identifier`, Without(1, 5)},
		{`NONE {1, 5} = identifier`, Without(1, 5)},
		{`ALL {} = identifier`, Without()},
		{`ANY {} = identifier`, nil},
		{`NOT ANY {assignee} = nil`, these(1, 3, 5, 8)},
		{`ANY {'API', 'Crash'} IN title`, these(1, 3)},
		{`ANY {'area', 'price'} IN keywords.name`, these(1)},
		{`ANY {title, component.name} CONTAINS[c] 'PUMP'`, these(1, 5)},
		{`ANY {title} LIKE 'api*'`, these(2)},
		{`ANY {title} MATCHES 'api.*'`, these(2)},
		{`{1, 2} CONTAINS identifier`, these(1, 2)},
		{`identifier IN {priority.order, 8}`, these(1, 2, 8)},
		{`ANY {title, 'x'} = 'Crash'`, these(3)},
		{`ANY {title, 'X'} =[c] 'x'`, Without()},
		{`{identifier, 5} CONTAINS 1`, these(1)},
		{`ANY {identifier, nil} = 8`, these(8)},
		{`YES IN {watching, NO}`, these(1)},
		{`NOW() IN {resolveDate, CAST('2026-01-01', 'NSDate')}`, nil},
		{`{}.@count = 0`, Without()},
		{`{1, nil, 1}.@count = 3`, Without()},
		{`{assignee.name, 'Ann'}[SIZE] = 2`, Without()},
		{`{identifier, 3}.@max = 3`, these(1, 2, 3)},
		{`{identifier, 3}.@min = 3`, Without(1, 2)},
		{`{identifier, 1}.@sum = 3`, these(2)},
		{`{identifier, nil, 3}.@avg = 4`, these(5)},
		{`count({assignee, originator}) = 2`, Without()},
		{`sum({identifier, 1}) = 3`, these(2)},
		{`average({identifier, 3}) = 4`, these(5)},
		{`min({creationDate, modificationDate}) < modificationDate`, these(1, 3)},
		{`FUNCTION({identifier, 3}, 'max:') = 3`, these(1, 2, 3)},
		{`ANY {assignee, originator}.name = 'Ann'`, these(1, 3, 8)},
		{`ALL {assignee, originator}.inactive = NO`, these(1, 3)},
		{`{assignee, originator}.name.@count = 2`, Without()},
		{`SUBQUERY({1, 5, 8}, $n, $n = identifier).@count = 1`, these(1, 5, 8)},
		{`SUBQUERY({assignee, originator}, $u, $u.name = 'Ann').@count > 0`, these(1, 3, 8)},
		{`ANY SUBQUERY({assignee, originator}, $u, $u.inactive = YES).name = 'Cy'`, these(5, 8)},
	}
}

// savepointFindings are about savepoints as objects. No key leads to the identifier of a
// savepoint. A savepoint is equal to itself alone.
func savepointFindings() []finding {
	return []finding{
		{`SUBQUERY(history, $a, SUBQUERY(history, $b, $a = $b).@count = 1).@count = history.@count`, Without()},
		{`SUBQUERY(history, $h, $h IN history).@count = 2`, these(3)},
		{`SUBQUERY(history, $a, SUBQUERY(history, $b, $a != $b).@count > 0).@count = 2`, these(3)},
		{`ANY history IN relationships.child.history`, nil},
		{`SUBQUERY(relationships.child.history, $o, $o IN history).@count > 0`, nil},
		{`ANY history IN relationships.child.relationships.child.history`, Without(13)},
	}
}

// residualFindings are about conditions that a database cannot decide.
func residualFindings() []finding {
	return []finding{
		{`identifier + 1 = 4`, these(3)},
		{`FUNCTION(identifier, 'modulus:by:', 2) = 0`, these(2, 8)},
		{`identifier / 0 = nil`, Without()},
		{`CAST(identifier, 'NSString') = '13'`, these(13)},
		{`CAST(assignee.identifier, 'NSString') CONTAINS '-'`, these(1, 3, 5, 8)},
		{`CAST(watching, 'NSNumber') = 1`, these(1)},
		{`CAST(title, 'NSNumber') = nil`, Without()},
		{`CAST(identifier * 86400, 'NSDate') = CAST('2001-01-03', 'NSDate')`, these(2)},
		{`CAST(resolveDate, 'NSNumber') > 0`, these(3)},
		{`length(title) = 5`, these(3)},
		{`lowercase(title) BEGINSWITH 'api'`, these(1, 2)},
		{`FUNCTION(creationDate, 'dateByAddingMonths:', 2) > NOW()`, Without(8)},
		{`state.resolved = NO AND title MATCHES '.*[kn]s?'`, these(1, 2)},
		{`title MATCHES '.*' AND watching = YES AND length(title) > 1`, these(1)},
		{`title MATCHES 'API.*' OR watching = NO`, Without()},
		{`NOT title MATCHES '[A-Z].*'`, these(2, 5, 8, 13)},
		{`SUBQUERY(comments, $c, length($c.text) = 4 AND $c.author = assignee).@count > 0`, these(1)},
		{`ANY relationships.child.title MATCHES 'API.*'`, these(2, 3)},
	}
}

// sorting is an order, and the exhibits in it for Ann.
type sorting struct {
	sort string
	want []problem.ID
}

func sortings() []sorting {
	return []sorting{
		{"", Without()},
		{"identifier", Without()},
		{"-identifier", these(13, 8, 5, 3, 2, 1)},
		{"title", these(13, 1, 3, 2, 8, 5)},
		{"-title", these(5, 8, 2, 3, 1, 13)},
		{"creationDate", these(8, 1, 3, 2, 5, 13)},
		{"resolveDate", these(3, 1, 2, 5, 8, 13)},
		{"-resolveDate", these(3, 1, 2, 5, 8, 13)},
		{"assignee.name", these(1, 3, 5, 8, 2, 13)},
		{"-assignee.name", these(8, 3, 5, 1, 2, 13)},
		{"milestone.name,-identifier", these(2, 5, 1, 13, 8, 3)},
		{"-priority.order,title", these(2, 8, 1, 5, 13, 3)},
		{"read", these(2, 5, 8, 13, 1, 3)},
		{"-read", these(1, 3, 2, 5, 8, 13)},
		{"state.identifier", these(1, 5, 13, 2, 8, 3)},
		{"-state.identifier", these(3, 2, 8, 1, 5, 13)},
		{"component.fullName", these(2, 1, 5, 8, 3, 13)},
		{"-component.parent.name,-read", these(1, 5, 3, 2, 8, 13)},
	}
}
