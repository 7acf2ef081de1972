package linear

import (
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// Model gives the answers to clients one after the other. Its functions change nothing
// but their results.
type Model[State comparable, In, Out any] struct {
	// Start is the State before the first operation.
	Start State
	// Step returns the State after an operation, and whether the answer is possible in
	// the State before.
	Step func(before State, in In, out Out) (after State, ok bool)
	// Part, if it is not nil, returns the number of the operation's part. Parts are
	// independent, each with a State of its own.
	Part func(In) int

	// Asked, Told and Shown describe an operation's request, "to be shown the problem";
	// its answer, "revision 3"; and a State.
	Asked func(In) string
	Told  func(In, Out) string
	Shown func(State) string
}

// Check returns nil for a linearizable History, a *Violation otherwise, and an
// *Inconclusive error if the limit is too short. Every part has the limit for itself.
func (m Model[State, In, Out]) Check(h *History[In, Out], limit time.Duration) error {
	parts := make(map[int][]Operation[In, Out])
	for _, op := range h.operations() {
		part := 0
		if m.Part != nil {
			part = m.Part(op.In)
		}
		parts[part] = append(parts[part], op)
	}
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		if err := m.check(parts[part], limit); err != nil {
			return err
		}
	}
	return nil
}

// check judges one part.
func (m Model[State, In, Out]) check(ops []Operation[In, Out], limit time.Duration) error {
	history := make([]porcupine.Operation, len(ops))
	for i, op := range ops {
		history[i] = porcupine.Operation{ClientId: op.Client, Input: i, Call: op.Called, Return: op.Returned}
	}
	seed := maphash.MakeSeed()
	model := porcupine.Model{
		Init: func() any { return m.Start },
		Step: func(before, i, _ any) (bool, any) {
			op := ops[i.(int)]
			after, ok := m.Step(before.(State), op.In, op.Out)
			return ok, after
		},
		Hash: func(state any) uint64 { return maphash.Comparable(seed, state.(State)) },
	}
	result, info := porcupine.CheckOperationsVerbose(model, history, limit)
	switch result {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return &Inconclusive{Operations: len(ops), Limit: limit}
	}
	return m.violation(ops, longest(info))
}

// longest returns the checker's longest sequence of operations, by their numbers; of
// several the one called first.
func longest(info porcupine.LinearizationInfo) []int {
	var best []int
	for _, part := range info.PartialLinearizationsOperations() {
		for _, attempt := range part {
			order := make([]int, len(attempt))
			for i, op := range attempt {
				order[i] = op.Input.(int)
			}
			if len(order) > len(best) || len(order) == len(best) && slices.Compare(order, best) < 0 {
				best = order
			}
		}
	}
	return best
}
