package httpsuite

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Session is the workbench of a case: an administrator, and the means to make users and
// problems of its own.
type Session struct {
	*trial
	Server *Server
	Admin  *Client
	Seed   uint64 // of the random draws of the case

	making sync.Mutex
	left   []string // the paths of the new users and components
}

// NewSession returns the session of a case. The random draws of the case begin with the
// seed.
func NewSession(t *trial, v *Server, seed uint64) *Session {
	s := &Session{trial: t, Server: v, Seed: seed}
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

// Made returns the identifiers of the case's users.
func (s *Session) Made() (users []string) {
	s.making.Lock()
	defer s.making.Unlock()
	for _, path := range s.left {
		if user, ok := strings.CutPrefix(path, "/users/"); ok {
			users = append(users, user)
		}
	}
	return users
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
	return &Client{T: s.trial, wire: s.Server.Wire, Base: s.Server.BaseURL + path, name: "nobody", made: func(path string) {
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

// Person is a user with a token.
type Person struct {
	*Client
	Identifier, Name, Email string
}

// Ref is the person as a reference inside another object (D2).
func (p Person) Ref() any {
	return map[string]any{"identifier": p.Identifier, "name": p.Name}
}

// Object is the whole active user (D2).
func (p Person) Object() any {
	return map[string]any{"identifier": p.Identifier, "name": p.Name, "email": p.Email, "inactive": false}
}

// User makes a user with a token of the scope write.
func (s *Session) User() Person {
	s.Helper()
	return s.UserWith("write")
}

// UserWith makes a user with a token of the given scope.
func (s *Session) UserWith(scope string) Person {
	s.Helper()
	name := s.Unique("user")
	p := Person{Name: name, Email: name + "@Example.org"}
	made := s.Admin.Post("/users", Encode(map[string]any{"name": p.Name, "email": p.Email})).Is(201)
	p.Identifier = made.Text("/identifier")
	p.Client = s.As(s.Token(p.Identifier, scope))
	p.Client.name = name
	return p
}

// Token issues a token for a user.
func (s *Session) Token(user, scope string) string {
	s.Helper()
	return Secret(s.Admin.Post("/tokens",
		Encode(map[string]any{"user": map[string]any{"identifier": user}, "scope": scope})).Is(201))
}

// Part is the whole active user as JSON text.
func (p Person) Part() string { return Encode(p.Object()) }

// Deactivate makes the person inactive.
func (s *Session) Deactivate(p Person) {
	s.Helper()
	s.Admin.Patch("/users/"+p.Identifier, `{"inactive":true}`).Is(200)
}

// Secret returns the token in the answer to POST /tokens.
func Secret(a *Answer) string {
	a.T.Helper()
	return a.Text("/token")
}

// Problem is a problem of the case.
type Problem struct {
	ID   int64
	Path string
}

// Create makes a problem with the given JSON members beside a title.
func (s *Session) Create(c *Client, members ...string) Problem {
	s.Helper()
	body := "{" + strings.Join(append([]string{`"title":` + Encode(s.Unique("Problem"))}, members...), ",") + "}"
	id := c.Post("/problems", body).Is(201).Number("/identifier")
	return Problem{id, fmt.Sprintf("/problems/%d", id)}
}

// Problem makes a problem of the administrator.
func (s *Session) Problem() Problem {
	s.Helper()
	return s.Create(s.Admin)
}

// Keyword returns the path of a keyword; the name is escaped already.
func (p Problem) Keyword(name string) string { return p.Path + "/keywords/" + name }

// Link returns the body of W6 and W7 towards p.
func Link(kind string, p Problem) string {
	return fmt.Sprintf(`{"type":%q,"problemIdentifier":%d}`, kind, p.ID)
}

// Relate adds a relationship that has to be new.
func (s *Session) Relate(a Problem, kind string, b Problem) {
	s.Helper()
	s.Admin.Put(a.Path+"/relationships", Link(kind, b)).Is(201)
}

// Load returns the problem as the client sees it (R1).
func (p Problem) Load(c *Client) *Answer {
	c.T.Helper()
	return c.Get(p.Path).Is(200)
}

// Untouched runs f and demands that it left the problem as it was: the same
// revision, the same log, the same comments, relationships and watchers.
func (s *Session) Untouched(p Problem, f func()) {
	s.Helper()
	before := s.everything(p)
	f()
	if after := s.everything(p); before != after {
		s.Fatalf("the problem has changed:\n%s\nto\n%s", before, after)
	}
}

func (s *Session) everything(p Problem) string {
	s.Helper()
	var b strings.Builder
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		b.WriteString(Encode(s.Admin.Get(p.Path + part).Is(200).Value))
		b.WriteByte('\n')
	}
	return b.String()
}

// Eventually demands that one of some attempts succeeds. It is for what other
// users of the server may disturb for a moment, not for waiting.
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

// Twins makes n users of one name, and returns it.
func (s *Session) Twins(n int) string {
	s.Helper()
	name := s.Unique("twin")
	for range n {
		s.Admin.Post("/users", Encode(map[string]any{"name": name, "email": s.Unique("address") + "@example.org"})).Is(201)
	}
	return name
}

// ProblemMembers are the members of a single problem (D1).
var ProblemMembers = []string{
	"identifier", "title", "state", "priority", "classification", "component", "milestone", "assignee",
	"originator", "modifier", "modificationDate", "resolver", "resolveDate", "creationDate",
	"keywords", "watching", "read", "readByAssignee", "revision", "logs",
}

// TokenForm is the form of tokens (D17).
var TokenForm = regexp.MustCompile(`^pts_[0-9A-Za-z]{49}$`)
