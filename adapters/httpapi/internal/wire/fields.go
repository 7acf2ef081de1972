package wire

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// fieldMembers are the fields of a problem as JSON has them: in the order of D1.
var fieldMembers = newFieldMembers()

// fieldMember writes the value of a field.
type fieldMember struct {
	name  string
	write func(e *Encoder, p *problem.Problem)
}

func newFieldMembers() (members []fieldMember) {
	for _, f := range problem.AllFields() {
		members = append(members, fieldMember{f.Name, writerOf(f)})
	}
	return members
}

// objectWriters write the objects of a problem's direct fields (D2).
var objectWriters = map[metadata.Kind]func(*Encoder, ident.ID){
	metadata.States: (*Encoder).State, metadata.Priorities: (*Encoder).Priority, metadata.Classifications: (*Encoder).Classification,
	metadata.Components: (*Encoder).Component, metadata.Milestones: (*Encoder).Milestone, metadata.Users: (*Encoder).UserByID,
}

func writerOf(f *problem.Field) func(*Encoder, *problem.Problem) {
	switch f.Kind {
	case problem.ReferenceField:
		write := objectWriters[f.To]
		return func(e *Encoder, p *problem.Problem) { write(e, *f.Reference(p)) }
	case problem.TimeField:
		return func(e *Encoder, p *problem.Problem) { e.Time(*f.Time(p)) }
	default:
		return func(e *Encoder, p *problem.Problem) {
			text := *f.Text(p)
			e.nullText(problem.NullText{String: text, Valid: f.Required || text != ""})
		}
	}
}

// PatchMembers are a problem's members set by clients (D1).
func PatchMembers(p *tracker.ProblemPatch) (members []Member) {
	for _, f := range problem.ClientFields() {
		if f.Kind == problem.TextField {
			members = append(members, Member{f.Name, f.SentText(p)})
		} else {
			members = append(members, Member{f.Name, f.SentReference(p)})
		}
	}
	return append(members, Member{"read", &p.Read})
}
