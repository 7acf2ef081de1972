package webhookworker

import (
	"sync"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/webhook"
)

// messages are the messages about the events of a page. Each is made when the first webhook
// needs it, and shared by all webhooks.
type messages struct {
	*Worker
	catalogue *metadata.Catalogue
	known     map[event.Cursor]func() webhook.Message
}

// of returns a function for the message about an event, for many goroutines.
func (m messages) of(v tracker.PublishedEvent) func() webhook.Message {
	made := m.known[v.Cursor]
	if made == nil {
		encode, catalogue := m.Encode, m.catalogue // m would keep all messages of the page
		made = sync.OnceValue(func() webhook.Message {
			return webhook.NewMessage(v.Cursor, v.Type, v.At, encode(catalogue, v))
		})
		m.known[v.Cursor] = made
	}
	return made
}
