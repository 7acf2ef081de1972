package postgres

import (
	"context"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// A fail-over can come at any time while a COMMIT waits for a standby. So the store looks at the
// other hosts not only once.
func TestAwaitLooksForAnotherPrimaryAgain(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	looks := make(chan struct{})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			_ = conn.Close()
			select {
			case looks <- struct{}{}:
			default: // of the start
			}
		}
	}()
	u, err := url.Parse(postgrestest.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	u.Host += "," + listener.Addr().String()
	s, err := Open(t.Context(), Options{URL: u.String(), AutoMigrate: true, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan bool)
	go func() { ended <- s.await(ctx, make(chan struct{})) }()
	for range 3 {
		select {
		case <-looks:
		case <-ended:
			t.Fatal("the wait has ended before the next look at the other host")
		}
	}
	cancel()
	if <-ended {
		t.Error("the wait has ended as if the COMMIT had")
	}
}
