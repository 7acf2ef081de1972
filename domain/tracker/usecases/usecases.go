// Package usecases puts the use cases of a server together: the driving port, which the HTTP API, the
// pages and the command line call.
package usecases

import (
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/erasure"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/mailing"
	"github.com/problemtracking/problems/domain/tracker/sessions"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// All has the methods of these two itself.
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
	c := t.Core(core.Insider{})
	a := admin.New(c)
	return &All{
		Tracker:        t,
		Administration: a,
		Webhooks:       webhooks.New(t, sender),
		Mailing:        mailing.New(t, a),
		Erasures:       erasure.New(c),
		Sessions:       sessions.New(c),
	}
}
