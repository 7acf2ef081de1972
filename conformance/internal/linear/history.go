// Package linear records the operations of concurrent clients and checks them for
// linearizability: one order of the operations has to explain every answer, and no
// operation may stand before another one with an earlier end. It is the only importer of
// the checker, porcupine.
package linear

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// MaxClients is the limit of clients in a History. The checker's work grows with the
// number of concurrent operations.
const MaxClients = 8

// History has the requests and answers of the clients. The zero History is empty.
type History[In, Out any] struct {
	clock   atomic.Int64
	clients [MaxClients][]Operation[In, Out]
}

// Operation is a request of a client with its answer.
type Operation[In, Out any] struct {
	Client int
	In     In
	Out    Out
	// Called and Returned are the readings of the History's clock before and
	// after the operation. The clock goes on by 1 when it is read.
	Called, Returned int64
}

// Do runs an operation for a client, with a number below MaxClients, and records it,
// unless it returns an error. It returns the result of the operation. A client does one
// thing at a time. After an unknown outcome it asks within the same operation.
func (h *History[In, Out]) Do(client int, in In, call func() (Out, error)) (Out, error) {
	op := Operation[In, Out]{Client: client, In: in, Called: h.clock.Add(1)}
	out, err := call()
	op.Out, op.Returned = out, h.clock.Add(1)
	if err == nil {
		h.clients[client] = append(h.clients[client], op)
	}
	return out, err
}

// operations returns the recorded operations, in the order of the calls.
func (h *History[In, Out]) operations() []Operation[In, Out] {
	all := slices.Concat(h.clients[:]...)
	slices.SortFunc(all, func(a, b Operation[In, Out]) int { return cmp.Compare(a.Called, b.Called) })
	return all
}
