package tracker

import (
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/snapshot"
)

// checkMatch refuses a write to any other revision than the client expects (D20), and under any
// other claim (D49).
func checkMatch(w Write, current snapshot.Snapshot) error {
	if err := checkRevision(w.IfMatch, current); err != nil {
		return err
	}
	if w.Claim.IsNone() || w.Claim == current.Claim.ID {
		return nil
	}
	e := fault.New(fault.ClaimLost, "the claim is not the current one of the problem any more: it was ended, or somebody else has taken it; stop the work on the problem")
	e.Revision = current.Revision
	return e
}

func checkRevision(m *Match, current snapshot.Snapshot) error {
	if m == nil || m.Any || slices.Contains(m.Revisions, current.Revision) || slices.Contains(m.Made, MadeOf(current)) {
		return nil
	}
	var e *fault.Error
	switch {
	case slices.Contains(m.Weak, current.Revision):
		e = fault.New(fault.StaleRevision, "the tag in If-Match is weak, and a weak tag never matches: a proxy that compresses answers may have made it weak. "+
			"The problem is at revision %[1]d: if that is the one that was read, send If-Match: \"%[1]d\"", current.Revision)
	case len(m.Revisions)+len(m.Made)+len(m.Weak) == 0:
		e = fault.New(fault.StaleRevision, "If-Match names no revision of a problem. The problem is at revision %[1]d: "+
			"if that is the one that was read, send If-Match: \"%[1]d\"", current.Revision)
	case slices.ContainsFunc(m.Made, func(made Made) bool { return made.Revision == current.Revision }):
		e = fault.New(fault.StaleRevision, "the problem is at revision %d, but not at the one that was read: the database has lost that one. Reload it and retry", current.Revision)
	default:
		return stale(current.Revision)
	}
	e.Revision = current.Revision
	return e
}

func stale(current int64) error {
	e := fault.New(fault.StaleRevision, "the problem is at revision %d by now: reload it and retry", current)
	e.Revision = current
	return e
}
