package webhook

import (
	"context"
	"crypto/tls"
	"strings"
	"sync/atomic"
)

// demand notes whether the receiver has asked for a certificate in the TLS handshake of an
// attempt. Its alert alone does not say so before TLS 1.3.
type demand struct{ asked atomic.Bool }

type demandKey struct{}

// within returns a context for the attempt.
func (d *demand) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, demandKey{}, d)
}

func (d *demand) made() bool { return d.asked.Load() }

// noCertificate notes that a receiver has asked, and gives it no certificate.
func noCertificate(of *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if d, ok := of.Context().Value(demandKey{}).(*demand); ok {
		d.asked.Store(true)
	}
	return new(tls.Certificate), nil
}

// without ends a sentence about a receiver that has asked for a certificate. It need not be the
// cause: some receivers ask and do without.
const without = ", after it asked for a certificate of its client: webhooks have none"

// ended returns why a receiver has ended the TLS handshake. The library has no type for the
// alerts of a peer, only their texts.
func ended(alert error, asked bool) string {
	switch text := strings.TrimPrefix(alert.Error(), "tls: "); {
	case text == "protocol version not supported":
		return "the receiver offers TLS 1.1 or older: 1.2 is needed"
	case text == "certificate required":
		return "the receiver demands a certificate of its clients, and webhooks have none"
	case asked:
		return "the receiver has ended the TLS handshake with " + text + without
	default:
		return "the receiver has ended the TLS handshake: " + text
	}
}

// closed returns what a receiver has done that closed the connection without an answer.
func closed(asked bool) string {
	const text = "the receiver has closed the connection without an answer"
	if asked {
		return text + without
	}
	return text
}
