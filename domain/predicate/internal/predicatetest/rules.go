package predicatetest

import (
	"slices"
	"strings"
)

// Rules are the rules of section 4: true and false predicates about the first problem
// of the world.
var Rules = map[string]struct{ Yes, No []string }{
	"the documented queries": {
		Yes: []string{
			`watching = YES`,
			`read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser`,
			`creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)`,
			`SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0`,
			`title CONTAINS[c] 'API'`,
			`identifier IN {1, 2}`,
			`milestone.name =[c] 'Next'`,
			`state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0`,
		},
	},
	"= knows nil, and != is its negation": {
		Yes: []string{`priority = nil`, `priority.name = nil`, `resolveDate = nil`, `assignee.email = nil`, `nil = nil`,
			`priority.name != 'a'`, `resolveDate != NOW()`, `assignee != nil`, `NOT priority.name = 'a'`, `resolver.name = priority.name`},
		No: []string{`priority != nil`, `assignee = nil`, `priority.name = ''`, `nil != nil`, `title = nil`},
	},
	"entities are compared by identity": {
		Yes: []string{`assignee = modifier`, `assignee != originator`, `ANY relationships.parent = SELF`, `SUBQUERY(relationships, $r, $r.child = SELF).@count = 0`},
		No:  []string{`assignee = originator`, `resolver = assignee`},
	},
	"the orders hold for no nil": {
		Yes: []string{`identifier < 2`, `identifier <= 1`, `identifier > 0.5`, `creationDate < NOW()`, `title > 'The'`, `NOT resolveDate < NOW()`, `NOT resolveDate >= NOW()`, `identifier BETWEEN {1, 2}`, `NOT resolveDate BETWEEN {NOW(), NOW()}`},
		No:  []string{`resolveDate < NOW()`, `resolveDate >= NOW()`, `resolveDate <= nil`, `nil <= nil`, `identifier > 1`, `identifier BETWEEN {2, 9}`},
	},
	"strings": {
		Yes: []string{`title BEGINSWITH 'The '`, `title ENDSWITH 'nichts'`, `title CONTAINS ''`, `title BEGINSWITH ''`, `title ENDSWITH ''`, `'API' IN title`,
			`title LIKE '*API*'`, `title LIKE 'The ??? *'`, `title LIKE[cd] 'the api LOST*'`, `title MATCHES 'The .*'`, `title MATCHES[c] 'the .*'`,
			`title CONTAINS[cd] 'LOST'`, `title CONTAINS[c] 'LÖST'`, `title CONTAINS[d] 'lost'`, `title CONTAINS 'lo` + "\u0308" + `st'`, `ANY comments.text LIKE '*one?line*'`},
		No: []string{`title CONTAINS 'api'`, `title CONTAINS[c] 'lost'`, `title CONTAINS[d] 'LOST'`, `title LIKE 'API'`, `title MATCHES 'API'`, `ANY comments.text MATCHES 'Line.*TWO'`,
			`priority.name CONTAINS ''`, `priority.name LIKE '*'`, `priority.name MATCHES '.*'`, `title CONTAINS priority.name`, `priority.name CONTAINS priority.name`},
	},
	"comparisons with [c] and [cd] of what is no column": {
		Yes: []string{`originator.name =[cd] 'bob eclair'`, `originator.name =[c] 'BOB ÉCLAIR'`, `originator.name IN[cd] {'x', 'BOB ECLAIR'}`, `ANY keywords.name =[c] 'BUILD'`, `resolver.name =[cd] nil`},
		No:  []string{`originator.name =[c] 'bob eclair'`, `originator.name IN {'bob eclair', nil}`},
	},
	"IN and CONTAINS": {
		Yes: []string{`priority.name IN {'a', nil}`, `priority IN {nil}`, `state.name IN {'Open', 'Closed'}`, `identifier IN {1.0, 7}`, `'Build' IN keywords.name`, `keywords.value CONTAINS nil`, `watchers CONTAINS assignee`, `assignee IN watchers`,
			`title IN {title, 'x'}`, `identifier IN SUBQUERY(relationships, $r, $r.type = 501).parentId`},
		No: []string{`priority.name IN {'a'}`, `identifier IN {2, 3}`, `'build' IN keywords.name`, `keywords.name CONTAINS nil`, `resolver IN watchers`},
	},
	"lists as collections": {
		Yes: []string{`{1, 2, 3}.@count = 3`, `{}[SIZE] = 0`, `{nil, nil}.@count = 2`, `{1, 2, 2.5}.@sum = 5.5`, `sum({1, 2, identifier}) = 4`, `sum({}) = 0`, `max({}) = nil`, `average({1, 2}) = 1.5`, `min({identifier, 7}) = 1`,
			`max({NOW(), creationDate, nil}) = NOW()`, `{resolveDate, creationDate}.@min = creationDate`, `count({title, nil}) = 2`,
			`ANY {1, 2} = identifier`, `ANY {3, 1} = 1`, `ANY {'x', 'The API löst nichts'} = title`, `ANY {'THE API LOST NICHTS'} =[cd] title`, `ALL {2, 3} > identifier`, `ALL {} = 1`, `NONE {} = 1`, `NONE {2, 3} = identifier`, `NOT ANY {} = nil`,
			`ANY {nil} = resolver`, `ANY {assignee, resolver} = nil`, `ANY {'api', 'x'} IN[c] title`, `ANY {title, 'x'} LIKE 'The*'`, `ANY {title, nil} MATCHES 'The.*'`, `ANY {1, 5} BETWEEN {4, 6}`, `ALL {1, 5} BETWEEN {0, 6}`,
			`SUBQUERY(relationships, $r, ANY {'BlockedBy', 100} = $r.type).@count > 0`, `ANY {'02000000-0000-7000-8000-000000000000', $ApiUser} = assignee.identifier`, `ANY {'01000000-0000-7000-8000-000000000000'} = assignee.identifier`, `ANY {1, 0} = watching`, `ANY {watching, read} = NO`,
			`ANY {assignee, originator}.name = 'Ann'`, `{assignee, resolver}.name CONTAINS 'Ann'`, `{assignee, originator, resolver}.name.@count = 3`, `ANY {component, component.parent}.children.name = 'UI'`,
			`SUBQUERY({assignee, originator}, $u, $u.name BEGINSWITH 'Bob').@count = 1`, `SUBQUERY({1, 2, 3}, $n, $n > identifier).@count = 2`, `SUBQUERY({1, 2, 3}, $n, $n > 1).@count = 2`, `SUBQUERY({'Build', 'x'}, $n, ANY keywords.name = $n).@count > 0`,
			`SUBQUERY(keywords, $k, ANY {'BUILD', 'x'} =[c] $k.name).@count = 1`, `assignee IN SUBQUERY({assignee, originator}, $u, $u.inactive = NO)`, `SUBQUERY(SUBQUERY({1, 2, 3}, $n, $n > 1), $n, $n < 3).@count = 1`,
			`ANY {SELF} = SELF`, `SUBQUERY({SELF}, $p, $p.title = title).@count > 0`, `ANY {SELF}.keywords.name = 'Build'`, `ANY {1 + 1, identifier + 1} = 2`, `ANY SUBQUERY({'a', 'b'}, $a, $a != 'a') = 'b'`},
		No: []string{`{1, 2}.@count = 3`, `ANY {} = 1`, `ANY {2, 3} = identifier`, `ALL {1, 2} = identifier`, `NONE {1, 2} = identifier`, `ANY {'the api löst nichts'} = title`, `ANY {nil} < 1`, `sum({1, identifier}) > 2`, `ANY {milestone.component.successor, component.successor} != nil`,
			`SUBQUERY({1, 2, 3}, $n, $n > identifier + 5).@count > 0`, `{assignee, resolver}.name CONTAINS 'Bob Éclair'`, `ANY {assignee, originator}.email LIKE 'ann*'`, `ALL {assignee, originator}.inactive = YES`},
	},
	"ANY, ALL and NONE": {
		Yes: []string{`ANY keywords.value = nil`, `SOME keywords.name = 'flaky'`, `ALL keywords.name != 'x'`, `NONE keywords.name = 'x'`, `ANY keywords.value != '1.2'`, `ALL history.state = state`, `NOT ALL keywords.value = '1.2'`},
		No:  []string{`ALL keywords.value = '1.2'`, `NONE keywords.value = nil`, `ANY keywords.name = 'x'`},
	},
	"SUBQUERY": {
		Yes: []string{`SUBQUERY(keywords, $k, $k.value = nil).name CONTAINS 'flaky'`, `ANY SUBQUERY(comments, $c, $c.author = assignee).text = ''`,
			`SUBQUERY(comments, $c, assignee = $c.author).@count = 1`,
			`SUBQUERY(comments, $c, SUBQUERY(history, $h, $h.modifier = $c.author AND title != $h.title).@count > 0).@count = 1`,
			`SUBQUERY(history, $x, SUBQUERY(comments, $x, $x.text = '').@count = 1 AND $x.title = title).@count = 1`},
		No: []string{`SUBQUERY(comments, $c, $c.author = resolver).@count > 0`},
	},
	"paths through nil, mapped and flattened": {
		Yes: []string{`component.parent.parent.name = nil`, `component.parent.name = 'Core'`, `component.parent.parent.children.@count = 0`, `history.assignee.@count = 2`, `ANY history.assignee = nil`, `ANY history.assignee.name = nil`,
			`history.component.children.@count = 0`, `history.component.parent.children.@count = 1`, `relationships.child.keywords.@count = 1`, `ANY relationships.child.keywords.value = '1.3'`, `history.state.nextStates.@count = 2`, `keywords.value[SIZE] = 2`, `ALL milestone.component.children.name = 'x'`},
		No: []string{`ANY component.parent.parent.children.name = nil`, `ANY relationships.child.comments.text = nil`},
	},
	"aggregates": {
		Yes: []string{`relationships.@sum.type = 501`, `history.assignee.@count = 2`, `history.@max.modificationDate = modificationDate`, `history.@min.modificationDate = creationDate`,
			`relationships.child.relationships.@sum.type = 500`, `relationships.child.comments.@max.creationDate = nil`, `relationships.@avg.type = 501.0`, `logs.@count = 1`, `component.children.@count = 0`,
			`state.nextStates.@sum.order = 2`, `count(keywords) = 2`, `max(history.modificationDate) = modificationDate`,
			`SUBQUERY(relationships, $r, $r.type = 1).@sum.type = 0`, `SUBQUERY(relationships, $r, $r.type = 1).@avg.type = nil`, `SUBQUERY(relationships, $r, $r.type = 1).@min.type = nil`},
		No: []string{`keywords.@count = 1`, `SUBQUERY(relationships, $r, $r.type = 1).@max.type > 0`},
	},
	"computing": {
		Yes: []string{`identifier + 1 = 2`, `7 / 2 = 3`, `-7 / 2 = -3`, `(identifier + 6) / 2 = 3`, `identifier / 2.0 = 0.5`, `2 ** 3 = 8`, `identifier / 0 = nil`, `identifier ** 0.5 = 1`, `length(title) = 19`, `uppercase(title) = 'THE API LÖST NICHTS'`,
			`dateByAddingDays(creationDate, 3) = NOW()`, `dateByAddingMonths(NOW(), 1) = CAST('2024-06-30T12:00:00Z', 'NSDate')`, `FUNCTION(resolveDate, 'dateByAddingDays:', 1) = nil`, `length(priority.name) = nil`, `NOT priority.order + 1 > 0`, `CAST(identifier, 'NSString') = '1'`,
			`SUBQUERY(relationships.child.keywords, $k, CAST($k.value, 'NSNumber') / 2 = 0.65).@count = 1`, `SUBQUERY(keywords, $k, CAST($k.value, 'NSNumber') * 10 / 5 = 2.4).@count = 1`},
		No: []string{`identifier / 0 > 0`, `identifier / 0 != nil`, `priority.order + 1 = 1`},
	},
	"Int and Float are compared exactly": {
		Yes: []string{`9007199254740993 > 9007199254740992.0`, `9007199254740993 != 9007199254740992.0`, `9223372036854775807 < 9223372036854775808.0`, `identifier = 1.0`},
		No:  []string{`9007199254740993 = 9007199254740992.0`, `9007199254740993 IN {9007199254740992.0}`},
	},
	"constants": {
		Yes: []string{`TRUEPREDICATE`, `NOT FALSEPREDICATE`, `1 = 1`, `YES = YES`, `'a' < 'b'`},
		No:  []string{`FALSEPREDICATE`, `NOT TRUEPREDICATE`, `1 = 2`},
	},
}

// Splits are the rules of section 7: compiled and residual conditions.
var Splits = map[string]struct{ Compiled, Residual []string }{
	"the documented queries": {Compiled: []string{
		`watching = YES`,
		`read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser`,
		`creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)`,
		`SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0`,
		`title CONTAINS[c] 'API'`,
		`identifier IN {1, 2}`,
		`milestone.name =[c] 'Next'`,
		`state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0`,
	}},
	"MATCHES": {
		Compiled: []string{`state.name MATCHES 'O.*'`},
		Residual: []string{`title MATCHES 'x'`, `ANY keywords.name MATCHES 'x'`, `NOT title MATCHES 'x'`},
	},
	"folding where stores keep folded forms": {
		Compiled: []string{`title =[c] 'x'`, `title CONTAINS[cd] 'x'`, `title LIKE[c] 'x*'`, `title IN[cd] {'x', nil}`, `ANY keywords.value BEGINSWITH[c] 'x'`, `ANY comments.text CONTAINS[cd] 'x'`,
			`ANY relationships.child.title CONTAINS[c] 'x'`, `SUBQUERY(keywords, $k, $k.name =[c] title).@count > 0`, `assignee.name =[d] 'x'`, `ANY watchers.name CONTAINS[cd] 'x'`},
		Residual: []string{`title =[d] 'x'`, `title LIKE[d] 'x'`, `title IN[d] {'x'}`, `ANY history.title CONTAINS[c] 'x'`, `ANY logs.type =[c] 'x'`, `SUBQUERY(history, $h, $h.title =[c] title).@count > 0`},
	},
	"computing": {
		Compiled: []string{`state.order + 1 = 2`, `length(milestone.name) > 3`, `identifier > 1 + 1`, `uppercase('x') = title`, `resolveDate < dateByAddingMonths(NOW(), 1)`, `SUBQUERY(history, $h, $h.priority.order * 2 > 4).@count > 1`},
		Residual: []string{`identifier + 1 = 2`, `length(title) > 3`, `lowercase(title) = 'x'`, `dateByAddingDays(creationDate, 1) > NOW()`, `CAST(title, 'NSNumber') = 1`, `keywords.@count + 1 = 2`, `keywords.@count / 2 = 1`},
	},
	"references": {
		Compiled: []string{`assignee.name = 'x' OR assignee = nil`, `ANY component.children.name = 'x'`, `component.fullName BEGINSWITH 'Core/'`, `milestone.component.parent.name = 'x'`, `state.nextStates.@count = 2`, `ANY relationships.child.assignee.email = 'x'`,
			`ANY watchers.inactive = YES`, `SUBQUERY(watchers, $w, $w.name = $w.email).@count = 1`, `SUBQUERY(comments, $c, $c.author.name = 'x' AND state.resolved = NO).@count > 0`, `state.nextStates.@avg.order > 1.5`,
			`ANY component.children = component.successor`, `component.name = component.parent.name`},
		Residual: []string{`assignee.name = originator.name`, `milestone.component = component`, `component.parent = milestone.component`, `assignee.name = title`, `SUBQUERY(comments, $c, $c.author.name = assignee.name).@count > 0`, `ANY component.children = milestone.component`,
			`SUBQUERY(component.children, $c, $c.name = title).@count > 0`, `assignee.identifier = originator.identifier`, `history.@max.priority.order > 1`, `history.state.nextStates.@count = 3`, `'x' IN {assignee.name, originator.name}`},
	},
	"identity": {
		Compiled: []string{`assignee = originator`, `assignee IN watchers`, `watchers CONTAINS originator`, `ANY relationships.child = SELF`, `ALL history.state = state`, `ANY relationships.child.assignee = assignee`, `assignee IN {nil, originator}`},
		Residual: []string{`SUBQUERY(history, $a, SUBQUERY(history, $b, $a = $b).@count = 1).@count = 1`},
	},
	"aggregates": {
		Compiled: []string{`keywords.@count > 3`, `history.@max.modificationDate > NOW()`, `relationships.@sum.type > 1000`, `relationships.child.comments.@count = 2`, `history.assignee.name.@count = 2`, `SUBQUERY(comments, $c, $c.author = assignee).@max.creationDate > creationDate`,
			`comments.@count = keywords.@count`, `comments.@count IN {1, 2}`, `SUBQUERY(relationships, $r, $r.type = 501).child.keywords.@count > 1`, `SUBQUERY(relationships, $r, $r.child.keywords.@count > 1).@count > 0`},
		Residual: []string{`relationships.@avg.type > 400.5`, `SUBQUERY(comments, $c, $c.text MATCHES 'x').@count = 2`},
	},
	"collections": {
		Compiled: []string{`ANY history.assignee = nil`, `ANY history.assignee.name = 'x'`, `NONE relationships.child.keywords.name = 'x'`, `ALL relationships.child.history.modifier.name = 'x'`, `ANY SUBQUERY(comments, $c, $c.creationDate > NOW()).author.name = 'x'`,
			`ANY SUBQUERY(relationships, $r, $r.type = 501).child.comments.text = 'x'`, `SUBQUERY(SUBQUERY(relationships, $r, $r.type = 501).child, $p, $p.read = NO AND $p.title = title).@count > 0`, `keywords.value CONTAINS nil`,
			`SUBQUERY(SUBQUERY(relationships, $r, $r.type = 501).child, $p, $p.identifier IN {1, 2}).keywords.@count > 1`, `SUBQUERY(relationships.child, $p, $p.identifier IN {1, $p.identifier} AND ANY $p.keywords.name = 'build').identifier CONTAINS 2`,
			`SUBQUERY(relationships.child, $p, $p.read = YES).@sum.identifier > 2`, `SUBQUERY(relationships.child, $p, SUBQUERY($p.comments, $c, $c.author = $p.assignee).@count > 0).@max.creationDate > NOW()`,
			`SUBQUERY(SUBQUERY(relationships, $r, $r.type = 501).child, $p, $p.identifier > 0).@sum.identifier = 2`,
			`SUBQUERY(history, $h, $h.assignee.name = 'Ann' AND SUBQUERY(comments, $c, $c.author = $h.modifier).@count > 0).@count = 1`},
		Residual: []string{`ANY SUBQUERY(comments, $c, length($c.text) > 3).author = nil`},
	},
	"lists as collections": {
		Compiled: []string{`{1, 2}.@count = 2`, `sum({1, 2, 3}) < identifier`, `ANY {1, 2} = identifier`, `ANY {'a', 'b'} =[c] title`, `ANY {'api', 'x'} IN[c] title`, `ALL {3, 4} > identifier`, `NONE {assignee, originator} = modifier`, `ANY {title, 'x'} LIKE 'a*'`,
			`SUBQUERY({assignee, originator}, $u, $u.name = 'x').@count > 0`, `ANY {assignee, originator}.name = 'x'`, `SUBQUERY({1, 2, 3}, $n, $n > 1).@count = 2`, `SUBQUERY({1, 2, 3}, $n, $n > 1).@count = identifier`,
			`SUBQUERY({'a', 'b'}, $n, ANY keywords.name = $n).@count > 0`, `SUBQUERY(keywords, $k, ANY {'a', 'b'} = $k.name).@count = 1`, `ANY {assignee, resolver} = nil`, `ANY {SELF}.keywords.name = 'x'`},
		Residual: []string{`sum({1, identifier}) > 2`, `SUBQUERY({1, 2}, $n, $n > identifier).@count = 1`, `ANY {title, 'x'} MATCHES 'a'`, `ANY {identifier + 1, 2} = 3`, `ALL {` + strings.Repeat("1, ", 200) + `2} > identifier`},
	},
	"constants": {Compiled: []string{`TRUEPREDICATE`, `FALSEPREDICATE`, `1 = 2`, `NOT 1 = 1 OR title = 'x'`, `'a' LIKE 'b' OR 'a' MATCHES 'b'`}},
}

// Atoms are the texts of all the rules, in order.
func Atoms() []string {
	var all []string
	for _, rule := range Rules {
		all = append(append(all, rule.Yes...), rule.No...)
	}
	for _, rule := range Splits {
		all = append(append(all, rule.Compiled...), rule.Residual...)
	}
	slices.Sort(all)
	return all
}
