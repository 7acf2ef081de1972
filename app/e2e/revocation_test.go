package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// openEvents opens a stream of events from now on, and returns a channel that closes at its
// end.
func (s *server) openEvents(t *testing.T, token string) <-chan struct{} {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.as(token).url+"/events?after=now", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", token)
	request.Header.Set("Accept", "text/event-stream")
	response, err := (&http.Client{Transport: s.transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the stream has the status %d", response.StatusCode)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body) // however it ends
	}()
	return ended
}

// A stream ends within 2 s of the answer to the revocation of its token, by another server
// on the same database (D39). An overloaded machine gets more time: as long as another request
// of the same server has to wait.
func TestRevocationEndsStreamsOfAnotherServer(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second
	store, admin := postgrestest.Schema(t), newToken(t)
	here, there := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+admin), serve(t, store)
	var users []struct{ Identifier string }
	here.as(admin).get(t, "/users", &users)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	written := make(chan struct{})
	go func() { // events and other requests move the looks at the token
		defer close(written)
		for ctx.Err() == nil {
			there.as(admin).do(http.MethodPost, "/problems", `{"title":"One more"}`)
			here.as(admin).do(http.MethodGet, "/problems/1", "")
			select {
			case <-ctx.Done():
			case <-time.After(350 * time.Millisecond):
			}
		}
	}()
	for range 5 {
		code, body := there.as(admin).do(http.MethodPost, "/tokens", `{"user":{"identifier":"`+users[0].Identifier+`"},"scope":"read"}`)
		var made struct{ Identifier, Token string }
		if err := json.Unmarshal(body, &made); err != nil || code != http.StatusCreated {
			t.Fatal(code, string(body))
		}
		ended := here.openEvents(t, made.Token)
		if code, body := there.as(admin).do(http.MethodDelete, "/tokens/"+made.Identifier, ""); code != http.StatusNoContent {
			t.Fatal(code, string(body))
		}
		revoked := time.Now()
		var delay atomic.Int64 // of the machine
		waiting, over := context.WithCancel(ctx)
		measured := make(chan struct{})
		go func() {
			defer close(measured)
			for waiting.Err() == nil {
				began := time.Now()
				here.as(admin).do(http.MethodGet, "/users?limit=1", "")
				delay.Store(max(delay.Load(), int64(time.Since(began))))
			}
		}()
		select {
		case <-ended:
		case <-time.After(patience):
			t.Fatal("the stream does not end")
		}
		took := time.Since(revoked)
		over()
		<-measured
		if most := limit + time.Duration(delay.Load()); took > most {
			t.Errorf("the stream ended %v after the revocation, want at most %v", took, most)
		}
	}
	stop()
	<-written
}
