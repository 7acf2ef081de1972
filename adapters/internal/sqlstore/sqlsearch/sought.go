package sqlsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

// Sought is a text that a title of a problem, or a text of a comment, contains.
type Sought struct {
	Of   predicate.Entity // Problem or Comment
	Text string           // as predicate.Both folds it
}

// LeastSought is the length of the shortest text to look for, in characters.
const LeastSought = 3

// mostSought limits the texts to look for: each look takes some time.
const mostSought = 8

// Seek returns texts that a predicate asks for. Each problem that satisfies it has one or more of
// the texts of each list.
func Seek(s *Syntax, p *predicate.Plan) [][]Sought {
	compiled, _ := s.split(p)
	return seek(predicate.And{Conds: compiled}, map[int]bool{})
}

// seek has the slots that are bound to comments of the problem.
func seek(cond predicate.Cond, comments map[int]bool) (all [][]Sought) {
	switch cond := cond.(type) {
	case predicate.And:
		for _, c := range cond.Conds {
			all = append(all, seek(c, comments)...)
		}
		return all
	case predicate.Or:
		var either []Sought
		for _, c := range cond.Conds {
			lists := seek(c, comments)
			if len(lists) == 0 || len(either) > mostSought {
				return nil
			}
			either = append(either, lists[0]...)
		}
		if len(either) == 0 || len(either) > mostSought {
			return nil
		}
		return [][]Sought{either}
	case predicate.Exists:
		if ofComments(cond) {
			comments[cond.Slot] = true
			return seek(cond.Where, comments)
		}
	case predicate.Compare:
		switch cond.Op {
		case predicate.Contains, predicate.BeginsWith, predicate.EndsWith, predicate.Equal:
			if part, ok := cond.Right.(predicate.Const); ok {
				all = soughtIn(all, cond.Left, part.Value, cond.Folding, comments)
			}
		}
	case predicate.Like:
		for _, part := range cond.Pattern.Parts {
			all = soughtIn(all, cond.Operand, part.Text, cond.Folding, comments)
		}
	}
	return all
}

// ofComments reports whether a condition is about the comments of the problem.
func ofComments(cond predicate.Exists) bool {
	path, ok := cond.Coll.(predicate.Path)
	return ok && path.Slot == 0 && len(path.Steps) == 1 && path.Steps[0].Name == "comments"
}

// soughtIn appends the text that an operand has to contain, if there is an index for it.
func soughtIn(all [][]Sought, in predicate.Expr, part predicate.Value, f predicate.Folding, comments map[int]bool) [][]Sought {
	path, isPath := in.(predicate.Path)
	text, isText := part.(string)
	if !isPath || !isText || len(path.Steps) != 1 {
		return all
	}
	s := Sought{Text: predicate.Fold(text, predicate.Both)}
	switch key := path.Steps[0].Name; {
	case path.Slot == 0 && key == "title":
		s.Of = predicate.Problem
	case comments[path.Slot] && key == "text":
		s.Of = predicate.Comment
	default:
		return all
	}
	// What is folded less has the text, too, with two exceptions. Marks with a place of their own
	// change places with others around it. And without case, the iota below is the letter, which
	// the index lacks: it is a mark there.
	apart := f != predicate.Both && strings.ContainsFunc(s.Text, func(r rune) bool { return unicode.Is(unicode.Mc, r) }) ||
		f == predicate.Case && strings.ContainsRune(text, 'ι')
	if apart || utf8.RuneCountInString(s.Text) < LeastSought {
		return all
	}
	return append(all, []Sought{s})
}

// Few are the problems that can satisfy a condition: some by their own numbers, and those with
// comments at some positions. Each list is an argument for Syntax.InList.
type Few struct{ Problems, Comments []any }

// condition returns the condition for a problem to be among them.
func (f Few) condition(s *Syntax) fragment {
	if len(f.Problems) == 1 && len(f.Comments) == 0 {
		found := text("p.id ", fragment{sql: s.InList, args: f.Problems})
		found.keyed, found.few = true, true
		return found
	}
	found, all := text("p.id IN ("), ""
	for _, list := range f.Problems {
		found = text(found, all+"SELECT id FROM problems WHERE id ", fragment{sql: s.InList, args: []any{list}})
		all = " UNION ALL "
	}
	for _, list := range f.Comments {
		found = text(found, all+"SELECT problem FROM comments WHERE position ", fragment{sql: s.InList, args: []any{list}})
		all = " UNION ALL "
	}
	found = text(found, ")")
	found.keyed, found.few = true, true
	return found
}
