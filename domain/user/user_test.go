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

func TestCheckEmail(t *testing.T) {
	t.Parallel()
	for email, ok := range map[string]bool{
		"ann@example.org": true, "a@b": true, "a@b@c": true, "ä@ö": true, "@": false, "noat": false, "": false,
		"@b": false, "a@": false, "\u200b@b": false, "a@\u2800": false, "a b@c": false, "a@b\u00a0c": false,
	} {
		if err := CheckEmail(email); (err == nil) != ok {
			t.Errorf("CheckEmail(%q): %v", email, err)
		}
	}
}
