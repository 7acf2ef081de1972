// Package session speaks to the server under test, for the cases of the HTTP suite. A
// [Session] belongs to one case. It has clients, and makes users and problems for the case.
// The methods of an [Answer] are assertions.
package session

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Session is the workbench of a case: an administrator, and the means to make users and
// problems of its own.
type Session struct {
	*Trial
	Server *Server
	Admin  *Client
	Seed   uint64 // of the random draws of the case

	making sync.Mutex
	left   []string // the paths of the new users and components
}

// New returns the session of a case. The random draws of the case begin with the
// seed.
func New(t *Trial, v *Server, seed uint64) *Session {
	s := &Session{Trial: t, Server: v, Seed: seed}
	s.Admin = s.As(v.token)
	s.Admin.name = "administrator"
	t.Cleanup(s.leave)
	return s
}

// leave makes the users of the case inactive, so their tokens are revoked (D17), and
// closes its components. A failure here is no complaint: the case is over.
func (s *Session) leave() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Context()), 5*time.Second)
	defer cancel()
	s.making.Lock()
	left := slices.Clone(s.left)
	s.making.Unlock()
	for _, path := range left {
		body := `{"inactive":true}`
		if strings.HasPrefix(path, "/components/") {
			body = `{"closed":true}`
		}
		if _, err := s.Admin.exchange(ctx, &Answer{}, http.MethodPatch, path, body); err != nil {
			return
		}
	}
}

// As returns a client with the given token; an empty one sends none.
func (s *Session) As(token string) *Client {
	c := s.below(API)
	c.Token = token
	if token != "" {
		c.name = "another token"
	}
	return c
}

// Outside returns a client without a token for paths outside the API.
func (s *Session) Outside() *Client { return s.below("") }

// below returns a client without a token.
func (s *Session) below(path string) *Client {
	return &Client{T: s.Trial, wire: s.Server.Wire, Base: s.Server.BaseURL + path, name: "nobody", made: func(path string) {
		s.making.Lock()
		defer s.making.Unlock()
		s.left = append(s.left, path)
	}}
}

// Alive asks a path of probes. A server below a base path has it there or at the root:
// its supervisors may not know the base path.
func (s *Session) Alive(path string) *Answer {
	s.Helper()
	c := s.Outside()
	if a := c.Get(path); a.Status == http.StatusOK {
		return a
	}
	base, err := url.Parse(s.Server.BaseURL)
	if err != nil {
		s.Fatalf("the base URL: %v", err)
	}
	c.Base = base.Scheme + "://" + base.Host
	return c.Get(path)
}

// Unique returns an unused text.
func (s *Session) Unique(prefix string) string {
	return prefix + "-" + strings.ToLower(rand.Text()[:12])
}

// Eventually demands that one of 100 attempts succeeds. Other users of the server can
// disturb an attempt for a moment. It does not wait.
func (s *Session) Eventually(attempt func() bool, format string, args ...any) {
	s.Helper()
	for range 100 {
		if attempt() {
			return
		}
	}
	s.Fatalf(format, args...)
}

// Unchanged demands that a GET with the ETag just received is answered with 304.
// Other users of the server may change the catalogue, and so the ETag, in between.
func (s *Session) Unchanged(c *Client, path string) {
	s.Helper()
	s.Eventually(func() bool {
		return c.Get(path, With("If-None-Match", c.Get(path).Is(200).ETag())).Status == 304
	}, "GET %s is never answered with 304", path)
}
