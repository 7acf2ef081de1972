package sequence

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/store"
)

// Moods returns the moods of the random cases, by their IDs.
func Moods() map[string]mood {
	return map[string]mood{
		"READ-001/random": {steps: 50, problems: 5, restored: 25, refused: 15, reopened: 3},
		"COM-002/random":  {steps: 40, problems: 2, refused: 60},
		"RES-002/random":  {steps: 25, problems: 4, restored: 100, refused: 15},
		"COM-003/random":  {steps: 20, problems: 3, refused: 25, reopened: 15},
	}
}

// Cases returns the cases with random sequences: see Moods.
func Cases() []bench.Case {
	return []bench.Case{{
		ID:     "READ-001/random",
		Rule:   "Under random Changes, repetitions and rulings, with or without a Restore before, the store shows the same as the plainest of stores.",
		Seeded: true,
		Run:    CheckRandom,
	}, {
		ID:     "COM-002/random",
		Rule:   "Of random Changes to few problems, each is stored or refused as by the plainest of stores, and the refused ones leave nothing.",
		Seeded: true,
		Run:    CheckRandom,
	}, {
		ID:     "RES-002/random",
		Rule:   "After Restore, and under random Changes, the store shows the same as the plainest of stores after the same Restore.",
		Seeded: true,
		Run:    CheckRandom,
	}, {
		ID:      "COM-003/random",
		Rule:    "Under random Changes, a store opened again and again does the same as the plainest of stores without any reopening.",
		Seeded:  true,
		Durable: true,
		Run:     CheckRandom,
	}}
}

// The time limit for finding a short sequence: a small part of the case's time.
const (
	shrinkingTime = 20 * time.Second * bench.Slowness
	shrinkingMost = 300 // sequences played
	repetitions   = 3   // of a failed one, until it fails again
)

// CheckRandom draws a sequence in the mood of the case, and ends the case with the
// shortest failing one.
func CheckRandom(b *bench.Bench) {
	b.Helper()
	m, ok := Moods()[strings.TrimSuffix(b.C.ID, "/peers")]
	if !ok {
		b.Failf("the suite does not say what sequences of %s are drawn by", b.C.ID)
	}
	q := m.Draw(b)
	hush(b.Store)
	f := perform(b, b.Ctx, q, func(r *engine.Run) *bench.Bench { return lend(b, r) })
	switch {
	case f.Mishap != nil:
		b.Failf("%s", shorten(b, q, f.Mishap))
	case f.Status != report.Passed:
		f.Outcome.Repeat = b.Engine.Outcome.Repeat
		b.Engine.Adopt(f.Outcome)
	}
}

// finish is the end of a performed sequence.
type finish struct {
	engine.Outcome
	*Mishap // nil when the store did as the model, or it was not for the store to say
}

// perform plays a sequence on the given bench, and cleans up after it. A panic of the
// store, or a failing Open, is a mishap, too.
func perform(b *bench.Bench, ctx context.Context, q Sequence, give func(*engine.Run) *bench.Bench) finish {
	var step atomic.Int64
	var found atomic.Pointer[Mishap]
	o := engine.Do(ctx, b.C.ID, b.Engine.Dir(), bench.Patience/2, func(r *engine.Run) {
		m := Play(give(r), q, func(i int) { step.Store(int64(i)) })
		if m == nil {
			return
		}
		if r.Context().Err() != nil {
			m.about, m.text = "time", "it was given up: "+context.Cause(r.Context()).Error()
		}
		found.Store(m)
		r.Fatalf("%s", m.text)
	})
	m := found.Load()
	if m == nil && o.Status == report.Failed {
		m = &Mishap{int(step.Load()), "how it ended", o.Complaints[0]}
	}
	return finish{o, m}
}

// lend returns a bench with the unused store of this one.
func lend(b *bench.Bench, r *engine.Run) *bench.Bench {
	other := *b
	other.T, other.Engine, other.Ctx, other.Seen = r, r, r.Context(), bench.NewScope()
	r.Cleanup(func() {
		if other.Store == b.Store {
			return
		}
		if err := other.Store.Close(); err != nil {
			r.Errorf("in the end, Close failed: %v", err)
		}
	})
	return &other
}

// another returns a bench with a store of its own.
func another(b *bench.Bench, r *engine.Run) *bench.Bench {
	other := bench.NewBench(r, b.C, b.H, b.Test, b.Seed)
	other.Author = b.Author
	other.Open()
	return other
}

// hush ends the tracing of a store's calls: complaints about sequences list the
// steps themselves.
func hush(s store.Store) {
	switch s := s.(type) {
	case *bench.Trace:
		s.Logf = func(string, ...any) {}
	case *bench.Both:
		hush(s.Handles[0])
		hush(s.Handles[1])
	}
}

// shorten returns the complaint about a failed sequence, and about the shortest one found
// with the same failure.
func shorten(b *bench.Bench, q Sequence, first *Mishap) string {
	ctx, cancel := context.WithTimeout(b.Ctx, shrinkingTime)
	defer cancel()
	long, broken := len(q), ""
	q = q[:first.Step+1]
	s := &Shrinker{Most: shrinkingMost}
	s.Fails = func(q Sequence) *Mishap {
		f := perform(b, ctx, q, func(r *engine.Run) *bench.Bench { return another(b, r) })
		if f.Status == report.Broken {
			broken = f.Complaints[0]
		}
		if ctx.Err() != nil {
			s.Most = s.Tried
			return nil
		}
		if f.Mishap == nil || f.about != first.about {
			return nil
		}
		return f.Mishap
	}
	switch {
	case s.again(q):
		short := s.Shrink(q)
		return fmt.Sprintf("%s\nThis is the shortest sequence that was found to fail so: %d of the %d steps that were drawn. %d others were tried.",
			Complaint(short, s.last), len(short), long, s.Tried)
	case broken != "":
		return Complaint(q, first) + "\nIt could not be repeated: " + broken
	case ctx.Err() != nil:
		return Complaint(q, first) + "\nThere was no time to look for a shorter sequence."
	default:
		return fmt.Sprintf("%s\nIt failed so once, and did not when all of it was repeated %d times.", Complaint(q, first), s.Tried)
	}
}

// again reports whether a sequence fails once more.
func (s *Shrinker) again(q Sequence) bool {
	for range repetitions {
		if _, failed := s.try(q); failed {
			return true
		}
	}
	return false
}

// Complaint lists the steps, and describes the fault of the last.
func Complaint(q Sequence, m *Mishap) string {
	return fmt.Sprintf("this went wrong:\n%v\nAt step %d, %s", q, m.Step+1, m.text)
}
