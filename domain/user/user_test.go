package user

import "testing"

func TestFoldEmail(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{
		"":                       "",
		"ann@example.org":        "ann@example.org",
		"Ann.LEE@Example.ORG":    "ann.lee@example.org",
		"@AZ[`az{":               "@az[`az{",
		"JÖRG@example.org":       "jÖrg@example.org",
		"\u212Aelvin@ΣΊΣΥΦΟΣ.gr": "\u212Aelvin@ΣΊΣΥΦΟΣ.gr",
		"A\xff":                  "a\xff",
	} {
		if got := FoldEmail(email); got != want {
			t.Errorf("FoldEmail(%q) = %q, want %q", email, got, want)
		}
	}
}
