package webhook_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/webhook"
	"github.com/problemtracking/problems/domain/event"
	rules "github.com/problemtracking/problems/domain/webhook"
)

// authority makes certificates.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	root *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{t: t, key: key}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if a.root, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

// certificate returns a certificate for receiver.example, with a change of it.
func (a *authority) certificate(change func(*x509.Certificate)) *tls.Config {
	a.t.Helper()
	of := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"receiver.example"},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if change != nil {
		change(of)
	}
	der, err := x509.CreateCertificate(rand.Reader, of, a.root, &a.key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: a.key}}}
}

// Each fault of TLS fails the attempt before the message is sent, and its reason names the fault.
func TestFaultsOfTLS(t *testing.T) {
	t.Parallel()
	known, foreign := newAuthority(t), newAuthority(t)
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf("other%d.example", i)
	}
	oldest, demanding, demanding12, asking, asking12 := known.certificate(nil), known.certificate(nil), known.certificate(nil), known.certificate(nil), known.certificate(nil)
	oldest.MinVersion, oldest.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	demanding.ClientAuth = tls.RequireAnyClientCert
	demanding12.ClientAuth, demanding12.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12
	asking.ClientAuth = tls.RequestClientCert
	asking12.ClientAuth, asking12.MaxVersion = tls.RequestClientCert, tls.VersionTLS12
	other12 := known.certificate(nil)
	other12.MaxVersion, other12.CipherSuites = tls.VersionTLS12, []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA}
	const invalid = "the certificate of the receiver is not valid: "
	for name, c := range map[string]struct {
		config *tls.Config
		err    string // empty: none
	}{
		"without a fault":       {known.certificate(nil), ""},
		"foreign authority":     {foreign.certificate(nil), invalid + "x509: certificate signed by unknown authority"},
		"signed by itself":      {&tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{foreign.root.Raw}, PrivateKey: foreign.key}}}, invalid},
		"expired":               {known.certificate(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) }), invalid + "x509: certificate has expired"},
		"not yet valid":         {known.certificate(func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Hour) }), "is before"},
		"another name":          {known.certificate(func(c *x509.Certificate) { c.DNSNames = []string{"other.example"} }), "valid for other.example, not receiver.example"},
		"many other names":      {known.certificate(func(c *x509.Certificate) { c.DNSNames = many }), invalid + "it is for 60 other names, and not for receiver.example"},
		"for clients":           {known.certificate(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }), invalid + "x509: certificate specifies an incompatible key usage"},
		"TLS 1.1":               {oldest, "the receiver offers TLS 1.1 or older: 1.2 is needed"},
		"demands a certificate": {demanding, "the receiver demands a certificate of its clients, and webhooks have none"},
		"demands it by TLS 1.2": {demanding12, "the receiver has ended the TLS handshake with handshake failure, after it asked for a certificate of its client: webhooks have none"},
		"asks for one":          {asking, ""},
		"asks for it by 1.2":    {asking12, ""},
		"no common cipher":      {other12, "the receiver has ended the TLS handshake: handshake failure"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken := make(chan struct{}, 1)
			a := sendTo(t, known, func(l net.Listener) {
				receiver := &http.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { taken <- struct{}{} })}
				t.Cleanup(func() { _ = receiver.Close() })
				_ = receiver.Serve(tls.NewListener(l, c.config))
			})
			if a.Succeeded() != (c.err == "") || !strings.Contains(a.Err, c.err) || strings.Contains(a.Err, "geheim") || len(taken) == 1 != a.Succeeded() {
				t.Errorf("the attempt is %+v; %d messages have come", a, len(taken))
			}
			if d := (rules.Progress{}).After(rules.Wait, event.Start, "", a).Deliveries[0]; !strings.Contains(d.Error, c.err) {
				t.Errorf("the list of deliveries says %q", d.Error)
			}
		})
	}
	for name, c := range map[string]struct {
		speak func(net.Conn)
		err   string
	}{
		"says nothing": {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, "within 3s"},
		"speaks HTTP": {func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
			_, _ = io.Copy(io.Discard, c)
		}, "the receiver does not speak TLS at this port"},
		"asks and closes": {func(c net.Conn) {
			_ = tls.Server(c, asking12).Handshake()
			_, _ = c.Read(make([]byte, 4096)) // the message: unread, it would reset the connection
		}, "the receiver has closed the connection without an answer, after it asked for a certificate of its client: webhooks have none"},
		"closes after hello": {func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) }, "closed the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := sendTo(t, known, func(l net.Listener) {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					go func() {
						defer conn.Close()
						c.speak(conn)
					}()
				}
			})
			if a.Succeeded() || !strings.Contains(a.Err, c.err) || strings.Contains(a.Err, "geheim") {
				t.Errorf("the attempt is %+v", a)
			}
		})
	}
}

// sendTo sends a message to a listener as https://receiver.example, and trusts the authority.
func sendTo(t *testing.T, trusted *authority, serve func(net.Listener)) rules.Attempt {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go serve(l)
	roots := x509.NewCertPool()
	roots.AddCert(trusted.root)
	sender := webhook.New(webhook.Options{Now: time.Now, Allow: loopback, Roots: roots, Resolver: always(t, "127.0.0.1"), Timeout: 3 * time.Second})
	t.Cleanup(sender.Close)
	return sender.Send(t.Context(), fmt.Sprintf("https://receiver.example:%d/?token=geheim", l.Addr().(*net.TCPAddr).Port), rules.Message{})
}
