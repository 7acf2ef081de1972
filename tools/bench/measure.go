package main

import (
	"context"
	"slices"
	"time"
)

// turn is what one contender does for one mix.
type turn struct {
	name, kind string // kind: of a server the store
	large      bool
	run        func(ctx context.Context, seed uint64) (outcome, error)
}

// measure drives all mixes.
func (b *bench) measure(ctx context.Context) error {
	for _, m := range b.mixes {
		for _, n := range m.at(b.connections) {
			if err := b.measureMix(ctx, m, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureMix drives a mix with so many connections. In each round all contenders take
// turns, every time another one first, so that a drift of the machine hits all alike.
func (b *bench) measureMix(ctx context.Context, m mix, connections int) error {
	turns := b.turns(m, connections)
	if len(turns) == 0 {
		return nil
	}
	b.say("%s; connections: %d", m.title, connections)
	cells := make([]cell, len(turns))
	for i, t := range turns {
		cells[i] = cell{Mix: m.name, Title: m.title, Connections: connections, Contender: t.name, Kind: t.kind, Large: t.large}
	}
	for round := range b.rounds {
		for i := range turns {
			i := (i + round) % len(turns)
			o, err := turns[i].run(ctx, uint64(round))
			if err != nil {
				return err
			}
			cells[i].Rounds = append(cells[i].Rounds, o)
		}
	}
	for _, c := range cells {
		c.sum()
		b.report.Cells = append(b.report.Cells, c)
	}
	return nil
}

// turns returns who takes turns at a mix.
func (b *bench) turns(m mix, connections int) (turns []turn) {
	drive := func(e *entrant) {
		r := run{contender: e.contender, scene: e.scene, mix: m, connections: connections, warmup: b.warmup, duration: b.duration, metrics: e.metrics}
		turns = append(turns, turn{e.name, e.store, e.large, func(ctx context.Context, seed uint64) (outcome, error) {
			r.seed = seed
			return r.drive(ctx)
		}})
	}
	rate := func(name, kind string, measure func(ctx context.Context, d time.Duration) (float64, error)) {
		turns = append(turns, turn{name, kind, false, func(ctx context.Context, _ uint64) (outcome, error) {
			perSecond, err := measure(ctx, b.duration)
			return outcome{Requests: int(perSecond * b.duration.Seconds()), Seconds: b.duration.Seconds()}, err
		}})
	}
	if m.next != nil {
		for _, e := range b.entrants {
			if !e.large || m.wants&wantsLarge != 0 {
				drive(e)
			}
		}
	}
	if m.wants&wantsLimits != 0 {
		for _, e := range b.bare {
			drive(e)
		}
	}
	if b.limits && m.wants&wantsDisk != 0 && connections == slices.Max(b.connections) {
		rate("the disk: 4 KiB, synced", theDisk, func(_ context.Context, d time.Duration) (float64, error) { return fsyncs(b.folder, d) })
	}
	if b.port != nil && m.wants&wantsReads != 0 {
		rate("adapters/postgres", theAdapter, b.port.reads)
		rate("pgbench, prepared", thePgbench, b.port.pgbenchReads)
	}
	if b.port != nil && m.wants&wantsCommits != 0 {
		rate("adapters/postgres", theAdapter, b.port.commits)
		rate("pgbench, prepared", thePgbench, b.port.pgbenchCommits)
	}
	return turns
}
