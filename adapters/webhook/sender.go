// Package webhook sends messages to the receivers of webhooks, over HTTP.
//
// An administrator names a receiver, but a stranger controls its answers and its names in the
// DNS. So addresses are checked after their resolution, and an answer is read up to a limit.
package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"github.com/problemtracking/problems/domain/webhook"
)

// Bounds of one attempt.
const (
	// Timeout is the time for a whole attempt: name, connection, TLS, request and answer.
	Timeout = 15 * time.Second
	// answerBytes is the largest part of an answer's body that is read, and answerTime the
	// longest time for it.
	answerBytes = 64 << 10
	answerTime  = time.Second
	// headerBytes is the largest size of an answer's headers.
	headerBytes = 16 << 10
	// idleConnections are kept for the next message to the same receiver.
	idleConnections = 256
	idleFor         = 30 * time.Second
)

// wireServer is the public address at which the metadata of a virtual machine is on Azure. The
// registries of special addresses do not have it.
var wireServer = netip.MustParsePrefix("168.63.129.16/32")

// AllowSetting is the setting named by the error for a refused address.
const AllowSetting = "PROBLEMS_WEBHOOK_ALLOW"

// Options are the needs of a Sender. Now has to be given.
type Options struct {
	// Now is the clock for the duration of an attempt.
	Now func() time.Time
	// Allow are networks to which messages may go, although their addresses are private
	// or special.
	Allow []netip.Prefix
	// Version is the version of the program, for the header User-Agent.
	Version string
	// Roots are the trusted authorities for certificates. nil: the authorities of the system.
	Roots *x509.CertPool
	// Resolver resolves names. nil: the resolver of the system.
	Resolver *net.Resolver
	// Timeout is for tests. 0: Timeout.
	Timeout time.Duration
}

// Sender implements webhook.Sender. It uses no proxy, follows no redirect, and connects to
// public addresses and allowed networks only.
type Sender struct {
	transport *http.Transport
	now       func() time.Time
	agent     string
	timeout   time.Duration
}

// New returns a Sender.
func New(o Options) *Sender {
	if o.Timeout == 0 {
		o.Timeout = Timeout
	}
	var v4, v6 []netip.Prefix
	for _, p := range o.Allow {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	guard := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...), ssrf.WithDeniedV4Prefixes(wireServer))
	dialer := &net.Dialer{
		Timeout:  o.Timeout,
		Resolver: o.Resolver,
		// Control sees the address of each connection, after the resolution of its name.
		Control: func(network, address string, c syscall.RawConn) error {
			if err := guard.Safe(network, address, c); err != nil {
				return &refused{address, err}
			}
			return nil
		},
	}
	return &Sender{now: o.Now, agent: "problems/" + o.Version, timeout: o.Timeout, transport: &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12, GetClientCertificate: noCertificate},
		TLSHandshakeTimeout:    o.Timeout,
		DisableCompression:     true, // a small answer must not become a large one
		MaxIdleConns:           idleConnections,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: headerBytes,
		// Each message has a connection of its own: a receiver cannot delay others.
		Protocols: http1(),
	}}
}

func http1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

// refused is the error of an address to which no message may go.
type refused struct {
	address string
	err     error
}

func (e *refused) Error() string {
	host := e.address
	if a, err := netip.ParseAddrPort(e.address); err == nil {
		host = a.Addr().String()
	}
	return fmt.Sprintf("the receiver has the address %s, which is not public: %s has to allow it", host, AllowSetting)
}

func (e *refused) Unwrap() error { return e.err }

// Close closes the idle connections.
func (s *Sender) Close() { s.transport.CloseIdleConnections() }

// Send implements webhook.Sender. The time of the attempt is left to the caller.
func (s *Sender) Send(ctx context.Context, url string, m webhook.Message) webhook.Attempt {
	begun := s.now()
	var c course
	status, err := s.send(c.within(ctx), url, m)
	a := webhook.Attempt{Duration: s.now().Sub(begun), Status: status}
	if err != nil {
		a.Err = s.reason(err, &c)
	}
	return a
}

func (s *Sender) send(ctx context.Context, url string, m webhook.Message) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(m.Body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", s.agent)
	r.Header.Set("Webhook-Id", m.ID)
	r.Header.Set("Webhook-Timestamp", webhook.Timestamp(m.Time))
	r.Header.Set("Webhook-Signature", m.Signature)
	// A receiver may close a kept connection in the moment of the next message: that is no
	// failure. Without a value, the header is not sent, and lets the transport try again over a
	// new connection. The receiver drops a second message with the same Webhook-Id.
	r.Header["Idempotency-Key"] = nil
	// A transport, unlike a client, follows no redirect and keeps no cookies.
	answer, err := s.transport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	if answer.StatusCode == http.StatusSwitchingProtocols {
		// There is no answer behind it. The connection is its body, and ctx does not end it.
		_ = answer.Body.Close()
		return answer.StatusCode, nil
	}
	// The status alone counts. The body is read to use the connection again. A receiver that
	// hangs in it must not delay its next message: then the connection is closed.
	defer time.AfterFunc(answerTime, cancel).Stop()
	_, _ = io.CopyN(io.Discard, answer.Body, answerBytes)
	_ = answer.Body.Close()
	return answer.StatusCode, nil
}

// reason returns a sentence for the administrator of the webhook.
func (s *Sender) reason(err error, c *course) string {
	if e, ok := errors.AsType[*refused](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate of the receiver is not valid: " + invalid(e.Err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the receiver does not speak TLS at this port: try a URL with http, or another port"
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" {
		return c.ended(e.Err)
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return "the host of the receiver is unknown: its name has no address"
	}
	if e, ok := errors.AsType[net.Error](err); errors.Is(err, context.DeadlineExceeded) || ok && e.Timeout() {
		return c.late(s.timeout)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || c.asked.Load() && errors.Is(err, syscall.ECONNRESET) {
		return c.closed()
	}
	return "no answer: " + err.Error()
}

// fewNames is the largest number of names of a certificate that an error repeats. Beside more of
// them, the rest of the error would be cut off in the list of attempts.
const fewNames = 3

// invalid returns what is wrong with a certificate.
func invalid(err error) string {
	if e, ok := errors.AsType[x509.HostnameError](err); ok && len(e.Certificate.DNSNames) > fewNames {
		return fmt.Sprintf("it is for %d other names, and not for %s", len(e.Certificate.DNSNames), e.Host)
	}
	return err.Error()
}
