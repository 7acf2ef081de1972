package predicate

import (
	"context"
	"errors"
	"testing"
)

// rules are the rules of section 4: true and false predicates about the first problem
// of the world.
var rules = map[string]struct{ yes, no []string }{
	"the documented queries": {
		yes: []string{
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
		yes: []string{`priority = nil`, `priority.name = nil`, `resolveDate = nil`, `assignee.email = nil`, `nil = nil`,
			`priority.name != 'a'`, `resolveDate != NOW()`, `assignee != nil`, `NOT priority.name = 'a'`, `resolver.name = priority.name`},
		no: []string{`priority != nil`, `assignee = nil`, `priority.name = ''`, `nil != nil`, `title = nil`},
	},
	"entities are compared by identity": {
		yes: []string{`assignee = modifier`, `assignee != originator`, `ANY relationships.parent = SELF`, `SUBQUERY(relationships, $r, $r.child = SELF).@count = 0`},
		no:  []string{`assignee = originator`, `resolver = assignee`},
	},
	"the orders hold for no nil": {
		yes: []string{`identifier < 2`, `identifier <= 1`, `identifier > 0.5`, `creationDate < NOW()`, `title > 'The'`, `NOT resolveDate < NOW()`, `NOT resolveDate >= NOW()`, `identifier BETWEEN {1, 2}`, `NOT resolveDate BETWEEN {NOW(), NOW()}`},
		no:  []string{`resolveDate < NOW()`, `resolveDate >= NOW()`, `resolveDate <= nil`, `nil <= nil`, `identifier > 1`, `identifier BETWEEN {2, 9}`},
	},
	"strings": {
		yes: []string{`title BEGINSWITH 'The '`, `title ENDSWITH 'nichts'`, `title CONTAINS ''`, `title BEGINSWITH ''`, `title ENDSWITH ''`, `'API' IN title`,
			`title LIKE '*API*'`, `title LIKE 'The ??? *'`, `title LIKE[cd] 'the api LOST*'`, `title MATCHES 'The .*'`, `title MATCHES[c] 'the .*'`,
			`title CONTAINS[cd] 'LOST'`, `title CONTAINS[c] 'LÖST'`, `title CONTAINS[d] 'lost'`, `title CONTAINS 'lo` + "\u0308" + `st'`, `ANY comments.text LIKE '*one?line*'`},
		no: []string{`title CONTAINS 'api'`, `title CONTAINS[c] 'lost'`, `title CONTAINS[d] 'LOST'`, `title LIKE 'API'`, `title MATCHES 'API'`, `ANY comments.text MATCHES 'Line.*TWO'`,
			`priority.name CONTAINS ''`, `priority.name LIKE '*'`, `priority.name MATCHES '.*'`, `title CONTAINS priority.name`, `priority.name CONTAINS priority.name`},
	},
	"comparisons with [c] and [cd] of what is no column": {
		yes: []string{`originator.name =[cd] 'bob eclair'`, `originator.name =[c] 'BOB ÉCLAIR'`, `originator.name IN[cd] {'x', 'BOB ECLAIR'}`, `ANY keywords.name =[c] 'BUILD'`, `resolver.name =[cd] nil`},
		no:  []string{`originator.name =[c] 'bob eclair'`, `originator.name IN {'bob eclair', nil}`},
	},
	"IN and CONTAINS": {
		yes: []string{`priority.name IN {'a', nil}`, `priority IN {nil}`, `state.name IN {'Open', 'Closed'}`, `identifier IN {1.0, 7}`, `'Build' IN keywords.name`, `keywords.value CONTAINS nil`, `watchers CONTAINS assignee`, `assignee IN watchers`,
			`title IN {title, 'x'}`, `identifier IN SUBQUERY(relationships, $r, $r.type = 501).parentId`},
		no: []string{`priority.name IN {'a'}`, `identifier IN {2, 3}`, `'build' IN keywords.name`, `keywords.name CONTAINS nil`, `resolver IN watchers`},
	},
	"lists as collections": {
		yes: []string{`{1, 2, 3}.@count = 3`, `{}[SIZE] = 0`, `{nil, nil}.@count = 2`, `{1, 2, 2.5}.@sum = 5.5`, `sum({1, 2, identifier}) = 4`, `sum({}) = 0`, `max({}) = nil`, `average({1, 2}) = 1.5`, `min({identifier, 7}) = 1`,
			`max({NOW(), creationDate, nil}) = NOW()`, `{resolveDate, creationDate}.@min = creationDate`, `count({title, nil}) = 2`,
			`ANY {1, 2} = identifier`, `ANY {3, 1} = 1`, `ANY {'x', 'The API löst nichts'} = title`, `ANY {'THE API LOST NICHTS'} =[cd] title`, `ALL {2, 3} > identifier`, `ALL {} = 1`, `NONE {} = 1`, `NONE {2, 3} = identifier`, `NOT ANY {} = nil`,
			`ANY {nil} = resolver`, `ANY {assignee, resolver} = nil`, `ANY {'api', 'x'} IN[c] title`, `ANY {title, 'x'} LIKE 'The*'`, `ANY {title, nil} MATCHES 'The.*'`, `ANY {1, 5} BETWEEN {4, 6}`, `ALL {1, 5} BETWEEN {0, 6}`,
			`SUBQUERY(relationships, $r, ANY {'BlockedBy', 100} = $r.type).@count > 0`, `ANY {'02000000-0000-7000-8000-000000000000', $ApiUser} = assignee.identifier`, `ANY {'01000000-0000-7000-8000-000000000000'} = assignee.identifier`, `ANY {1, 0} = watching`, `ANY {watching, read} = NO`,
			`ANY {assignee, originator}.name = 'Ann'`, `{assignee, resolver}.name CONTAINS 'Ann'`, `{assignee, originator, resolver}.name.@count = 3`, `ANY {component, component.parent}.children.name = 'UI'`,
			`SUBQUERY({assignee, originator}, $u, $u.name BEGINSWITH 'Bob').@count = 1`, `SUBQUERY({1, 2, 3}, $n, $n > identifier).@count = 2`, `SUBQUERY({1, 2, 3}, $n, $n > 1).@count = 2`, `SUBQUERY({'Build', 'x'}, $n, ANY keywords.name = $n).@count > 0`,
			`SUBQUERY(keywords, $k, ANY {'BUILD', 'x'} =[c] $k.name).@count = 1`, `assignee IN SUBQUERY({assignee, originator}, $u, $u.inactive = NO)`, `SUBQUERY(SUBQUERY({1, 2, 3}, $n, $n > 1), $n, $n < 3).@count = 1`,
			`ANY {SELF} = SELF`, `SUBQUERY({SELF}, $p, $p.title = title).@count > 0`, `ANY {SELF}.keywords.name = 'Build'`, `ANY {1 + 1, identifier + 1} = 2`, `ANY SUBQUERY({'a', 'b'}, $a, $a != 'a') = 'b'`},
		no: []string{`{1, 2}.@count = 3`, `ANY {} = 1`, `ANY {2, 3} = identifier`, `ALL {1, 2} = identifier`, `NONE {1, 2} = identifier`, `ANY {'the api löst nichts'} = title`, `ANY {nil} < 1`, `sum({1, identifier}) > 2`, `ANY {milestone.component.successor, component.successor} != nil`,
			`SUBQUERY({1, 2, 3}, $n, $n > identifier + 5).@count > 0`, `{assignee, resolver}.name CONTAINS 'Bob Éclair'`, `ANY {assignee, originator}.email LIKE 'ann*'`, `ALL {assignee, originator}.inactive = YES`},
	},
	"ANY, ALL and NONE": {
		yes: []string{`ANY keywords.value = nil`, `SOME keywords.name = 'flaky'`, `ALL keywords.name != 'x'`, `NONE keywords.name = 'x'`, `ANY keywords.value != '1.2'`, `ALL history.state = state`, `NOT ALL keywords.value = '1.2'`},
		no:  []string{`ALL keywords.value = '1.2'`, `NONE keywords.value = nil`, `ANY keywords.name = 'x'`},
	},
	"SUBQUERY": {
		yes: []string{`SUBQUERY(keywords, $k, $k.value = nil).name CONTAINS 'flaky'`, `ANY SUBQUERY(comments, $c, $c.author = assignee).text = ''`,
			`SUBQUERY(comments, $c, assignee = $c.author).@count = 1`,
			`SUBQUERY(comments, $c, SUBQUERY(history, $h, $h.modifier = $c.author AND title != $h.title).@count > 0).@count = 1`,
			`SUBQUERY(history, $x, SUBQUERY(comments, $x, $x.text = '').@count = 1 AND $x.title = title).@count = 1`},
		no: []string{`SUBQUERY(comments, $c, $c.author = resolver).@count > 0`},
	},
	"paths through nil, mapped and flattened": {
		yes: []string{`component.parent.parent.name = nil`, `component.parent.name = 'Core'`, `component.parent.parent.children.@count = 0`, `history.assignee.@count = 2`, `ANY history.assignee = nil`, `ANY history.assignee.name = nil`,
			`history.component.children.@count = 0`, `history.component.parent.children.@count = 1`, `relationships.child.keywords.@count = 1`, `ANY relationships.child.keywords.value = '1.3'`, `history.state.nextStates.@count = 2`, `keywords.value[SIZE] = 2`, `ALL milestone.component.children.name = 'x'`},
		no: []string{`ANY component.parent.parent.children.name = nil`, `ANY relationships.child.comments.text = nil`},
	},
	"aggregates": {
		yes: []string{`relationships.@sum.type = 501`, `history.assignee.@count = 2`, `history.@max.modificationDate = modificationDate`, `history.@min.modificationDate = creationDate`,
			`relationships.child.relationships.@sum.type = 500`, `relationships.child.comments.@max.creationDate = nil`, `relationships.@avg.type = 501.0`, `logs.@count = 1`, `component.children.@count = 0`,
			`state.nextStates.@sum.order = 2`, `count(keywords) = 2`, `max(history.modificationDate) = modificationDate`,
			`SUBQUERY(relationships, $r, $r.type = 1).@sum.type = 0`, `SUBQUERY(relationships, $r, $r.type = 1).@avg.type = nil`, `SUBQUERY(relationships, $r, $r.type = 1).@min.type = nil`},
		no: []string{`keywords.@count = 1`, `SUBQUERY(relationships, $r, $r.type = 1).@max.type > 0`},
	},
	"computing": {
		yes: []string{`identifier + 1 = 2`, `7 / 2 = 3`, `-7 / 2 = -3`, `(identifier + 6) / 2 = 3`, `identifier / 2.0 = 0.5`, `2 ** 3 = 8`, `identifier / 0 = nil`, `identifier ** 0.5 = 1`, `length(title) = 19`, `uppercase(title) = 'THE API LÖST NICHTS'`,
			`dateByAddingDays(creationDate, 3) = NOW()`, `dateByAddingMonths(NOW(), 1) = CAST('2024-06-30T12:00:00Z', 'NSDate')`, `FUNCTION(resolveDate, 'dateByAddingDays:', 1) = nil`, `length(priority.name) = nil`, `NOT priority.order + 1 > 0`, `CAST(identifier, 'NSString') = '1'`,
			`SUBQUERY(relationships.child.keywords, $k, CAST($k.value, 'NSNumber') / 2 = 0.65).@count = 1`, `SUBQUERY(keywords, $k, CAST($k.value, 'NSNumber') * 10 / 5 = 2.4).@count = 1`},
		no: []string{`identifier / 0 > 0`, `identifier / 0 != nil`, `priority.order + 1 = 1`},
	},
	"Int and Float are compared exactly": {
		yes: []string{`9007199254740993 > 9007199254740992.0`, `9007199254740993 != 9007199254740992.0`, `9223372036854775807 < 9223372036854775808.0`, `identifier = 1.0`},
		no:  []string{`9007199254740993 = 9007199254740992.0`, `9007199254740993 IN {9007199254740992.0}`},
	},
	"constants": {
		yes: []string{`TRUEPREDICATE`, `NOT FALSEPREDICATE`, `1 = 1`, `YES = YES`, `'a' < 'b'`},
		no:  []string{`FALSEPREDICATE`, `NOT TRUEPREDICATE`, `1 = 2`},
	},
}

func TestHolds(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for want, texts := range map[bool][]string{true: rule.yes, false: rule.no} {
				for _, text := range texts {
					if got := w.holds(t, text, Problem, w.first); got != want {
						t.Errorf("%s is %t, want %t", text, got, want)
					}
					if got := w.holds(t, "NOT ("+text+")", Problem, w.first); got == want {
						t.Errorf("NOT (%s) is %t too", text, got)
					}
				}
			}
		})
	}
}

// TestHoldsOnNothing: qualifiers and aggregates of empty collections.
func TestHoldsOnNothing(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for text, want := range map[string]bool{
		`ANY keywords.name != 'x'`:                             false,
		`ALL keywords.name = 'x'`:                              true,
		`NONE keywords.name != 'x'`:                            true,
		`nil IN keywords.value`:                                false,
		`keywords.@count = 0`:                                  true,
		`relationships.@sum.type = 0`:                          true,
		`relationships.@avg.type = nil`:                        true,
		`history.@min.modificationDate = nil`:                  true,
		`history.@max.modificationDate = nil`:                  true,
		`milestone.component.children.@count = 0`:              true,
		`ALL milestone.component.children.name = 'x'`:          true,
		`SUBQUERY(keywords, $k, TRUEPREDICATE).@count > 0`:     false,
		`SUBQUERY(keywords, $k, TRUEPREDICATE).name[SIZE] = 0`: true,
	} {
		if got := w.holds(t, text, Problem, w.bare); got != want {
			t.Errorf("%s is %t, want %t", text, got, want)
		}
	}
}

// TestHoldsOfMetadata: the documented queries about other entities.
func TestHoldsOfMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for _, c := range []struct {
		root  Entity
		about *fake
		text  string
		want  bool
	}{
		{User, w.ann, `identifier == $ApiUser`, true},
		{User, w.bob, `identifier == $ApiUser`, false},
		{User, w.ann, `inactive == NO`, true},
		{User, w.bob, `inactive == NO`, false},
		{Component, w.core, `ANY children.identifier = '15000000-0000-7000-8000-000000000000'`, true},
		{Component, w.ui, `ANY children.identifier = '15000000-0000-7000-8000-000000000000'`, false},
		{Component, w.done, `successor.parent.name = 'Core'`, true},
		{Milestone, w.next, `(StartDate = nil || StartDate < NOW()) && (EndDate = nil || EndDate > NOW())`, true},
		{State, w.open, `Initial = YES`, true},
		{State, w.closed, `Initial = YES`, false},
		{State, w.closed, `ANY PreviousStates.identifier = '0A000000-0000-7000-8000-000000000000'`, true},
		{State, w.open, `ANY PreviousStates.identifier = '0a000000-0000-7000-8000-000000000000'`, false},
	} {
		if got := w.holds(t, c.text, c.root, c.about); got != c.want {
			t.Errorf("%s of %v is %t, want %t", c.text, c.about.id, got, c.want)
		}
	}
}

// TestVariables: Holds and Eval do not change their arguments.
func TestVariables(t *testing.T) {
	t.Parallel()
	w := newWorld()
	keywords, _ := Lookup(Problem, "keywords")
	name, _ := Lookup(Keyword, "name")
	title, _ := Lookup(Problem, "title")
	vars := []Value{w.first, "kept"}
	names := Filter{Coll: Path{Start: one(Problem), Steps: []*Key{keywords}}, Slot: 1, Where: And{}, Steps: []*Key{name}}

	got, err := Eval(context.Background(), names, vars)
	if members, ok := got.([]Value); err != nil || !ok || len(members) != 2 || members[0] != "Build" || members[1] != "flaky" {
		t.Errorf("Eval: %v, %v", got, err)
	}
	if vars[1] != "kept" {
		t.Errorf("Eval has set a variable to %v", vars[1])
	}
	ok, err := Holds(context.Background(), Exists{names, 1, Compare{Op: Equal, Left: Path{Slot: 1, Start: stringType}, Right: Const{"flaky", stringType}}}, vars)
	if !ok || err != nil || vars[1] != "kept" {
		t.Errorf("Holds: %t, %v; %v", ok, err, vars[1])
	}
	if v, err := Eval(context.Background(), Path{Start: one(Problem), Steps: []*Key{title}}, []Value{nil}); v != nil || err != nil {
		t.Errorf("the title of nil: %v, %v", v, err)
	}
	if v, err := Eval(context.Background(), Path{Start: one(Problem), Steps: []*Key{keywords, name}}, []Value{nil}); err != nil || v == nil || len(v.([]Value)) != 0 {
		t.Errorf("the keywords of nil: %v, %v", v, err)
	}
}

// failing is an unreadable Entry.
type failing struct{ err error }

func (f failing) Get(context.Context, *Key) (Value, error) { return nil, f.err }
func (f failing) Identity() any                            { return 0 }

func TestErrors(t *testing.T) {
	t.Parallel()
	w := newWorld()
	broken := errors.New("broken")
	for _, text := range []string{
		`title = 'x'`, `'x' = title`, `NOT title = 'x'`, `title LIKE '*'`, `title MATCHES '.*'`, `title IN {'x'}`, `'x' IN {title}`, `ANY keywords.name = 'x'`, `ALL keywords.name = 'x'`,
		`SUBQUERY(keywords, $k, TRUEPREDICATE).@count = 1`, `identifier + 1 = 2`, `keywords.@count = 1`, `title = 'x' OR TRUEPREDICATE`, `title = 'x' AND FALSEPREDICATE`,
	} {
		if ok, err := w.compile(t, text, Problem).Holds(context.Background(), failing{broken}); ok || err != broken {
			t.Errorf("%s: %t, %v", text, ok, err)
		}
	}
	// A failure inside a SUBQUERY is a failure of the whole.
	problem := &fake{1, map[string]Value{"keywords": []Value{failing{broken}}}}
	for _, text := range []string{`SUBQUERY(keywords, $k, $k.name = 'x').@count = 2`, `ANY keywords.name = 'x'`} {
		if ok, err := w.compile(t, text, Problem).Holds(context.Background(), problem); ok || err != broken {
			t.Errorf("%s: %t, %v", text, ok, err)
		}
	}
}

// TestHoldsStops: a cancelled evaluation returns no answer, even if the answer would
// take forever.
func TestHoldsStops(t *testing.T) {
	t.Parallel()
	w := newWorld()
	problem := &fake{int64(1), map[string]Value{"title": "x"}}
	around := make([]Value, 1000)
	for i := range around {
		around[i] = &fake{i, map[string]Value{"child": problem}}
	}
	problem.values["relationships"] = around
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, text := range []string{
		`relationships.child.relationships.child.relationships.child.relationships.child.@count = 1`,
		`ANY relationships.child.relationships.child.relationships.child.relationships.child.title = 'y'`,
		`SUBQUERY(relationships, $a, SUBQUERY(relationships, $b, SUBQUERY(relationships, $c, $c.child.title = 'y').@count > 0).@count > 0).@count > 0`,
		`'y' IN SUBQUERY(relationships, $a, TRUEPREDICATE).child.relationships.child.relationships.child.relationships.child.title`,
	} {
		if _, err := w.compile(t, text, Problem).Holds(ctx, problem); err != context.Canceled {
			t.Errorf("%s: err = %v", text, err)
		}
	}
}

// TestCollectionsAreNotHeld: a million paths to a member do not take memory for each.
func TestCollectionsAreNotHeld(t *testing.T) {
	w := newWorld()
	problem := &fake{int64(1), map[string]Value{"title": "x"}}
	around := make([]Value, 100)
	for i := range around {
		around[i] = &fake{i, map[string]Value{"child": problem}}
	}
	problem.values["relationships"] = around
	p := w.compile(t, `relationships.child.relationships.child.relationships.child.@count = 1000000`, Problem)
	allocs := testing.AllocsPerRun(1, func() {
		if ok, err := p.Holds(context.Background(), problem); !ok || err != nil {
			t.Error(ok, err)
		}
	})
	if allocs > 100 {
		t.Errorf("it allocates %v times", allocs)
	}
}
