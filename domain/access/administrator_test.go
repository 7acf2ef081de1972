package access

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

func TestAdministered(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ann, bob := ident.ID{15: 1}, ident.ID{15: 2} // Bob is inactive
	for _, c := range []struct {
		name   string
		tokens []Token
		want   bool
	}{
		{"no tokens", nil, false},
		{"a token of an active user", []Token{{User: ann, Scope: Admin}}, true},
		{"one that expires later", []Token{{User: ann, Scope: Admin, Expires: at.Add(time.Millisecond)}}, true},
		{"one that expires now", []Token{{User: ann, Scope: Admin, Expires: at}}, false},
		{"one that is revoked", []Token{{User: ann, Scope: Admin, Revoked: at.Add(-time.Hour)}}, false},
		{"one of an inactive user", []Token{{User: bob, Scope: Admin}}, false},
		{"smaller scopes", []Token{{User: ann, Scope: Write}, {User: ann, Scope: Read}}, false},
		{"an invitation", []Token{{User: ann, Scope: Admin, Invitation: true}}, false},
		{"no scope", []Token{{User: ann}}, false},
		{"one good among others", []Token{{User: bob, Scope: Admin}, {User: ann, Scope: Admin, Revoked: at}, {User: ann, Scope: Admin}}, true},
	} {
		if got := Administered(c.tokens, func(id ident.ID) bool { return id == ann }, at); got != c.want {
			t.Errorf("%s: Administered() = %t, want %t", c.name, got, c.want)
		}
	}
}
