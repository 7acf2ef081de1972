package search

import (
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/snapshot"
)

// needs are the parts worth loading in advance for a plan. They may be too few or too
// many: Get loads a missing part by itself.
type needs struct {
	root    snapshot.Parts // of the searched problems
	others  snapshot.Parts // of their related problems
	follows bool           // the plan follows relationships
}

// needsOf returns the needs of a plan.
func needsOf(plan *predicate.Plan) (n needs) {
	n.cond(plan.Where)
	return n
}

func (n *needs) cond(c predicate.Cond) {
	switch c := c.(type) {
	case predicate.And:
		for _, c := range c.Conds {
			n.cond(c)
		}
	case predicate.Or:
		for _, c := range c.Conds {
			n.cond(c)
		}
	case predicate.Not:
		n.cond(c.Cond)
	case predicate.Compare:
		n.expr(c.Left)
		n.expr(c.Right)
	case predicate.Like:
		n.expr(c.Operand)
	case predicate.Match:
		n.expr(c.Operand)
	case predicate.In:
		n.expr(c.Operand)
		for _, e := range c.List {
			n.expr(e)
		}
	case predicate.Exists:
		n.expr(c.Coll)
		n.cond(c.Where)
	}
}

func (n *needs) expr(e predicate.Expr) {
	switch e := e.(type) {
	case predicate.Path:
		// A problem in any other variable than the root is a related problem.
		n.steps(e.Slot != 0 && e.Start.Entity == predicate.Problem, e.Steps)
	case predicate.List:
		for _, m := range e.Members {
			n.expr(m)
		}
	case predicate.Filter:
		n.expr(e.Coll)
		n.cond(e.Where)
		n.steps(e.Coll.Type().Entity == predicate.Problem, e.Steps)
	case predicate.Aggregate:
		n.expr(e.Coll)
	case predicate.Call:
		for _, arg := range e.Args {
			n.expr(arg)
		}
	}
}

// steps follows keys from the root, or from the other end of a relationship.
func (n *needs) steps(other bool, steps []*predicate.Key) {
	for _, key := range steps {
		if key.Of == predicate.Relationship && key.Name == "child" {
			n.follows, other = true, true
		}
		part, _ := partOf(key)
		if other {
			n.others |= part
		} else {
			n.root |= part
		}
	}
}
