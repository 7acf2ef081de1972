package forms

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

func id(n byte) ident.ID { return ident.ID{15: n} }

var (
	open   = metadata.State{ID: id(1), Name: "Open", Initial: true, Next: []ident.ID{id(2)}}
	closed = metadata.State{ID: id(2), Name: "Closed", Resolved: true}
	high   = metadata.Priority{ID: id(3), Name: "High"}
	low    = metadata.Priority{ID: id(4), Name: "Low"}
)

// catalogue has two users of one name, and another one.
func catalogue() *metadata.Catalogue {
	return metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{
		States: []metadata.State{open, closed}, Priorities: []metadata.Priority{high, low},
		Users: []user.User{{ID: id(5), Name: "Ann", Email: "ann@example.org"}, {ID: id(6), Name: "Ann", Email: "ann@example.com"}, {ID: id(7), Name: "Bob", Email: "bob@example.org"}},
	})
}

// A form keeps its own changes, and has the current values elsewhere.
func TestMerge(t *testing.T) {
	t.Parallel()
	base := problem.Fields{Title: "The door is open", State: open.ID, Priority: high.ID}
	now := problem.Fields{Title: "The door is closed", State: open.ID, Priority: low.ID}
	form := url.Values{"title": {"The door is open"}, "state": {closed.ID.String()}, "priority": {high.ID.String()}}
	merged, conflicts := Merge(form, base, now, catalogue())
	if title := merged.Texts[0].Value; title != now.Title {
		t.Errorf("the title is %q", title)
	}
	got := map[string]string{}
	for _, c := range merged.Choices {
		for _, o := range c.Options {
			if o.Selected {
				got[c.Field] = o.Name
			}
		}
	}
	if len(got) != 2 || got["state"] != "Closed" || got["priority"] != "Low" {
		t.Errorf("selected are %v", got)
	}
	var rows []string
	for _, c := range conflicts {
		rows = append(rows, fmt.Sprintf("%s own %v theirs %v", c.Label, c.Own, c.Theirs))
	}
	slices.Sort(rows)
	if want := []string{"field.priority own false theirs true", "field.state own true theirs false", "field.title own false theirs true"}; !slices.Equal(rows, want) {
		t.Errorf("the conflicts are %q, want %q", rows, want)
	}
}

// A typed name becomes an identifier if it is that of one object.
func TestIdentify(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"": "", Keep: Keep, "Nobody": "Nobody", "Ann": "Ann", id(7).String(): id(7).String(),
		" Bob ": id(7).String(), "Ann (ann@example.com)": id(6).String(),
	} {
		form := url.Values{"user": {typed}}
		if err := Identify(form, func() (*metadata.Catalogue, error) { return catalogue(), nil }); err != nil {
			t.Fatal(err)
		}
		if got := form.Get("user"); got != want {
			t.Errorf("%q becomes %q, want %q", typed, got, want)
		}
	}
	broken := errors.New("the store is away")
	away := func() (*metadata.Catalogue, error) { return nil, broken }
	if err := Identify(url.Values{"user": {"Bob"}}, away); !errors.Is(err, broken) {
		t.Errorf("without a catalogue: %v", err)
	}
	if err := Identify(url.Values{"user": {id(7).String()}}, away); err != nil {
		t.Errorf("an identifier needs the catalogue: %v", err)
	}
}

// A reference is an identifier, or a name of the kind that it looks like.
func TestReference(t *testing.T) {
	t.Parallel()
	for sent, member := range map[string]string{id(7).String(): "identifier", "bob@example.org": "email", "Server/Login": "fullName", "Open": "name"} {
		got := Reference(url.Values{"x": {sent}}, "x")
		members, _ := got.Value.(metadata.Members)
		if value, ok := members[member]; !got.Sent || !ok || len(members) != 1 || value != metadata.Text(sent) {
			t.Errorf("%q is %v", sent, got)
		}
	}
	if got := Reference(url.Values{"x": {" "}}, "x"); !got.Sent || !got.Null {
		t.Errorf("an empty reference is %v", got)
	}
	if got := Reference(url.Values{}, "x"); got.Sent {
		t.Errorf("no reference is %v", got)
	}
}

// A list has the objects in use, as far as it is not too long.
func TestObjectChoice(t *testing.T) {
	t.Parallel()
	for count, typed := range map[int]bool{mostOptions: false, mostOptions + 1: true} {
		var users []user.User
		for i := range count + 1 {
			users = append(users, user.User{ID: ident.ID{14: byte(i >> 8), 15: byte(i)}, Name: fmt.Sprint("User ", i), Email: fmt.Sprintf("u%d@example.org", i), Inactive: i == 1})
		}
		c := ObjectChoice("user", metadata.Users, ident.ID{15: 2}, metadata.NewCatalogue(ident.Version{}, metadata.Content{Users: users}))
		if len(c.Options) != count || c.Typed != typed || c.Value != "User 2" {
			t.Errorf("of %d users, %d are on offer, with %q selected, and typed is %v", count+1, len(c.Options), c.Value, c.Typed)
		}
	}
}

// A sent value is selected, also one that is out of use or names nothing.
func TestSent(t *testing.T) {
	t.Parallel()
	c := metadata.NewCatalogue(ident.Version{}, metadata.Content{Components: []metadata.Component{{ID: id(1), Name: "Roof"}, {ID: id(2), Name: "Cellar", Closed: true}}})
	for value, want := range map[string]string{id(1).String(): "Roof", id(2).String(): "Cellar", id(9).String(): id(9).String(), "Attic": "Attic", "": "", Keep: ""} {
		choice, ok := Sent("component", value, c)
		selected := ""
		for _, o := range choice.Options {
			if o.Selected {
				selected = o.Name
			}
		}
		if !ok || selected != want || choice.Value != want || choice.Cleared != (value == "") || choice.Required {
			t.Errorf("%q selects %q, want %q: %+v", value, selected, want, choice)
		}
	}
	if choice, ok := Sent("state", "", c); !ok || !choice.Required {
		t.Errorf("the state is %+v", choice)
	}
	if _, ok := Sent("title", "", c); ok {
		t.Error("the title is a choice")
	}
}
