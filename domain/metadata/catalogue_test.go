package metadata

import (
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

func TestCatalogueOrder(t *testing.T) {
	t.Parallel()
	content := NewCatalogue(ident.Version{Number: 7}, Content{
		States:          []State{{ID: id(1), Name: "b", Order: 2}, {ID: id(2), Name: "c", Order: 1}, {ID: id(4), Name: "a", Order: 2}, {ID: id(3), Name: "a", Order: 2}},
		Priorities:      []Priority{{ID: id(1), Name: "b"}, {ID: id(2), Name: "a"}, {ID: id(3), Name: "z", Order: -1}},
		Classifications: []Classification{{ID: id(1), Name: "é"}, {ID: id(2), Name: "z"}, {ID: id(3), Name: "Z"}},
		Components:      []Component{{ID: id(2), Name: "a", Parent: id(3)}, {ID: id(1), Name: "a"}, {ID: id(3), Name: "0"}},
		Milestones:      []Milestone{{ID: id(1), Name: "2.0"}, {ID: id(2), Name: "10.0"}},
		Users:           []user.User{{ID: id(2), Name: "Ann"}, {ID: id(1), Name: "Ann"}, {ID: id(3), Name: "Al"}},
	}).Content()
	for _, c := range []struct {
		kind Kind
		got  []ident.ID
		want []int
	}{
		{States, ids(content.States, func(o State) ident.ID { return o.ID }), []int{2, 3, 4, 1}},
		{Priorities, ids(content.Priorities, func(o Priority) ident.ID { return o.ID }), []int{3, 2, 1}},
		{Classifications, ids(content.Classifications, func(o Classification) ident.ID { return o.ID }), []int{3, 2, 1}},
		{Components, ids(content.Components, func(o Component) ident.ID { return o.ID }), []int{3, 1, 2}},
		{Milestones, ids(content.Milestones, func(o Milestone) ident.ID { return o.ID }), []int{2, 1}},
		{Users, ids(content.Users, func(o user.User) ident.ID { return o.ID }), []int{3, 1, 2}},
	} {
		if want := ids(c.want, id); !slices.Equal(c.got, want) {
			t.Errorf("%s: in the order %v, want %v", c.kind, c.got, want)
		}
	}
}

func ids[T any](list []T, of func(T) ident.ID) (ids []ident.ID) {
	for _, o := range list {
		ids = append(ids, of(o))
	}
	return ids
}

func TestCatalogueFind(t *testing.T) {
	t.Parallel()
	c := sample()
	for _, o := range []struct {
		kind  Kind
		id    int
		name  string
		found func(ident.ID) bool
	}{
		{States, 2, "In Progress", func(id ident.ID) bool { o, ok := c.State(id); return ok && o.ID == id }},
		{Priorities, 11, "Low", func(id ident.ID) bool { o, ok := c.Priority(id); return ok && o.ID == id }},
		{Classifications, 20, "Täsk", func(id ident.ID) bool { o, ok := c.Classification(id); return ok && o.ID == id }},
		{Components, 33, "UI", func(id ident.ID) bool { o, ok := c.Component(id); return ok && o.ID == id }},
		{Milestones, 41, "1.0", func(id ident.ID) bool { o, ok := c.Milestone(id); return ok && o.ID == id }},
		{Users, 52, "Bob", func(id ident.ID) bool { o, ok := c.User(id); return ok && o.ID == id }},
	} {
		if !o.found(id(o.id)) || o.found(id(99)) || o.found(ident.None) {
			t.Errorf("%s: found %d: %t, 99: %t, None: %t", o.kind, o.id, o.found(id(o.id)), o.found(id(99)), o.found(ident.None))
		}
		if got := c.Name(o.kind, id(o.id)); got != o.name {
			t.Errorf("Name(%s, %d) = %q, want %q", o.kind, o.id, got, o.name)
		}
		if got := c.Name(o.kind, ident.None); got != "" {
			t.Errorf("Name(%s, None) = %q", o.kind, got)
		}
	}
	if got := c.Name("token", id(1)); got != "" {
		t.Errorf("the name of something else is %q", got)
	}
}

func TestUserByEmail(t *testing.T) {
	t.Parallel()
	content := sample().content
	// Earlier versions stored any form of a domain, and so one address several times.
	content.Users = append(slices.Clone(content.Users), user.User{ID: id(54), Name: "C", Email: "c@xn--BCHER-kva.example"},
		user.User{ID: id(53), Name: "D", Email: "c@bücher.example"}, user.User{ID: id(55), Name: "E", Email: "c@BÜCHER.example"})
	c := NewCatalogue(ident.Version{}, content)
	for email, want := range map[string]int{
		"ann@example.org":  50,
		"ANN@EXAMPLE.COM":  51,
		"jÖrg@example.org": 52,
		"jörg@example.org": 0,
		"":                 0,
		"C@bücher.example": 53, "c@XN--BCHER-KVA.example": 53,
	} {
		u, ok := c.UserByEmail(email)
		if ok != (want != 0) || ok && u.ID != id(want) {
			t.Errorf("UserByEmail(%q) = %+v, %t; want %d", email, u, ok, want)
		}
	}
}

func TestDefaultState(t *testing.T) {
	t.Parallel()
	a, b := State{ID: id(1), Name: "a", Order: 2, Initial: true}, State{ID: id(2), Name: "b", Order: 1, Initial: true}
	first, never := State{ID: id(3), Name: "c", Order: 1, Initial: true}, State{ID: id(4), Name: "d"}
	for _, c := range []struct {
		states []State
		want   ident.ID
	}{
		{[]State{a, first, never, b}, b.ID},
		{[]State{never, a}, a.ID},
		{[]State{never}, ident.None},
		{nil, ident.None},
	} {
		got, ok := NewCatalogue(ident.Version{Number: 1}, Content{States: slices.Clone(c.states)}).DefaultState()
		if got.ID != c.want || ok == c.want.IsNone() {
			t.Errorf("of %+v: DefaultState() = %+v, %t; want %s", c.states, got, ok, c.want)
		}
	}
}
