package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// Delivering has the settings of one run of writes with webhooks. Each webhook follows one of
// the problems, by its predicate.
type Delivering struct {
	Writing
	Webhooks int
	// Hanging lets the receivers of a third of the webhooks never answer.
	Hanging bool
}

// Delivered is the result of such a run.
type Delivered struct {
	Written
	Messages int   `json:"messages"`         // arrived, except for those without an answer
	Memory   int64 `json:"memory,omitempty"` // the most memory of the server, in bytes; 0: not known
	// Arrivals are the times from the answer to a write until its message came to a
	// receiver; 0 if the message came first.
	Arrivals Latencies `json:"-"`
}

// preparing is the time to make and delete the webhooks.
const preparing = 5 * time.Minute

// Drive makes the webhooks, lets the writers write, and deletes the webhooks. It returns when
// each receiver has each message, except for hanging receivers.
func (d Delivering) Drive(ctx context.Context) (done Delivered, err error) {
	deadline := time.Now().Add(d.Duration + preparing + slack)
	workers, err := d.connect(deadline)
	if err != nil {
		return done, err
	}
	defer closeAll(workers)
	r, err := receive(d.Webhooks, func(i int) bool { return d.Hanging && i%3 == 0 })
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	ids, err := d.subscribe(workers[0], r)
	defer func() { err = errors.Join(err, unsubscribe(workers[0], ids)) }()
	if err != nil {
		return done, err
	}
	if err := d.warmUp(ctx, workers, r, deadline); err != nil {
		return done, err
	}
	for _, w := range workers { // the server has closed idle connections meanwhile
		if err := w.connect(); err != nil {
			return done, err
		}
	}
	launch.ResetPeak(d.Writers.PIDs) // else the peak is a longer one: see bench.note
	acknowledged, written, err := d.write(ctx, workers)
	done.Written = written
	if err != nil || len(written.Failures) > 0 {
		return done, err
	}
	for i, one := range r.all {
		if one.hangs {
			continue
		}
		answers := acknowledged[d.followed(i)]
		came, err := one.await(ctx, len(answers), deadline)
		if err != nil {
			return done, err
		}
		for n, answer := range answers {
			done.Arrivals = append(done.Arrivals, max(0, came[n].Sub(answer)))
		}
	}
	done.Messages, done.Arrivals = len(done.Arrivals), Gather(done.Arrivals)
	memory, err := launch.MemoryOf(d.Writers.PIDs)
	if errors.Is(err, launch.ErrNoProc) {
		err = nil
	}
	done.Memory = memory.Peak
	return done, err
}

// followed returns the problem of a webhook.
func (d Delivering) followed(i int) int64 { return d.Scene.targets[i%len(d.Scene.targets)] }

// subscribe makes the webhooks.
func (d Delivering) subscribe(w *worker, r *receivers) (ids []string, err error) {
	for i, one := range r.all {
		w.to("/webhooks")
		body := fmt.Sprintf(`{"url":%q,"types":["problem.changed"],"predicate":"identifier = %d"}`, one.url, d.followed(i))
		if err := w.askAs(w.contender.Token, http.MethodPost, asJSON, []byte(body), http.StatusCreated); err != nil {
			return ids, err
		}
		var made struct{ Identifier string }
		if err := json.Unmarshal(w.body, &made); err != nil {
			return ids, fmt.Errorf("the answer to POST /webhooks: %w", err)
		}
		ids = append(ids, made.Identifier)
	}
	return ids, nil
}

// unsubscribe deletes webhooks.
func unsubscribe(w *worker, ids []string) error {
	if err := w.connect(); err != nil { // it was idle for long
		return err
	}
	for _, id := range ids {
		w.to("/webhooks/%s", id)
		if err := w.askAs(w.contender.Token, http.MethodDelete, "", nil, http.StatusNoContent); err != nil {
			return err
		}
	}
	return nil
}

// warmUp writes once to each problem. Then all webhooks are at work, and the first timeouts
// of hanging receivers have begun.
func (d Delivering) warmUp(ctx context.Context, workers []*worker, r *receivers, deadline time.Time) error {
	for _, id := range d.Scene.targets {
		if err := workers[0].commentOn(id); err != nil {
			return err
		}
	}
	for _, one := range r.all {
		if !one.hangs {
			if _, err := one.await(ctx, 1, deadline); err != nil {
				return fmt.Errorf("the first message: %w", err)
			}
		}
	}
	r.reset()
	return nil
}
