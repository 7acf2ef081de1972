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

// session is the workbench of a case: an administrator, and the means to make users and
// problems of its own.
type session struct {
	*trial
	server *server
	admin  *client
	seed   uint64 // of the random draws of the case

	making sync.Mutex
	left   []string // the paths of the new users and components
}

// newSession returns the session of a case. The random draws of the case begin with the
// seed.
func newSession(t *trial, v *server, seed uint64) *session {
	s := &session{trial: t, server: v, seed: seed}
	s.admin = s.as(v.token)
	s.admin.name = "administrator"
	t.Cleanup(s.leave)
	return s
}

// leave makes the users of the case inactive, so their tokens are revoked (D17), and
// closes its components. A failure here is no complaint: the case is over.
func (s *session) leave() {
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
		if _, err := s.admin.exchange(ctx, &answer{}, http.MethodPatch, path, body); err != nil {
			return
		}
	}
}

// made returns the identifiers of the case's users.
func (s *session) made() (users []string) {
	s.making.Lock()
	defer s.making.Unlock()
	for _, path := range s.left {
		if user, ok := strings.CutPrefix(path, "/users/"); ok {
			users = append(users, user)
		}
	}
	return users
}

// as returns a client with the given token; an empty one sends none.
func (s *session) as(token string) *client {
	c := s.below(api)
	c.token = token
	if token != "" {
		c.name = "another token"
	}
	return c
}

// outside returns a client without a token for paths outside the API.
func (s *session) outside() *client { return s.below("") }

// below returns a client without a token.
func (s *session) below(path string) *client {
	return &client{t: s.trial, wire: s.server.wire, base: s.server.baseURL + path, name: "nobody", made: func(path string) {
		s.making.Lock()
		defer s.making.Unlock()
		s.left = append(s.left, path)
	}}
}

// alive asks a path of probes. A server below a base path has it there or at the root:
// its supervisors may not know the base path.
func (s *session) alive(path string) *answer {
	s.Helper()
	c := s.outside()
	if a := c.get(path); a.status == http.StatusOK {
		return a
	}
	base, err := url.Parse(s.server.baseURL)
	if err != nil {
		s.Fatalf("the base URL: %v", err)
	}
	c.base = base.Scheme + "://" + base.Host
	return c.get(path)
}

// unique returns an unused text.
func (s *session) unique(prefix string) string {
	return prefix + "-" + strings.ToLower(rand.Text()[:12])
}

// person is a user with a token.
type person struct {
	*client
	identifier, name, email string
}

// ref is the person as a reference inside another object (D2).
func (p person) ref() any {
	return map[string]any{"identifier": p.identifier, "name": p.name}
}

// object is the whole active user (D2).
func (p person) object() any {
	return map[string]any{"identifier": p.identifier, "name": p.name, "email": p.email, "inactive": false}
}

// user makes a user with a token of the scope write.
func (s *session) user() person {
	s.Helper()
	return s.userWith("write")
}

// userWith makes a user with a token of the given scope.
func (s *session) userWith(scope string) person {
	s.Helper()
	name := s.unique("user")
	p := person{name: name, email: name + "@Example.org"}
	made := s.admin.post("/users", encode(map[string]any{"name": p.name, "email": p.email})).is(201)
	p.identifier = made.text("/identifier")
	p.client = s.as(s.token(p.identifier, scope))
	p.client.name = name
	return p
}

// token issues a token for a user.
func (s *session) token(user, scope string) string {
	s.Helper()
	return secret(s.admin.post("/tokens",
		encode(map[string]any{"user": map[string]any{"identifier": user}, "scope": scope})).is(201))
}

// part is the whole active user as JSON text.
func (p person) part() string { return encode(p.object()) }

// deactivate makes the person inactive.
func (s *session) deactivate(p person) {
	s.Helper()
	s.admin.patch("/users/"+p.identifier, `{"inactive":true}`).is(200)
}

// secret returns the token in the answer to POST /tokens.
func secret(a *answer) string {
	a.t.Helper()
	return a.text("/token")
}

// problem is a problem of the case.
type problem struct {
	id   int64
	path string
}

// create makes a problem with the given JSON members beside a title.
func (s *session) create(c *client, members ...string) problem {
	s.Helper()
	body := "{" + strings.Join(append([]string{`"title":` + encode(s.unique("Problem"))}, members...), ",") + "}"
	id := c.post("/problems", body).is(201).number("/identifier")
	return problem{id, fmt.Sprintf("/problems/%d", id)}
}

// problem makes a problem of the administrator.
func (s *session) problem() problem {
	s.Helper()
	return s.create(s.admin)
}

// keyword returns the path of a keyword; the name is escaped already.
func (p problem) keyword(name string) string { return p.path + "/keywords/" + name }

// link returns the body of W6 and W7 towards p.
func link(kind string, p problem) string {
	return fmt.Sprintf(`{"type":%q,"problemIdentifier":%d}`, kind, p.id)
}

// relate adds a relationship that has to be new.
func (s *session) relate(a problem, kind string, b problem) {
	s.Helper()
	s.admin.put(a.path+"/relationships", link(kind, b)).is(201)
}

// load returns the problem as the client sees it (R1).
func (p problem) load(c *client) *answer {
	c.t.Helper()
	return c.get(p.path).is(200)
}

// untouched runs f and demands that it left the problem as it was: the same
// revision, the same log, the same comments, relationships and watchers.
func (s *session) untouched(p problem, f func()) {
	s.Helper()
	before := s.everything(p)
	f()
	if after := s.everything(p); before != after {
		s.Fatalf("the problem has changed:\n%s\nto\n%s", before, after)
	}
}

func (s *session) everything(p problem) string {
	s.Helper()
	var b strings.Builder
	for _, part := range []string{"", "/comments", "/relationships", "/watchers"} {
		b.WriteString(encode(s.admin.get(p.path + part).is(200).value))
		b.WriteByte('\n')
	}
	return b.String()
}

// eventually demands that one of some attempts succeeds. It is for what other
// users of the server may disturb for a moment, not for waiting.
func (s *session) eventually(attempt func() bool, format string, args ...any) {
	s.Helper()
	for range 100 {
		if attempt() {
			return
		}
	}
	s.Fatalf(format, args...)
}

// unchanged demands that a GET with the ETag just received is answered with 304.
// Other users of the server may change the catalogue, and so the ETag, in between.
func (s *session) unchanged(c *client, path string) {
	s.Helper()
	s.eventually(func() bool {
		return c.get(path, with("If-None-Match", c.get(path).is(200).etag())).status == 304
	}, "GET %s is never answered with 304", path)
}

// twins makes n users of one name, and returns it.
func (s *session) twins(n int) string {
	s.Helper()
	name := s.unique("twin")
	for range n {
		s.admin.post("/users", encode(map[string]any{"name": name, "email": s.unique("address") + "@example.org"})).is(201)
	}
	return name
}

// problemMembers are the members of a single problem (D1).
var problemMembers = []string{
	"identifier", "title", "state", "priority", "classification", "component", "milestone", "assignee",
	"originator", "modifier", "modificationDate", "resolver", "resolveDate", "creationDate",
	"keywords", "watching", "read", "readByAssignee", "revision", "logs",
}

// tokenForm is the form of tokens (D17).
var tokenForm = regexp.MustCompile(`^pts_[0-9A-Za-z]{49}$`)
