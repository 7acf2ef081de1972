package reads

import (
	"math"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// Webhook are about webhooks and leases.
func Webhook() []bench.Case {
	return []bench.Case{{
		ID:   "READ-025",
		Rule: "Webhooks returns webhooks in the order of their first put, regardless of identifiers, times and later replacements, from any place and up to any number.",
		Run:  webhooksInOrder,
	}, {
		ID:   "READ-026",
		Rule: "Webhook returns the webhook of exactly the given identifier, with all its members, and false when there is none.",
		Run:  webhookByID,
	}, {
		ID:   "READ-027",
		Rule: "Lease returns the latest lease of exactly the given name, with all its members, and false when there is none.",
		Run:  leaseByName,
	}}
}

func webhooksInOrder(b *bench.Bench) {
	want := make([]webhook.Webhook, 7)
	for i, id := range b.Backwards(len(want)) {
		want[i].Endpoint = b.Endpoint()
		want[i].ID, want[i].Created = id, want[i].Created.AddDate(0, 0, -i)
	}
	shows := func(what string) {
		b.Helper()
		for _, page := range [][2]int{{0, 1}, {0, 3}, {2, 2}, {3, math.MaxInt}, {len(want) - 1, 5}, {len(want), 1}, {100, 1}, {math.MaxInt, math.MaxInt}} {
			rest := want[min(page[0], len(want)):]
			b.View(func(r store.Reader) error {
				got, err := r.Webhooks(b.Ctx, page[0], page[1])
				b.Equal(what, slices.Clone(rest[:min(page[1], len(rest))]), got)
				return err
			})
		}
	}
	for _, part := range [][]webhook.Webhook{want[:3], want[3:4], want[4:]} {
		change := b.Change()
		for _, w := range part {
			change.Effects = append(change.Effects, store.PutWebhook{Endpoint: w.Endpoint})
		}
		b.Commit(change)
	}
	shows("the list of webhooks")
	for _, i := range []int{4, 0, 2} {
		want[i].URL, want[i].Progress = "https://example.org/other", b.Progress()
		b.Do(store.PutWebhook{Endpoint: want[i].Endpoint})
		b.Do(store.PutProgress{Webhook: want[i].ID, Progress: want[i].Progress})
	}
	shows("the list of webhooks, some of them replaced")
	b.Do(store.DropWebhook{ID: want[3].ID})
	b.Do(store.DropWebhook{ID: want[0].ID}, store.DropWebhook{ID: want[0].ID})
	want = append(want[1:3:3], want[4:]...)
	shows("the list of webhooks, without two of them")
}

func webhookByID(b *bench.Bench) {
	first, second := b.Endpoint(), b.Endpoint()
	unlike := first.ID
	unlike[15]++
	find := func(want ...webhook.Webhook) {
		b.Helper()
		lookUp(b, "webhook", []ident.ID{first.ID, second.ID, unlike, ident.None}, want, func(w webhook.Webhook) ident.ID { return w.ID }, store.Reader.Webhook)
	}
	find()
	b.Do(store.PutWebhook{Endpoint: first}, store.PutWebhook{Endpoint: second})
	p := b.Progress()
	b.Do(store.PutProgress{Webhook: first.ID, Progress: p})
	find(webhook.Webhook{Endpoint: first, Progress: p}, webhook.Webhook{Endpoint: second})
	b.Do(store.DropWebhook{ID: first.ID})
	find(webhook.Webhook{Endpoint: second})
}

func leaseByName(b *bench.Bench) {
	find := func(want ...lease.Lease) {
		b.Helper()
		lookUp(b, "lease", []string{"work", "Work", "work ", "other", ""}, want, func(l lease.Lease) string { return l.Name }, store.Reader.Lease)
	}
	find()
	one, other := b.Lease("work"), b.Lease("other")
	b.Do(store.PutLease{Lease: one}, store.PutLease{Lease: other})
	find(one, other)
	one.Version, one.Holder = b.ID(), ident.None
	b.Do(store.PutLease{Lease: one})
	find(one, other)
	one.Version, one.State = b.ID(), strings.Repeat("a state of \"é\"\t", 20_000)
	b.Do(store.PutLease{Lease: one})
	find(one, other)
	other.Version, other.State = b.ID(), ""
	b.Do(store.PutLease{Lease: other})
	find(one, other)
}
