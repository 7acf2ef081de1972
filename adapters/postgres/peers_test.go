package postgres_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// TestPeerIsStuck lets the network of one server hold back the second half of a
// write, when its first half has locked what another server wants to write.
func TestPeerIsStuck(t *testing.T) {
	t.Parallel()
	const timeout = 2 * time.Second
	target := postgrestest.Schema(t)
	valve := newValve(t, target)
	stuck := open(t, postgres.Options{URL: valve.url, Connections: 1, Timeout: timeout})
	other := open(t, postgres.Options{URL: target, Timeout: timeout})
	admin := connect(t, target)
	from := newSource()
	problems := create(t, other, from, 2)

	mine, shared := problems[0], problems[1]
	var whole int64
	for range 2 { // the second time the statements are prepared
		before := valve.passed()
		var change store.Change
		change, mine = from.revise(mine, problem.FieldChanged)
		if _, err := stuck.Commit(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		whole = valve.passed() - before
	}
	held, _ := from.revise(shared, problem.FieldChanged)
	valve.shutAfter(whole / 2)
	result := make(chan error, 1)
	go func() {
		_, err := stuck.Commit(t.Context(), held)
		result <- err
	}()
	eventually(t, "the row is locked", func() bool {
		var free int
		if err := admin.QueryRow(t.Context(), "SELECT count(*) FROM (SELECT FROM problems WHERE id = $1 FOR UPDATE SKIP LOCKED) AS free", shared.ID).Scan(&free); err != nil {
			t.Fatal(err)
		}
		return free == 0
	})

	rival, _ := from.revise(shared, problem.FieldChanged)
	began := time.Now()
	_, err := other.Commit(t.Context(), rival)
	unavailable(t, "a write of the same problem by another server", err, "keeps the store busy", began, timeout+grace)
	free, _ := from.revise(mine, problem.FieldChanged)
	if _, err := other.Commit(t.Context(), free); err != nil {
		t.Errorf("a write of another problem meanwhile: %v", err)
	}

	select {
	case err := <-result: // the stuck one gives up by itself, and closes its connection
		if !fault.Is(err, fault.UnknownOutcome) {
			t.Errorf("the write that was held back gave %v; want %s", err, fault.UnknownOutcome)
		}
	case <-time.After(patience):
		t.Fatalf("the write that was held back has not ended after %s", patience)
	}
	valve.cut()
	eventually(t, "the other server can write", func() bool {
		_, err = other.Commit(t.Context(), rival)
		return err == nil || !fault.Is(err, fault.Unavailable)
	})
	if err != nil {
		t.Errorf("the same write when the connection is gone: %v", err)
	}
	if _, there, err := other.Outcome(t.Context(), held.Batch, held.At); err != nil || there {
		t.Errorf("the write that was held back: stored %t, %v", there, err)
	}
	if _, err := stuck.Versions(t.Context()); err != nil {
		t.Errorf("the server that was stuck does not go on: %v", err)
	}
}

// valve forwards connections to a server, and holds back what clients send when it
// is told to: unlike a Proxy after a number of bytes.
type valve struct {
	url      string
	listener net.Listener

	mu    sync.Mutex
	wake  *sync.Cond
	count int64
	shut  int64 // nothing more is forwarded beyond this count
	conns []net.Conn
}

func newValve(t conformance.T, target string) *valve {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("the valve: %v", err)
	}
	u, err := url.Parse(target)
	if err != nil {
		t.Fatalf("the valve: %v", err)
	}
	host := u.Host
	u.Host = listener.Addr().String()
	const open = 1 << 62
	v := &valve{url: u.String(), listener: listener, shut: open}
	v.wake = sync.NewCond(&v.mu)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed
			}
			server, err := net.Dial("tcp", host)
			if err != nil {
				_ = client.Close() // which the test notices
				continue
			}
			v.mu.Lock()
			v.conns = append(v.conns, client, server)
			v.mu.Unlock()
			running.Go(func() { _, _ = io.Copy(client, server); _ = client.Close() })
			running.Go(func() { v.forward(server, client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		v.cut()
		running.Wait()
	})
	return v
}

func (v *valve) forward(server, client net.Conn) {
	defer server.Close()
	b := make([]byte, 1)
	for {
		if _, err := client.Read(b); err != nil {
			return
		}
		v.mu.Lock()
		for v.count >= v.shut {
			v.wake.Wait()
		}
		v.count++
		v.mu.Unlock()
		if _, err := server.Write(b); err != nil {
			return
		}
	}
}

// passed is how many bytes were forwarded to the server.
func (v *valve) passed() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.count
}

// shutAfter holds back what comes after n more bytes.
func (v *valve) shutAfter(n int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut = v.count + n
}

// open lets everything through that was held back.
func (v *valve) open() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut = 1 << 62
	v.wake.Broadcast()
}

// cut closes all connections, drops what was held back, and lets new ones through.
func (v *valve) cut() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, conn := range v.conns {
		_ = conn.Close()
	}
	v.conns, v.shut = nil, 1<<62
	v.wake.Broadcast()
}
