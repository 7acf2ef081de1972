package sequence

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Sequence is a list of steps for a store. It is data without reference to a store, so it
// can be played again on another, whole or in part.
type Sequence []Step

// Step is one action on a store.
type Step interface {
	fmt.Stringer
	// within returns the remaining part of the step after the given ones: all with a
	// definition in the contract. ok is false if nothing remains.
	within(*past) (left Step, ok bool)
	// Happen does the step to the model, and returns the expected answer.
	Happen(*past) Due
	// try does the step to the store, and returns the fault of its answer.
	try(*player, Due) error
}

// The steps. They name their subjects by values alone.
type (
	Commits struct{ Change store.Change }
	Repeats struct{ Batch ident.ID } // the Commit of an earlier step's Change
	Asks    struct {                 // Outcome
		Batch ident.ID
		At    time.Time
	}
	Reserves struct{}
	Reopens  struct{}
	Restores struct{ Holdings bench.Holdings }
)

func (s Commits) String() string { return "Commit of " + bench.Describe(s.Change) }
func (s Repeats) String() string { return "Commit of batch " + bench.Short(s.Batch) + " again" }
func (s Asks) String() string    { return "Outcome of batch " + bench.Short(s.Batch) }
func (Reserves) String() string  { return "Reserve" }
func (Reopens) String() string   { return "Close, and the store is opened again" }

func (s Restores) String() string {
	h := s.Holdings
	return fmt.Sprintf("Restore of an Archive with %d problems, %d metadata objects and users, %d tokens, %d saved queries, %d webhooks, %d audit entries and %d entries of the feed",
		len(h.Dossiers), len(bench.PutAll(h.Metadata)), len(h.Tokens), len(h.Queries), len(h.Webhooks), len(h.Audit), len(h.Feed))
}

// String lists the steps with their numbers.
func (q Sequence) String() string {
	lines := make([]string, len(q))
	for i, s := range q {
		lines[i] = fmt.Sprintf("  %d. %s", i+1, onOneLine(s.String()))
	}
	return strings.Join(lines, "\n")
}

// onOneLine returns the text with escapes for invisible characters.
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

// Sensible returns the sequence without the steps and parts without a meaning after the
// earlier ones.
func (q Sequence) Sensible() Sequence {
	of := NewPast()
	left := make(Sequence, 0, len(q))
	for _, s := range q {
		if s, ok := s.within(of); ok {
			s.Happen(of)
			left = append(left, s)
		}
	}
	return left
}

// past is the result of the steps so far, by the model.
type past struct {
	model *model.Model
	steps int
	sent  map[ident.ID]store.Change // all commits, successful or not
	scope *bench.Scope
}

// NewPast returns the past of an empty store.
func NewPast() *past {
	return &past{model: model.NewModel(), sent: make(map[ident.ID]store.Change), scope: bench.NewScope()}
}

// Due is the expected answer of a store.
type Due struct {
	Err    error // of this kind
	Stored bool  // the result of Outcome
	Known  bool  // the Receipt is an earlier one
}

// Happen implements Step, as do the methods below. A Change counts as sent, even if it is refused.
func (s Commits) Happen(of *past) Due {
	of.steps++
	of.sent[s.Change.Batch] = s.Change
	of.scope.Add(s.Change)
	known := of.model.Batches[s.Change.Batch].Stored
	_, err := of.model.Commit(context.Background(), s.Change)
	return Due{Err: err, Known: known}
}

// Happen commits the same Change again.
func (s Repeats) Happen(of *past) Due { return Commits{of.sent[s.Batch]}.Happen(of) }

// Happen rules out an unknown batch.
func (s Asks) Happen(of *past) Due {
	of.steps++
	_, stored, err := of.model.Outcome(context.Background(), s.Batch, s.At)
	return Due{Err: err, Stored: stored, Known: stored}
}

// Happen changes nothing: the numbers of two stores may differ.
func (Reserves) Happen(of *past) Due {
	of.steps++
	return Due{}
}

// Happen changes nothing: all content survives.
func (Reopens) Happen(of *past) Due {
	of.steps++
	return Due{}
}

// Happen widens the scope by the Archive, unless the store refuses it.
func (s Restores) Happen(of *past) Due {
	of.steps++
	err := of.model.Restore(context.Background(), s.Holdings.Archive())
	if err == nil {
		of.scope.Hold(s.Holdings)
	}
	return Due{Err: err}
}
