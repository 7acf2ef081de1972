package core

import "github.com/problemtracking/problems/domain/metadata"

// Answer is the result of a use case.
type Answer[T any] struct {
	Value T
	// Catalogue is the catalogue at the moment of the answer, for rendering references.
	Catalogue *metadata.Catalogue
	// Revision is the revision of the problem after the request, or 0 for a request
	// without a problem.
	Revision int64
	// Current is the current revision of a problem shown as of an earlier point.
	Current int64
	// New is true when the write created something.
	New bool
	// Ignored names the members sent with a value different from the problem's and not
	// stored. The names are sorted. A null is no value.
	Ignored []string
	// Replay is the stored reply to an earlier, equal request. When it is not nil, all
	// other members are zero.
	Replay []byte
}
