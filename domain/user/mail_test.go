package user

import "testing"

func TestChoicesOfMail(t *testing.T) {
	t.Parallel()
	for _, m := range []Mail{MailEverything, MailMine, MailNone} {
		if got, err := ParseMail(m.String()); err != nil || got != m {
			t.Errorf("%q is read as %q, %v", m.String(), got, err)
		}
	}
	for _, name := range []string{"", "Everything", "all", "none "} {
		if got, err := ParseMail(name); err == nil || got != MailNone {
			t.Errorf("%q is read as %q", name, got)
		}
	}
}

func TestCanGetMail(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"ann@example.org": true, "ann.b+c@mail.example.org": true, "änn@exämple.org": true, `"ann b"@example.org`: false,
		"admin@localhost": false, "ann@example.": false, "ann": false, "": false, "ann@": false, "@example.org": false,
		"Ann <ann@example.org>": false, "ann@example.org,bob@example.org": false, "a\r\nb@example.org": false, "ann@example.org\r\nBcc: b@example.org": false,
	} {
		if got := CanGetMail(address); got != want {
			t.Errorf("%q: %t", address, got)
		}
	}
}
