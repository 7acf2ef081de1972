package audit

import (
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

// D46: the audit log has neither the former names nor the former addresses.
func TestErasing(t *testing.T) {
	t.Parallel()
	erased := user.User{ID: ident.ID{15: 1}}.Erase()
	own, foreign := ident.ID{15: 3}, ident.ID{15: 4}
	name, email := problem.LogText(erased.Name), problem.LogText(erased.Email)
	created := func(name, email problem.LogValue) problem.LogValue {
		return problem.LogObject(problem.LogMember{Name: "name", Value: name}, problem.LogMember{Name: "email", Value: email}, problem.LogMember{Name: "inactive", Value: "false"})
	}
	for _, c := range []struct{ before, want Entry }{
		{Entry{Kind: User, Object: erased.ID, Name: "Ann", To: created(`"Ann"`, `"a@b.org"`)}, Entry{Kind: User, Object: erased.ID, Name: erased.Name, To: created(name, email)}},
		{Entry{Kind: User, Object: erased.ID, Name: "Ann", Field: "name", From: `"Anna"`, To: `"Ann"`}, Entry{Kind: User, Object: erased.ID, Name: erased.Name, Field: "name", From: name, To: name}},
		{Entry{Kind: User, Object: erased.ID, Name: "Ann", Field: "email", From: `"a@b.org"`, To: `"c@b.org"`}, Entry{Kind: User, Object: erased.ID, Name: erased.Name, Field: "email", From: email, To: email}},
		{Entry{Kind: User, Object: erased.ID, Name: "Ann", Field: "inactive", From: "false", To: "true"}, Entry{Kind: User, Object: erased.ID, Name: erased.Name, Field: "inactive", From: "false", To: "true"}},
		{Entry{Kind: User, Object: ident.ID{15: 2}, Name: "Ann", Field: "name", From: `"Anna"`, To: `"Ann"`}, Entry{Kind: User, Object: ident.ID{15: 2}, Name: "Ann", Field: "name", From: `"Anna"`, To: `"Ann"`}},
		{Entry{Kind: Token, Object: own, Name: "Ann", To: problem.LogObject(problem.LogMember{Name: "user", Value: problem.LogRef(erased.ID, "Ann")})},
			Entry{Kind: Token, Object: own, Name: erased.Name, To: problem.LogObject(problem.LogMember{Name: "user", Value: problem.LogRef(erased.ID, erased.Name)})}},
		{Entry{Kind: Token, Object: foreign, Name: "Ann", Field: "revoked"}, Entry{Kind: Token, Object: foreign, Name: "Ann", Field: "revoked"}},
	} {
		if got := c.before.Erasing(erased, map[ident.ID]bool{own: true, foreign: false}); got != c.want {
			t.Errorf("%+v becomes\n%+v, want\n%+v", c.before, got, c.want)
		}
	}
}
