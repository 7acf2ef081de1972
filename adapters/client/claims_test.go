package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/adapters/client"
)

// transport answers requests without a network, so that the clock of a bubble goes on.
type transport func(*http.Request) (status int, body string, err error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body, err := f(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// Each part of a long wait is the same request, so with a key of the caller, another run of the
// program gets the same claim.
func TestClaimNextWaitsInEqualParts(t *testing.T) {
	t.Parallel()
	var asked []string
	to, err := client.New("http://server", client.Options{Transport: transport(func(r *http.Request) (int, string, error) {
		body, err := io.ReadAll(r.Body)
		if asked = append(asked, r.Header.Get("Idempotency-Key")+string(body)); len(asked) < 3 {
			return 204, "", err
		}
		return 200, `{"identifier":7,"claim":{"identifier":"c"}}`, err
	})})
	if err != nil {
		t.Fatal(err)
	}
	p, found, err := to.ClaimNext(t.Context(), client.Next{Lease: time.Minute, Wait: 75 * time.Second}, client.Key("k"))
	if err != nil || !found || p.Identifier != 7 {
		t.Errorf("claimed %v, %t, %v", p, found, err)
	}
	if want := `k{"lease":60,"wait":25}`; !slices.Equal(asked, []string{want, want, want}) {
		t.Errorf("it asked %q, want 3 times %q", asked, want)
	}
}

// Hold extends the claim three times in a lease of 30 seconds, also after failures. The context
// ends with the loss of the claim, with end, and with its parent, and then nothing is asked.
func TestHold(t *testing.T) {
	t.Parallel()
	fine := func(*http.Request) (int, string, error) { return 200, `{"identifier":"c"}`, nil }
	lost := func(*http.Request) (int, string, error) {
		return 412, `{"type":"/errors/claim-lost","detail":"Lost."}`, nil
	}
	cut := func(*http.Request) (int, string, error) { return 0, "", errors.New("cut") }
	silent := func(r *http.Request) (int, string, error) { <-r.Context().Done(); return 0, "", r.Context().Err() }
	gone := errors.New("gone")
	for _, c := range []struct {
		name    string
		answers []transport // the last one again and again
		after   func(end func(), parent context.CancelCauseFunc)
		asked   int // in the first 31 seconds
		cause   error
	}{
		{"extended", []transport{fine}, nil, 3, nil},
		{"no answer, and a repeat", []transport{cut, fine}, nil, 4, nil},
		{"a server that never answers", []transport{silent, fine}, nil, 3, nil},
		{"lost", []transport{fine, lost}, nil, 2, client.ClaimLost},
		{"no answer, and lost", []transport{cut, lost}, nil, 2, client.ClaimLost},
		{"refused for another reason", []transport{func(*http.Request) (int, string, error) {
			return 401, `{"type":"/errors/unauthenticated","detail":"No."}`, nil
		}, fine}, nil, 3, nil},
		{"ended", []transport{fine}, func(end func(), _ context.CancelCauseFunc) { end() }, 0, context.Canceled},
		{"the parent ended", []transport{fine}, func(_ func(), parent context.CancelCauseFunc) { parent(gone) }, 0, gone},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int64
				to, err := client.New("http://server", client.Options{Transport: transport(func(r *http.Request) (int, string, error) {
					if r.Method != http.MethodPut || !strings.HasSuffix(r.URL.Path, "/problems/7/claim") || r.Header.Get("Claim") != "c" {
						t.Errorf("%s %s has the header Claim %q", r.Method, r.URL, r.Header.Get("Claim"))
					}
					return c.answers[min(int(asked.Add(1)), len(c.answers))-1](r)
				})})
				if err != nil {
					t.Fatal(err)
				}
				parent, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				held, end := to.Hold(parent, 7, client.Claim{Identifier: "c"}, 30*time.Second)
				if c.after != nil {
					c.after(end, cancel)
				}
				time.Sleep(31 * time.Second)
				if cause := context.Cause(held); int(asked.Load()) != c.asked || !errors.Is(cause, c.cause) || (cause == nil) != (c.cause == nil) {
					t.Errorf("it asked %d times, want %d; the context ended with %v, want %v", asked.Load(), c.asked, cause, c.cause)
				}
				end()
				synctest.Wait()
				now := asked.Load()
				time.Sleep(time.Minute)
				if more := asked.Load() - now; more != 0 {
					t.Errorf("it asked %d times after the end", more)
				}
			})
		})
	}
}
