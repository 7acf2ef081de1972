package web

import (
	"errors"
	"net/url"
	"strings"
	"unicode"

	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
)

// predicateFault is a fault of the predicate, and the place of it.
type predicateFault struct {
	// Kind is the kind of the fault, for a sentence in the language of the reader. Message is the
	// English one, and says more.
	Kind         string
	Message      string
	Line, Column int
	// Before, At and After are the line with the fault: At is the character at the column.
	Before, At, After string
	OfSort            bool
	// Meant is the word that the author may have meant. Corrected is the list with it in place of
	// the wrong one, or empty.
	Meant, Corrected string
}

// ID is the identifier of the fault on the page, for the field that it is about.
func (f *predicateFault) ID() string {
	if f.OfSort {
		return "sort-fault"
	}
	return "predicate-fault"
}

// locate returns a fault of a predicate with its line.
func locate(err error, text string, wrapped bool) *predicateFault {
	f := &predicateFault{Kind: "other", Message: texts.Sentence(err.Error())}
	var at *predicate.Error
	if !errors.As(err, &at) {
		return f
	}
	f.Kind = string(at.Kind)
	f.Message, f.Line, f.Column, f.Meant = texts.Sentence(at.Message), at.Line, at.Column, at.Meant
	if wrapped {
		f.Line--
	}
	lines := strings.Split(text, "\n")
	if f.Line < 1 || f.Line > len(lines) {
		return f
	}
	line := []rune(lines[f.Line-1])
	if f.Column < 1 || f.Column > len(line)+1 {
		return f
	}
	f.Before = string(line[:f.Column-1])
	f.At = " "
	if f.Column <= len(line) {
		f.At, f.After = string(line[f.Column-1]), string(line[f.Column:])
	}
	return f
}

// correct adds the list with the meant word in place of the wrong one, if that takes away
// the fault. The text is the value of a parameter of the list.
func (f *predicateFault) correct(base, parameter, text string, parameters url.Values) {
	lines := strings.Split(text, "\n")
	if f.Meant == "" || f.Line < 1 || f.Line > len(lines) {
		return
	}
	line := []rune(lines[f.Line-1])
	from := min(max(f.Column-1, 0), len(line))
	to := from
	for to < len(line) && (line[to] == '_' || line[to] == '$' || unicode.IsLetter(line[to]) || unicode.IsDigit(line[to])) {
		to++
	}
	lines[f.Line-1] = string(line[:from]) + f.Meant + string(line[to:])
	fixed := strings.Join(lines, "\n")
	var err error
	if f.OfSort {
		_, err = check.CompileOrder(fixed, predicate.Problem)
	} else {
		_, err = check.Compile(fixed, predicate.Problem, predicate.Env{})
	}
	if next, ok := errors.AsType[*predicate.Error](err); ok && (next.Line < f.Line || next.Line == f.Line && next.Column <= f.Column) {
		return
	}
	f.Corrected = base + "/problems" + links.Suffix(links.With(parameters, parameter, fixed))
}
