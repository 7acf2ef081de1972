package tracker

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// D11: a member that only the service writes can be sent back as it was read,
// times as instants, objects by identity; else it is read-only-field.
func TestReadOnlyMembers(t *testing.T) {
	t.Parallel()
	keyword := func(name string, value any) any { return kit.Object{"name": name, "value": value} }
	build, regression := keyword("build", "1A2"), keyword("regression", nil)
	resolved := newLoaded(resolvedBy(kit.Bob, kit.Noon))
	unresolved := newLoaded()
	accented := newLoaded(func(l *loaded) { l.Keywords = []problem.Keyword{{Name: "café", Value: problem.Text("é")}} })
	for _, c := range []struct {
		rule   string
		l      loaded
		member string
		value  any
		same   bool
	}{
		{"the originator as R1 shows him", unresolved, "originator", userObject(kit.Ann, "Ann", "ann@example.org", false), true},
		{"the originator by e-mail address", unresolved, "originator", kit.Object{"email": "Ann@Example.org"}, true},
		{"the originator by identifier, after he was renamed and deactivated", unresolved, "originator", userObject(kit.Ann, "Anna", "anna@example.org", true), true},
		{"another originator", unresolved, "originator", userObject(kit.Bob, "Bob", "bob@example.org", false), false},
		{"an originator that is nobody", unresolved, "originator", kit.Object{"name": "Zoe"}, false},
		{"an originator that could be several", unresolved, "originator", kit.Object{"name": "Eve"}, false},
		{"an originator by an identifier that is none", unresolved, "originator", kit.Object{"identifier": json.Number("1")}, false},
		{"the originator is not null", unresolved, "originator", nil, false},
		{"the originator is an object", unresolved, "originator", "Ann", false},

		{"the resolver", resolved, "resolver", userObject(kit.Bob, "Bob", "bob@example.org", false), true},
		{"no resolver", unresolved, "resolver", nil, true},
		{"a resolver of an unresolved problem", unresolved, "resolver", userObject(kit.Bob, "Bob", "bob@example.org", false), false},
		{"no identifier is no resolver of an unresolved problem", unresolved, "resolver", kit.Object{"identifier": ident.None.String()}, false},
		{"no resolver of a resolved problem", resolved, "resolver", nil, false},

		{"the creation date", unresolved, "creationDate", "2015-11-05T11:00:00.000Z", true},
		{"the creation date in another zone", unresolved, "creationDate", "2015-11-05T12:30:00+01:30", true},
		{"another creation date", unresolved, "creationDate", "2015-11-05T11:00:00.001Z", false},
		{"a creation date that is none", unresolved, "creationDate", "yesterday", false},
		{"a creation date of another type", unresolved, "creationDate", json.Number("0"), false},
		{"the creation date is not null", unresolved, "creationDate", nil, false},

		{"the resolve date", resolved, "resolveDate", "2015-11-05T12:00:00Z", true},
		{"no resolve date", unresolved, "resolveDate", nil, true},
		{"a resolve date of an unresolved problem", unresolved, "resolveDate", "2015-11-05T12:00:00Z", false},
		{"the zero time is no resolve date of an unresolved problem", unresolved, "resolveDate", "0001-01-01T00:00:00Z", false},
		{"no resolve date of a resolved problem", resolved, "resolveDate", nil, false},

		{"the keywords", unresolved, "keywords", []any{build, regression}, true},
		{"the keywords in another order", unresolved, "keywords", []any{regression, build}, true},
		{"D9: the keywords, decomposed", accented, "keywords", []any{keyword("cafe\u0301", "e\u0301")}, true},
		{"a keyword less", unresolved, "keywords", []any{build}, false},
		{"a keyword more", unresolved, "keywords", []any{build, regression, keyword("x", nil)}, false},
		{"a keyword twice instead of another", unresolved, "keywords", []any{build, build}, false},
		{"another value", unresolved, "keywords", []any{keyword("build", "1A3"), regression}, false},
		{"the empty string is not null", unresolved, "keywords", []any{build, keyword("regression", "")}, false},
		{"a value of another type", unresolved, "keywords", []any{build, keyword("regression", false)}, false},
		{"a keyword without value member", unresolved, "keywords", []any{build, kit.Object{"name": "regression"}}, false},
		{"a keyword with another member", unresolved, "keywords", []any{build, kit.Object{"name": "regression", "value": nil, "x": nil}}, false},
		{"a keyword that is no object", unresolved, "keywords", []any{build, "regression"}, false},
		{"null instead of the keywords", unresolved, "keywords", nil, false},
		{"an object instead of the keywords", unresolved, "keywords", build, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, _, err := decideUpdate(by(kit.Bob), UpdateProblem{Service: kit.SentBack(kit.Object{c.member: c.value})}, c.l, kit.At(kit.Now))
			kit.Nothing(t, change)
			if c.same {
				kit.NoError(t, err)
			} else {
				kit.WantFault(t, err, fault.ReadOnlyField, "read-only-field /"+c.member)
			}
		})
	}
}

func TestReadOnlyIdentifier(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		sent patch.Field[problem.ID]
		same bool
	}{
		{"the identifier", patch.Set(problem.ID(7)), true},
		{"another identifier", patch.Set(problem.ID(8)), false},
		{"the identifier is not null", patch.Null[problem.ID](), false},
	} {
		change, _, err := decideUpdate(by(kit.Bob), UpdateProblem{Service: ServiceFields{Identifier: expected.Value[problem.ID]{Field: c.sent}}}, newLoaded(), kit.At(kit.Now))
		kit.Nothing(t, change)
		if c.same {
			kit.NoError(t, err)
		} else {
			kit.WantFault(t, err, fault.ReadOnlyField, "read-only-field /identifier")
		}
	}
}

// D11: a creation compares with the problem that it makes, an update with the problem
// as it was before: what was read can be sent back with an edit.
func TestAnswersNameIgnoredMembers(t *testing.T) {
	t.Parallel()
	originator := userObject(kit.Ann, "Ann", "ann@example.org", false)
	_, a, err := decideCreate(by(kit.Bob), CreateProblem{ProblemPatch: titled("T"), Service: kit.SentBack(kit.Object{
		"originator": originator, "modifier": kit.Object{"name": "Bob"}, "creationDate": "2001-02-03T04:05:06.000Z", "modificationDate": "2015-11-05T13:00:00Z",
		"identifier": number(7), "revision": number(1), "watching": false, "readByAssignee": false, "resolver": nil, "logs": []any{},
	})}, newCreation(), kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "of a creation", a.Ignored, []string{"creationDate", "identifier", "originator"})

	_, b, err := decideUpdate(by(kit.Bob), UpdateProblem{ProblemPatch: titled("U"), Service: kit.SentBack(kit.Object{
		"modifier": originator, "modificationDate": "2015-11-05T12:00:00.000Z", "watching": true, "readByAssignee": false,
	})}, newLoaded(), kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "of an update", b.Ignored, []string{"watching"})

	s := newStocked()
	id := s.create(t, "T")
	entry := s.load(t, id).Log[0]
	for _, c := range []struct {
		to   any
		want []string
	}{{kit.Object{"title": "T", "state": kit.Object{"identifier": kit.Open.String(), "name": "Open"}}, nil}, {kit.Object{"title": "Forged"}, []string{"logs"}}} {
		cmd := UpdateProblem{ProblemPatch: titled("U" + fmt.Sprint(c.want)), Service: kit.SentBack(kit.Object{"logs": []any{kit.Object{"identifier": entry.ID.String(), "to": c.to}}})}
		a, err := s.UpdateProblem(t.Context(), s.admin, id, cmd)
		kit.NoError(t, err)
		kit.Equal(t, "of an update with logs", a.Ignored, c.want)
		kit.Equal(t, "entries in the answer", len(a.Value.Log), 1)
	}
}

// userObject is a user as the service shows him (D2).
func userObject(id ident.ID, name, email string, inactive bool) kit.Object {
	return kit.Object{"identifier": id.String(), "name": name, "email": email, "inactive": inactive}
}
