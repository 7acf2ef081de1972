package wire

import (
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// fields are the fields of a problem as JSON has them: in the order of D1.
var fields = problem.AllFields()

// objectWriters write the objects of a problem's direct fields (D2).
var objectWriters = map[metadata.Kind]func(*Encoder, ident.ID){
	metadata.States: (*Encoder).State, metadata.Priorities: (*Encoder).Priority, metadata.Classifications: (*Encoder).Classification,
	metadata.Components: (*Encoder).Component, metadata.Milestones: (*Encoder).Milestone, metadata.Users: (*Encoder).UserByID,
}

// fieldWriter writes the values of fields.
type fieldWriter struct{ e *Encoder }

// Text implements problem.Kinds, as do the methods below.
func (w fieldWriter) Text(f *problem.Field, text *string) (none struct{}) {
	w.e.nullText(problem.NullText{String: *text, Valid: f.Required || *text != ""})
	return none
}

// Reference writes the whole object.
func (w fieldWriter) Reference(f *problem.Field, id *ident.ID) (none struct{}) {
	objectWriters[f.To](w.e, *id)
	return none
}

// Date writes a date, or null.
func (w fieldWriter) Date(_ *problem.Field, d *date.Date) (none struct{}) {
	w.e.nullText(problem.NullText{String: d.String(), Valid: !d.IsNone()})
	return none
}

// Time writes a time, or null.
func (w fieldWriter) Time(_ *problem.Field, at *time.Time) (none struct{}) {
	w.e.Time(*at)
	return none
}

// PatchMembers are a problem's members set by clients (D1).
func PatchMembers(p *tracker.ProblemPatch) (members []Member) {
	for _, f := range problem.ClientFields() {
		members = append(members, Member{f.Name, problem.Sent(f, p, memberOf{})})
	}
	return append(members, Member{"read", &p.Read})
}

// memberOf returns the members of a patch as decode fills them.
type memberOf struct{}

// Text implements problem.SentKinds, as do the methods below.
func (memberOf) Text(_ *problem.Field, sent *patch.Field[string]) any { return sent }

// Reference returns the member of a partial object.
func (memberOf) Reference(_ *problem.Field, sent *patch.Field[metadata.Partial]) any { return sent }

// Date returns the member of a date.
func (memberOf) Date(_ *problem.Field, sent *patch.Field[date.Date]) any { return sent }
