package webhook_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"code.dny.dev/ssrf"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/problemtracking/problems/adapters/webhook"
	"github.com/problemtracking/problems/domain/ident"
	rules "github.com/problemtracking/problems/domain/webhook"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func message(e rules.Endpoint, key rules.Key, at time.Time) rules.Message {
	m := rules.Message{ID: "evt_1", Time: at, Body: []byte(`{"type":"problem.created","timestamp":"2026-03-14T09:30:00.000Z","data":{"title":"é"}}`)}
	m.Signature, _ = e.Sign(key, m.ID, at, m.Body)
	return m
}

// The receiver checks the message by the Go library of Standard Webhooks, also after
// two rotations with each of the secrets.
func TestSignaturesAgreeWithTheStandard(t *testing.T) {
	t.Parallel()
	key := rules.NewKey([32]byte{7})
	now := time.Now()
	rotated := rules.Endpoint{ID: ident.ID{1}, Secret: rules.SecretRef{Key: key.ID(), Generation: 3, Rotated: now, RotatedBefore: now}}
	secrets := map[int64]bool{0: false, 1: true, 2: true, 3: true, 4: false}
	var mu sync.Mutex
	var checked []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		for generation, valid := range secrets {
			library, err := standardwebhooks.NewWebhook(key.Secret(rotated.ID, generation).Reveal())
			if err != nil {
				checked = append(checked, err.Error())
				continue
			}
			if err := library.Verify(body, r.Header); (err == nil) != valid {
				checked = append(checked, fmt.Sprintf("secret %d: %v", generation, err))
			}
			if err := library.Verify(append(body, ' '), r.Header); err == nil {
				checked = append(checked, "another body has the same signature")
			}
		}
		checked = append(checked, r.Method+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("User-Agent")+" "+r.Header.Get("Webhook-Id"))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	sender := webhook.New(webhook.Options{Now: time.Now, Allow: loopback, Version: "1.2"})
	defer sender.Close()
	a := sender.Send(t.Context(), receiver.URL, message(rotated, key, now))
	if a.Status != http.StatusNoContent || a.Err != "" || !a.Succeeded() || a.Duration <= 0 {
		t.Errorf("the attempt is %+v", a)
	}
	if want := []string{"POST application/json problems/1.2 evt_1"}; fmt.Sprint(checked) != fmt.Sprint(want) {
		t.Errorf("the receiver found %q", checked)
	}
}

// The published vector of Standard Webhooks, and further messages: our signature is that of
// the Go library, and the library takes it among other ones.
func TestVectorsAgreeWithTheStandard(t *testing.T) {
	t.Parallel()
	published := rules.Message{ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", Time: time.Unix(1614265330, 0), Body: []byte(`{"test": 2432232314}`)}
	for _, m := range []rules.Message{published, {ID: "a", Time: time.Unix(0, 0)}, {ID: "evt_é", Time: time.Unix(1<<33, 999), Body: []byte("é\x00\n.")}} {
		for _, text := range []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", rules.NewKey([32]byte{9}).Secret(ident.ID{1}, 1).Reveal()} {
			secret, err := rules.ParseSecret(text)
			if err != nil {
				t.Fatal(err)
			}
			library, err := standardwebhooks.NewWebhook(text)
			if err != nil {
				t.Fatal(err)
			}
			ours := secret.Sign(m.ID, m.Time, m.Body)
			if theirs, err := library.Sign(m.ID, m.Time, m.Body); err != nil || theirs != ours {
				t.Errorf("%s: our signature is %s, that of the library %s (%v)", m.ID, ours, theirs, err)
			}
			other := rules.NewKey([32]byte{8}).Secret(ident.ID{1}, 1).Sign(m.ID, m.Time, m.Body)
			for signatures, valid := range map[string]bool{
				ours: true, ours + " " + other: true, other + " " + ours: true, "v1a,AAAA " + other + " " + ours: true,
				other: false, other + " " + other: false, "v2" + strings.TrimPrefix(ours, "v1"): false, strings.TrimPrefix(ours, "v1,"): false,
			} {
				header := http.Header{}
				header.Set("webhook-id", m.ID)
				header.Set("webhook-timestamp", rules.Timestamp(m.Time))
				header.Set("webhook-signature", signatures)
				if err := library.VerifyIgnoringTimestamp(m.Body, header); (err == nil) != valid {
					t.Errorf("%s with %q: %v, want valid: %t", m.ID, signatures, err, valid)
				}
			}
		}
	}
}

// Whatever form an address has, and however a name leads to it: what is not public is
// refused before a connection.
func TestAddressesThatAreNotPublic(t *testing.T) {
	t.Parallel()
	sender := webhook.New(webhook.Options{Now: time.Now, Timeout: 5 * time.Second})
	for _, host := range []string{
		"127.0.0.1", "127.1.2.3", "localhost", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[0:0:0:0:0:0:0:1]",
		"168.63.129.16", "100.100.100.200", "192.0.0.192", "[::ffff:169.254.169.254]", "[::ffff:a83f:8110]",
		"[64:ff9b:1::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "[2001:0::a9fe:a9fe]", "[fec0::1]", "[fe80::1%25lo]", "[2606:4700::1111%25lo]", "[fd20:ce::254]", "[3fff::1]", "[4000::1]",
		"[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "[2002:a00:1::]", "[2001::1]", "[2001:db8::1]", "[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[ff02::1]", "[100::1]",
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			a := sender.Send(t.Context(), "http://"+host+":9/", rules.Message{})
			if a.Succeeded() || a.Status != 0 || !strings.Contains(a.Err, "is not public") || !strings.Contains(a.Err, "PROBLEMS_WEBHOOK_ALLOW") {
				t.Errorf("the attempt is %+v", a)
			}
		})
	}
	// Forms of IPv4 that some resolvers read, and some do not.
	for _, host := range []string{"0x7f.1", "2130706433", "0177.0.0.1", "127.1", "0"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			if a := sender.Send(t.Context(), "http://"+host+":9/", rules.Message{}); a.Succeeded() || strings.Contains(a.Err, "refused:") || strings.Contains(a.Err, "connection refused") {
				t.Errorf("a connection was tried: %+v", a)
			}
		})
	}
}

func TestAllowedNetworks(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer receiver.Close()
	for allow, ok := range map[string]bool{"127.0.0.1/32": true, "127.0.0.0/8": true, "0.0.0.0/0": true, "127.0.0.2/32": false, "::/0": false, "10.0.0.0/8": false} {
		sender := webhook.New(webhook.Options{Now: time.Now, Allow: []netip.Prefix{netip.MustParsePrefix(allow)}})
		if a := sender.Send(t.Context(), receiver.URL, rules.Message{}); a.Succeeded() != ok {
			t.Errorf("%s: %+v", allow, a)
		}
		sender.Close()
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer target.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		receiver := httptest.NewServer(http.RedirectHandler(target.URL, status))
		sender := webhook.New(webhook.Options{Now: time.Now, Allow: loopback})
		if a := sender.Send(t.Context(), receiver.URL, rules.Message{}); a.Succeeded() || a.Status != status || a.Err != "" {
			t.Errorf("%d: %+v", status, a)
		}
		sender.Close()
		receiver.Close()
	}
	if reached.Load() {
		t.Error("a redirect was followed")
	}
}

// Proxies of the environment do not count: they would connect in place of the guard.
func TestNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:9")
	t.Setenv("http_proxy", "http://127.0.0.1:9")
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer receiver.Close()
	host := strings.Replace(receiver.URL, "127.0.0.1", "proxied.example.org", 1)
	sender := webhook.New(webhook.Options{Now: time.Now, Allow: loopback, Resolver: always(t, "127.0.0.1")})
	defer sender.Close()
	if a := sender.Send(t.Context(), host, rules.Message{}); !a.Succeeded() {
		t.Errorf("the attempt is %+v", a)
	}
}

func TestBadReceivers(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	var sent atomic.Int64
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		status int
		err    string
	}{
		"hangs": {func(http.ResponseWriter, *http.Request) { <-hang }, 0, "within 1s"},
		"hangs in the body": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-hang
		}, 200, ""},
		"sends without end": {func(w http.ResponseWriter, r *http.Request) {
			part := make([]byte, 32<<10)
			for r.Context().Err() == nil {
				n, err := w.Write(part)
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		}, 200, ""},
		"is gone":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, 410, ""},
		"closes at once": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, "closed the connection"},
		"closes in the middle": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("a"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, 200, ""},
		"sends large headers": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("A", strings.Repeat("a", 64<<10)) }, 0, "headers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := httptest.NewUnstartedServer(c.handle)
			receiver.Config.ErrorLog = quiet()
			receiver.Start()
			t.Cleanup(receiver.CloseClientConnections)
			sender := webhook.New(webhook.Options{Now: time.Now, Allow: loopback, Timeout: time.Second})
			a := sender.Send(t.Context(), receiver.URL, rules.Message{})
			if a.Status != c.status || !strings.Contains(a.Err, c.err) || (a.Err == "") != (c.err == "") {
				t.Errorf("the attempt is %+v", a)
			}
			if a.Duration > 10*time.Second {
				t.Errorf("it took %s", a.Duration)
			}
		})
	}
	t.Cleanup(func() {
		if n := sent.Load(); n > 64<<20 { // what the system buffers is far less
			t.Errorf("%d bytes of an answer without end were taken", n)
		}
	})
}

// A name without an answer from the DNS is no receiver that hangs.
func TestSilentDNS(t *testing.T) {
	t.Parallel()
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", silent.LocalAddr().String())
	}}
	sender := webhook.New(webhook.Options{Now: time.Now, Allow: loopback, Resolver: resolver, Timeout: 100 * time.Millisecond})
	defer sender.Close()
	if a := sender.Send(t.Context(), "https://receiver.example/", rules.Message{}); !strings.Contains(a.Err, "no answer from the DNS within 100ms") {
		t.Errorf("the attempt is %+v", a)
	}
}

// A receiver answers with success and then hangs. The next message does not wait for the end
// of the attempt's time, and gets a connection of its own.
func TestBodyThatHangs(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // the end of the connection
	}))
	receiver.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	receiver.Start()
	defer receiver.Close()
	sender := webhook.New(webhook.Options{Now: time.Now, Allow: loopback, Timeout: time.Hour})
	defer sender.Close()
	for range 2 {
		if a := sender.Send(t.Context(), receiver.URL, rules.Message{Body: []byte("{}")}); !a.Succeeded() || a.Duration > time.Minute {
			t.Errorf("the attempt is %+v", a)
		}
	}
	if n := connections.Load(); n != 2 {
		t.Errorf("%d connections were made, want 2", n)
	}
}

// After status 101 the connection belongs to neither side's HTTP: no end of a context closes
// it. A receiver that answers so and then keeps silent holds up nobody.
func TestSwitchedProtocols(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer close(gone)
		c, both, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		_, _ = both.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: silence\r\n\r\n")
		_ = both.Flush()
		_, _ = c.Read(make([]byte, 1)) // until the sender has gone
	}))
	defer receiver.Close()
	sender := webhook.New(webhook.Options{Now: time.Now, Allow: loopback, Timeout: time.Second})
	defer sender.Close()
	attempt := make(chan rules.Attempt, 1)
	go func() { attempt <- sender.Send(t.Context(), receiver.URL, rules.Message{Body: []byte("{}")}) }()
	select {
	case a := <-attempt:
		if a.Succeeded() || a.Status != http.StatusSwitchingProtocols {
			t.Errorf("the attempt is %+v", a)
		}
	case <-time.After(20 * time.Second):
		receiver.CloseClientConnections()
		t.Fatal("the attempt has no end")
	}
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Error("the connection stays open")
	}
}

// Receivers close idle connections, some of them after a second. One that does so in the moment
// of a message gets it over a new connection: nothing has failed.
func TestKeptConnectionThatCloses(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var messages atomic.Int64
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(c)
			for {
				r, err := http.ReadRequest(in)
				if err != nil {
					break
				}
				if _, sent := r.Header["Idempotency-Key"]; sent {
					t.Error("the message has an Idempotency-Key")
				}
				_, _ = io.Copy(io.Discard, r.Body)
				if messages.Add(1) == 2 {
					break // without an answer
				}
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			}
			_ = c.Close()
		}
	}()
	sender := webhook.New(webhook.Options{Now: time.Now, Allow: loopback})
	defer sender.Close()
	for range 2 {
		if a := sender.Send(t.Context(), "http://"+listener.Addr().String(), rules.Message{Body: []byte("{}")}); !a.Succeeded() {
			t.Errorf("the attempt is %+v", a)
		}
	}
	if n := messages.Load(); n != 3 {
		t.Errorf("%d messages arrived, want 3", n)
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	receiver.Config.ErrorLog = quiet()
	receiver.StartTLS()
	defer receiver.Close()
	strict := webhook.New(webhook.Options{Now: time.Now, Allow: loopback})
	if a := strict.Send(t.Context(), receiver.URL, rules.Message{}); a.Succeeded() || !strings.Contains(a.Err, "certificate of the receiver is not valid") {
		t.Errorf("an unknown authority: %+v", a)
	}
	roots := x509.NewCertPool()
	roots.AddCert(receiver.Certificate())
	trusting := webhook.New(webhook.Options{Now: time.Now, Allow: loopback, Roots: roots, Resolver: always(t, "127.0.0.1")})
	if a := trusting.Send(t.Context(), receiver.URL, rules.Message{}); !a.Succeeded() {
		t.Errorf("a known authority: %+v", a)
	}
	u, err := url.Parse(receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	if a := trusting.Send(t.Context(), "https://other.example.net:"+u.Port(), rules.Message{}); a.Succeeded() || !strings.Contains(a.Err, "certificate") {
		t.Errorf("another name: %+v", a)
	}
}

func TestEndOfTheContext(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	accepted := make(chan struct{})
	go func() {
		c, err := listener.Accept()
		if err == nil {
			_, _ = bufio.NewReader(c).ReadString('\n')
			close(accepted)
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-accepted; cancel() }()
	if a := webhook.New(webhook.Options{Now: time.Now, Allow: loopback}).Send(ctx, "http://"+listener.Addr().String(), rules.Message{}); a.Succeeded() || a.Err == "" {
		t.Errorf("the attempt is %+v", a)
	}
}

// The page has all addresses that are refused.
func TestPageNamesRefusedAddresses(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../app/docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	refused := slices.Concat(ssrf.IPv4DeniedPrefixes, ssrf.IPv6DeniedPrefixes, []netip.Prefix{ssrf.IPv6GlobalUnicast, netip.MustParsePrefix("168.63.129.16/32")})
	for _, p := range refused {
		if !strings.Contains(string(page), "`"+p.String()+"`") {
			t.Errorf("the page lacks %s", p)
		}
	}
}
