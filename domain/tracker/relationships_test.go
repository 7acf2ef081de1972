package tracker

import (
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// newLinking is problem 7 and another, 9, which Bob made, Bob is assigned to and
// somebody changed after 7. A search for a cycle has seen problem 5.
func newLinking(existing ...relationship.Type) linking {
	l := linking{loaded: newLoaded(), seen: []store.ProblemAt{{ID: 5, Revision: 2, Batch: kit.StoredBy}}}
	l.other = newLoaded(func(l *loaded) {
		l.Problem.ID, l.Title, l.State, l.Assignee = 9, "Password forgotten", kit.InProgress, kit.Bob
		l.Modified, l.Revision = kit.Noon.Add(time.Minute), 20
	})
	for _, t := range existing {
		r := relationship.Relationship{Owner: 7, Type: t, Other: 9, Created: kit.Noon, Author: kit.Ann}
		l.Relationships = append(l.Relationships, snapshot.Related{Relationship: r, OtherTitle: l.other.Title, OtherState: l.other.State})
		l.other.Relationships = append(l.other.Relationships, snapshot.Related{Relationship: r.Mirror(), OtherTitle: l.Title, OtherState: l.State})
	}
	return l
}

func relate(t relationship.Type, other problem.ID) Relate {
	return Relate{Type: patch.Set(string(t)), Other: patch.Set(other)}
}

// W6, spec section 2: a relationship of any type comes with its mirror, raises the
// revision of both problems, and is logged on both as seen from there (D1, D7, D8).
func TestRelate(t *testing.T) {
	t.Parallel()
	for _, pair := range []struct{ typ, mirror relationship.Type }{
		{"RelatedTo", "RelatedTo"},
		{"ParentOf", "ChildOf"},
		{"ChildOf", "ParentOf"},
		{"OriginalOf", "DuplicateOf"},
		{"DuplicateOf", "OriginalOf"},
		{"CauseOf", "CausedBy"},
		{"CausedBy", "CauseOf"},
		{"BlockerOf", "BlockedBy"},
		{"BlockedBy", "BlockerOf"},
		{"ClonedTo", "ClonedFrom"},
		{"ClonedFrom", "ClonedTo"},
	} {
		t.Run(string(pair.typ), func(t *testing.T) {
			t.Parallel()
			l := newLinking()
			change, a, err := decideRelate(by(kit.Bob), relate(pair.typ, 9), l, 1000, kit.At(kit.Now))
			kit.NoError(t, err)

			one := relationship.Relationship{Owner: 7, Type: pair.typ, Other: 9, Created: kit.Now, Author: kit.Bob}
			two := relationship.Relationship{Owner: 9, Type: pair.mirror, Other: 7, Created: kit.Now, Author: kit.Bob}
			kit.Equal(t, "answer", a, Answer[snapshot.Related]{
				Value:     snapshot.Related{Relationship: one, OtherTitle: "Password forgotten", OtherState: kit.InProgress},
				Catalogue: l.catalogue,
				Revision:  4,
				New:       true,
			})
			wantOne, wantTwo := l.Problem, l.other.Problem
			wantOne.Modifier, wantOne.Modified, wantOne.Revision = kit.Bob, kit.Now, 4
			wantTwo.Modifier, wantTwo.Modified, wantTwo.Revision = kit.Bob, kit.Now, 21
			effects := []store.Effect{
				store.ForgetReads{Problem: 7, But: kit.Bob},
				store.MarkRead{Problem: 7, User: kit.Bob, Read: true},
				store.PutRelationship{Relationship: one},
				store.UpdateProblem{Problem: wantOne, Size: kit.LogSize(change, 7)},
				store.ForgetReads{Problem: 9, But: kit.Bob},
				store.MarkRead{Problem: 9, User: kit.Bob, Read: true},
				store.PutRelationship{Relationship: two},
				store.UpdateProblem{Problem: wantTwo, Size: kit.LogSize(change, 9)},
			}
			kit.Equal(t, "effects", change.Effects, effects)
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy}, store.ProblemAt{ID: 9, Revision: 20, Batch: kit.StoredBy}, l.seen[0])
			kit.Logged(t, change,
				`7@4 RelationshipAdded `+string(pair.typ)+`: null → {"problemIdentifier":9}`,
				`9@21 RelationshipAdded `+string(pair.mirror)+`: null → {"problemIdentifier":7}`,
			)
		})
	}
}

// W7: both sides go, whichever side asks, and nothing else counts: what is gone closes
// no cycle.
func TestUnrelate(t *testing.T) {
	t.Parallel()
	for _, typ := range relationship.Types() {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			l := newLinking(typ, relationship.ClonedTo)
			if typ.Code() >= relationship.ClonedTo.Code() {
				l = newLinking(relationship.RelatedTo, typ)
			}
			change, a, err := decideUnrelate(by(kit.Bob), relate(typ, 9), l, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Equal(t, "answer", a, Answer[struct{}]{Catalogue: l.catalogue, Revision: 4})
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy}, store.ProblemAt{ID: 9, Revision: 20, Batch: kit.StoredBy})
			wantOne, wantTwo := l.Problem, l.other.Problem
			wantOne.Modifier, wantOne.Modified, wantOne.Revision = kit.Bob, kit.Now, 4
			wantTwo.Modifier, wantTwo.Modified, wantTwo.Revision = kit.Bob, kit.Now, 21
			kit.Equal(t, "effects", change.Effects, []store.Effect{
				store.ForgetReads{Problem: 7, But: kit.Bob},
				store.MarkRead{Problem: 7, User: kit.Bob, Read: true},
				store.DropRelationship{Owner: 7, Type: typ, Other: 9},
				store.UpdateProblem{Problem: wantOne, Size: kit.LogSize(change, 7)},
				store.ForgetReads{Problem: 9, But: kit.Bob},
				store.MarkRead{Problem: 9, User: kit.Bob, Read: true},
				store.DropRelationship{Owner: 9, Type: typ.Mirror(), Other: 7},
				store.UpdateProblem{Problem: wantTwo, Size: kit.LogSize(change, 9)},
			})
			kit.Logged(t, change,
				`7@4 RelationshipDeleted `+string(typ)+`: {"problemIdentifier":9} → null`,
				`9@21 RelationshipDeleted `+string(typ.Mirror())+`: {"problemIdentifier":7} → null`,
			)
		})
	}
}

// D1: neither problem's modificationDate steps back, and both sides have one time.
func TestRelateClockSteppedBack(t *testing.T) {
	t.Parallel()
	l := newLinking()
	change, a, err := decideRelate(by(kit.Bob), relate(relationship.RelatedTo, 9), l, 1000, kit.At(kit.Noon.Add(-time.Hour)))
	kit.NoError(t, err)
	for _, got := range []time.Time{change.At, a.Value.Created, kit.Updated(t, change, 7).Modified, kit.Updated(t, change, 9).Modified} {
		kit.Equal(t, "time", got, l.other.Modified)
	}
}

// D10: what is there already is answered as it is, and nothing is written (D8).
func TestRelateAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		cmd   Relate
		limit int
	}{
		{"the same again", relate(relationship.ChildOf, 9), 1000},
		{"on full problems", relate(relationship.ChildOf, 9), 1},
		{"D14: as R3 shows it", Relate{Type: patch.Set("ChildOf"), Other: patch.Set[problem.ID](9), Listed: patch.Set[problem.ID](9)}, 1000},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			l := newLinking(relationship.ChildOf)
			change, a, err := decideRelate(by(kit.Bob), c.cmd, l, c.limit, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, Answer[snapshot.Related]{Value: l.Relationships[0], Catalogue: l.catalogue, Revision: 3})
		})
	}
}

// D7: at most one relationship per family between two problems, but one in each.
func TestRelateConflict(t *testing.T) {
	t.Parallel()
	for _, typ := range relationship.Types() {
		if typ == relationship.RelatedTo {
			continue // the mirror of itself
		}
		change, _, err := decideRelate(by(kit.Bob), relate(typ, 9), newLinking(typ.Mirror()), 1000, kit.At(kit.Now))
		kit.WantFault(t, err, fault.RelationshipConflict)
		if f := kit.FaultOf(t, err); !strings.Contains(f.Detail, "a type cannot be changed in place") {
			t.Errorf("the detail %q does not say why", f.Detail)
		}
		kit.Nothing(t, change)
	}
	_, a, err := decideRelate(by(kit.Bob), relate(relationship.ParentOf, 9), newLinking(relationship.RelatedTo, relationship.BlockedBy), 1000, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "new beside other families", a.New, true)
}

// D7: the error names the path of the cycle.
func TestRelateCycle(t *testing.T) {
	t.Parallel()
	l := newLinking()
	l.cycle = []problem.ID{7, 9, 8, 7}
	change, _, err := decideRelate(by(kit.Bob), relate(relationship.ParentOf, 9), l, 1000, kit.At(kit.Now))
	kit.WantFault(t, err, fault.RelationshipCycle)
	kit.Nothing(t, change)
	kit.Equal(t, "detail", kit.FaultOf(t, err).Detail, "the relationship would close a cycle: 7 → 9 → 8 → 7")
}

// D14, D18: what is wrong with the members of W6 (add) and W7 (remove); where a
// kind is empty, that request is not at fault.
func TestRelateMembers(t *testing.T) {
	t.Parallel()
	const otherInvalid, otherMissing = "invalid-value /problemIdentifier", "required-field /problemIdentifier"
	var noNumber fault.List
	noNumber.Add(fault.InvalidType, fault.At("problemIdentifier"), "must be an integer")
	parent, nine := patch.Set("ParentOf"), patch.Set[problem.ID](9)
	for _, c := range []struct {
		rule        string
		cmd         Relate
		there       bool // problem 9 exists
		add, remove fault.Kind
		items       []string
	}{
		{"no members", Relate{}, true, fault.RequiredField, fault.RequiredField, []string{"required-field /type", otherMissing}},
		{"no type", Relate{Other: nine}, true, fault.RequiredField, fault.RequiredField, []string{"required-field /type"}},
		{"no other problem", Relate{Type: parent}, true, fault.RequiredField, fault.RequiredField, []string{otherMissing}},
		{"null as type", Relate{Type: patch.Null[string](), Other: nine}, true, fault.InvalidValue, fault.InvalidValue, []string{"invalid-value /type"}},
		{"null as other problem", Relate{Type: parent, Other: patch.Null[problem.ID]()}, false, fault.InvalidValue, fault.InvalidValue, []string{otherInvalid}},
		{"no such type", Relate{Type: patch.Set("Parentof"), Other: nine}, true, fault.InvalidValue, fault.InvalidValue, []string{"invalid-value /type"}},
		{"the empty type", Relate{Type: patch.Set(""), Other: nine}, true, fault.InvalidValue, fault.InvalidValue, []string{"invalid-value /type"}},
		{"another problem in the member problem", Relate{Type: parent, Other: nine, Listed: patch.Set[problem.ID](8)}, true,
			fault.InvalidValue, fault.InvalidValue, []string{"invalid-value /problem/identifier"}},
		{"what the adapter said of a member is not said again", Relate{Write: Write{Faults: noNumber}, Type: patch.Set("x")}, false,
			fault.ValidationFailed, fault.ValidationFailed, []string{"invalid-type /problemIdentifier", "invalid-value /type"}},
		{"unknown other problem", relate("ParentOf", 9), false, fault.InvalidValue, fault.RelationshipNotFound, []string{otherInvalid}},
		{"no such number", relate("ParentOf", 0), false, fault.InvalidValue, fault.RelationshipNotFound, []string{otherInvalid}},
		{"nothing there", relate("ParentOf", 9), true, "", fault.RelationshipNotFound, nil},
		{"another family there", relate("BlockerOf", 9), true, "", fault.RelationshipNotFound, nil},
		{"another revision, and no members", Relate{Write: Write{IfMatch: &Match{Revisions: []int64{20}}}}, true, fault.StaleRevision, fault.StaleRevision, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			l := newLinking()
			if !c.there {
				l.other = loaded{}
			}
			change, _, err := decideRelate(by(kit.Bob), c.cmd, l, 1000, kit.At(kit.Now))
			if c.add == "" {
				kit.NoError(t, err)
			} else {
				kit.WantFault(t, err, c.add, c.items...)
				kit.Nothing(t, change)
			}
			items := c.items
			if c.remove == fault.RelationshipNotFound {
				items = nil
			}
			change, _, err = decideUnrelate(by(kit.Bob), c.cmd, l, kit.At(kit.Now))
			kit.WantFault(t, err, c.remove, items...)
			kit.Nothing(t, change)
		})
	}
}

// W7: the mirrored type is not the relationship that is there.
func TestUnrelateMirror(t *testing.T) {
	t.Parallel()
	change, _, err := decideUnrelate(by(kit.Bob), relate(relationship.ParentOf, 9), newLinking(relationship.ChildOf), kit.At(kit.Now))
	kit.WantFault(t, err, fault.RelationshipNotFound)
	kit.Nothing(t, change)
}

// D7: no relationship to itself, of any type; none can be removed.
func TestRelateToItself(t *testing.T) {
	t.Parallel()
	for _, typ := range relationship.Types() {
		l := newLinking()
		l.other = l.loaded
		_, _, err := decideRelate(by(kit.Bob), relate(typ, 7), l, 1000, kit.At(kit.Now))
		kit.WantFault(t, err, fault.InvalidValue, "invalid-value /problemIdentifier")
		_, _, err = decideUnrelate(by(kit.Bob), relate(typ, 7), l, kit.At(kit.Now))
		kit.WantFault(t, err, fault.RelationshipNotFound)
	}
}

// D22: the limit holds for both problems.
func TestRelateLimit(t *testing.T) {
	t.Parallel()
	full := newLinking()
	full.Relationships = make([]snapshot.Related, 2)
	_, _, err := decideRelate(by(kit.Bob), relate(relationship.ParentOf, 9), full, 2, kit.At(kit.Now))
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value ")

	otherFull := newLinking()
	otherFull.other.Relationships = make([]snapshot.Related, 2)
	_, _, err = decideRelate(by(kit.Bob), relate(relationship.ParentOf, 9), otherFull, 2, kit.At(kit.Now))
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value /problemIdentifier")
	_, _, err = decideRelate(by(kit.Bob), relate(relationship.ParentOf, 9), otherFull, 3, kit.At(kit.Now))
	kit.NoError(t, err)
}
