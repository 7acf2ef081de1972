package tracker

import (
	"fmt"
	"testing"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/webhook"
)

// BenchmarkMatch finds the events for 100 webhooks on a page of 500 events. Each webhook
// follows one problem, by its predicate.
func BenchmarkMatch(b *testing.B) {
	s := newService(b)
	for i := range 500 {
		s.create(b, fmt.Sprint(i))
	}
	c := s.NewWebhookWorker(true)
	f, err := c.Follow(b.Context(), &event.Start, 500)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page, err := f.Next(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var endpoints []webhook.Endpoint
	for i := range 100 {
		endpoints = append(endpoints, webhook.Endpoint{ID: ident.ID{byte(i)}, Owner: s.admin.User, Predicate: fmt.Sprintf("identifier = %d", i+1)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Match(b.Context(), page.Events, endpoints); err != nil {
			b.Fatal(err)
		}
	}
}
