package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// others are objects that the problem of newLoaded can be set to and is not.
var others = map[metadata.Kind]ident.ID{
	metadata.States: kit.Closed, metadata.Priorities: kit.Urgent, metadata.Classifications: kit.Bug,
	metadata.Components: kit.CoreID, metadata.Milestones: kit.First, metadata.Users: kit.Bob,
}

// setTo makes the patch set a field, and returns the problem as it is then.
func setTo(p *ProblemPatch, f *problem.Field, fields problem.Fields) problem.Fields {
	problem.Sent(f, p, sendingOther{})
	problem.ClientValue(f, &fields, settingOther{})
	return fields
}

// sendingOther sets a member of a patch, and settingOther the field to the same value.
type (
	sendingOther struct{}
	settingOther struct{}
)

func (sendingOther) Text(_ *problem.Field, sent *patch.Field[string]) (none struct{}) {
	*sent = patch.Set("Another text")
	return none
}

func (sendingOther) Reference(f *problem.Field, sent *patch.Field[metadata.Partial]) (none struct{}) {
	*sent = kit.Partial(kit.Object{"identifier": others[f.To].String()})
	return none
}

func (settingOther) Text(_ *problem.Field, value *string) (none struct{}) {
	*value = "Another text"
	return none
}

func (settingOther) Reference(f *problem.Field, value *ident.ID) (none struct{}) {
	*value = others[f.To]
	return none
}

func (sendingOther) Date(_ *problem.Field, sent *patch.Field[date.Date]) (none struct{}) {
	*sent = patch.Set(date.Max)
	return none
}

func (settingOther) Date(_ *problem.Field, value *date.Date) (none struct{}) {
	*value = date.Max
	return none
}

// clearIn makes the patch clear a field, and returns the problem as it is then.
func clearIn(p *ProblemPatch, f *problem.Field, fields problem.Fields) problem.Fields {
	problem.Sent(f, p, sendingNull{})
	problem.ClientValue(f, &fields, clearing{})
	return fields
}

// sendingNull makes a member of a patch null, and clearing the field.
type (
	sendingNull struct{}
	clearing    struct{}
)

func (sendingNull) Text(_ *problem.Field, sent *patch.Field[string]) (none struct{}) {
	*sent = patch.Null[string]()
	return none
}

func (sendingNull) Reference(_ *problem.Field, sent *patch.Field[metadata.Partial]) (none struct{}) {
	*sent = patch.Null[metadata.Partial]()
	return none
}

func (clearing) Text(_ *problem.Field, value *string) (none struct{}) {
	*value = ""
	return none
}

func (clearing) Reference(_ *problem.Field, value *ident.ID) (none struct{}) {
	*value = ident.None
	return none
}

func (sendingNull) Date(_ *problem.Field, sent *patch.Field[date.Date]) (none struct{}) {
	*sent = patch.Null[date.Date]()
	return none
}

func (clearing) Date(_ *problem.Field, value *date.Date) (none struct{}) {
	*value = date.None
	return none
}

// D1, D8: every field of clients is set by a creation, which logs it.
func TestCreateSetsEveryField(t *testing.T) {
	t.Parallel()
	for _, f := range problem.ClientFields() {
		if f.To == metadata.States {
			continue // no other state is initial and allowed everywhere: see TestCreateWithEverything
		}
		cmd := CreateProblem{ProblemPatch: titled("T")}
		want := setTo(&cmd.ProblemPatch, f, problem.Fields{Title: "T", State: kit.Open})
		change, a, err := decideCreate(by(kit.Ann), cmd, newCreation(), kit.At(kit.Now))
		kit.NoError(t, err)
		kit.Equal(t, "the fields with "+f.Name, a.Value.Fields, want)
		kit.Equal(t, "the size with "+f.Name, a.Value.Size, want.TextSize()+problem.SavedSize(want)+kit.LogSize(change, 12))
		kit.Equal(t, "the log with "+f.Name, change.Log[0].To, changes.LogFields(want, kit.Catalogue))
		if entry := change.Log[0].To; f.Log(&want, kit.Catalogue.Name) == "" {
			t.Errorf("%s is not in the log: %s", f.Name, entry)
		}
	}
}

// D8, D11: a patch sets every field of clients, and clears those that can be null; each
// change has its own log entry.
func TestUpdateSetsAndClearsEveryField(t *testing.T) {
	t.Parallel()
	for _, f := range problem.ClientFields() {
		before := newLoaded()
		var set UpdateProblem
		want := setTo(&set.ProblemPatch, f, before.Fields)
		checkUpdated(t, f, set, before, want)

		after := newLoaded()
		after.Fields = want
		var cleared UpdateProblem
		want = clearIn(&cleared.ProblemPatch, f, after.Fields)
		if f.Required {
			_, _, err := decideUpdate(by(kit.Bob), cleared, after, kit.At(kit.Now))
			kit.WantFault(t, err, fault.InvalidValue, "invalid-value /"+f.Name)
			continue
		}
		checkUpdated(t, f, cleared, after, want)
	}
}

// checkUpdated checks that a command changes one field, and nothing else.
func checkUpdated(t *testing.T, f *problem.Field, cmd UpdateProblem, before loaded, want problem.Fields) {
	t.Helper()
	change, a, err := decideUpdate(by(kit.Bob), cmd, before, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "the fields after a change of "+f.Name, a.Value.Fields, want)
	kit.Equal(t, "the stored fields after a change of "+f.Name, kit.Updated(t, change, 7).Fields, want)
	wantSize := before.Size + want.TextSize() - before.TextSize() + problem.SavedSize(want) + kit.LogSize(change, 7)
	kit.Equal(t, "the size after a change of "+f.Name, a.Value.Size, wantSize)
	if len(change.Log) != 1 {
		t.Fatalf("a change of %s made the log entries %+v", f.Name, change.Log)
	}
	e := change.Log[0]
	kit.Equal(t, "the type of the entry", e.Type, problem.FieldChanged)
	kit.Equal(t, "the field of the entry", e.Field, f.Name)
	kit.Equal(t, "the value before, of "+f.Name, e.From, f.Log(&before.Fields, kit.Catalogue.Name))
	kit.Equal(t, "the value after, of "+f.Name, e.To, f.Log(&want, kit.Catalogue.Name))
}
