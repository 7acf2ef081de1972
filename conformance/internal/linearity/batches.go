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
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

func linearBatchCases() []bench.Case {
	return []bench.Case{{
		ID:     "OUT-002/linear",
		Rule:   "Clients committing the same batches at once, and asking for their Outcome, get the answers of some sequential order: each batch is stored once with one Receipt, or never.",
		Seeded: true,
		Run:    func(b *bench.Bench) { checkBatches(b) },
	}}
}

// batchState is the state of the batches. There is one batch for each round, and each adds a
// comment to one problem.
type batchState struct {
	settled  [linearRounds]int64 // the position of the stored batch; 0: neither; -1: ruled out
	comments string
	position int64 // of the last stored batch
}

func (d batchState) String() string {
	text := fmt.Sprintf("the comments %s", cmp.Or(d.comments, "none"))
	for i, position := range d.settled {
		if position < 0 {
			text += fmt.Sprintf(", batch %d ruled out", i)
		}
	}
	return text
}

// batchRequest is a client's request.
type batchRequest struct {
	action batchAction
	batch  int
}

type batchAction int

const (
	toLook batchAction = iota
	toCommit
	toSettle
)

func (f batchRequest) String() string {
	switch f.action {
	case toLook:
		return "to be shown the comments"
	case toCommit:
		return fmt.Sprintf("for batch %d to be stored", f.batch)
	default:
		return fmt.Sprintf("for the outcome of batch %d", f.batch)
	}
}

// batchAnswer is a client's answer.
type batchAnswer struct {
	result
	comments string
	unknown  bool // whether the outcome of a Commit had to be asked for
}

// Step is the model of the batches.
func (f batchRequest) Step(before batchState, out batchAnswer) (batchState, bool) {
	known := before.settled[f.batch]
	switch {
	case f.action == toLook:
		return before, out.comments == before.comments
	case known < 0:
		return before, out.outcome == isRuledOut
	case known > 0:
		return before, out.result == result{isStored, known}
	case f.action == toSettle || out.unknown && out.outcome == isRuledOut:
		before.settled[f.batch] = -1
		return before, out.outcome == isRuledOut
	}
	later := out.position > before.position
	before.settled[f.batch], before.position = out.position, out.position
	before.comments = appended(before.comments, int64(f.batch))
	return before, out.outcome == isStored && later
}

// batchClient commits batches.
type batchClient struct {
	*bench.Bench
	problem problem.ID
	changes [linearRounds]store.Change
}

// Do makes the request.
func (r *batchClient) Do(f batchRequest) (out batchAnswer, err error) {
	change := r.changes[f.batch]
	switch f.action {
	case toLook:
		out.comments, err = r.look()
	case toSettle:
		out.result, err = settle(r.Bench, change)
	default:
		receipt, failed := r.Store.Commit(r.Ctx, change)
		switch {
		case failed == nil:
			out.result = result{isStored, receipt.Position}
		case bench.Failure("Commit", fault.UnknownOutcome, failed) == nil:
			out.unknown = true
			out.result, err = settle(r.Bench, change)
		default:
			out.result, err = result{outcome: isRuledOut}, bench.Failure("Commit", fault.Abandoned, failed)
		}
	}
	return out, err
}

// look returns the comments of the problem.
func (r *batchClient) look() (comments string, err error) {
	err = r.Store.View(r.Ctx, func(reader store.Reader) error {
		s, err := reader.Problem(r.Ctx, r.problem, ident.None, snapshot.Comments)
		comments = numbersOf(s.Comments, func(c problem.Comment) any { return c.Text })
		return err
	})
	return comments, err
}

// checkBatches lets clients commit batches while others commit or rule them out.
func checkBatches(b *bench.Bench) {
	b.Helper()
	r := &batchClient{Bench: b, problem: b.Create().ID}
	for i := range r.changes {
		r.changes[i] = b.Change(store.AddComment{Problem: r.problem, Comment: b.Comment(fmt.Sprint(i))})
	}
	t := &recording[batchState, batchRequest, batchAnswer]{Bench: b, ask: r.Do, Model: linear.Model[batchState, batchRequest, batchAnswer]{
		Step: func(before batchState, f batchRequest, out batchAnswer) (batchState, bool) {
			return f.Step(before, out)
		},
		Asked: batchRequest.String,
		Told: func(f batchRequest, out batchAnswer) string {
			if f.action == toLook {
				return "the comments " + cmp.Or(out.comments, "none")
			}
			return out.result.String()
		},
		Shown: batchState.String,
	}}
	t.record(func(round int, ask func(batchRequest) (batchAnswer, error), random *rand.Rand) error {
		f := batchRequest{action: toCommit, batch: round}
		if random.IntN(5) == 0 {
			f.action = toSettle
		}
		if _, err := ask(f); err != nil {
			return err
		}
		// A client may be late for the batch before, or miss its comment.
		if f.action = batchAction(random.IntN(3)); f.action != toLook {
			f.batch = max(0, round-1)
		}
		_, err := ask(f)
		return err
	}, batchRequest{})
}
