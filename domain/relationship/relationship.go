package relationship

import (
	"cmp"
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Relationship is one side of a link: Owner has a relationship of Type to Other. The
// other side is its [Relationship.Mirror]. Both are stored, and neither is ever without
// the other.
type Relationship struct {
	Owner   problem.ID
	Type    Type
	Other   problem.ID
	Created time.Time
	Author  ident.ID
}

// Mirror returns the other side.
func (r Relationship) Mirror() Relationship {
	r.Owner, r.Type, r.Other = r.Other, r.Type.Mirror(), r.Owner
	return r
}

// Compare orders the relationships of one problem: by type code, then by the
// other problem (D10).
func (r Relationship) Compare(other Relationship) int {
	if c := r.Type.Code() - other.Type.Code(); c != 0 {
		return c
	}
	return cmp.Compare(r.Other, other.Other)
}

// CheckEnds refuses a relationship of a problem to itself. The text of the error is a
// sentence for its author.
func CheckEnds(owner, other problem.ID) error {
	if owner == other {
		return errors.New("a problem has no relationship to itself")
	}
	return nil
}
