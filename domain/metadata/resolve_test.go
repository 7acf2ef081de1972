package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

func id(n int) ident.ID { return ident.ID{6: 0x70, 8: 0x80, 14: byte(n >> 8), 15: byte(n)} }

func date(day int) time.Time { return time.Date(2026, 3, day, 12, 0, 0, 5e6, time.UTC) }

// sample is a small catalogue. Each of its kinds has objects hard to tell apart.
func sample() *Catalogue {
	return NewCatalogue(ident.Version{Number: 1}, Content{
		States: []State{
			{ID: id(1), Name: "Open", Initial: true, Order: 1, Next: []ident.ID{id(2), id(3)}},
			{ID: id(2), Name: "In Progress", Order: 2, Next: []ident.ID{id(1), id(3)}},
			{ID: id(3), Name: "Closed", Resolved: true, Order: 3, Next: []ident.ID{id(1)}},
			{ID: id(4), Name: "Gone", Resolved: true, Order: 4},
		},
		Priorities: []Priority{
			{ID: id(10), Name: "High", Order: -1},
			{ID: id(11), Name: "Low", Order: 0},
			{ID: id(12), Name: "Last", Order: math.MaxInt},
		},
		Classifications: []Classification{{ID: id(20), Name: "Täsk"}},
		Components: []Component{
			{ID: id(30), Name: "App"},
			{ID: id(31), Name: "UI", Parent: id(30)},
			{ID: id(32), Name: "Server", Successor: id(33)},
			{ID: id(33), Name: "UI", Parent: id(32), Closed: true},
		},
		Milestones: []Milestone{
			{ID: id(40), Name: "1.0", Created: date(1), Start: date(2), End: date(3)},
			{ID: id(41), Name: "1.0", Component: id(31), Created: date(1)},
			{ID: id(42), Name: "1.0", Component: id(33), Created: date(2), End: date(3)},
		},
		Users: []user.User{
			{ID: id(50), Name: "Ann", Email: "Ann@example.org"},
			{ID: id(51), Name: "Ann", Email: "ann@example.com", Inactive: true},
			{ID: id(52), Name: "Bob", Email: "JÖRG@example.org"},
		},
	})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	identified := func(n int, members string) string {
		return fmt.Sprintf(`{"identifier":%q%s}`, id(n), members)
	}
	for _, c := range []struct {
		rule    string
		kind    Kind
		partial string
		want    int // identifier; 0: nothing is resolved
		faults  string
	}{
		{"by name", States, `{"name":"Open"}`, 1, ""},
		{"by name, trimmed", States, `{"name":" \tOpen\u00A0"}`, 1, ""},
		{"by name, in NFC", Classifications, `{"name":"Ta\u0308sk"}`, 20, ""},
		{"names have letter case", States, `{"name":"open"}`, 0, "metadata-not-found"},
		{"by order", States, `{"order":3}`, 3, ""},
		{"by negative order", Priorities, `{"order":-1}`, 10, ""},
		{"by order, minus zero", Priorities, `{"order":-0}`, 11, ""},
		{"by largest order", Priorities, `{"order":9223372036854775807}`, 12, ""},
		{"order beyond all bounds", Priorities, `{"order":99999999999999999999}`, 0, "metadata-not-found"},
		{"by flag", States, `{"initial":true}`, 1, ""},
		{"by several", States, `{"resolved":true,"order":4}`, 4, ""},
		{"all have to match", States, `{"name":"Open","order":2}`, 0, "metadata-not-found"},
		{"several match", States, `{"resolved":true}`, 0, "metadata-ambiguous"},
		{"nothing given", States, `{}`, 0, "metadata-ambiguous"},
		{"nothing given, and only one there", Classifications, `{}`, 0, "metadata-ambiguous"},

		{"by identifier", States, identified(2, ""), 2, ""},
		{"identifier of another kind", States, identified(10, ""), 0, "metadata-not-found"},
		{"identifier of none", Users, `{"identifier":"00000000-0000-0000-0000-000000000000"}`, 0, "metadata-not-found"},
		{"identifiers have one spelling", States, `{"identifier":"` + strings.ToUpper(ident.ID{0xab}.String()) + `"}`, 0, "metadata-not-found"},
		{"no identifier at all", States, `{"identifier":"1"}`, 0, "metadata-not-found"},
		{"beside the identifier, the name is compared", States, identified(1, `,"name":"Closed"`), 0, "metadata-not-found"},
		{"beside the identifier, the e-mail address is compared", Users, identified(50, `,"email":"ann@example.com"`), 0, "metadata-not-found"},
		{"beside the identifier, all may agree", Users, identified(50, `,"email":"ANN@example.org","name":"Ann","inactive":false`), 50, ""},
		{"beside the identifier, others are not compared", States, identified(1, `,"name":"Open","resolved":true,"initial":false,"order":7,"nextStates":[{"name":"?"}]`), 1, ""},
		{"beside the identifier, nor are times", Milestones, identified(40, `,"startDate":"?","endDate":null,"component":{"name":"?"}`), 40, ""},
		{"beside the identifier, others are checked for type", States, identified(1, `,"resolved":"true","nextStates":[1,{"a":1}]`), 0,
			"invalid-type /nextStates/0 · unknown-field /nextStates/1/a · invalid-type /resolved"},

		{"nested, by name", Components, `{"name":"UI","parent":{"name":"App"}}`, 31, ""},
		{"nested in nested", Milestones, `{"component":{"parent":{"name":"Server","parent":null}}}`, 42, ""},
		{"nested, by identifier", Milestones, `{"component":` + identified(31, `,"name":"UI","fullName":"old/UI"`) + `}`, 41, ""},
		{"nested may fit several", Components, `{"parent":{"parent":null},"closed":false}`, 31, ""},
		{"nested and empty fits everything but null", Components, `{"successor":{}}`, 32, ""},
		{"nested that fits nothing", Components, `{"name":"UI","parent":{"name":"?"}}`, 0, "metadata-not-found"},
		{"null matches null", Components, `{"parent":null,"successor":null}`, 30, ""},
		{"null matches null alone", Components, `{"closed":true,"parent":null}`, 0, "metadata-not-found"},
		{"by full name", Components, `{"fullName":"Server/UI"}`, 33, ""},
		{"full name of the root", Components, `{"fullName":"App"}`, 30, ""},

		{"array", States, `{"nextStates":[{"name":"In Progress"},{"name":"Closed"}]}`, 1, ""},
		{"array in another order", States, `{"nextStates":[{"name":"Closed"},{"name":"In Progress"}]}`, 1, ""},
		{"array with duplicates", States, `{"nextStates":[{"name":"Open"},{"order":1}]}`, 3, ""},
		{"array that is too short", States, `{"nextStates":[{"name":"In Progress"}]}`, 0, "metadata-not-found"},
		{"array that is too long", States, `{"nextStates":[{"name":"Open"},{"name":"Gone"}]}`, 0, "metadata-not-found"},
		{"empty array", States, `{"nextStates":[]}`, 4, ""},
		{"array in array", States, `{"nextStates":[{"nextStates":[{"initial":true}]},{"order":2}]}`, 1, ""},

		{"time as an instant", Milestones, `{"startDate":"2026-03-02T13:00:00.005+01:00"}`, 40, ""},
		{"time that is null", Milestones, `{"startDate":null,"component":{"name":"UI","closed":true}}`, 42, ""},
		{"time of another instant", Milestones, `{"startDate":"2026-03-02T12:00:00Z"}`, 0, "metadata-not-found"},
		{"time that is none", Milestones, `{"startDate":"today"}`, 0, "metadata-not-found"},
		{"the zero time is not null", Milestones, `{"startDate":"0001-01-01T00:00:00Z"}`, 0, "metadata-not-found"},
		{"creation time", Milestones, `{"creationDate":"2026-03-02T12:00:00.005Z"}`, 42, ""},

		{"by e-mail address", Users, `{"email":" aNN@EXAMPLE.ORG "}`, 50, ""},
		{"by e-mail address, in NFC", Users, `{"email":"JO\u0308RG@example.org"}`, 52, ""},
		{"only ASCII letters have no case", Users, `{"email":"jörg@example.org"}`, 0, "metadata-not-found"},
		{"by e-mail address, with another name", Users, `{"email":"ann@example.org","name":"Bob"}`, 0, "metadata-not-found"},
		{"unknown e-mail address", Users, `{"email":"nobody@example.org"}`, 0, "metadata-not-found"},
		{"an inactive user resolves", Users, `{"name":"Ann","inactive":true}`, 51, ""},
		{"users can share a name", Users, `{"name":"Ann"}`, 0, "metadata-ambiguous"},

		{"unknown member", Priorities, `{"name":"High","resolved":true}`, 0, "unknown-field /resolved"},
		{"members have letter case", States, `{"Name":"Open"}`, 0, "unknown-field /Name"},
		{"e-mail of a state", States, `{"email":"ann@example.org"}`, 0, "unknown-field /email"},
		{"pointers are escaped", States, `{"a/b~c":1,"":2}`, 0, "unknown-field / · unknown-field /a~1b~0c"},
		{"string for a flag", States, `{"resolved":"true"}`, 0, "invalid-type /resolved"},
		{"null for a string", States, `{"name":null}`, 0, "invalid-type /name"},
		{"null for an identifier", Users, `{"identifier":null,"name":"Bob"}`, 0, "invalid-type /identifier"},
		{"number for an identifier", Users, `{"identifier":50}`, 0, "invalid-type /identifier"},
		{"null for a time that is always there", Milestones, `{"creationDate":null}`, 0, "invalid-type /creationDate"},
		{"number for a time", Milestones, `{"startDate":0}`, 0, "invalid-type /startDate"},
		{"fraction", Priorities, `{"order":7.0}`, 0, "invalid-type /order"},
		{"exponent", Priorities, `{"order":1e0}`, 0, "invalid-type /order"},
		{"string for a number", Priorities, `{"order":"1"}`, 0, "invalid-type /order"},
		{"string for an object", Components, `{"parent":"App"}`, 0, "invalid-type /parent"},
		{"object for an array", States, `{"nextStates":{"name":"Open"}}`, 0, "invalid-type /nextStates"},
		{"null for an array", States, `{"nextStates":null}`, 0, "invalid-type /nextStates"},
		{"null in an array", States, `{"nextStates":[null]}`, 0, "invalid-type /nextStates/0"},
		{"all faults together, by member", Milestones, `{"startDate":1,"name":2,"x":3,"component":{"b":0,"parent":{"a":0},"name":4}}`, 0,
			"unknown-field /component/b · invalid-type /component/name · unknown-field /component/parent/a · invalid-type /name · invalid-type /startDate · unknown-field /x"},

		{"null", States, `null`, 0, "invalid-type"},
		{"string", States, `"Open"`, 0, "invalid-type"},
		{"number", States, `1`, 0, "invalid-type"},
		{"array for an object", States, `[{"name":"Open"}]`, 0, "invalid-type"},
	} {
		t.Run(string(c.kind)+"/"+c.rule, func(t *testing.T) {
			t.Parallel()
			want, wantFaults := ident.None, c.faults
			if c.want != 0 {
				want = id(c.want)
			}
			got, faults := sample().Resolve(c.kind, decode(t, c.partial), fault.Location{})
			if got != want || summary(faults) != wantFaults {
				t.Errorf("%s resolves to %s, %+v; want %s, %s", c.partial, got, faults, want, wantFaults)
			}
			// The location of the partial in a body makes no other difference.
			got, inner := sample().Resolve(c.kind, decode(t, c.partial), fault.At("x/y"))
			for i := range faults {
				at := fault.At("x/y")
				for _, step := range faults[i].At.Steps() {
					if step.Element {
						at = at.Element(step.Index)
					} else {
						at = at.Member(step.Name)
					}
				}
				faults[i].At = at
			}
			if got != want || !reflect.DeepEqual(inner, faults) {
				t.Errorf("%s at /x~1y resolves to %s, %+v; want %s, %+v", c.partial, got, inner, want, faults)
			}
		})
	}
}

func TestResolveDetail(t *testing.T) {
	t.Parallel()
	crowd := make([]user.User, 12)
	for i := range crowd {
		crowd[i] = user.User{ID: id(i), Name: "Ann", Email: fmt.Sprint(i)}
	}
	names := make([]string, 10)
	for i := range names {
		names[i] = fmt.Sprintf("Ann (%s)", id(i))
	}
	for _, c := range []struct {
		name      string
		catalogue *Catalogue
		kind      Kind
		partial   string
		want      string
	}{
		{"a few candidates", sample(), States, `{"resolved":true}`, fmt.Sprintf("must identify one state, but 2 match: Closed (%s), Gone (%s)", id(3), id(4))},
		{"candidates with one name", sample(), Components, `{"name":"UI"}`, fmt.Sprintf("must identify one component, but 2 match: App/UI (%s), Server/UI (%s)", id(31), id(33))},
		{"many candidates", NewCatalogue(ident.Version{Number: 1}, Content{Users: crowd}), Users, `{"name":"Ann"}`, "must identify one user, but 12 match: " + strings.Join(names, ", ") + ", …"},
		{"one candidate for nothing", sample(), Classifications, `{}`, fmt.Sprintf("must identify one classification by a member, such as its name; 1 match: Täsk (%s)", id(20))},
		{"none", sample(), Classifications, `{"name":"secret"}`, "no classification has all the members given; known: Täsk"},
		{"none of many", NewCatalogue(ident.Version{Number: 1}, Content{Users: crowd}), Users, `{"name":"secret"}`, "no user has all the members given"},
		{"none but who is inactive", NewCatalogue(ident.Version{Number: 1}, Content{Users: []user.User{{ID: id(40), Name: "Ann", Email: "a@b", Inactive: true}}}), Users, `{"name":"secret"}`, "no user has all the members given; there are none"},
		{"none of none", NewCatalogue(ident.Version{Number: 1}, Content{}), Milestones, `{"name":"secret"}`, "no milestone has all the members given; there are none"},
		{"nothing of none", NewCatalogue(ident.Version{Number: 1}, Content{}), Milestones, `{}`, "must identify one milestone by a member, such as its name; there is none"},
		{"unknown", sample(), Users, `{"login":"secret"}`, "a user has no such member, only identifier, name, email, inactive, robotOf"},
		{"only its case differs", sample(), Components, `{"FULLNAME":"secret"}`, `a component has no such member (did you mean "fullName"?), only identifier, name, fullName, closed, successor, parent`},
		{"no object", sample(), Priorities, `"secret"`, "must be an object with members of a priority: identifier, name, order"},
		{"no flag", sample(), Users, `{"inactive":"secret"}`, "must be true or false"},
		{"no string", sample(), Users, `{"name":12345}`, "must be a string"},
		{"no number", sample(), Priorities, `{"order":"secret"}`, "must be an integer"},
		{"no array", sample(), States, `{"nextStates":"secret"}`, "must be an array of objects"},
	} {
		_, faults := c.catalogue.Resolve(c.kind, decode(t, c.partial), fault.Location{})
		if len(faults) != 1 || faults[0].Detail != c.want {
			t.Errorf("%s: %+v, want the detail %q", c.name, faults, c.want)
		}
	}
}

// TestResolveDeep resolves a short partial with too many paths through the states to
// try them all.
func TestResolveDeep(t *testing.T) {
	t.Parallel()
	partial := `{"order":99}`
	for range 60 {
		partial = `{"nextStates":[` + partial + `]}`
	}
	id, faults := sample().Resolve(States, decode(t, partial), fault.Location{})
	if !id.IsNone() || summary(faults) != "metadata-not-found" {
		t.Errorf("resolves to %s, %+v; want metadata-not-found", id, faults)
	}
}

func TestResolveEmptyCatalogue(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for partial, want := range map[string]string{
			`{}`:           "metadata-ambiguous",
			`{"name":"x"}`: "metadata-not-found",
			`{"identifier":"` + id(1).String() + `"}`: "metadata-not-found",
		} {
			got, faults := NewCatalogue(ident.Version{}, Content{}).Resolve(kind, decode(t, partial), fault.Location{})
			if !got.IsNone() || summary(faults) != want {
				t.Errorf("%s %s resolves to %s, %+v; want %s", kind, partial, got, faults, want)
			}
		}
	}
}

// TestResolveProperties checks, for random catalogues and partials:
//   - the order of the content makes no difference;
//   - any members of an object resolve to it if its identifier is among them;
//   - so do any members with values of no other object;
//   - one more member never makes more objects fit, unless it is the identifier;
//   - fewer members count beside the identifier, and at most one object fits.
func TestResolveProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		content := randomContent(random)
		c := NewCatalogue(ident.Version{Number: 1}, content)
		shuffled := NewCatalogue(ident.Version{Number: 1}, shuffle(random, content))
		for range 20 {
			kind := kinds[random.IntN(len(kinds))]
			all := c.fitting(kind, map[string]any{})
			if len(all) == 0 {
				continue
			}
			own, full := all[random.IntN(len(all))], map[string]any{}
			maps.Copy(full, render(c, kind, own))
			other := render(c, kind, all[random.IntN(len(all))])

			partial := subset(random, full)
			fit := c.fitting(kind, partial)
			if !slices.Contains(fit, own) {
				t.Fatalf("seed %d: %s %v does not fit %s", seed, kind, partial, own)
			}
			if got, faults := c.Resolve(kind, sent(partial), fault.Location{}); len(fit) == 1 && len(partial) > 0 && (got != own || faults != nil) {
				t.Fatalf("seed %d: %s %v resolves to %s, %+v; want %s", seed, kind, partial, got, faults, own)
			}
			maps.Copy(partial, subset(random, other))
			checkShuffled(t, seed, c, shuffled, kind, partial)
			checkGrowing(t, seed, random, c, kind, partial, other)

			partial = subset(random, full)
			partial["identifier"] = full["identifier"]
			if got, faults := c.Resolve(kind, sent(partial), fault.Location{}); got != own || faults != nil {
				t.Fatalf("seed %d: %s %v resolves to %s, %+v; want %s", seed, kind, partial, got, faults, own)
			}
		}
	}
}

func checkShuffled(t *testing.T, seed uint64, c, shuffled *Catalogue, kind Kind, partial map[string]any) {
	t.Helper()
	want, wantFaults := c.Resolve(kind, sent(partial), fault.At("p"))
	got, faults := shuffled.Resolve(kind, sent(partial), fault.At("p"))
	if got != want || !slices.Equal(faults, wantFaults) {
		t.Fatalf("seed %d: %s %v resolves to %s, %+v; from the same content in another order to %s, %+v", seed, kind, partial, want, wantFaults, got, faults)
	}
}

func checkGrowing(t *testing.T, seed uint64, random *rand.Rand, c *Catalogue, kind Kind, partial, more map[string]any) {
	t.Helper()
	before := c.fitting(kind, partial)
	for name, value := range subset(random, more) {
		if _, given := partial[name]; given {
			continue
		}
		grown := maps.Clone(partial)
		grown[name] = value
		after := c.fitting(kind, grown)
		if name == "identifier" {
			if len(after) > 1 {
				t.Fatalf("seed %d: %s %v fits %v", seed, kind, grown, after)
			}
			continue
		}
		for _, id := range after {
			if !slices.Contains(before, id) {
				t.Fatalf("seed %d: %s %v fits %s, but %v does not", seed, kind, grown, id, partial)
			}
		}
	}
}

var kinds = []Kind{States, Priorities, Classifications, Components, Milestones, Users}

// fitting returns all matching objects. It looks at each object.
func (c *Catalogue) fitting(kind Kind, partial map[string]any) []ident.ID {
	return c.kinds[kind].read(&reader{catalogue: c}, sent(partial), fault.Location{}).all()
}

// render returns an object in the form of the service (D2).
func render(c *Catalogue, kind Kind, id ident.ID) map[string]any {
	ref := func(kind Kind, id ident.ID) any {
		if id.IsNone() {
			return nil
		}
		o := map[string]any{"identifier": id.String(), "name": c.Name(kind, id)}
		if kind == Components {
			o["fullName"] = c.FullName(id)
		}
		return o
	}
	date := func(at time.Time) any {
		if at.IsZero() {
			return nil
		}
		return at.Format("2006-01-02T15:04:05.000Z07:00")
	}
	number := func(n int) json.Number { return json.Number(fmt.Sprint(n)) }
	full := map[string]any{"identifier": id.String(), "name": c.Name(kind, id)}
	switch kind {
	case States:
		o, _ := c.State(id)
		next := []any{}
		for _, id := range o.Next {
			next = append(next, ref(States, id))
		}
		maps.Copy(full, map[string]any{"resolved": o.Resolved, "initial": o.Initial, "order": number(o.Order), "nextStates": next})
	case Priorities:
		o, _ := c.Priority(id)
		full["order"] = number(o.Order)
	case Components:
		o, _ := c.Component(id)
		maps.Copy(full, map[string]any{"fullName": c.FullName(id), "closed": o.Closed, "successor": ref(Components, o.Successor), "parent": ref(Components, o.Parent)})
	case Milestones:
		o, _ := c.Milestone(id)
		maps.Copy(full, map[string]any{"component": ref(Components, o.Component), "creationDate": date(o.Created), "startDate": date(o.Start), "endDate": date(o.End)})
	case Users:
		o, _ := c.User(id)
		maps.Copy(full, map[string]any{"email": o.Email, "inactive": o.Inactive, "robotOf": ref(Users, o.RobotOf)})
	}
	return full
}

// randomContent has few names, numbers and dates, so much is ambiguous.
func randomContent(random *rand.Rand) (content Content) {
	name := func() string { return string(rune('a' + random.IntN(3))) }
	flag := func() bool { return random.IntN(2) == 0 }
	moment := func() time.Time {
		if flag() {
			return time.Time{}
		}
		return date(1 + random.IntN(2))
	}
	component := func(n int) ident.ID { // None or one of the first n
		if i := random.IntN(n + 1); i > 0 {
			return id(300 + i)
		}
		return ident.None
	}
	for i := range random.IntN(6) {
		var next []ident.ID
		for j := range i {
			if flag() {
				next = append(next, id(101+j))
			}
		}
		content.States = append(content.States, State{ID: id(101 + i), Name: name(), Resolved: flag(), Initial: flag(), Order: random.IntN(2), Next: next})
		content.Priorities = append(content.Priorities, Priority{ID: id(201 + i), Name: name(), Order: random.IntN(3)})
		content.Classifications = append(content.Classifications, Classification{ID: id(251 + i), Name: name()})
		content.Components = append(content.Components, Component{ID: id(301 + i), Name: name(), Closed: flag(), Successor: component(i), Parent: component(i)})
		content.Milestones = append(content.Milestones, Milestone{ID: id(401 + i), Name: name(), Component: component(i), Created: date(1 + random.IntN(2)), Start: moment(), End: moment()})
		content.Users = append(content.Users, user.User{ID: id(501 + i), Name: name(), Email: fmt.Sprintf("%d@Example.org", i), Inactive: flag()})
	}
	return content
}

func shuffle(random *rand.Rand, c Content) Content {
	c.States = shuffled(random, c.States)
	for i := range c.States {
		c.States[i].Next = shuffled(random, c.States[i].Next)
	}
	c.Priorities = shuffled(random, c.Priorities)
	c.Classifications = shuffled(random, c.Classifications)
	c.Components = shuffled(random, c.Components)
	c.Milestones = shuffled(random, c.Milestones)
	c.Users = shuffled(random, c.Users)
	return c
}

func shuffled[T any](random *rand.Rand, list []T) []T {
	list = slices.Clone(list)
	random.Shuffle(len(list), reflect.Swapper(list))
	return list
}

func subset(random *rand.Rand, full map[string]any) map[string]any {
	part := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(full)) {
		if random.IntN(2) == 0 {
			part[name] = full[name]
		}
	}
	return part
}

func decode(t *testing.T, text string) Partial {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var partial any
	if err := d.Decode(&partial); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return sent(partial)
}

// sent returns a decoded JSON value as the driving adapter sends a reference.
func sent(value any) Partial {
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		return Text(value)
	case json.Number:
		return Number(value)
	case bool:
		return Flag(value)
	case []any:
		list := make(List, len(value))
		for i, element := range value {
			list[i] = sent(element)
		}
		return list
	case map[string]any:
		members := make(Members, len(value))
		for name, member := range value {
			members[name] = sent(member)
		}
		return members
	}
	panic(fmt.Sprintf("no JSON value: %T", value))
}

// summary writes the kinds and pointers of faults, without their details.
func summary(faults fault.List) string {
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = strings.TrimSpace(string(f.Kind) + " " + pointer(f.At))
	}
	return strings.Join(lines, " · ")
}

func BenchmarkResolve(b *testing.B) {
	users := make([]user.User, 50_000)
	for i := range users {
		users[i] = user.User{ID: id(i), Name: fmt.Sprintf("User %d", i), Email: fmt.Sprintf("user%d@example.org", i)}
	}
	c := NewCatalogue(ident.Version{Number: 1}, Content{Users: users})
	for name, partial := range map[string]Partial{
		"identifier": Members{"identifier": Text(id(4711).String())},
		"email":      Members{"email": Text("USER4711@example.org")},
		"name":       Members{"name": Text("User 4711")},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, faults := c.Resolve(Users, partial, fault.Location{}); faults != nil {
					b.Fatal(faults)
				}
			}
		})
	}
}

// A body within the limit of bytes costs no more than reading it.
func TestResolveIsBounded(t *testing.T) {
	t.Parallel()
	many := make([]any, MaxNext+1)
	for i := range many {
		many[i] = map[string]any{}
	}
	c := NewCatalogue(ident.Version{Number: 1}, Content{States: []State{{Name: "Open"}}})
	for n, want := range map[int]fault.Kind{MaxNext: fault.MetadataNotFound, MaxNext + 1: fault.InvalidValue} {
		_, faults := c.Resolve(States, sent(map[string]any{"nextStates": many[:n]}), fault.At("state"))
		if len(faults) != 1 || faults[0].Kind != want {
			t.Errorf("%d elements: %+v, want %s", n, faults, want)
		}
	}
}

// pointer writes a location in a body in the form of tests, such as /keywords/0/name.
func pointer(at fault.Location) (text string) {
	for _, step := range at.Steps() {
		if text += "/"; step.Element {
			text += strconv.Itoa(step.Index)
		} else {
			text += strings.NewReplacer("~", "~0", "/", "~1").Replace(step.Name)
		}
	}
	return text
}
