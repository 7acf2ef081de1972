// Package linear records what clients that work at once ask and are answered, and
// judges whether it is as if they had come one after the other: whether one order
// of the operations, in which none comes before another that was over when it
// began, explains every answer. It is the boundary around the checker, porcupine,
// which nothing else imports.
package linear

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// MaxClients is how many clients a History can have. The checker's work grows
// with the number of operations that are under way at once.
const MaxClients = 8

// History is what the clients asked and were answered. The zero History is empty.
type History[In, Out any] struct {
	clock   atomic.Int64
	clients [MaxClients][]Operation[In, Out]
}

// Operation is what a client asked for, and what it was answered.
type Operation[In, Out any] struct {
	Client int
	In     In
	Out    Out
	// Called and Returned are the readings of the History's clock before and
	// after the operation. The clock goes on by 1 when it is read.
	Called, Returned int64
}

// Do calls an operation for a client, whose number is less than MaxClients, and
// records it, unless it returns an error. It returns what the operation returns.
// A client does one thing at a time. Whoever does not hear what became of a thing
// asks within the same operation.
func (h *History[In, Out]) Do(client int, in In, call func() (Out, error)) (Out, error) {
	op := Operation[In, Out]{Client: client, In: in, Called: h.clock.Add(1)}
	out, err := call()
	op.Out, op.Returned = out, h.clock.Add(1)
	if err == nil {
		h.clients[client] = append(h.clients[client], op)
	}
	return out, err
}

// operations returns what was recorded, in the order of the calls.
func (h *History[In, Out]) operations() []Operation[In, Out] {
	all := slices.Concat(h.clients[:]...)
	slices.SortFunc(all, func(a, b Operation[In, Out]) int { return cmp.Compare(a.Called, b.Called) })
	return all
}
