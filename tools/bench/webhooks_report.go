package main

import (
	"fmt"
	"io"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// printWebhooks prints the measurements of webhooks, if there are any.
func (r *report) printWebhooks(out io.Writer) {
	if len(r.Webhooks) == 0 {
		return
	}
	rows := [][]string{{"webhooks", "contender", "wanted writes/s", "writes/s", "messages/s", "answer to arrival: p50 ms", "p99 ms", "server: CPU s per 1,000 writes", "most MB"}}
	for _, d := range r.Webhooks {
		what, rate, memory := fmt.Sprint(d.Webhooks), "all", d.memory()
		if d.Hanging {
			what += ", a third hang"
		}
		if d.Rate > 0 {
			rate = fmt.Sprint(d.Rate)
		}
		rows = append(rows, []string{what, d.Contender, rate, fmt.Sprintf("%.0f", d.perSecond()), fmt.Sprintf("%.0f", d.messages()), figure("%.1f", d.P50), figure("%.1f", d.P99), figure("%.2f", d.cost()), megabytes(&memory)})
	}
	table(out, rows)
	fmt.Fprintln(out)
}

// perSecond returns the rate of writes, the median of the rounds.
func (d *delivered) perSecond() float64 {
	rates := make([]float64, len(d.Rounds))
	for i, round := range d.Rounds {
		rates[i] = round.PerSecond()
	}
	return load.Median(rates)
}

// messages returns the rate of messages with an answer, of all rounds.
func (d *delivered) messages() float64 {
	messages, seconds := 0, 0.
	for _, round := range d.Rounds {
		messages += round.Messages
		seconds += round.Seconds
	}
	return float64(messages) / seconds
}

// cost returns the CPU seconds of the server per 1,000 writes; nil: not known.
func (d *delivered) cost() *float64 {
	written := make([]load.Written, len(d.Rounds))
	for i, round := range d.Rounds {
		written[i] = round.Written
	}
	return cost(written)
}

// memory returns the most memory of the server; 0: not known.
func (d *delivered) memory() (most int64) {
	for _, round := range d.Rounds {
		most = max(most, round.Memory)
	}
	return most
}

// webhookTargets compares the webhooks with their goals.
func (r *report) webhookTargets(o options) {
	for _, store := range o.stores {
		var without, few, many *delivered
		for i := range r.Webhooks {
			switch d := &r.Webhooks[i]; {
			case d.Contender != store:
			case d.Webhooks == 0:
				without = d
			case d.Hanging:
				many = d
			default:
				few = d
			}
		}
		writes := target{What: fmt.Sprintf("%s: writes with %d webhooks, of those with none", store, min(fewWebhooks, o.webhooks)), Want: "≥ 0.90"}
		if without != nil && few != nil {
			shares := make([]float64, min(len(few.Rounds), len(without.Rounds)))
			for i := range shares {
				shares[i] = few.Rounds[i].PerSecond() / without.Rounds[i].PerSecond()
			}
			writes.set(load.Median(shares), func(got float64) bool { return got >= .9 })
			if a, b := few.cost(), without.cost(); a != nil && b != nil && *a > 0 {
				share := *b / *a
				writes.CPU = &share
			}
		}
		what := fmt.Sprintf("%s: answer to arrival at those that answer, %d webhooks of which a third hang, %d writes/s, p99", store, o.webhooks, webhookRate)
		arrival := target{What: what, Want: "≤ 2,000 ms", Unit: "ms"}
		switch {
		case o.hang < leastHang:
			arrival.Why = "run with -hang " + leastHang.String()
		case many != nil && many.P99 != nil:
			arrival.set(*many.P99, func(got float64) bool { return got <= 2000 })
		}
		r.Targets = append(r.Targets, writes, arrival)
	}
}
