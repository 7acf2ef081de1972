package linearity

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/linear"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// Cases let clients make random requests at once, record the answers, and look for an
// order of all requests that explains them.
func Cases() []bench.Case {
	return slices.Concat(
		linearProblemCases(),
		linearPairCases(),
		linearFamilyCases(),
		linearVersionCases(),
		linearBatchCases(),
	)
}

const (
	// linearClients is how many work at once.
	linearClients = 6
	// linearRounds is how often all of them begin together.
	linearRounds = 32
	// linearLimit is how long the checker may look for an order.
	linearLimit = 20 * time.Second
)

// recording has the requests and answers of the clients of a case.
type recording[State comparable, In, Out any] struct {
	*bench.Bench
	linear.Model[State, In, Out]
	history linear.History[In, Out]
	// ask makes the request In to the store.
	ask     func(In) (Out, error)
	numbers atomic.Int64
}

// number returns a number for a write. Others know it by this number.
func (s *recording[State, In, Out]) number() int64 { return s.numbers.Add(1) }

// record lets the clients make requests, round by round, each with random numbers of its
// own, and ends the case with the first error. The last requests follow when all clients
// are done. It ends the case unless some order explains all answers.
func (s *recording[State, In, Out]) record(turn func(round int, ask func(In) (Out, error), random *rand.Rand) error, last ...In) {
	s.Helper()
	random := s.Random()
	var chance [linearClients]*rand.Rand
	for who := range chance {
		chance[who] = rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
	}
	for round := range linearRounds {
		s.Together(linearClients, func(who int) error { return turn(round, s.as(who), chance[who]) })
	}
	for _, in := range last {
		if _, err := s.as(0)(in); err != nil {
			s.Failf("%v", err)
		}
	}
	if err := s.Check(&s.history, linearLimit); err != nil {
		s.Failf("%v", err)
	}
}

// as returns the request of a client.
func (s *recording[State, In, Out]) as(client int) func(In) (Out, error) {
	return func(in In) (Out, error) {
		return s.history.Do(client, in, func() (Out, error) { return s.ask(in) })
	}
}

// result is a client's answer about a Change.
type result struct {
	outcome  outcome
	position int64 // when it is stored
}

// outcome is the outcome of a Change.
type outcome int

const (
	isStored   outcome = iota
	isRefused          // with Conflict
	isRuledOut         // by Outcome
)

func (u result) String() string {
	switch u.outcome {
	case isStored:
		return fmt.Sprintf("it is stored at position %d", u.position)
	case isRefused:
		return "it is refused with Conflict"
	default:
		return "it is not stored, and never will be"
	}
}

// send commits a change, and settles an unknown outcome.
func send(b *bench.Bench, change store.Change) (result, error) {
	receipt, err := b.Store.Commit(b.Ctx, change)
	if err == nil {
		return result{isStored, receipt.Position}, nil
	}
	if bench.Failure("Commit", fault.UnknownOutcome, err) == nil {
		return settle(b, change)
	}
	if err := bench.Failure("Commit", fault.Conflict, err); err != nil {
		return result{}, err
	}
	return result{outcome: isRefused}, nil
}

// settle asks for the outcome of a change.
func settle(b *bench.Bench, change store.Change) (result, error) {
	receipt, known, err := b.Store.Outcome(b.Ctx, change.Batch, change.At)
	switch {
	case err != nil:
		return result{}, fmt.Errorf("Outcome: %w", err)
	case !known:
		return result{outcome: isRuledOut}, nil
	}
	return result{isStored, receipt.Position}, nil
}

// numbersOf returns numbers, in their order, as a text for comparison.
func numbersOf[T any](of []T, number func(T) any) string {
	texts := make([]string, len(of))
	for i, one := range of {
		texts[i] = fmt.Sprint(number(one))
	}
	return strings.Join(texts, " ")
}

// appended returns a sequence with one more number.
func appended(sequence string, number int64) string {
	return strings.TrimPrefix(fmt.Sprint(sequence, " ", number), " ")
}
