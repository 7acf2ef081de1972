package problem

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
)

// recordMembers are the members of Problem outside of the table of fields. They are
// about the record.
var recordMembers = map[string]bool{"ID": true, "Revision": true}

// dated maps fields to members of Problem with other names in Go.
var dated = map[string]string{"creationDate": "Created", "modificationDate": "Modified", "resolveDate": "Resolved"}

// memberOf returns the name of a field's member in Go.
func memberOf(f *Field) string {
	if name, ok := dated[f.Name]; ok {
		return name
	}
	return strings.ToUpper(f.Name[:1]) + f.Name[1:]
}

// leading returns the address of a value.
type leading struct{}

func (leading) Text(_ *Field, value *string) any        { return value }
func (leading) Reference(_ *Field, value *ident.ID) any { return value }
func (leading) Date(_ *Field, value *date.Date) any     { return value }
func (leading) Time(_ *Field, value *time.Time) any     { return value }

// sending sets a member of a patch, and returns it.
type sending struct{}

func (sending) Text(_ *Field, sent *patch.Field[string]) any {
	*sent = patch.Set("x")
	return *sent
}

func (sending) Reference(_ *Field, sent *patch.Field[metadata.Partial]) any {
	*sent = patch.Set[metadata.Partial](metadata.Text("x"))
	return *sent
}

func (sending) Date(_ *Field, sent *patch.Field[date.Date]) any {
	*sent = patch.Set(date.Min)
	return *sent
}

// setting sets a value, and returns what the log shows of it.
type setting struct{}

func (setting) Text(_ *Field, value *string) LogValue {
	*value = "x"
	return LogText("x")
}

func (setting) Reference(f *Field, value *ident.ID) LogValue {
	*value = ident.ID{1}
	return LogRef(ident.ID{1}, string(f.To)+"!")
}

func (setting) Date(_ *Field, value *date.Date) LogValue {
	*value = date.Min
	return LogText("1900-01-01")
}

// The table describes every member of a problem, and each entry leads to the member of
// its name and of no other.
func TestTableHasAllMembersOfProblems(t *testing.T) {
	t.Parallel()
	described := map[string]bool{}
	for _, f := range AllFields() {
		var p Problem
		place := Value(f, &p, leading{})
		name := memberOf(f)
		described[name] = true
		v := reflect.ValueOf(&p).Elem().FieldByName(name)
		if !v.IsValid() || v.Addr().Pointer() != reflect.ValueOf(place).Pointer() {
			t.Errorf("the entry %q does not lead to the member %s", f.Name, name)
		}
		if _, client := reflect.TypeFor[Fields]().FieldByName(name); client != f.Client {
			t.Errorf("%s is a field of clients: %t, but a member of Fields: %t", f.Name, f.Client, client)
		}
	}
	for _, member := range reflect.VisibleFields(reflect.TypeFor[Problem]()) {
		if !member.Anonymous && !described[member.Name] && !recordMembers[member.Name] {
			t.Errorf("the table has no entry for the member %s of Problem", member.Name)
		}
	}
}

// The table describes every member of a patch but Read, and each entry of a field of
// clients leads to the member of its name.
func TestTableHasAllMembersOfPatches(t *testing.T) {
	t.Parallel()
	described := map[string]bool{"Read": true}
	for _, f := range ClientFields() {
		var p, want Patch
		v := reflect.ValueOf(&want).Elem().FieldByName(memberOf(f))
		if !v.IsValid() {
			t.Errorf("Patch has no member for %s", f.Name)
			continue
		}
		v.Set(reflect.ValueOf(Sent(f, &p, sending{})))
		if !reflect.DeepEqual(p, want) {
			t.Errorf("%s leads to another member of a patch: %+v", f.Name, p)
		}
		described[memberOf(f)] = true
	}
	for _, member := range reflect.VisibleFields(reflect.TypeFor[Patch]()) {
		if !described[member.Name] {
			t.Errorf("the table has no entry for the member %s of Patch", member.Name)
		}
	}
}

// Each entry has all settings of its kind.
func TestTableIsComplete(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	count := map[Kind]int{}
	for _, f := range AllFields() {
		if names[f.Name] || FieldNamed(f.Name) != f {
			t.Errorf("%q is there twice", f.Name)
		}
		names[f.Name] = true
		count[f.Kind()]++
		if (f.Kind() == ReferenceField) != (f.To != "") {
			t.Errorf("%s refers to %q", f.Name, f.To)
		}
		if f.Kind() == TextField && (!f.Client || f.Required != (f.Rule.Min > 0) || f.Rule.Max == 0 && f.Rule.MaxBytes == 0) {
			t.Errorf("%s: the rule %+v does not fit", f.Name, f.Rule)
		}
		if _, client := f.codec.(clientCodec); client != f.Client {
			t.Errorf("%s is a field of clients: %t, but its codec is one: %t", f.Name, f.Client, client)
		}
		if f.Kind() != TextField && f.Folded {
			t.Errorf("%s is folded, and no text", f.Name)
		}
		for _, language := range []string{"en", "de"} {
			if f.Client != (f.Label[language] != "") {
				t.Errorf("%s is a field of clients: %t, and its label in %q is %q", f.Name, f.Client, language, f.Label[language])
			}
		}
		if f.Since > 0 && f.Required {
			t.Errorf("%s is never null, but archives before version %d lack it", f.Name, f.Since)
		}
		if f.Fixed && f.Client {
			t.Errorf("%s is fixed, though clients set it", f.Name)
		}
	}
	if want := map[Kind]int{TextField: TextFields, ReferenceField: ReferenceFields, DateField: DateFields, TimeField: TimeFields}; !reflect.DeepEqual(count, want) {
		t.Errorf("the table has %v fields of each kind, and the constants say %v", count, want)
	}
	if FieldNamed("identifier") != nil {
		t.Error("the identifier is a field")
	}
}

// All texts count for the size of a problem, and of its savepoints.
func TestTextSizeCountsAllTexts(t *testing.T) {
	t.Parallel()
	var f Fields
	var want int64
	for i, field := range FieldsOf(TextField) {
		*field.ClientText(&f) = strings.Repeat("x", 1<<i)
		want += 1 << i
	}
	if got := f.TextSize(); got != want {
		t.Errorf("the size is %d, want %d", got, want)
	}
}

// A field is the same in two problems only when its own member is, and the log shows it.
func TestFieldsAreComparedAndLogged(t *testing.T) {
	t.Parallel()
	name := func(kind metadata.Kind, id ident.ID) string { return string(kind) + "!" }
	for _, f := range ClientFields() {
		var a, b Fields
		if !f.Same(&a, &b) {
			t.Errorf("%s differs in equal fields", f.Name)
		}
		if got := f.Log(&a, name); got != "" {
			t.Errorf("%s is logged as %s where it is null", f.Name, got)
		}
		want := ClientValue(f, &b, setting{})
		if got := f.Log(&b, name); got != want {
			t.Errorf("%s is logged as %s, want %s", f.Name, got, want)
		}
		for _, other := range ClientFields() {
			if same := other.Same(&a, &b); same != (other != f) {
				t.Errorf("after a change of %s, %s is the same: %t", f.Name, other.Name, same)
			}
		}
	}
}
