package load

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// Writing has the settings of some writers, who comment on problems.
type Writing struct {
	Writers Contender // answers the writes
	Scene   *Scene
	// Connections is the number of writers.
	Connections int
	// Problems is the number of problems of the data set to comment on, a multiple of
	// Connections: each belongs to one writer. 0: each writer gets a new problem.
	Problems int
	// Rate is the number of writes per second of all writers; 0: as many as possible.
	Rate     int
	Duration time.Duration
}

// Written is the result of the writers.
type Written struct {
	Writes    int        `json:"writes"`
	Seconds   float64    `json:"seconds"`
	Failures  []Failures `json:"failures,omitempty"`
	ServerCPU *float64   `json:"serverCPU,omitempty"` // seconds; nil: not known
}

// PerSecond is the rate of writes.
func (w Written) PerSecond() float64 {
	if w.Seconds == 0 {
		return 0
	}
	return float64(w.Writes) / w.Seconds
}

// connect connects the writers, and chooses or creates their problems.
func (wr Writing) connect(deadline time.Time) (workers []*worker, err error) {
	wr.Scene.targets = nil
	for id := range wr.Problems {
		wr.Scene.targets = append(wr.Scene.targets, int64(id)+1)
	}
	for n := range wr.Connections {
		w, err := newWorker(wr.Writers, wr.Scene, n, wr.Connections, 0, deadline)
		if err == nil {
			workers = append(workers, w)
			if n == 0 && wr.Problems == 0 {
				err = w.makeTargets(wr.Connections)
			}
		}
		if err != nil {
			closeAll(workers)
			return nil, err
		}
	}
	return workers, nil
}

func closeAll(workers []*worker) {
	for _, w := range workers {
		w.Close()
	}
}

// write lets the writers write. It returns the times of the answers, by problem.
func (wr Writing) write(ctx context.Context, workers []*worker) (map[int64][]time.Time, Written, error) {
	times := make([]map[int64][]time.Time, len(workers))
	failures := make([][]Failures, len(workers))
	errs := make([]error, len(workers))
	cpu, known := cpuOf(wr.Writers.PIDs)
	var group sync.WaitGroup
	began := time.Now()
	for n, w := range workers {
		group.Go(func() { times[n], failures[n], errs[n] = wr.writeOne(ctx, w, n, began) })
	}
	group.Wait()
	written := Written{Seconds: time.Since(began).Seconds()}
	if after, ok := cpuOf(wr.Writers.PIDs); ok && known {
		seconds := (after - cpu).Seconds()
		written.ServerCPU = &seconds
	}
	acknowledged := make(map[int64][]time.Time)
	for n := range workers {
		for id, all := range times[n] {
			acknowledged[id] = all
			written.Writes += len(all)
		}
		written.Failures = Add(written.Failures, failures[n])
	}
	return acknowledged, written, errors.Join(append(errs, ctx.Err())...)
}

// writeOne lets one writer write to its problems in turn.
func (wr Writing) writeOne(ctx context.Context, w *worker, n int, began time.Time) (times map[int64][]time.Time, failures []Failures, err error) {
	times = make(map[int64][]time.Time)
	for i := n; ctx.Err() == nil; i += wr.Connections { // the writers take turns
		at := began
		if wr.Rate > 0 {
			at = began.Add(time.Duration(i) * time.Second / time.Duration(wr.Rate))
			if at.Sub(began) >= wr.Duration {
				break
			}
			time.Sleep(time.Until(at))
		} else if time.Since(began) >= wr.Duration {
			break
		}
		id := wr.Scene.targets[i%len(wr.Scene.targets)]
		err := w.commentOn(id)
		if failed, ok := errors.AsType[*failure](err); ok {
			// Its events cannot be told from its answers any more.
			return times, []Failures{{Kind: failed.kind, Count: 1, First: failed.text}}, nil
		}
		if err != nil {
			return times, nil, err
		}
		times[id] = append(times[id], time.Now())
	}
	return times, nil, nil
}

func cpuOf(pids []int) (time.Duration, bool) {
	t, err := launch.CPUOf(pids)
	return t, err == nil && len(pids) > 0
}
