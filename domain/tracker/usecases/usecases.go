// Package usecases puts the use cases of a server together.
package usecases

import (
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/erasure"
	"github.com/problemtracking/problems/domain/tracker/mailing"
	"github.com/problemtracking/problems/domain/tracker/sessions"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// The two whose use cases All has as its own.
type (
	Tracker        = tracker.Service
	Administration = admin.Service
)

// All are the use cases on one store, as the pages and the HTTP API offer them.
type All struct {
	*Tracker
	*Administration
	Webhooks *webhooks.Service
	Mailing  *mailing.Service
	Erasures *erasure.Service
	Sessions *sessions.Service
}

// New returns the use cases of one server, which share its caches, locks and clock. It does not
// touch the store. sender sends the messages of webhooks; nil: nothing is sent.
func New(o tracker.Options, sender webhook.Sender) *All {
	t := tracker.New(o)
	a := admin.New(t.Core())
	return &All{
		Tracker:        t,
		Administration: a,
		Webhooks:       webhooks.New(t, sender),
		Mailing:        mailing.New(t, a),
		Erasures:       erasure.New(t),
		Sessions:       sessions.New(t),
	}
}
