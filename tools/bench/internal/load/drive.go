package load

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

// Outcome is the result of one run: one mix, one number of connections, one round, one
// contender.
type Outcome struct {
	Requests int            `json:"requests"`
	Seconds  float64        `json:"seconds"`
	Failures []Failures     `json:"failures,omitempty"`
	CPU      *Processors    `json:"cpu,omitempty"`    // nil: not known
	Memory   *launch.Memory `json:"memory,omitempty"` // of the server
	Metrics  *Measurements  `json:"metrics,omitempty"`

	Latencies Latencies
}

// PerSecond is the rate of requests.
func (o Outcome) PerSecond() float64 {
	if o.Seconds == 0 {
		return 0
	}
	return float64(o.Requests) / o.Seconds
}

// Failures are requests with the same failure.
type Failures struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
	First string `json:"first"` // what happened to the first of them
}

// Processors are the CPU seconds of a run.
type Processors struct {
	Server   float64  `json:"server"`
	Database *float64 `json:"database,omitempty"` // nil: there is none, or it cannot be seen
	Client   float64  `json:"client"`
	Others   float64  `json:"others"` // of everything else on the machine
}

// Run has the settings of one run of a mix.
type Run struct {
	Contender   Contender
	Scene       *Scene
	Mix         Mix
	Connections int
	Warmup      time.Duration
	Duration    time.Duration
	Seed        uint64
	Metrics     string // address of the server's metrics; empty: it has none
}

// slack is the time of a run beyond its duration: for the last answers, also of a slow
// server.
const slack = 45 * time.Second

// Drive drives the mix: it warms up first, and then measures.
func (r Run) Drive(ctx context.Context) (Outcome, error) {
	deadline := time.Now().Add(r.Warmup + r.Duration + slack)
	workers := make([]*worker, r.Connections)
	defer func() {
		for _, w := range workers {
			if w != nil {
				w.Close()
			}
		}
	}()
	for n := range workers {
		var err error
		if workers[n], err = newWorker(r.Contender, r.Scene, n, r.Connections, r.Seed, deadline); err != nil {
			return Outcome{}, err
		}
	}
	if r.Mix.before != nil {
		if err := r.Mix.before(workers[0], r.Connections); err != nil {
			return Outcome{}, err
		}
	}
	warm, err := r.work(ctx, workers, r.Warmup)
	if err != nil {
		return Outcome{}, err
	}
	begin, err := r.look()
	if err != nil {
		return Outcome{}, err
	}
	measured, err := r.work(ctx, workers, r.Duration)
	if err != nil {
		return Outcome{}, err
	}
	end, err := r.look()
	if err != nil {
		return Outcome{}, err
	}
	measured.Failures = Add(measured.Failures, warm.Failures)
	measured.account(begin, end)
	return measured, nil
}

// work lets the workers ask, each as fast as it is answered, for the duration.
func (r Run) work(ctx context.Context, workers []*worker, d time.Duration) (Outcome, error) {
	results := make([]result, len(workers))
	var group sync.WaitGroup
	began := time.Now()
	for n, w := range workers {
		group.Go(func() { results[n] = r.workOne(ctx, w, began.Add(d)) })
	}
	group.Wait()
	o := Outcome{Seconds: time.Since(began).Seconds()}
	all := make([]Latencies, len(results))
	var errs []error
	for n, result := range results {
		all[n] = result.latencies
		o.Failures = Add(o.Failures, result.failures)
		errs = append(errs, result.err)
	}
	o.Latencies = Gather(all...)
	o.Requests = len(o.Latencies)
	return o, errors.Join(append(errs, ctx.Err())...)
}

// result is the work of one worker.
type result struct {
	latencies Latencies // of right answers
	failures  []Failures
	err       error // why it could not go on
}

func (r Run) workOne(ctx context.Context, w *worker, until time.Time) (done result) {
	for now := time.Now(); now.Before(until) && ctx.Err() == nil; {
		err := r.Mix.Next(w)
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
		done.failures = Add(done.failures, []Failures{{Kind: failed.kind, Count: 1, First: failed.text}})
		if failed.cut {
			if done.err = w.connect(); done.err != nil {
				return done
			}
		}
		now = time.Now()
	}
	return done
}

// Add adds failures to others of their kinds.
func Add(all, more []Failures) []Failures {
	for _, f := range more {
		i := slices.IndexFunc(all, func(a Failures) bool { return a.Kind == f.Kind })
		if i < 0 {
			all = append(all, f)
			continue
		}
		all[i].Count += f.Count
	}
	return all
}

// look is the state of the processes at a moment.
type look struct {
	server, database, client time.Duration // CPU time
	machine                  time.Duration // of everything
	memory                   launch.Memory
	known                    bool // the above
	metrics                  map[string]float64
}

// look reads the state, and resets the peak of the memory.
func (r Run) look() (l look, err error) {
	if r.Metrics != "" {
		if l.metrics, err = readMetrics(r.Metrics); err != nil {
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
	l.server, l.client = cpu(r.Contender.PIDs), cpu([]int{os.Getpid()})
	if r.Contender.DatabasePIDs != nil {
		l.database = cpu(r.Contender.DatabasePIDs())
	}
	if err == nil {
		l.machine, err = launch.BusyTime()
	}
	if err == nil {
		l.memory, err = launch.MemoryOf(r.Contender.PIDs)
	}
	if errors.Is(err, launch.ErrNoProc) {
		return l, nil
	}
	if err != nil {
		return look{}, err
	}
	l.known = true
	launch.ResetPeak(r.Contender.PIDs) // else the peak is a longer one: see bench.note
	return l, nil
}

// account sets the differences of two looks.
func (o *Outcome) account(begin, end look) {
	if begin.known && end.known {
		o.CPU = &Processors{Server: (end.server - begin.server).Seconds(), Client: (end.client - begin.client).Seconds()}
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

// CPUTime returns one of the CPU seconds, if they are known.
func (o Outcome) CPUTime(which func(*Processors) *float64) *float64 {
	if o.CPU == nil {
		return nil
	}
	return which(o.CPU)
}
