package main

import (
	"context"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// sampler watches the memory of a process.
type sampler struct {
	pid    int
	guard  int64  // limit in bytes; the process is killed above it
	kill   func() // ends the process
	before int64  // resident when it began
	peak   int64
	killed bool
	reset  bool // the kernel's own peak began with the watching
	cancel context.CancelFunc
	done   chan struct{}
}

// sampleEvery is the time between samples. A server that fills its memory as fast as two
// cores can overshoots the guard by some ten MB.
const sampleEvery = 10 * time.Millisecond

// newSampler begins to watch. It fails where memory cannot be seen.
func newSampler(ctx context.Context, pid int, guard int64, kill func()) (*sampler, error) {
	m, err := launch.MemoryOf([]int{pid})
	if err != nil {
		return nil, err
	}
	s := &sampler{pid: pid, guard: guard, kill: kill, before: m.Now, peak: m.Now, done: make(chan struct{})}
	s.reset = launch.ResetPeak([]int{pid})
	ctx, s.cancel = context.WithCancel(ctx)
	go func() {
		defer close(s.done)
		for ctx.Err() == nil && s.sample() {
			wait(ctx, sampleEvery)
		}
	}()
	return s, nil
}

// sample looks once, and reports whether the process still runs. The kernel's own peak
// misses nothing, and counts if it could be reset.
func (s *sampler) sample() bool {
	m, err := launch.MemoryOf([]int{s.pid})
	if err != nil {
		return false // it has ended
	}
	s.peak = max(s.peak, m.Now)
	if s.reset {
		s.peak = max(s.peak, m.Peak)
	}
	if m.Now > s.guard {
		s.killed = true
		s.kill()
		return false
	}
	return true
}

// stop ends the sampling. The results can be read then.
func (s *sampler) stop() {
	s.cancel()
	<-s.done
	s.sample()
}
