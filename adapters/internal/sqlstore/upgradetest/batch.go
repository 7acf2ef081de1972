package upgradetest

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// OlderServer is the statements of a server of the version before. It raises the numbers of
// revisions and versions, and writes no batch.
const OlderServer = "UPDATE problems SET revision = revision + 1 WHERE id = 1; UPDATE versions SET catalogue = catalogue + 1"

// GoesOn shows how a store with Content goes on from revisions and versions without a batch,
// beside a server of the version before. older executes OlderServer.
func GoesOn(t *testing.T, s store.Store, older func()) {
	t.Helper()
	var seen store.Snapshot
	commit := func(batch byte, expect ...store.Expectation) error {
		t.Helper()
		if err := s.View(t.Context(), func(r store.Reader) (err error) {
			seen, err = r.Problem(t.Context(), 1, ident.None, 0)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		next := seen.Problem
		next.Revision++
		_, err := s.Commit(t.Context(), store.Change{
			Batch: ident.ID{15: batch}, At: next.Modified, Expect: expect,
			Effects: []store.Effect{store.UpdateProblem{Problem: next}, store.PutUser{User: user.User{ID: ident.ID{14: 1, 15: batch}, Name: "A", Email: "a@b"}}},
		})
		return err
	}
	at := func(revision, catalogue int64, batch byte) []store.Expectation {
		id := ident.ID{15: batch}
		return []store.Expectation{store.ProblemAt{ID: 1, Revision: revision, Batch: id}, store.CatalogueAt{Version: ident.Version{Number: catalogue, Batch: id}}}
	}
	if err := commit(8, at(3, 6, 9)...); !fault.Is(err, fault.Conflict) {
		t.Errorf("with a batch where there is none: %v", err)
	}
	if err := commit(9, at(3, 6, 0)...); err != nil {
		t.Errorf("without a batch: %v", err)
	}
	older()
	if err := commit(10, at(4, 7, 9)...); !fault.Is(err, fault.Conflict) {
		t.Errorf("after a server of the version before: %v", err)
	}
	if err := commit(11, at(5, 8, 9)...); err != nil {
		t.Errorf("after a server of the version before, as it has left it: %v", err)
	}
	if err := commit(12, at(6, 9, 11)...); err != nil {
		t.Errorf("after one more: %v", err)
	}
}
