package conformance

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/store"
)

// moods returns what the random cases draw by, by their IDs.
func moods() map[string]mood {
	return map[string]mood{
		"READ-001/random": {steps: 50, problems: 5, restored: 25, refused: 15, reopened: 3},
		"COM-002/random":  {steps: 40, problems: 2, refused: 60},
		"RES-002/random":  {steps: 25, problems: 4, restored: 100, refused: 15},
		"COM-003/random":  {steps: 20, problems: 3, refused: 25, reopened: 15},
	}
}

func randomCases() []Case {
	return []Case{{
		ID:     "READ-001/random",
		Rule:   "Under random Changes, repetitions and rulings, whether or not it was restored before, the store shows what the plainest of stores shows.",
		Seeded: true,
		run:    checkRandom,
	}, {
		ID:     "COM-002/random",
		Rule:   "Of random Changes to few problems, each is stored or refused as by the plainest of stores, and those refused leave nothing.",
		Seeded: true,
		run:    checkRandom,
	}, {
		ID:     "RES-002/random",
		Rule:   "A store that was filled from an Archive shows, under random Changes, what the plainest of stores shows that was filled so.",
		Seeded: true,
		run:    checkRandom,
	}, {
		ID:      "COM-003/random",
		Rule:    "Under random Changes, a store that is opened again and again does what the plainest of stores does that never was closed.",
		Seeded:  true,
		Durable: true,
		run:     checkRandom,
	}}
}

// How long it may take to find a short sequence: little of what a case has.
const (
	shrinkingTime = 20 * time.Second * slowness
	shrinkingMost = 300 // sequences played
	repetitions   = 3   // of one that failed, until it fails again
)

// checkRandom draws a sequence in the mood of the case, and ends the case with the
// shortest one that fails, if it does.
func checkRandom(b *bench) {
	b.Helper()
	m, ok := moods()[strings.TrimSuffix(b.c.ID, "/peers")]
	if !ok {
		b.failf("the suite does not say what sequences of %s are drawn by", b.c.ID)
	}
	q := m.draw(b)
	hush(b.store)
	f := perform(b, b.ctx, q, func(r *engine.Run) *bench { return lend(b, r) })
	switch {
	case f.mishap != nil:
		b.failf("%s", shorten(b, q, f.mishap))
	case f.Status != report.Passed:
		f.Outcome.Repeat = b.engine.Outcome.Repeat
		b.engine.Adopt(f.Outcome)
	}
}

// finish is how a sequence ended that was performed.
type finish struct {
	engine.Outcome
	*mishap // nil when the store did as the model, or it was not for the store to say
}

// perform plays a sequence on the bench that it is given, for which all that is
// done with it is cleaned up thereafter. A store that panics, or cannot be opened
// again, has a mishap, too.
func perform(b *bench, ctx context.Context, q sequence, give func(*engine.Run) *bench) finish {
	var step atomic.Int64
	var found atomic.Pointer[mishap]
	o := engine.Do(ctx, b.c.ID, b.engine.Dir(), patience/2, func(r *engine.Run) {
		m := play(give(r), q, func(i int) { step.Store(int64(i)) })
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
		m = &mishap{int(step.Load()), "how it ended", o.Complaints[0]}
	}
	return finish{o, m}
}

// lend returns a bench with the store of this one, which was not used yet.
func lend(b *bench, r *engine.Run) *bench {
	other := *b
	other.T, other.engine, other.ctx, other.seen = r, r, r.Context(), newScope()
	r.Cleanup(func() {
		if other.store == b.store {
			return
		}
		if err := other.store.Close(); err != nil {
			r.Errorf("in the end, Close failed: %v", err)
		}
	})
	return &other
}

// another returns a bench with a store of its own.
func another(b *bench, r *engine.Run) *bench {
	other := newBench(r, b.c, b.h, b.test, b.seed)
	other.author = b.author
	other.open()
	return other
}

// hush ends the tracing of a store's calls: complaints about sequences list the
// steps themselves.
func hush(s store.Store) {
	switch s := s.(type) {
	case *trace:
		s.logf = func(string, ...any) {}
	case *both:
		hush(s.handles[0])
		hush(s.handles[1])
	}
}

// shorten returns the complaint about a sequence that failed, and about the
// shortest one that was found to fail for the same reason.
func shorten(b *bench, q sequence, first *mishap) string {
	ctx, cancel := context.WithTimeout(b.ctx, shrinkingTime)
	defer cancel()
	long, broken := len(q), ""
	q = q[:first.step+1]
	s := &shrinker{most: shrinkingMost}
	s.fails = func(q sequence) *mishap {
		f := perform(b, ctx, q, func(r *engine.Run) *bench { return another(b, r) })
		if f.Status == report.Broken {
			broken = f.Complaints[0]
		}
		if ctx.Err() != nil {
			s.most = s.tried
			return nil
		}
		if f.mishap == nil || f.about != first.about {
			return nil
		}
		return f.mishap
	}
	switch {
	case s.again(q):
		short := s.shrink(q)
		return fmt.Sprintf("%s\nThis is the shortest sequence that was found to fail so: %d of the %d steps that were drawn. %d others were tried.",
			complaint(short, s.last), len(short), long, s.tried)
	case broken != "":
		return complaint(q, first) + "\nIt could not be repeated: " + broken
	case ctx.Err() != nil:
		return complaint(q, first) + "\nThere was no time to look for a shorter sequence."
	default:
		return fmt.Sprintf("%s\nIt failed so once, and did not when all of it was repeated %d times.", complaint(q, first), s.tried)
	}
}

// again reports whether a sequence fails once more.
func (s *shrinker) again(q sequence) bool {
	for range repetitions {
		if _, failed := s.try(q); failed {
			return true
		}
	}
	return false
}

// complaint lists the steps, and says what is wrong with the last.
func complaint(q sequence, m *mishap) string {
	return fmt.Sprintf("this went wrong:\n%v\nAt step %d, %s", q, m.step+1, m.text)
}
