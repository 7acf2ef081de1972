package store_test

import (
	"context"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

func TestGateRefusesOnceClosed(t *testing.T) {
	t.Parallel()
	var g store.Gate
	leave, err := g.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan bool)
	go func() { closed <- g.Close() }()
	for { // until Close has begun
		leave, err := g.Enter(t.Context())
		if err != nil {
			if !fault.Is(err, fault.Closed) {
				t.Errorf("a closed gate refuses with %v, want the kind %q", err, fault.Closed)
			}
			break
		}
		leave()
	}
	select {
	case <-closed:
		t.Error("Close returned while a call was inside")
	default:
	}
	leave()
	if !<-closed {
		t.Error("Close of an open gate reported that it was closed before")
	}
	if g.Close() {
		t.Error("Close of a closed gate reported that it was open")
	}
}

func TestGateRefusesWhatIsOver(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var g store.Gate
	if _, err := g.Enter(ctx); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Enter of a call that is over: %v, want the kind %q", err, fault.Unavailable)
	}
	if !g.Close() {
		t.Error("the refused call has closed the gate")
	}
}
