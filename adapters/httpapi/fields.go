package httpapi

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
	write func(e *encoder, p *problem.Problem)
}

func newFieldMembers() (members []fieldMember) {
	for _, f := range problem.AllFields() {
		members = append(members, fieldMember{f.Name, writerOf(f)})
	}
	return members
}

// objectWriters write an object that a direct field of a problem refers to (D2).
var objectWriters = map[metadata.Kind]func(*encoder, ident.ID){
	metadata.States: (*encoder).state, metadata.Priorities: (*encoder).priority, metadata.Classifications: (*encoder).classification,
	metadata.Components: (*encoder).component, metadata.Milestones: (*encoder).milestone, metadata.Users: (*encoder).userByID,
}

func writerOf(f *problem.Field) func(*encoder, *problem.Problem) {
	switch f.Kind {
	case problem.ReferenceField:
		write := objectWriters[f.To]
		return func(e *encoder, p *problem.Problem) { write(e, *f.Reference(p)) }
	case problem.TimeField:
		return func(e *encoder, p *problem.Problem) { e.time(*f.Time(p)) }
	default:
		return func(e *encoder, p *problem.Problem) {
			text := *f.Text(p)
			e.nullText(problem.NullText{String: text, Valid: f.Required || text != ""})
		}
	}
}

// patchMembers are the members of a problem that clients set (D1).
func patchMembers(p *tracker.ProblemPatch) (members []member) {
	for _, f := range problem.ClientFields() {
		if f.Kind == problem.TextField {
			members = append(members, member{f.Name, f.SentText(p)})
		} else {
			members = append(members, member{f.Name, f.SentReference(p)})
		}
	}
	return append(members, member{"read", &p.Read})
}
