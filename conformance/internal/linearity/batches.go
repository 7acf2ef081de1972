package linearity

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/linear"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func linearBatchCases() []bench.Case {
	return []bench.Case{{
		ID:     "OUT-002/linear",
		Rule:   "Clients committing the same batches at once, and asking for their Outcome, get the answers of some sequential order: each batch is stored once with one Receipt, or never.",
		Seeded: true,
		Run:    func(b *bench.Bench) { tellOfBatches(b) },
	}}
}

// docket is the state of the batches. There is one batch for each round, and each adds a
// comment to one problem.
type docket struct {
	settled  [linearRounds]int64 // the position of the stored batch; 0: neither; -1: ruled out
	comments string
	position int64 // of the last stored batch
}

func (d docket) String() string {
	text := fmt.Sprintf("the comments %s", cmp.Or(d.comments, "none"))
	for i, position := range d.settled {
		if position < 0 {
			text += fmt.Sprintf(", batch %d ruled out", i)
		}
	}
	return text
}

// filing is a client's request.
type filing struct {
	act   filingAct
	batch int
}

type filingAct int

const (
	toLook filingAct = iota
	toCommit
	toSettle
)

func (f filing) String() string {
	switch f.act {
	case toLook:
		return "to be shown the comments"
	case toCommit:
		return fmt.Sprintf("for batch %d to be stored", f.batch)
	default:
		return fmt.Sprintf("for the outcome of batch %d", f.batch)
	}
}

// filed is a client's answer.
type filed struct {
	upshot
	comments string
	unknown  bool // whether the outcome of a Commit had to be asked for
}

// Step is the model of the docket.
func (f filing) Step(before docket, out filed) (docket, bool) {
	known := before.settled[f.batch]
	switch {
	case f.act == toLook:
		return before, out.comments == before.comments
	case known < 0:
		return before, out.fate == isRuledOut
	case known > 0:
		return before, out.upshot == upshot{isStored, known}
	case f.act == toSettle || out.unknown && out.fate == isRuledOut:
		before.settled[f.batch] = -1
		return before, out.fate == isRuledOut
	}
	later := out.position > before.position
	before.settled[f.batch], before.position = out.position, out.position
	before.comments = appended(before.comments, int64(f.batch))
	return before, out.fate == isStored && later
}

// registrar files batches.
type registrar struct {
	*bench.Bench
	problem problem.ID
	changes [linearRounds]store.Change
}

// Do makes the request.
func (r *registrar) Do(f filing) (out filed, err error) {
	change := r.changes[f.batch]
	switch f.act {
	case toLook:
		out.comments, err = r.look()
	case toSettle:
		out.upshot, err = settle(r.Bench, change)
	default:
		receipt, failed := r.Store.Commit(r.Ctx, change)
		switch {
		case failed == nil:
			out.upshot = upshot{isStored, receipt.Position}
		case bench.Failure("Commit", fault.UnknownOutcome, failed) == nil:
			out.unknown = true
			out.upshot, err = settle(r.Bench, change)
		default:
			out.upshot, err = upshot{fate: isRuledOut}, bench.Failure("Commit", fault.Abandoned, failed)
		}
	}
	return out, err
}

// look returns the comments of the problem.
func (r *registrar) look() (comments string, err error) {
	err = r.Store.View(r.Ctx, func(reader store.Reader) error {
		s, err := reader.Problem(r.Ctx, r.problem, ident.None, store.Comments)
		comments = numbersOf(s.Comments, func(c problem.Comment) any { return c.Text })
		return err
	})
	return comments, err
}

// tellOfBatches lets clients commit batches while others commit or rule them out.
func tellOfBatches(b *bench.Bench) {
	b.Helper()
	r := &registrar{Bench: b, problem: b.Create().ID}
	for i := range r.changes {
		r.changes[i] = b.Change(store.AddComment{Problem: r.problem, Comment: b.Comment(fmt.Sprint(i))})
	}
	t := &story[docket, filing, filed]{Bench: b, ask: r.Do, Model: linear.Model[docket, filing, filed]{
		Step:  func(before docket, f filing, out filed) (docket, bool) { return f.Step(before, out) },
		Asked: filing.String,
		Told: func(f filing, out filed) string {
			if f.act == toLook {
				return "the comments " + cmp.Or(out.comments, "none")
			}
			return out.upshot.String()
		},
		Shown: docket.String,
	}}
	t.tell(func(round int, ask func(filing) (filed, error), random *rand.Rand) error {
		f := filing{act: toCommit, batch: round}
		if random.IntN(5) == 0 {
			f.act = toSettle
		}
		if _, err := ask(f); err != nil {
			return err
		}
		// A client may be late for the batch before, or miss its comment.
		if f.act = filingAct(random.IntN(3)); f.act != toLook {
			f.batch = max(0, round-1)
		}
		_, err := ask(f)
		return err
	}, filing{})
}
