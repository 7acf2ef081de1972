package store

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Change is one atomic step of the service: either all of it happens or nothing
// does. It says everything that one request does, so that an adapter applies it
// without knowing why.
type Change struct {
	// Batch identifies the Change. It is remembered until an Expire effect
	// takes it, so that committing twice does not happen (COM-005).
	Batch ident.ID
	// At is the time of the request: UTC, whole milliseconds.
	At time.Time
	// Author is the user on whose behalf it is; None for the service itself.
	Author ident.ID
	// Expect is what the decision rests on.
	Expect []Expectation
	// Effects are applied in their order.
	Effects []Effect
	// Log is appended to the logs of the problems that it names.
	Log []problem.LogEntry
}

// Empty reports whether the Change does nothing, so that there is nothing to
// commit.
func (c Change) Empty() bool { return len(c.Effects) == 0 && len(c.Log) == 0 }

// Raises reports which of the Versions the Change raises (VER-002, VER-003).
func (c Change) Raises() (catalogue, access bool) {
	for _, effect := range c.Effects {
		switch effect.(type) {
		case PutState, PutPriority, PutClassification, PutComponent, PutMilestone, PutUser:
			catalogue = true
		case PutToken:
			access = true
		}
	}
	return catalogue, access
}

// Expectation is something that must hold at the moment of the Commit, or the
// Change is refused with fault.Conflict (COM-002). The set is closed: see the
// types of this file.
type Expectation interface{ expectation() }

// ProblemAt expects that the problem exists and has this revision, of this Batch
// (see Snapshot.Batch). A problem with the same revision of another Batch must be
// refused: another history has made it (COM-012).
type ProblemAt struct {
	ID       problem.ID
	Revision int64
	Batch    ident.ID
}

// CatalogueAt expects that the catalogue has this version. One with the same
// number and another Batch must be refused (COM-012).
type CatalogueAt struct{ Version ident.Version }

// AccessAt expects that Versions.Access has this value. One with the same number
// and another Batch must be refused (COM-012).
type AccessAt struct{ Version ident.Version }

// FamilyAt expects that the directed family that is named by its forward type
// has this epoch. One with the same number and another Batch must be refused
// (COM-012).
type FamilyAt struct {
	Family FamilyName
	Epoch  ident.Version
}

// KeyUnused expects that no reply is kept for this key of the user, or only one
// created before Since, which has expired.
type KeyUnused struct {
	User  ident.ID
	Key   string
	Since time.Time
}

// StateUnused expects that no problem is in the state (D2).
type StateUnused struct{ State ident.ID }

// StoreEmpty expects that the store has no problem, no metadata, no user, no
// token, no saved query and no audit log.
type StoreEmpty struct{}

func (ProblemAt) expectation()   {}
func (CatalogueAt) expectation() {}
func (AccessAt) expectation()    {}
func (FamilyAt) expectation()    {}
func (KeyUnused) expectation()   {}
func (StateUnused) expectation() {}
func (StoreEmpty) expectation()  {}
