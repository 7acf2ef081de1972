package store_test

import (
	"reflect"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// TestHeadHasAll shows that an Archive's Head leaves out nothing but the problems,
// and keeps the order of tokens.
func TestHeadHasAll(t *testing.T) {
	t.Parallel()
	id := func(n byte) ident.ID { return ident.ID{15: n} }
	head := store.Archive{
		Metadata: metadata.Content{
			States:          []metadata.State{{ID: id(1)}},
			Priorities:      []metadata.Priority{{ID: id(2)}},
			Classifications: []metadata.Classification{{ID: id(3)}},
			Components:      []metadata.Component{{ID: id(4)}},
			Milestones:      []metadata.Milestone{{ID: id(5)}},
			Users:           []user.User{{ID: id(6)}},
		},
		Tokens: []access.Token{{ID: id(8)}, {ID: id(7)}},
	}.Head()
	want := store.Change{Effects: []store.Effect{
		store.PutState{State: metadata.State{ID: id(1)}},
		store.PutPriority{Priority: metadata.Priority{ID: id(2)}},
		store.PutClassification{Classification: metadata.Classification{ID: id(3)}},
		store.PutComponent{Component: metadata.Component{ID: id(4)}},
		store.PutMilestone{Milestone: metadata.Milestone{ID: id(5)}},
		store.PutUser{User: user.User{ID: id(6)}},
		store.PutToken{Token: access.Token{ID: id(8)}},
		store.PutToken{Token: access.Token{ID: id(7)}},
	}}
	if !reflect.DeepEqual(head, want) {
		t.Errorf("the head is %+v; want %+v", head, want)
	}
	if empty := (store.Archive{}).Head(); !empty.Empty() {
		t.Errorf("the head of an empty Archive is %+v", empty)
	}
}

// A revision is of the Change that the log ends with, wherever it is moved to.
func TestBatchOfRestoredProblem(t *testing.T) {
	t.Parallel()
	archive := store.Archive{Batch: ident.ID{15: 9}}
	for name, c := range map[string]struct {
		log  []problem.LogEntry
		want ident.ID
	}{
		"no log":          {nil, archive.Batch},
		"one entry":       {[]problem.LogEntry{{Batch: ident.ID{15: 1}}}, ident.ID{15: 1}},
		"several entries": {[]problem.LogEntry{{Batch: ident.ID{15: 3}}, {Batch: ident.ID{15: 1}}, {Batch: ident.ID{15: 2}}}, ident.ID{15: 2}},
	} {
		if got := archive.BatchOf(store.Dossier{Log: c.log}); got != c.want {
			t.Errorf("%s: the batch is %v, want %v", name, got, c.want)
		}
	}
}
