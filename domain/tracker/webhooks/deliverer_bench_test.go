package webhooks

import (
	"fmt"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/webhook"
)

// BenchmarkMatch finds the events for 100 webhooks on a page of 500 events. Each webhook
// follows one problem, by its predicate.
func BenchmarkMatch(b *testing.B) {
	s := newService(b)
	for i := range 500 {
		s.Problem(b, fmt.Sprint(i))
	}
	c := s.NewDeliverer(true)
	events := firstPage(b, c)
	var endpoints []webhook.Endpoint
	for i := range 100 {
		endpoints = append(endpoints, webhook.Endpoint{ID: ident.ID{byte(i)}, Owner: s.Admin.User, Predicate: fmt.Sprintf("identifier = %d", i+1)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Match(b.Context(), events, endpoints); err != nil {
			b.Fatal(err)
		}
	}
}
