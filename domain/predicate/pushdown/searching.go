package pushdown

import (
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

// The work of databases in long texts. A database compares the pattern at each
// position of the text, sometimes character by character. It cannot stop before the
// end of a row.
const (
	// maxSearching is the number of characters to compare at each position, in all
	// conditions of a predicate. With a text of a megabyte, this takes about a second.
	maxSearching = 256
	// searchingForm is the weight of a character of a pattern. LIKE decodes both sides.
	searchingForm = 4
	// searchingOnce is the weight of loading a long text for one condition.
	searchingOnce = 4
	// searchingShort stands for the length of a short text of the object itself.
	searchingShort = 200
)

// searching returns the work of a database at each position of a long text for a
// compilable condition.
func searching(cond predicate.Cond) int {
	work := 0
	predicate.Walk(cond, func(node any) bool {
		switch c := node.(type) {
		case predicate.Compare:
			work += searchingText(c)
		case predicate.Like:
			if isLong(c.Operand) {
				work += searchingOnce + searchingForm*floating(c.Pattern)
			}
		}
		return true
	})
	return work
}

func searchingText(c predicate.Compare) int {
	switch {
	case !isLong(c.Left):
		return 0
	case c.Op == predicate.BeginsWith || c.Op == predicate.EndsWith:
		return searchingOnce
	case c.Op != predicate.Contains:
		return 0 // it ends at the first difference
	case isLong(c.Right):
		return maxSearching + 1
	}
	part, known := c.Right.(predicate.Const)
	if !known {
		return searchingOnce + searchingShort
	}
	s, _ := part.Value.(string)
	return searchingOnce + utf8.RuneCountInString(s)
}

// isLong reports whether an expression is a column of long texts.
func isLong(expr predicate.Expr) bool {
	p, ok := expr.(predicate.Path)
	return ok && len(p.Steps) > 0 && p.Steps[len(p.Steps)-1].Long
}

// floating returns the number of a pattern's code points to search for at each
// position of a text: the ones behind the first run.
func floating(p predicate.Pattern) int {
	n, floats := 0, false
	for _, part := range p.Parts {
		switch {
		case part.Any:
			floats = true
		case !floats:
		case part.One:
			n++
		default:
			n += utf8.RuneCountInString(part.Text)
		}
	}
	return n
}

// excerpt is the number of characters of a text kept by weakened.
const excerpt = 32

// weakened returns a condition with less work for a database. It holds wherever the
// given condition holds, for it searches for the beginnings of texts only. Without any
// beginning it returns And{}.
func weakened(cond predicate.Cond) predicate.Cond {
	switch c := cond.(type) {
	case predicate.And:
		return predicate.And{Conds: mapped(c.Conds, weakened)}
	case predicate.Or:
		return predicate.Or{Conds: mapped(c.Conds, weakened)}
	case predicate.Exists:
		c.Where = weakened(c.Where)
		return c
	case predicate.Compare:
		part, known := c.Right.(predicate.Const)
		if s, ok := part.Value.(string); known && ok && c.Op == predicate.Contains && isLong(c.Left) {
			part.Value = beginning(s)
			c.Right = part
			return c
		}
	case predicate.Like:
		longest := ""
		for _, part := range c.Pattern.Parts {
			if len(part.Text) > len(longest) {
				longest = part.Text
			}
		}
		if longest != "" && isLong(c.Operand) {
			return predicate.Compare{Op: predicate.Contains, Folding: c.Folding, Left: c.Operand, Right: predicate.Const{Value: beginning(longest), Of: predicate.Type{Kind: predicate.String}}}
		}
	}
	if searching(cond) > 0 {
		return predicate.And{}
	}
	return cond
}

// beginning returns the first characters of a text.
func beginning(s string) string {
	n := 0
	for i := range s {
		if n == excerpt {
			return s[:i]
		}
		n++
	}
	return s
}
