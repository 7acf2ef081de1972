package config

import (
	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/app/backend"
)

// Webhooks say where the service may send events (D40).
type Webhooks struct {
	WebhookAllow   peer.Networks `default:"none" placeholder:"NETWORKS" help:"Non-public networks and addresses allowed for webhooks, such as 10.0.0.0/8,2001:db8::1. Default: ${default}."`
	WebhookKeyFile string        `placeholder:"FILE" help:"File with the key for the secrets of webhooks: 32 random bytes or more, in base64. All servers of a store need the same key. Default: a file beside a store in a file, created at need."`
}

// LacksWebhookKey reports whether the service has no key for webhooks: the settings name no
// file, and the store is on a server. Beside a store in a file, the service makes the key. A
// private store has one in memory. It is false without a store.
func (s *Settings) LacksWebhookKey() bool {
	store := s.Storage.Store
	return s.Webhooks.WebhookKeyFile == "" && store.Kind() != nil && store.Path() == "" && !store.Is(backend.Private)
}
