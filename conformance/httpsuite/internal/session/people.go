package session

import "strings"

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
	return map[string]any{"identifier": p.Identifier, "name": p.Name, "email": p.Email, "inactive": false, "robotOf": nil}
}

// Part is the whole active user as JSON text.
func (p Person) Part() string { return Encode(p.Object()) }

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

// Twins makes n users of one name, and returns it.
func (s *Session) Twins(n int) string {
	s.Helper()
	name := s.Unique("twin")
	for range n {
		s.Admin.Post("/users", Encode(map[string]any{"name": name, "email": s.Unique("address") + "@example.org"})).Is(201)
	}
	return name
}

// Deactivate makes the person inactive.
func (s *Session) Deactivate(p Person) {
	s.Helper()
	s.Admin.Patch("/users/"+p.Identifier, `{"inactive":true}`).Is(200)
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
