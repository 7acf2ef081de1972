package limits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/domain/store"
)

// learn learns the adapter's statements for a load and for a patch.
func (p *StorePort) learn(ctx context.Context) (err error) {
	proxy, err := capture(p.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, proxy.Close()) }()
	watched, err := postgres.Open(ctx, postgres.Options{URL: proxy.through, Connections: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, watched.Close()) }()
	conn, err := p.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()

	loads, patches, err := p.samples(ctx, watched, sampler{proxy, conn.Conn()})
	if err != nil {
		return err
	}
	if p.Load, err = merge(loads...); err != nil {
		return fmt.Errorf("what is sent for a load: %w", err)
	}
	for phase, samples := range patches {
		if p.phases[phase], err = merge(samples...); err != nil {
			return fmt.Errorf("what is sent for a patch: %w", err)
		}
	}
	return nil
}

// samples returns samples of loads, and of the patches of both phases. watched is the store
// behind the proxy of the sampler.
func (p *StorePort) samples(ctx context.Context, watched store.Store, s sampler) (loads []sample, patches [2][]sample, err error) {
	service := newService(watched)
	// All variables have to vary: times, and revisions. So one problem gets ahead.
	at := time.Now()
	patch := func(w *patcher, s store.Store) error {
		at = at.Add(time.Millisecond)
		return w.patch(ctx, s, at)
	}
	for range p.phases {
		if err := patch(p.patched[1], p.store); err != nil {
			return nil, patches, err
		}
	}
	for round := range 2 { // in the first one, statements are prepared
		loads = nil
		for _, id := range p.loaded[:2] {
			one, err := s.sample(ctx, func() error { return p.read(ctx, service, id) },
				func() map[string]string { return map[string]string{"problem": fmt.Sprint(id)} })
			if err != nil {
				return nil, patches, err
			}
			loads = append(loads, one)
		}
		patches = [2][]sample{}
		for phase := range patches {
			for _, w := range p.patched[:2] {
				one, err := s.sample(ctx, func() error { return patch(w, watched) }, w.values)
				if err != nil {
					return nil, patches, err
				}
				if w.lastPhase != phase {
					return nil, patches, fmt.Errorf("round %d: a patch of phase %d came in the place of one of phase %d", round, w.lastPhase, phase)
				}
				patches[phase] = append(patches[phase], one)
			}
		}
	}
	return loads, patches, nil
}

// sampler records statements. The connection makes them readable.
type sampler struct {
	proxy *capturing
	conn  *pgx.Conn
}

// sample returns what do sends, with the values of its variables.
func (s sampler) sample(ctx context.Context, do func() error, values func() map[string]string) (sample, error) {
	trips, err := s.proxy.record(ctx, do)
	if err != nil {
		return sample{}, err
	}
	sent, err := readable(ctx, s.conn, trips)
	return sample{sent, values()}, err
}
