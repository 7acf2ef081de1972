package access

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

func TestScope(t *testing.T) {
	t.Parallel()
	ordered := append([]Scope{""}, Scopes()...)
	for i, scope := range ordered {
		for j, needed := range ordered {
			if got, want := scope.Covers(needed), i >= j && j > 0; got != want {
				t.Errorf("%q covers %q: %t, want %t", scope, needed, got, want)
			}
		}
		if got, want := scope.Valid(), i > 0; got != want || (scope.Check() == nil) != want {
			t.Errorf("%q is valid: %t, and %v, want %t", scope, got, scope.Check(), want)
		}
	}
	for _, scope := range []Scope{"Read", "root", "admin "} {
		if scope.Valid() || scope.Covers(Read) || Admin.Covers(scope) {
			t.Errorf("%q counts as a scope", scope)
		}
	}
}

func TestTokenValid(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		token Token
		want  bool
	}{
		{"for good", Token{}, true},
		{"expires later", Token{Expires: at.Add(time.Millisecond)}, true},
		{"expires now", Token{Expires: at}, false},
		{"expired", Token{Expires: at.Add(-time.Millisecond)}, false},
		{"revoked", Token{Revoked: at.Add(-time.Hour)}, false},
		{"revoked, though the clock has stepped back", Token{Revoked: at.Add(time.Hour)}, false},
		{"revoked before it expires", Token{Revoked: at.Add(-time.Hour), Expires: at.Add(time.Hour)}, false},
	} {
		if got := c.token.Valid(at); got != c.want {
			t.Errorf("%s: Valid() = %t, want %t", c.name, got, c.want)
		}
	}
}

func TestTokenCheckExpiry(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		token Token
		ok    bool
	}{
		{"never", Token{Created: at}, true},
		{"a moment later", Token{Created: at, Expires: at.Add(time.Millisecond)}, true},
		{"at once", Token{Created: at, Expires: at}, false},
		{"before", Token{Created: at, Expires: at.Add(-time.Millisecond)}, false},
		{"as late as can be", Token{Created: at, Expires: time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)}, true},
		{"an invitation for 30 days", Token{Created: at, Expires: at.Add(MostInvitationLife), Invitation: true}, true},
		{"an invitation for longer", Token{Created: at, Expires: at.Add(MostInvitationLife + time.Millisecond), Invitation: true}, false},
		{"later", Token{Created: at, Expires: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, false},
	} {
		if err := c.token.CheckExpiry(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// D50: an own token has at most the scope of the caller, lasts 90 days at most, and not longer than
// the token that makes it; the tokens of 90 days are bounded.
func TestOwn(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for expires, want := range map[time.Time]time.Time{{}: at.Add(MostOwnLife), at.Add(time.Hour): at.Add(time.Hour), at.Add(2 * MostOwnLife): at.Add(MostOwnLife)} {
		if got := (Own{Expires: expires}).Latest(at); !got.Equal(want) {
			t.Errorf("with a token until %v, an own one ends %v at the latest, want %v", expires, got, want)
		}
	}
	for i, scope := range Scopes() {
		for j, wanted := range Scopes() {
			if err := (Own{Scope: scope}).Check(wanted); (err == nil) != (j <= i) {
				t.Errorf("with %s, one makes a token with %s: %v", scope, wanted, err)
			}
		}
	}
	ann, bob := ident.ID{15: 1}, ident.ID{15: 2}
	tokens := []Token{{User: bob, Created: at}, {User: ann, Created: at.Add(-MostOwnLife)}}
	for n := 0; n <= MostOwn; n++ {
		if got := Crowded(tokens, ann, at); got != (n == MostOwn) {
			t.Fatalf("with %d tokens: crowded %t", n, got)
		}
		tokens = append(tokens, Token{User: ann, Created: at, Revoked: at})
	}
}
