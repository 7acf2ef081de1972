package check

import (
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// Compile parses and checks a predicate about objects of an entity. Its errors are
// *predicate.Error. It checks the length of the text first; then it parses all of the
// text, and then it checks keys and types.
func Compile(text string, root predicate.Entity, env predicate.Env) (*predicate.Plan, error) {
	s, err := syntax.Parse(text)
	if err != nil {
		return nil, err
	}
	return planOf(s, root, env)
}

// planOf makes a Plan of a parsed predicate (sections 3 and 4 of the query language). It finds
// the keys and functions, checks the types, converts literals, and computes constants.
// It checks all of the predicate, from left to right, operands before their operator.
// The error is a *predicate.Error of any kind but InvalidSyntax.
func planOf(s *syntax.Tree, root predicate.Entity, env predicate.Env) (*predicate.Plan, error) {
	c := newChecker(s.Text, root, env)
	where, err := c.condition(s.Root)
	if err != nil {
		return nil, err
	}
	return &predicate.Plan{Root: root, Where: existences(where), Slots: c.slots}, nil
}

// apiUser is the one predefined variable.
const apiUser = "ApiUser"

// binding gives a variable its slot and type.
type binding struct {
	name  string
	expr  predicate.Expr
	codes bool // as in value
}

// checker checks one predicate.
type checker struct {
	text  string
	root  predicate.Type
	now   time.Time
	end   *predicate.Key // behind each date; nil for none
	scope []binding      // inner ones last
	slots int
	// joins holds the objects at the end of to-one keys. joined counts them for each
	// variable.
	joins  map[join]bool
	joined map[int]int
}

// join is an object at the end of a path of to-one keys from a variable.
type join struct {
	slot int
	path string // as in pathName
}

func newChecker(text string, root predicate.Entity, env predicate.Env) *checker {
	return &checker{
		text:   text,
		root:   predicate.Type{Kind: predicate.Object, Entity: root},
		now:    env.Now.UTC(),
		end:    predicate.EndOfDay(env.Zone),
		scope:  []binding{{name: apiUser, expr: predicate.Const{Value: env.User, Of: uuidType}}},
		slots:  1, // for the root
		joins:  map[join]bool{},
		joined: map[int]int{},
	}
}

func (c *checker) fail(offset int, kind predicate.ErrorKind, format string, args ...any) error {
	return syntax.ErrorAt(c.text, offset, kind, format, args...)
}

// failMeaning is fail at a wrong name, with the one that was probably meant, or "".
func (c *checker) failMeaning(meant string, offset int, kind predicate.ErrorKind, format string, args ...any) error {
	err := syntax.ErrorAt(c.text, offset, kind, format, args...)
	err.Meant = meant
	return err
}

// slot returns the number of a new variable.
func (c *checker) slot() int {
	c.slots++
	return c.slots - 1
}

func (c *checker) condition(n syntax.Condition) (predicate.Cond, error) {
	switch n := n.(type) {
	case *syntax.Junction:
		conds := make([]predicate.Cond, len(n.Conds))
		for i, part := range n.Conds {
			var err error
			if conds[i], err = c.condition(part); err != nil {
				return nil, err
			}
		}
		if n.Op == "AND" {
			return predicate.And{Conds: conds}, nil
		}
		return predicate.Or{Conds: conds}, nil
	case *syntax.Negation:
		cond, err := c.condition(n.Cond)
		return predicate.Not{Cond: cond}, err
	case *syntax.Comparison:
		return c.comparison(n)
	case *syntax.Truth:
		return predicate.Always(n.Holds), nil
	}
	return nil, fmt.Errorf("predicate: no condition: %T", n)
}

// comparison checks the operands of a comparison, and then its operator.
func (c *checker) comparison(n *syntax.Comparison) (predicate.Cond, error) {
	if cond, err := c.abbreviation(n); cond != nil || err != nil {
		return cond, err
	}
	left, err := c.operand(n.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.operand(n.Right)
	if err != nil {
		return nil, err
	}
	if n.Qualifier == "" {
		return c.compare(n, left, right)
	}
	if left.list {
		if left, err = c.listed(left, right); err != nil {
			return nil, err
		}
	}
	if !left.collection() {
		return nil, c.fail(n.QualifierOffset, predicate.TypeMismatch, "%s takes a collection, not %s", n.Qualifier, left)
	}
	slot, member := c.member(left)
	cond, err := c.compare(n, member, right)
	if err != nil {
		return nil, err
	}
	switch n.Qualifier {
	case "ALL":
		return predicate.Not{Cond: predicate.Exists{Coll: left.expr, Slot: slot, Where: predicate.Not{Cond: cond}}}, nil
	case "NONE":
		return predicate.Not{Cond: predicate.Exists{Coll: left.expr, Slot: slot, Where: cond}}, nil
	default:
		return predicate.Exists{Coll: left.expr, Slot: slot, Where: cond}, nil
	}
}

// member returns a new variable for the members of a collection, and its value.
func (c *checker) member(coll value) (int, value) {
	slot := c.slot()
	return slot, value{
		expr:    predicate.Path{Slot: slot, Start: coll.expr.Type().Member()},
		codes:   coll.codes,
		offset:  coll.offset,
		spelled: coll.spelled,
	}
}
