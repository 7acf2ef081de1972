package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

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

// The end of a context is a client that has gone, which ends nothing, or a deadline.
func TestAwait(t *testing.T) {
	t.Parallel()
	failure := errors.New("failure")
	for name, c := range map[string]struct {
		limit  time.Duration // 0: none
		leaves time.Duration // when the client goes; 0: never
		takes  time.Duration // the work
		ended  bool
		after  time.Duration // from the start to the answer
	}{
		"in time":                             {limit: 3, takes: 2, ended: true, after: 2},
		"without a limit":                     {takes: 2, ended: true, after: 2},
		"too late":                            {limit: 1, takes: 2, after: 1},
		"the client goes":                     {limit: 3, leaves: 1, takes: 2, ended: true, after: 2},
		"the client goes, and it is too late": {limit: 2, leaves: 1, takes: 3, after: 2},
		"the client goes, without a limit":    {leaves: 1, takes: 2, ended: true, after: 2},
		"over before":                         {limit: 1, takes: 0, ended: true, after: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.limit > 0 {
					ctx, cancel = context.WithTimeout(ctx, c.limit*time.Second)
					defer cancel()
				}
				if c.leaves > 0 {
					time.AfterFunc(c.leaves*time.Second, cancel)
				}
				done := make(chan error, 1)
				time.AfterFunc(c.takes*time.Second, func() { done <- failure })
				ended, err := store.Await(ctx, done)
				if took := time.Since(began); ended != c.ended || took != c.after*time.Second || ended != (err == failure) {
					t.Errorf("ended %t with %v after %v, want %t after %v", ended, err, took, c.ended, c.after*time.Second)
				}
				time.Sleep(c.takes * time.Second)
			})
		})
	}
}
