package main

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/tools/bench/internal/limits"
	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// turn is the work of one contender for one mix.
type turn struct {
	name, kind string // kind: of a server the store
	large      bool
	run        func(ctx context.Context, seed uint64) (load.Outcome, error)
}

// measure drives all mixes.
func (b *bench) measure(ctx context.Context) error {
	for _, m := range b.mixes {
		for _, n := range m.At(b.connections) {
			if err := b.measureMix(ctx, m, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureMix drives a mix with the given number of connections. In each round all
// contenders take turns, every time another one first, so a drift of the machine hits all
// alike.
func (b *bench) measureMix(ctx context.Context, m load.Mix, connections int) error {
	turns := b.turns(m, connections)
	if len(turns) == 0 {
		return nil
	}
	b.say("%s; connections: %d", m.Title, connections)
	cells := make([]cell, len(turns))
	for i, t := range turns {
		cells[i] = cell{Mix: m.Name, Title: m.Title, Connections: connections, Contender: t.name, Kind: t.kind, Large: t.large}
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

// turns returns the contenders of a mix.
func (b *bench) turns(m load.Mix, connections int) (turns []turn) {
	drive := func(e *entrant) {
		r := load.Run{Contender: e.Contender, Scene: e.scene, Mix: m, Connections: connections, Warmup: b.warmup, Duration: b.duration, Metrics: e.metrics}
		turns = append(turns, turn{e.Name, e.kind(), e.large, func(ctx context.Context, seed uint64) (load.Outcome, error) {
			r.Seed = seed
			return r.Drive(ctx)
		}})
	}
	for _, e := range b.entrants {
		if !e.large || m.Wants&load.WantsLarge != 0 {
			drive(e)
		}
	}
	if m.Wants&load.WantsLimits != 0 {
		for _, e := range b.bare {
			drive(e)
		}
	}
	if b.limits && m.Wants&load.WantsDisk != 0 && connections == slices.Max(b.connections) {
		turns = append(turns, turn{"the disk: 4 KiB, synced", theDisk, false, func(context.Context, uint64) (load.Outcome, error) {
			perSecond, err := limits.Fsyncs(b.folder, b.duration)
			return load.Outcome{Requests: int(perSecond * b.duration.Seconds()), Seconds: b.duration.Seconds()}, err
		}})
	}
	return turns
}
