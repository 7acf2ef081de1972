package webhook

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
)

// course notes how far an attempt has come. A connection may go on in the background.
type course struct {
	step atomic.Int32
	// asked is true when the receiver has asked for a certificate in the TLS handshake. Its
	// alert alone does not say so before TLS 1.3.
	asked atomic.Bool
}

// The steps of an attempt, in their order. A kept connection begins with the last one.
const (
	resolving int32 = iota
	connecting
	handshake
	waiting
)

type courseKey struct{}

// within returns a context for the attempt.
func (c *course) within(ctx context.Context) context.Context {
	at := func(step int32) { c.step.Store(step) }
	return httptrace.WithClientTrace(context.WithValue(ctx, courseKey{}, c), &httptrace.ClientTrace{
		ConnectStart:      func(string, string) { at(connecting) },
		TLSHandshakeStart: func() { at(handshake) },
		GotConn:           func(httptrace.GotConnInfo) { at(waiting) },
	})
}

// late returns the step that was not over within the time of an attempt.
func (c *course) late(limit time.Duration) string {
	switch c.step.Load() {
	case resolving:
		return fmt.Sprintf("the name of the receiver had no answer from the DNS within %s", limit)
	case connecting:
		return fmt.Sprintf("the receiver has not accepted a connection within %s: a firewall may be in between", limit)
	case handshake:
		return fmt.Sprintf("the receiver has not ended the TLS handshake within %s", limit)
	default:
		return fmt.Sprintf("the receiver has not answered within %s", limit)
	}
}

// noCertificate notes that a receiver has asked, and gives it no certificate.
func noCertificate(of *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if c, ok := of.Context().Value(courseKey{}).(*course); ok {
		c.asked.Store(true)
	}
	return new(tls.Certificate), nil
}

// without ends a sentence about a receiver that has asked for a certificate. It need not be the
// cause: some receivers ask and do without.
const without = ", after it asked for a certificate of its client: webhooks have none"

// ended returns why a receiver has ended the TLS handshake. The library has no type for the
// alerts of a peer, only their texts.
func (c *course) ended(alert error) string {
	switch text := strings.TrimPrefix(alert.Error(), "tls: "); {
	case text == "protocol version not supported":
		return "the receiver offers TLS 1.1 or older: 1.2 is needed"
	case text == "certificate required":
		return "the receiver demands a certificate of its clients, and webhooks have none"
	case c.asked.Load():
		return "the receiver has ended the TLS handshake with " + text + without
	default:
		return "the receiver has ended the TLS handshake: " + text
	}
}

// closed returns what a receiver has done that closed the connection without an answer.
func (c *course) closed() string {
	const text = "the receiver has closed the connection without an answer"
	if c.asked.Load() {
		return text + without
	}
	return text
}
