package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// outcome is what came of one run: one mix, one number of connections, one round,
// one contender.
type outcome struct {
	Requests int            `json:"requests"`
	Seconds  float64        `json:"seconds"`
	Failures []failures     `json:"failures,omitempty"`
	CPU      *processors    `json:"cpu,omitempty"`    // nil: not known
	Memory   *launch.Memory `json:"memory,omitempty"` // of the server
	Metrics  *measurements  `json:"metrics,omitempty"`

	latencies latencies
}

// perSecond is the rate of requests.
func (o outcome) perSecond() float64 {
	if o.Seconds == 0 {
		return 0
	}
	return float64(o.Requests) / o.Seconds
}

// failures are requests that failed alike.
type failures struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
	First string `json:"first"` // what happened to the first of them
}

// processors are the CPU seconds of a run.
type processors struct {
	Server   float64  `json:"server"`
	Database *float64 `json:"database,omitempty"` // nil: there is none, or it cannot be seen
	Client   float64  `json:"client"`
	Others   float64  `json:"others"` // of everything else on the machine
}

// run is what is needed to drive a mix once.
type run struct {
	contender   contender
	scene       *scene
	mix         mix
	connections int
	warmup      time.Duration
	duration    time.Duration
	seed        uint64
	metrics     string // address of the server's metrics; empty: it has none
}

// slack is how long a run may take beyond its duration: for the answers that are
// under way, and for those of a server that is slow.
const slack = 45 * time.Second

// drive drives the mix: it warms up first, and then measures.
func (r run) drive(ctx context.Context) (outcome, error) {
	deadline := time.Now().Add(r.warmup + r.duration + slack)
	workers := make([]*worker, r.connections)
	defer func() {
		for _, w := range workers {
			if w != nil {
				w.close()
			}
		}
	}()
	for n := range workers {
		var err error
		if workers[n], err = newWorker(r.contender, r.scene, n, r.connections, r.seed, deadline); err != nil {
			return outcome{}, err
		}
	}
	if r.mix.before != nil {
		if err := r.mix.before(workers[0], r.connections); err != nil {
			return outcome{}, err
		}
	}
	warm, err := r.work(ctx, workers, r.warmup)
	if err != nil {
		return outcome{}, err
	}
	begin, err := r.look()
	if err != nil {
		return outcome{}, err
	}
	measured, err := r.work(ctx, workers, r.duration)
	if err != nil {
		return outcome{}, err
	}
	end, err := r.look()
	if err != nil {
		return outcome{}, err
	}
	measured.Failures = add(measured.Failures, warm.Failures)
	measured.account(begin, end)
	return measured, nil
}

// work lets the workers ask, each as fast as it is answered, for the duration.
func (r run) work(ctx context.Context, workers []*worker, d time.Duration) (outcome, error) {
	results := make([]result, len(workers))
	var group sync.WaitGroup
	began := time.Now()
	for n, w := range workers {
		group.Go(func() { results[n] = r.workOne(ctx, w, began.Add(d)) })
	}
	group.Wait()
	o := outcome{Seconds: time.Since(began).Seconds()}
	all := make([]latencies, len(results))
	var errs []error
	for n, result := range results {
		all[n] = result.latencies
		o.Failures = add(o.Failures, result.failures)
		errs = append(errs, result.err)
	}
	o.latencies = gather(all...)
	o.Requests = len(o.latencies)
	return o, errors.Join(append(errs, ctx.Err())...)
}

// result is what one worker has done.
type result struct {
	latencies latencies // of what was answered as it has to be
	failures  []failures
	err       error // why it could not go on
}

func (r run) workOne(ctx context.Context, w *worker, until time.Time) (done result) {
	for now := time.Now(); now.Before(until) && ctx.Err() == nil; {
		err := r.mix.next(w)
		end := time.Now()
		if err == nil {
			done.latencies = append(done.latencies, end.Sub(now))
			now = end
			continue
		}
		failed, ok := errors.AsType[*failure](err)
		if !ok {
			done.err = err
			return done
		}
		done.failures = add(done.failures, []failures{{Kind: failed.kind, Count: 1, First: failed.text}})
		if failed.cut {
			if done.err = w.connect(); done.err != nil {
				return done
			}
		}
		now = time.Now()
	}
	return done
}

// add adds failures to others of their kinds.
func add(all, more []failures) []failures {
	for _, f := range more {
		i := slices.IndexFunc(all, func(a failures) bool { return a.Kind == f.Kind })
		if i < 0 {
			all = append(all, f)
			continue
		}
		all[i].Count += f.Count
	}
	return all
}

// look is what is known of the processes at a moment.
type look struct {
	server, database, client time.Duration // CPU time
	machine                  time.Duration // of everything
	memory                   launch.Memory
	known                    bool // the above
	metrics                  map[string]float64
}

// look reads what is known, and lets the peak of the memory begin anew.
func (r run) look() (l look, err error) {
	if r.metrics != "" {
		if l.metrics, err = readMetrics(r.metrics); err != nil {
			return look{}, err
		}
	}
	cpu := func(pids []int) time.Duration {
		if err != nil {
			return 0
		}
		var t time.Duration
		t, err = launch.CPUOf(pids)
		return t
	}
	l.server, l.client = cpu(r.contender.pids), cpu([]int{os.Getpid()})
	if r.contender.dbPIDs != nil {
		l.database = cpu(r.contender.dbPIDs())
	}
	if err == nil {
		l.machine, err = launch.BusyTime()
	}
	if err == nil {
		l.memory, err = launch.MemoryOf(r.contender.pids)
	}
	if errors.Is(err, launch.ErrNoProc) {
		return l, nil
	}
	if err != nil {
		return look{}, err
	}
	l.known = true
	launch.ResetPeak(r.contender.pids) // else the peak is a longer one: see bench.note
	return l, nil
}

// account sets what two looks say of the time between them.
func (o *outcome) account(begin, end look) {
	if begin.known && end.known {
		o.CPU = &processors{Server: (end.server - begin.server).Seconds(), Client: (end.client - begin.client).Seconds()}
		if end.database > 0 {
			database := (end.database - begin.database).Seconds()
			o.CPU.Database = &database
		}
		ours := end.server + end.database + end.client - begin.server - begin.database - begin.client
		o.CPU.Others = max(0, (end.machine - begin.machine - ours).Seconds())
		o.Memory = &end.memory
	}
	if begin.metrics != nil {
		difference := maps.Clone(end.metrics)
		for name, value := range begin.metrics {
			difference[name] -= value
		}
		o.Metrics = newMeasurements(difference)
	}
}

// cpu returns one of the CPU seconds, if they are known.
func (o outcome) cpu(which func(*processors) *float64) *float64 {
	if o.CPU == nil {
		return nil
	}
	return which(o.CPU)
}
