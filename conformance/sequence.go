package conformance

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// sequence is what is done to a store, one step after the other. It is data: it
// knows nothing of the store that it is done to, so that it can be done again to
// another, whole or in part.
type sequence []step

// step is one thing that is done to a store.
type step interface {
	fmt.Stringer
	// within returns what is left of the step when it comes after the given
	// ones: all that the contract says something about. ok is false when that
	// is nothing.
	within(*past) (left step, ok bool)
	// happen does the step to the model, and returns what the store has to
	// answer.
	happen(*past) due
	// try does the step to the store, and returns what is wrong with its
	// answer.
	try(*player, due) error
}

// The steps there are. What they are about is named by values alone.
type (
	commits struct{ change store.Change }
	repeats struct{ batch ident.ID } // the Commit of an earlier step's Change
	asks    struct {                 // Outcome
		batch ident.ID
		at    time.Time
	}
	reserves struct{}
	reopens  struct{}
	restores struct{ holdings holdings }
)

func (s commits) String() string { return "Commit of " + describe(s.change) }
func (s repeats) String() string { return "Commit of batch " + short(s.batch) + " again" }
func (s asks) String() string    { return "Outcome of batch " + short(s.batch) }
func (reserves) String() string  { return "Reserve" }
func (reopens) String() string   { return "Close, and the store is opened again" }

func (s restores) String() string {
	h := s.holdings
	return fmt.Sprintf("Restore of an Archive with %d problems, %d metadata objects and users, %d tokens, %d saved queries and %d audit entries",
		len(h.Dossiers), len(putAll(h.Metadata)), len(h.Tokens), len(h.Queries), len(h.Audit))
}

// String lists the steps with their numbers.
func (q sequence) String() string {
	lines := make([]string, len(q))
	for i, s := range q {
		lines[i] = fmt.Sprintf("  %d. %s", i+1, onOneLine(s.String()))
	}
	return strings.Join(lines, "\n")
}

// onOneLine returns the text with escapes for what is not to be seen.
func onOneLine(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// sensible returns what is left of the sequence when all is left out that means
// nothing after what comes before it.
func (q sequence) sensible() sequence {
	of := newPast()
	left := make(sequence, 0, len(q))
	for _, s := range q {
		if s, ok := s.within(of); ok {
			s.happen(of)
			left = append(left, s)
		}
	}
	return left
}

// past is what the steps so far have come to, by the model.
type past struct {
	model *model
	steps int
	sent  map[ident.ID]store.Change // what was committed, in vain or not
	scope *scope
}

func newPast() *past {
	return &past{model: newModel(), sent: make(map[ident.ID]store.Change), scope: newScope()}
}

// due is what a store has to answer.
type due struct {
	err    error // of this kind
	stored bool  // what Outcome says
	known  bool  // the Receipt is one that was returned before
}

func (s commits) happen(of *past) due {
	of.steps++
	of.sent[s.change.Batch] = s.change
	of.scope.add(s.change)
	known := of.model.batches[s.change.Batch].stored
	_, err := of.model.Commit(context.Background(), s.change)
	return due{err: err, known: known}
}

func (s repeats) happen(of *past) due { return commits{of.sent[s.batch]}.happen(of) }

func (s asks) happen(of *past) due {
	of.steps++
	_, stored, err := of.model.Outcome(context.Background(), s.batch, s.at)
	return due{err: err, stored: stored, known: stored}
}

func (reserves) happen(of *past) due {
	of.steps++
	return due{}
}

func (reopens) happen(of *past) due {
	of.steps++
	return due{}
}

func (s restores) happen(of *past) due {
	of.steps++
	err := of.model.Restore(context.Background(), s.holdings.archive())
	if err == nil {
		of.scope.hold(s.holdings)
	}
	return due{err: err}
}
