package predicate

import (
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Env holds the values of NOW() and $ApiUser for one request.
type Env struct {
	Now  time.Time // NOW(), fixed once for each request
	User ident.ID  // $ApiUser
}

// Compile parses and checks a predicate about objects of an entity. Its errors are
// *Error. It checks the length of the text first; then come the errors of Parse, then
// those of Check.
func Compile(text string, root Entity, env Env) (*Plan, error) {
	s, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return Check(s, root, env)
}

// Check makes a Plan of a predicate (sections 3 and 4 of the query language). It finds
// the keys and functions, checks the types, converts literals, and computes constants.
// It checks all of the predicate, from left to right, operands before their operator.
// The error is an *Error of any kind but InvalidSyntax.
func Check(s *Syntax, root Entity, env Env) (*Plan, error) {
	c := newChecker(s.text, root, env)
	where, err := c.condition(s.root)
	if err != nil {
		return nil, err
	}
	return &Plan{Root: root, Where: existences(where), Slots: c.slots}, nil
}

// apiUser is the one predefined variable.
const apiUser = "ApiUser"

// binding gives a variable its slot and type.
type binding struct {
	name  string
	expr  Expr
	codes bool // as in value
}

// checker checks one predicate.
type checker struct {
	text  string
	root  Type
	now   time.Time
	scope []binding // inner ones last
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

func newChecker(text string, root Entity, env Env) *checker {
	return &checker{
		text:   text,
		root:   one(root),
		now:    env.Now.UTC(),
		scope:  []binding{{name: apiUser, expr: Const{Value: env.User, Of: uuidType}}},
		slots:  1, // for the root
		joins:  map[join]bool{},
		joined: map[int]int{},
	}
}

func (c *checker) fail(offset int, kind ErrorKind, format string, args ...any) error {
	return errorAt(c.text, offset, kind, format, args...)
}

// slot returns the number of a new variable.
func (c *checker) slot() int {
	c.slots++
	return c.slots - 1
}

func (c *checker) condition(n condition) (Cond, error) {
	switch n := n.(type) {
	case *junction:
		conds := make([]Cond, len(n.conds))
		for i, part := range n.conds {
			var err error
			if conds[i], err = c.condition(part); err != nil {
				return nil, err
			}
		}
		if n.op == "AND" {
			return And{Conds: conds}, nil
		}
		return Or{Conds: conds}, nil
	case *negation:
		cond, err := c.condition(n.cond)
		return Not{Cond: cond}, err
	case *comparison:
		return c.comparison(n)
	case *truth:
		return truthOf(n.holds), nil
	}
	return nil, fmt.Errorf("predicate: no condition: %T", n)
}

// comparison checks the operands of a comparison, and then its operator.
func (c *checker) comparison(n *comparison) (Cond, error) {
	left, err := c.operand(n.left)
	if err != nil {
		return nil, err
	}
	right, err := c.operand(n.right)
	if err != nil {
		return nil, err
	}
	if n.qualifier == "" {
		return c.compare(n, left, right)
	}
	if left.list {
		if left, err = c.listed(left, right); err != nil {
			return nil, err
		}
	}
	if !left.collection() {
		return nil, c.fail(n.qualifierOffset, TypeMismatch, "%s takes a collection, not %s", n.qualifier, left)
	}
	slot, member := c.member(left)
	cond, err := c.compare(n, member, right)
	if err != nil {
		return nil, err
	}
	switch n.qualifier {
	case "ALL":
		return Not{Exists{Coll: left.expr, Slot: slot, Where: Not{cond}}}, nil
	case "NONE":
		return Not{Exists{Coll: left.expr, Slot: slot, Where: cond}}, nil
	default:
		return Exists{Coll: left.expr, Slot: slot, Where: cond}, nil
	}
}

// member returns a new variable for the members of a collection, and its value.
func (c *checker) member(coll value) (int, value) {
	slot := c.slot()
	return slot, value{
		expr:    Path{Slot: slot, Start: coll.expr.Type().Member()},
		codes:   coll.codes,
		offset:  coll.offset,
		spelled: coll.spelled,
	}
}
