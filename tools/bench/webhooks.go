package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// delivered has the results of all rounds of writes with a number of webhooks.
type delivered struct {
	Contender string `json:"contender"`
	Webhooks  int    `json:"webhooks"`
	Hanging   bool   `json:"hanging,omitempty"` // a third of the receivers never answer
	// Rate is the number of writes per second; 0: as many as possible.
	Rate   int              `json:"rate"`
	P50    *float64         `json:"p50,omitempty"` // milliseconds from answer to arrival
	P99    *float64         `json:"p99,omitempty"`
	Rounds []load.Delivered `json:"rounds"`
}

// The writes of the measurements: webhookRate writes per second while times are measured,
// each about one of crowdedProblems. With 1,000 webhooks, five follow each problem. Without a
// rate, fewWebhooks follow some of sharedProblems: one write in ten concerns a webhook.
const (
	webhookRate     = 200
	crowdedProblems = 200
	sharedProblems  = 1000
	fewWebhooks     = 100
)

// deliveries returns the measurements of a store, without results.
func (b *bench) deliveries(store string) []delivered {
	few := min(fewWebhooks, b.webhooks)
	return []delivered{
		{Contender: store},
		{Contender: store, Webhooks: few},
		{Contender: store, Webhooks: b.webhooks, Hanging: true, Rate: webhookRate},
	}
}

// measureWebhooks measures the webhooks on each store. The writes without a rate take turns
// in each round, as they are compared.
func (b *bench) measureWebhooks(ctx context.Context) error {
	for _, store := range b.stores {
		e := b.server(store)
		runs := b.deliveries(store)
		all := make([][]load.Latencies, len(runs))
		for round := range b.rounds {
			for i := range runs {
				run := &runs[i]
				if run.Hanging && round > 0 {
					continue // once: it takes longer than all others
				}
				b.say("%s: writes with %d webhooks, round %d", store, run.Webhooks, round+1)
				d, err := b.delivering(e, *run).Drive(ctx)
				if err != nil {
					return fmt.Errorf("%s: %d webhooks: %w", store, run.Webhooks, err)
				}
				run.Rounds = append(run.Rounds, d)
				all[i] = append(all[i], d.Arrivals)
			}
		}
		for i := range runs {
			if l := load.Gather(all[i]...); len(l) > 0 {
				runs[i].P50, runs[i].P99 = milliseconds(l.At(50)), milliseconds(l.At(99))
			}
		}
		b.report.Webhooks = append(b.report.Webhooks, runs...)
	}
	return nil
}

// delivering returns the settings of a measurement.
func (b *bench) delivering(e *entrant, run delivered) load.Delivering {
	d := load.Delivering{Webhooks: run.Webhooks, Hanging: run.Hanging}
	d.Writing = load.Writing{Writers: e.Contender, Scene: e.scene, Connections: feedWriters, Rate: run.Rate, Duration: b.duration}
	problems := int64(sharedProblems)
	if run.Hanging {
		problems, d.Duration = crowdedProblems, b.hang
	}
	d.Problems = int(min(problems, b.problems)) / feedWriters * feedWriters
	return d
}

// webhookSettings returns the settings of all servers for webhooks: the receivers are on this
// machine, and a database has no file with a key beside it.
func (b *bench) webhookSettings() ([]string, error) {
	if b.webhooks == 0 {
		return nil, nil
	}
	file := filepath.Join(b.folder, "webhook-key")
	err := os.WriteFile(file, []byte(base64.StdEncoding.EncodeToString(make([]byte, 32))), 0o600)
	return []string{"PROBLEMS_WEBHOOK_ALLOW=127.0.0.0/8", "PROBLEMS_WEBHOOK_KEY_FILE=" + file}, err
}

// leastHang is the shortest time with receivers that hang, in a full measurement: their first
// attempts end after 15 seconds, and the second ones begin five seconds later.
const leastHang = 30 * time.Second
