package sqlsearch

import (
	"context"
	"fmt"
	"strconv"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
)

// compiler translates conditions to SQL. They have the form promised by
// pushdown.Split (section 7 of the query language). It makes names of its own only, and takes all
// others from tables in the code.
//
// Every reference to a metadata object or user finds it in the catalogue: the domain
// ensures it. NULL, and nothing else, is nil.
type compiler struct {
	*Syntax
	ctx       context.Context
	catalogue *metadata.Catalogue
	as        ident.ID
	Known

	variables map[int]*variable // by slot
	scopes    []*scope          // open ones, from the outer to the inner
	aliases   map[string]int    // how many there are with a letter
	// first is true for a condition where the search may begin.
	first bool
	begin fragment // see Search.Begin
}

// scope is a FROM clause with its variables.
type scope struct {
	level int
	from  string
	// outer is true when something in it depends on a variable of an outer scope.
	outer bool
}

// newCompiler returns a compiler for conditions on a problem, the row p.
func newCompiler(ctx context.Context, s *Syntax, c *metadata.Catalogue, as ident.ID) *compiler {
	root := &scope{from: "problems p"}
	return &compiler{
		Syntax: s, ctx: ctx, catalogue: c, as: as,
		variables: map[int]*variable{0: {entity: predicate.Problem, alias: "p", key: "p.id", scope: root}},
		scopes:    []*scope{root},
		aliases:   map[string]int{"p": 1},
	}
}

// alias returns a new name for a table.
func (c *compiler) alias(letter string) string {
	c.aliases[letter]++
	return letter + strconv.Itoa(c.aliases[letter])
}

// open opens a scope. The returned function closes it.
func (c *compiler) open() (s *scope, done func()) {
	s = &scope{level: len(c.scopes)}
	c.scopes = append(c.scopes, s)
	return s, func() { c.scopes = c.scopes[:s.level] }
}

// search returns the conditions of a statement; all have to hold. The statement can begin
// at the condition with the fewest rows by an index: at the few problems that are known, on a
// column of the problem, or else on a collection.
func (c *compiler) search(conds []predicate.Cond) ([]fragment, error) {
	conditions := make([]fragment, len(conds))
	keyed := c.Few != nil
	for _, ofCollection := range []bool{false, true} {
		for i, cond := range conds {
			if _, ok := cond.(predicate.Exists); ok != ofCollection {
				continue
			}
			c.first = ofCollection && !keyed && !c.Walk
			var err error
			if conditions[i], err = c.cond(cond); err != nil {
				return nil, err
			}
			c.first = false
			keyed = keyed || conditions[i].keyed
		}
	}
	if c.Few != nil {
		conditions = append(conditions, c.Few.condition(c.Syntax))
	}
	return conditions, nil
}

func (c *compiler) each(conds []predicate.Cond) ([]fragment, error) {
	conditions := make([]fragment, len(conds))
	for i, cond := range conds {
		var err error
		if conditions[i], err = c.cond(cond); err != nil {
			return nil, err
		}
	}
	return conditions, nil
}

// cond returns a condition. It holds where it is true, and does not where it is false
// or NULL.
func (c *compiler) cond(cond predicate.Cond) (fragment, error) {
	if slot, steps, ok := pushdown.Reference(cond); ok {
		return c.reference(cond, slot, steps)
	}
	switch cond := cond.(type) {
	case predicate.And:
		conditions, err := c.each(cond.Conds)
		return and(conditions...), err
	case predicate.Or:
		conditions, err := c.each(cond.Conds)
		return or(conditions...), err
	case predicate.Not:
		condition, err := c.cond(cond.Cond)
		return not(condition), err
	case predicate.Compare:
		return c.compare(cond)
	case predicate.Like:
		return c.like(cond)
	case predicate.In:
		return c.in(cond)
	case predicate.Exists:
		return c.exists(cond)
	}
	return fragment{}, fmt.Errorf("no SQL for %T", cond)
}

// exists returns the condition that some row of a collection satisfies another condition.
// The search begins at these rows, if it may, and if an index finds them for all
// problems.
func (c *compiler) exists(cond predicate.Exists) (fragment, error) {
	path, ok := cond.Coll.(predicate.Path)
	if !ok {
		return fragment{}, fmt.Errorf("no SQL for members of %T", cond.Coll)
	}
	first := c.first
	c.first = false
	s, done := c.open()
	defer done()
	owner, of, err := c.collection(s, path, cond.Slot)
	if err != nil {
		return fragment{}, err
	}
	outer := s.outer // by the owner, in either form
	s.outer = false
	where, err := c.cond(cond.Where)
	if err != nil {
		return fragment{}, err
	}
	independent := !s.outer
	s.outer = s.outer || outer
	if first && independent && where.keyed {
		found := text(owner, " IN (SELECT "+of+" FROM "+s.from+" WHERE ", where, ")")
		found.keyed = true
		rows := text(s.from+" WHERE ", where)
		found.rows = &rows
		return found, nil
	}
	end := ")"
	if c.Many && ofComments(cond) {
		end = c.InTurn + ")"
	}
	return text("EXISTS (SELECT 1 FROM "+s.from+" WHERE "+of+" = "+owner+" AND ", where, end), nil
}
