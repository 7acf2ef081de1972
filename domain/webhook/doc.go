// Package webhook holds the rules of webhooks. A webhook is an endpoint that receives the
// events of the feed. The package checks endpoints, selects their events, signs messages,
// and decides the next step after an attempt.
package webhook
