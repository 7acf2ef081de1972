package check

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// checkEnv is the moment and the user of the tests of the checker.
var checkEnv = predicate.Env{
	Now:  time.Date(2024, 5, 31, 12, 0, 0, 0, time.UTC),
	User: ident.ID{0: 0x01, 6: 0x70, 8: 0x80},
}

const (
	callerUUID = "01000000-0000-7000-8000-000000000000"
	otherUUID  = "0197c3f2-89ab-7cde-8f01-23456789abcd"
)

// TestDocumentedQueries checks the queries from the introduction of the query
// language, each about its entity.
func TestDocumentedQueries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root predicate.Entity
		text string
		want string
	}{
		{predicate.Problem, "watching = YES", "(#0.watching = Bool:true)"},
		{predicate.Problem, "read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser",
			"AND((#0.read = Bool:false), (#0.state.resolved = Bool:false), (#0.assignee.identifier = UUID:" + callerUUID + "))"},
		{predicate.Problem, "creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)", "(#0.creationDate > Date:2024-05-24T12:00:00Z)"},
		{predicate.Problem, "SUBQUERY(history, $h, $h.modificationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7) AND $h.modifier.identifier = $ApiUser).@count > 0",
			"EXISTS(#0.history AS #1: AND((#1.modificationDate > Date:2024-05-24T12:00:00Z), (#1.modifier.identifier = UUID:" + callerUUID + ")))"},
		{predicate.Problem, "title CONTAINS[c] 'API'", "(#0.title CONTAINS[c] String:'api')"},
		{predicate.User, "identifier == $ApiUser", "(#0.identifier = UUID:" + callerUUID + ")"},
		{predicate.User, "inactive == NO", "(#0.inactive = Bool:false)"},
		{predicate.Component, "ANY children.identifier = '" + otherUUID + "'", "EXISTS(#0.children.identifier AS #1: (#1 = UUID:" + otherUUID + "))"},
		{predicate.Milestone, "(StartDate = nil || StartDate < NOW()) && (EndDate = nil || EndDate > NOW())",
			"AND(OR((#0.startDate = Nil:<nil>), (#0.startDate < Date:2024-05-31T12:00:00Z)), OR((#0.endDate = Nil:<nil>), (#0.endDate > Date:2024-05-31T12:00:00Z)))"},
		{predicate.State, "Initial = YES", "(#0.initial = Bool:true)"},
		{predicate.State, "ANY PreviousStates.identifier = '" + otherUUID + "'", "EXISTS(#0.previousStates.identifier AS #1: (#1 = UUID:" + otherUUID + "))"},
		{predicate.Problem, "identifier IN {1, 2}", "(#0.identifier IN {Int:1, Int:2})"},
		{predicate.Problem, "milestone.name =[c] 'Next'", "(#0.milestone.name =[c] String:'next')"},
		{predicate.Problem, "state.resolved = NO AND SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0",
			"AND((#0.state.resolved = Bool:false), EXISTS(#0.relationships AS #1: AND((#1.type = Int:501), (#1.parentId = #0.identifier), (#1.child.state.resolved = Bool:false))))"},
		{predicate.Problem, "blocked = YES", "EXISTS(#0.relationships AS #1: AND((#1.type = Int:501), (#1.child.state.resolved = Bool:false)))"},
		{predicate.Problem, "Claimed != YES", "NOT (#0.claim.expires > Date:2024-05-31T11:59:55Z)"},
		{predicate.Problem, "claim.HOLDER.name = 'Ann' AND claim.expires = nil", "AND((#0.claim.holder.name = String:'Ann'), (#0.claim.expires = Nil:<nil>))"},
		{predicate.Problem, "SUBQUERY(relationships, $r, $r.child.claimed = NO).@count > 0",
			"EXISTS(#0.relationships AS #1: NOT (#1.child.claim.expires > Date:2024-05-31T11:59:55Z))"},
	} {
		wantPlan(t, c.root, c.text, c.want)
	}
}

// wantPlan checks the Plan of a predicate.
func wantPlan(t *testing.T, root predicate.Entity, text, want string) {
	t.Helper()
	plan, err := Compile(text, root, checkEnv)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	if got := predicatetest.PlanForm(plan.Where); got != want || plan.Root != root {
		t.Errorf("%s about %s:\n got %s\nwant %s", text, plan.Root, got, want)
	}
}

// planned is a predicate about problems, with its Plan. The tests of Plans are about
// operators, literals and paths (sections 3 and 4).
type planned struct{ text, want string }

// wantPlans checks the Plans of predicates about problems.
func wantPlans(t *testing.T, all []planned) {
	t.Helper()
	for _, c := range all {
		wantPlan(t, predicate.Problem, c.text, c.want)
	}
}

func TestPlansOfLogic(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"TRUEPREDICATE", "AND()"},
		{"FALSEPREDICATE", "OR()"},
		{"NOT (read = YES OR watching = NO)", "NOT OR((#0.read = Bool:true), (#0.watching = Bool:false))"},
	})
}

func TestPlansOfEquality(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"title != 'a'", "NOT (#0.title = String:'a')"},
		{"title <>[cd] 'É'", "NOT (#0.title =[cd] String:'e')"},
		{"resolver = nil", "(#0.resolver = Nil:<nil>)"},
		{"nil != resolveDate", "NOT (Nil:<nil> = #0.resolveDate)"},
		{"title = nil", "(#0.title = Nil:<nil>)"},
		{"assignee = originator", "(#0.assignee = #0.originator)"},
		{"SELF = SELF", "(#0 = #0)"},
		{"SELF.title = title", "(#0.title = #0.title)"},
		{"id = 1.5", "(#0.identifier = Float:1.5)"},
		{"creationDate = modificationDate", "(#0.creationDate = #0.modificationDate)"},
		{"title =[c] nil", "(#0.title =[c] Nil:<nil>)"},
	})
}

// TestPlansOfLiterals shows that literals convert, on either side.
func TestPlansOfLiterals(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"watching = 1", "(#0.watching = Bool:true)"},
		{"0 = watching", "(Bool:false = #0.watching)"},
		{"watching = read", "(#0.watching = #0.read)"},
		{"assignee.identifier = '0197C3F2-89AB-7CDE-8F01-23456789ABCD'", "(#0.assignee.identifier = UUID:" + otherUUID + ")"},
		{"'" + otherUUID + "' != assignee.identifier", "NOT (UUID:" + otherUUID + " = #0.assignee.identifier)"},
		{"('" + otherUUID + "') = $ApiUser", "(UUID:" + otherUUID + " = UUID:" + callerUUID + ")"},
		{"title = '" + otherUUID + "'", "(#0.title = String:'" + otherUUID + "')"},
		{"1 = YES", "(Bool:true = Bool:true)"},
		{"ANY relationships.type = 'BlockedBy'", "EXISTS(#0.relationships.type AS #1: (#1 = Int:501))"},
		{"ANY relationships.type != 'RelatedTo'", "EXISTS(#0.relationships.type AS #1: NOT (#1 = Int:100))"},
		{"relationships.type CONTAINS 'ClonedFrom'", "EXISTS(#0.relationships.type AS #1: (#1 = Int:601))"},
		{"ANY relationships.type IN {'CauseOf', 401, nil}", "EXISTS(#0.relationships.type AS #1: (#1 IN {Int:400, Int:401, Nil:<nil>}))"},
		{"ANY relationships.type BETWEEN {'ParentOf', 'ChildOf'}", "EXISTS(#0.relationships.type AS #1: AND((#1 >= Int:200), (#1 <= Int:201)))"},
		{"SUBQUERY(relationships, $r, 'OriginalOf' = $r.type).@count > 1", "(FILTER(#0.relationships AS #1: (Int:300 = #1.type)).@count > Int:1)"},
		{"SUBQUERY(relationships.type, $t, $t = 'DuplicateOf').@count > 1", "(FILTER(#0.relationships.type AS #1: (#1 = Int:301)).@count > Int:1)"},
		{"ANY SUBQUERY(relationships, $r, TRUEPREDICATE).type = 'CausedBy'", "EXISTS(FILTER(#0.relationships AS #1: AND()).type AS #2: (#2 = Int:401))"},
		{"ANY logs.type = 'FieldChanged'", "EXISTS(#0.logs.type AS #1: (#1 = String:'FieldChanged'))"},
		{"title = 'e\u0301'", "(#0.title = String:'é')"},
		{"title CONTAINS[c] 'E\u0301'", "(#0.title CONTAINS[c] String:'é')"},
	})
}

func TestPlansOfOrders(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"id < 3 AND 3.5 >= id", "AND((#0.identifier < Int:3), (Float:3.5 >= #0.identifier))"},
		{"title <=[c] 'B'", "(#0.title <=[c] String:'b')"},
		{"resolveDate > creationDate", "(#0.resolveDate > #0.creationDate)"},
		{"id > nil", "(#0.identifier > Nil:<nil>)"},
		{"nil <= nil", "(Nil:<nil> <= Nil:<nil>)"},
		{"id BETWEEN {1, 2.5}", "AND((#0.identifier >= Int:1), (#0.identifier <= Float:2.5))"},
		{"creationDate BETWEEN {NOW(), nil}", "AND((#0.creationDate >= Date:2024-05-31T12:00:00Z), (#0.creationDate <= Nil:<nil>))"},
		{"'b' BETWEEN {'a', title}", "AND((String:'b' >= String:'a'), (String:'b' <= #0.title))"},
	})
}

func TestPlansOfMembership(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"id IN {}", "(#0.identifier IN {})"},
		{"title IN[c] {'A', nil, state.name}", "(#0.title IN[c] {String:'a', Nil:<nil>, #0.state.name})"},
		{"watching IN {0, YES}", "(#0.watching IN {Bool:false, Bool:true})"},
		{"1 IN {0, YES}", "(Bool:true IN {Bool:false, Bool:true})"},
		{"assignee IN {originator, nil}", "(#0.assignee IN {#0.originator, Nil:<nil>})"},
		{"assignee.identifier IN {'" + otherUUID + "', $ApiUser}", "(#0.assignee.identifier IN {UUID:" + otherUUID + ", UUID:" + callerUUID + "})"},
		{"'" + otherUUID + "' IN {nil, $ApiUser}", "(UUID:" + otherUUID + " IN {Nil:<nil>, UUID:" + callerUUID + "})"},
		{"{1, 2} CONTAINS id", "(#0.identifier IN {Int:1, Int:2})"},
		{"id IN {id + 1, 2}", "(#0.identifier IN {[+](#0.identifier, Int:1)Int, Int:2})"},
		{"assignee IN watchers", "EXISTS(#0.watchers AS #1: (#1 = #0.assignee))"},
		{"watchers CONTAINS assignee", "EXISTS(#0.watchers AS #1: (#1 = #0.assignee))"},
		{"nil IN keywords.value", "EXISTS(#0.keywords.value AS #1: (#1 = Nil:<nil>))"},
		{"keywords.name CONTAINS[c] 'Build'", "EXISTS(#0.keywords.name AS #1: (#1 =[c] String:'build'))"},
		{"'" + otherUUID + "' IN watchers.identifier", "EXISTS(#0.watchers.identifier AS #1: (#1 = UUID:" + otherUUID + "))"},
		{"title IN 'abc'", "(String:'abc' CONTAINS #0.title)"},
		{"'b' IN[c] title", "(#0.title CONTAINS[c] String:'b')"},
		{"title CONTAINS nil", "(#0.title CONTAINS Nil:<nil>)"},
	})
}

func TestPlansOfStrings(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"title BEGINSWITH 'A'", "(#0.title BEGINSWITH String:'A')"},
		{"title ENDSWITH[d] 'é'", "(#0.title ENDSWITH[d] String:'e')"},
		{"title LIKE[c] 'A*\\\\?b?'", "(#0.title LIKE[c] [{Any:false One:false Text:a} {Any:true One:false Text:} {Any:false One:false Text:?b} {Any:false One:true Text:}])"},
		{"title MATCHES 'a|b'", "(#0.title MATCHES)"},
		{"title MATCHES[c] 'a.'", "(#0.title MATCHES)"},
		{"nil LIKE 'a'", "(Nil:<nil> LIKE [{Any:false One:false Text:a}])"},
	})
}

func TestPlansOfQualifiers(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"ANY watchers = assignee", "EXISTS(#0.watchers AS #1: (#1 = #0.assignee))"},
		{"SOME watchers.name =[c] 'Ann'", "EXISTS(#0.watchers.name AS #1: (#1 =[c] String:'ann'))"},
		{"ALL watchers.inactive = NO", "NOT EXISTS(#0.watchers.inactive AS #1: NOT (#1 = Bool:false))"},
		{"NONE watchers.inactive != 0", "NOT EXISTS(#0.watchers.inactive AS #1: NOT (#1 = Bool:false))"},
		{"ANY keywords.name IN {'a', 'b'}", "EXISTS(#0.keywords.name AS #1: (#1 IN {String:'a', String:'b'}))"},
		{"ANY watchers IN history.modifier", "EXISTS(#0.watchers AS #1: EXISTS(#0.history.modifier AS #2: (#2 = #1)))"},
		{"ANY comments.text CONTAINS 'a'", "EXISTS(#0.comments.text AS #1: (#1 CONTAINS String:'a'))"},
		{"ANY watchers.email = nil AND ALL watchers.name > 'a'",
			"AND(EXISTS(#0.watchers.email AS #1: (#1 = Nil:<nil>)), NOT EXISTS(#0.watchers.name AS #2: NOT (#2 > String:'a')))"},
		{"ANY comments.creationDate BETWEEN {creationDate, NOW()}",
			"EXISTS(#0.comments.creationDate AS #1: AND((#1 >= #0.creationDate), (#1 <= Date:2024-05-31T12:00:00Z)))"},
	})
}

func TestPlansOfCollections(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"ANY relationships.child.keywords.name = 'x'", "EXISTS(#0.relationships.child.keywords.name AS #1: (#1 = String:'x'))"},
		{"watchers.@count = 2", "(#0.watchers.@count = Int:2)"},
		{"watchers[SIZE] < 2", "(#0.watchers.@count < Int:2)"},
		{"component.children.@count = 0", "(#0.component.children.@count = Int:0)"},
		{"relationships.@sum.type > 1", "(#0.relationships.type.@sum > Int:1)"},
		{"relationships.@avg.child.identifier > 1", "(#0.relationships.child.identifier.@avg > Int:1)"},
		{"history.@max.modificationDate = modificationDate", "(#0.history.modificationDate.@max = #0.modificationDate)"},
		{"min(comments.creationDate) < NOW()", "(#0.comments.creationDate.@min < Date:2024-05-31T12:00:00Z)"},
		{"COUNT(comments) = average(relationships.type)", "(#0.comments.@count = #0.relationships.type.@avg)"},
		{"relationships.type.@max = 601", "(#0.relationships.type.@max = Int:601)"},
	})
}

func TestPlansOfSubqueries(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"SUBQUERY(comments, $c, $c.author = assignee AND SELF.read = NO).@count >= 2",
			"(FILTER(#0.comments AS #1: AND((#1.author = #0.assignee), (#0.read = Bool:false))).@count >= Int:2)"},
		{"SUBQUERY(comments, $c, $c.text = 'a').@count >= 1", "EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"SUBQUERY(comments, $c, $c.text = 'a').@count != 0", "EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"0 < count(SUBQUERY(comments, $c, $c.text = 'a'))", "EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"1 <= SUBQUERY(comments, $c, $c.text = 'a')[SIZE]", "EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"SUBQUERY(comments, $c, $c.text = 'a').@count = 0", "NOT EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"SUBQUERY(comments, $c, $c.text = 'a').@count < 1", "NOT EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"0 >= SUBQUERY(comments, $c, $c.text = 'a').@count", "NOT EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"0 = SUBQUERY(comments, $c, $c.text = 'a').@count", "NOT EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"0 != SUBQUERY(comments, $c, $c.text = 'a').@count", "EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"1 > SUBQUERY(comments, $c, $c.text = 'a').@count", "NOT EXISTS(#0.comments AS #1: (#1.text = String:'a'))"},
		{"0 > SUBQUERY(comments, $c, $c.text = 'a').@count", "(Int:0 > FILTER(#0.comments AS #1: (#1.text = String:'a')).@count)"},
		{"0 <= SUBQUERY(comments, $c, $c.text = 'a').@count", "(Int:0 <= FILTER(#0.comments AS #1: (#1.text = String:'a')).@count)"},
		{"SUBQUERY(comments, $c, $c.text = 'a').@count = 1", "(FILTER(#0.comments AS #1: (#1.text = String:'a')).@count = Int:1)"},
		{"SUBQUERY(comments, $c, $c.text = 'a').@count <= 0.5", "(FILTER(#0.comments AS #1: (#1.text = String:'a')).@count <= Float:0.5)"},
		{"SUBQUERY(relationships, $r, $r.type = 501).child.keywords.@count > 0",
			"(FILTER(#0.relationships AS #1: (#1.type = Int:501)).child.keywords.@count > Int:0)"},
		{"assignee IN SUBQUERY(watchers, $w, $w.inactive = NO)", "EXISTS(FILTER(#0.watchers AS #1: (#1.inactive = Bool:false)) AS #2: (#2 = #0.assignee))"},
		{"SUBQUERY(watchers.name, $n, $n = 'x').@count = 3", "(FILTER(#0.watchers.name AS #1: (#1 = String:'x')).@count = Int:3)"},
		{"SUBQUERY(relationships, $x, SUBQUERY($x.child.watchers, $x, $x.name = title).@count > 0).@count > 0",
			"EXISTS(#0.relationships AS #1: EXISTS(#1.child.watchers AS #2: (#2.name = #0.title)))"},
		{"SUBQUERY(relationships, $r, SUBQUERY($r.child.watchers, $w, $w = $r.child.assignee).@count > 0).@count > 0",
			"EXISTS(#0.relationships AS #1: EXISTS(#1.child.watchers AS #2: (#2 = #1.child.assignee)))"},
		{"SUBQUERY(watchers, $ApiUser, $ApiUser.inactive = NO).@count > 0", "EXISTS(#0.watchers AS #1: (#1.inactive = Bool:false))"},
		{"SUBQUERY(watchers, $v, $v.identifier = $ApiUser).@count > 0 AND SUBQUERY(watchers, $v, $v = assignee).@count > 0",
			"AND(EXISTS(#0.watchers AS #1: (#1.identifier = UUID:" + callerUUID + ")), EXISTS(#0.watchers AS #2: (#2 = #0.assignee)))"},
	})
}

func TestPlansOfArithmetic(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"id + 1 = 2", "([+](#0.identifier, Int:1)Int = Int:2)"},
		{"id * 1.5 = 2", "([*](#0.identifier, Float:1.5)Float = Int:2)"},
		{"id ** 2 = 4", "([**](#0.identifier, Int:2)Float = Int:4)"},
		{"-id = -4", "([unary -](#0.identifier)Int = Int:-4)"},
		{"id = 7 / 2", "(#0.identifier = Int:3)"},
		{"id = 7 / 2.0", "(#0.identifier = Float:3.5)"},
		{"id = 1 / 0", "(#0.identifier = Int:<nil>)"},
		{"id = 2 ** 3", "(#0.identifier = Float:8)"},
		{"id = nil + 1", "(#0.identifier = Int:<nil>)"},
		{"id - nil = 1", "([-](#0.identifier, Nil:<nil>)Int = Int:1)"},
		{"-nil = id", "(Nil:<nil> = #0.identifier)"},
	})
}

func TestPlansOfFunctions(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"now() = NOW()", "(Date:2024-05-31T12:00:00Z = Date:2024-05-31T12:00:00Z)"},
		{"FUNCTION('now') = creationDate", "(Date:2024-05-31T12:00:00Z = #0.creationDate)"},
		{"dateByAddingMonths(NOW(), -3) < creationDate", "(Date:2024-02-29T12:00:00Z < #0.creationDate)"},
		{"FUNCTION('DATEBYADDINGHOURS:', NOW(), 1.9) < creationDate", "(Date:2024-05-31T13:00:00Z < #0.creationDate)"},
		{"FUNCTION(creationDate, 'dateByAddingDays:', 1) < NOW()", "([dateByAddingDays:](#0.creationDate, Int:1)Date < Date:2024-05-31T12:00:00Z)"},
		{"abs(id) = 1", "([abs:](#0.identifier)Int = Int:1)"},
		{"floor(1.5) = id", "(Float:1 = #0.identifier)"},
		{"SQRT(id) = 1", "([sqrt:](#0.identifier)Float = Int:1)"},
		{"length(title) = 3", "([length:](#0.title)Int = Int:3)"},
		{"lowercase(title) = uppercase('a')", "([lowercase:](#0.title)String = String:'A')"},
		{"FUNCTION(title, 'length:') = 3", "([length:](#0.title)Int = Int:3)"},
		{"FUNCTION('add:to:', id, 1) = 3", "([+](#0.identifier, Int:1)Int = Int:3)"},
		{"FUNCTION(id, 'from:subtract:', 1) = 3", "([-](#0.identifier, Int:1)Int = Int:3)"},
		{"FUNCTION('multiply:by:', 3, 2) = id", "(Int:6 = #0.identifier)"},
		{"FUNCTION('divide:by:', 7, 2) = id", "(Int:3 = #0.identifier)"},
		{"FUNCTION('modulus:by:', 7, 4) = id", "(Int:3 = #0.identifier)"},
		{"FUNCTION('raise:toPower:', 2, 3) = id", "(Float:8 = #0.identifier)"},
		{"FUNCTION(watchers, 'count:') = 2", "(#0.watchers.@count = Int:2)"},
		{"FUNCTION('sum:', relationships.type) = 2", "(#0.relationships.type.@sum = Int:2)"},
		{"abs(nil) = id", "(Nil:<nil> = #0.identifier)"},
		{"length(nil) = id", "(Int:<nil> = #0.identifier)"},
	})
}

func TestPlansOfCasts(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"CAST('2024-05-01', 'NSDate') < creationDate", "(Date:2024-05-01T00:00:00Z < #0.creationDate)"},
		{"CAST('2024-05-01T10:00:00+02:00', 'NSDate') < creationDate", "(Date:2024-05-01T08:00:00Z < #0.creationDate)"},
		{"CAST('2024-05-01T10:00:00', 'NSDate') < creationDate", "(Date:2024-05-01T10:00:00Z < #0.creationDate)"},
		{"CAST(60, 'NSDate') < creationDate", "(Date:2001-01-01T00:01:00Z < #0.creationDate)"},
		{"CAST(id, 'NSDate') < creationDate", "([CAST NSDate](#0.identifier)Date < #0.creationDate)"},
		{"CAST('7', 'NSNumber') = id", "(Float:7 = #0.identifier)"},
		{"CAST('7', 'NSNumber') / 2 = id", "(Float:3.5 = #0.identifier)"},
		{"CAST(title, 'NSNumber') = id", "([CAST NSNumber](#0.title)Float = #0.identifier)"},
		{"CAST(watching, 'NSNumber') = id", "([CAST NSNumber](#0.watching)Int = #0.identifier)"},
		{"CAST(creationDate, 'NSNumber') > 1.5", "([CAST NSNumber](#0.creationDate)Float > Float:1.5)"},
		{"CAST(id, 'NSNumber') = 1", "(#0.identifier = Int:1)"},
		{"CAST(id, 'NSString') = '1'", "([CAST NSString](#0.identifier)String = String:'1')"},
		{"CAST(title, 'NSString') = '1'", "(#0.title = String:'1')"},
		{"CAST($ApiUser, 'NSString') = title", "(String:'" + callerUUID + "' = #0.title)"},
		{"CAST(nil, 'NSDate') = creationDate", "(Date:<nil> = #0.creationDate)"},
	})
}

// TestPlansOfKeys shows that keys ignore case and have other spellings.
func TestPlansOfKeys(t *testing.T) {
	t.Parallel()
	wantPlans(t, []planned{
		{"ID = IDENTIFIER", "(#0.identifier = #0.identifier)"},
		{"#title = Title", "(#0.title = #0.title)"},
		{"SUBQUERY(relationships, $r, $r.ChildId = $r.problemIdentifier).@count > 0", "EXISTS(#0.relationships AS #1: (#1.problemIdentifier = #1.problemIdentifier))"},
		{"(state).name = 'x'", "(#0.state.name = String:'x')"},
	})
}

// TestSlots checks that each variable has a slot of its own, and the root has one.
func TestSlots(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"id = 1":                           1,
		"ANY watchers.name = 'a'":          2,
		"assignee IN watchers":             2,
		"ANY watchers IN history.modifier": 3,
		"SUBQUERY(watchers, $w, ANY comments.author = $w).@count > 0 OR ALL watchers.name = 'a'": 4,
	} {
		plan, err := Compile(text, predicate.Problem, checkEnv)
		if err != nil || plan.Slots != want {
			t.Errorf("%s: %+v, %v, want %d slots", text, plan, err, want)
		}
	}
}

// TestPlansShareNothing checks that paths from one variable do not overwrite each
// other's steps.
func TestPlansShareNothing(t *testing.T) {
	t.Parallel()
	wantPlan(t, predicate.Problem,
		"SUBQUERY(relationships, $r, $r.child.state.name = 'a' AND $r.child.assignee.name = $r.parent.state.name).@count > 0",
		"EXISTS(#0.relationships AS #1: AND((#1.child.state.name = String:'a'), (#1.child.assignee.name = #1.parent.state.name)))")
}

// TestNowIsUTC checks the time of the request: it is a Date like all others.
func TestNowIsUTC(t *testing.T) {
	t.Parallel()
	env := checkEnv
	env.Now = env.Now.In(time.FixedZone("", 3600))
	plan, err := Compile("creationDate < NOW()", predicate.Problem, env)
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Where.(predicate.Compare).Right.(predicate.Const).Value; got != checkEnv.Now {
		t.Errorf("NOW() is %v, want %v", got, checkEnv.Now)
	}
}
