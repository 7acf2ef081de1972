// Package webhook holds the rules of webhooks: endpoints to which the service sends the
// events of the feed. It decides whether an endpoint is valid, which events it gets, how a
// message is signed, and what follows an attempt.
package webhook
