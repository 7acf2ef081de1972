package webhook_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/webhook"
	rules "github.com/problemtracking/problems/domain/webhook"
)

// receiverAt starts a receiver at an address and port. With port 0 any is taken. It keeps no
// connection, so each message resolves the name again.
func receiverAt(t *testing.T, address string, port int) (listensAt int, messages *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, fmt.Sprint(port)))
	if err != nil {
		t.Fatal(err)
	}
	messages = new(atomic.Int64)
	receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { messages.Add(1) }))
	receiver.Listener.Close()
	receiver.Listener = listener
	receiver.Config.SetKeepAlivesEnabled(false)
	receiver.Start()
	t.Cleanup(receiver.Close)
	return listener.Addr().(*net.TCPAddr).Port, messages
}

// A name changes its address between two attempts, or has several addresses at a time. No
// message arrives at one that is not allowed. Here 127.0.0.2 stands for a public address.
func TestRebinding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		// a and aaaa are the answers to the questions about a name, in turn.
		a, aaaa [][]string
		taken   []bool // by the allowed receiver: each message
	}{
		"inside":                          {a: [][]string{{"127.0.0.1"}}, taken: []bool{false, false}},
		"public, then inside":             {a: [][]string{{"127.0.0.2"}, {"127.0.0.1"}}, taken: []bool{true, false, true, false}},
		"inside, then public":             {a: [][]string{{"127.0.0.1"}, {"127.0.0.2"}}, taken: []bool{false, true, false, true}},
		"both, the public one first":      {a: [][]string{{"127.0.0.2", "127.0.0.1"}}, taken: []bool{true, true}},
		"both, the public one last":       {a: [][]string{{"127.0.0.1", "127.0.0.2"}}, taken: []bool{true, true}},
		"IPv6 inside":                     {aaaa: [][]string{{"::1"}}, taken: []bool{false, false}},
		"IPv6 inside, IPv4 public":        {a: [][]string{{"127.0.0.2"}}, aaaa: [][]string{{"::1"}}, taken: []bool{true, true}},
		"IPv4 as IPv6":                    {aaaa: [][]string{{"::ffff:127.0.0.1"}}, taken: []bool{false, false}},
		"IPv6 through a translator":       {aaaa: [][]string{{"64:ff9b::7f00:1", "64:ff9b:1::7f00:1"}}, taken: []bool{false, false}},
		"public, then metadata, by turns": {a: [][]string{{"127.0.0.2"}, {"169.254.169.254", "168.63.129.16"}}, taken: []bool{true, false, true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			port, inside := receiverAt(t, "127.0.0.1", 0)
			_, public := receiverAt(t, "127.0.0.2", port)
			sender := webhook.New(webhook.Options{
				Now: time.Now, Resolver: dns(t, c.a, c.aaaa), Timeout: 10 * time.Second, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")},
			})
			defer sender.Close()
			var arrived int64
			for i, taken := range c.taken {
				a := sender.Send(t.Context(), fmt.Sprintf("http://rebind.example.org:%d/", port), rules.Message{})
				if a.Succeeded() != taken || !taken && (!strings.Contains(a.Err, "is not public") || !strings.Contains(a.Err, webhook.AllowSetting)) {
					t.Errorf("message %d: the attempt is %+v, want success: %t", i, a, taken)
				}
				if taken {
					arrived++
				}
			}
			if n, m := inside.Load(), public.Load(); n != 0 || m != arrived {
				t.Errorf("%d messages have arrived inside, and %d at the public address, want 0 and %d", n, m, arrived)
			}
		})
	}
}

// always returns a resolver that knows one address for every name.
func always(t *testing.T, address string) *net.Resolver {
	t.Helper()
	return dns(t, [][]string{{address}}, nil)
}

// dns returns a resolver that asks a server of the test. a and aaaa are the addresses in the
// answers to questions of these types, in turn.
func dns(t *testing.T, a, aaaa [][]string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		turns := map[byte]int{}
		buffer := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			question := buffer[12:n]
			end := strings.IndexByte(string(question), 0) + 5
			kind := question[end-3]
			var found []string
			if of := map[byte][][]string{1: a, 28: aaaa}[kind]; len(of) > 0 {
				found = of[turns[kind]%len(of)]
				turns[kind]++
			}
			_, _ = server.WriteTo(answerTo(buffer[:2], question[:end], kind, found), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// answerTo returns the answer of a DNS server, with the addresses of one kind.
func answerTo(id, question []byte, kind byte, addresses []string) []byte {
	answer := append([]byte{id[0], id[1], 0x81, 0x80, 0, 1, 0, byte(len(addresses)), 0, 0, 0, 0}, question...)
	for _, text := range addresses {
		address := netip.MustParseAddr(text).AsSlice()
		answer = append(answer, 0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, byte(len(address)))
		answer = append(answer, address...)
	}
	return answer
}
