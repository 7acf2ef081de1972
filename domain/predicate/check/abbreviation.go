package check

import (
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
)

// abbreviations are conditions about a problem that are written like a key with a truth value,
// as in blocked = NO (section 3 of the query language).
var abbreviations = map[string]func(c *checker, of predicate.Path) predicate.Cond{
	"blocked": (*checker).blocked,
	"claimed": (*checker).claimed,
}

// abbreviation returns the condition of a comparison with an abbreviation on its left, or nil.
func (c *checker) abbreviation(n *syntax.Comparison) (predicate.Cond, error) {
	path, ok := n.Left.(*syntax.Path)
	if !ok || n.Qualifier != "" {
		return nil, nil
	}
	last := path.Steps[len(path.Steps)-1]
	meaning, ok := abbreviations[strings.ToLower(last.Name)]
	if !ok || last.Aggregate != "" {
		return nil, nil
	}
	owner := value{expr: predicate.Path{Start: c.root}}
	var err error
	if before := path.Steps[:len(path.Steps)-1]; len(before) > 0 {
		owner, err = c.path(&syntax.Path{Of: path.Of, Steps: before})
	} else if path.Of != nil {
		owner, err = c.operand(path.Of)
	}
	of, ok := owner.expr.(predicate.Path)
	if err != nil || !ok || of.Type() != (predicate.Type{Kind: predicate.Object, Entity: predicate.Problem}) {
		return nil, err // an unknown key of something else
	}
	with, ok := n.Right.(*syntax.Literal)
	if !ok || with.Kind != predicate.Bool || n.Op != "=" && n.Op != "!=" || n.Fold != predicate.Exact {
		return nil, c.fail(n.Offset, predicate.TypeMismatch, "%s is compared by = or != with YES or NO", strings.ToLower(last.Name))
	}
	cond := meaning(c, of)
	if with.Value == (n.Op == "=") {
		return cond, nil
	}
	return predicate.Not{Cond: cond}, nil
}

// blocked holds while another end of a BlockedBy is unresolved.
func (c *checker) blocked(of predicate.Path) predicate.Cond {
	of.Steps = following(of, "relationships").Steps
	slot := c.slot()
	blocker := predicate.Path{Slot: slot, Start: of.Type().Member()}
	return predicate.Exists{Coll: of, Slot: slot, Where: predicate.And{Conds: []predicate.Cond{
		predicate.Compare{Op: predicate.Equal, Left: following(blocker, "type"), Right: predicate.Const{Value: int64(relationship.BlockedBy.Code()), Of: intType}},
		predicate.Compare{Op: predicate.Equal, Left: following(blocker, "child", "state", "resolved"), Right: predicate.Const{Value: false, Of: boolType}},
	}}}
}

// claimed holds while nobody can take the claim of the problem (D49).
func (c *checker) claimed(of predicate.Path) predicate.Cond {
	return predicate.Compare{Op: predicate.Greater, Left: following(of, "claim.expires"), Right: predicate.Const{Value: c.now.Add(-problem.ClaimGrace), Of: dateType}}
}

// following adds known keys to a path.
func following(path predicate.Path, keys ...string) predicate.Path {
	for _, name := range keys {
		key, _ := predicate.Lookup(path.Type().Entity, name)
		path.Steps = appended(path.Steps, key)
	}
	return path
}
