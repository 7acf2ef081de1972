package user

import (
	"strings"
	"testing"
)

func TestFoldEmail(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{
		"":                          "",
		"ann@example.org":           "ann@example.org",
		"Ann.LEE@Example.ORG":       "ann.lee@example.org",
		"@AZ[`az{":                  "@az[`az{",
		"JÖRG@example.org":          "jÖrg@example.org",
		"\u212Aelvin@ΣΊΣΥΦΟΣ.gr":    "\u212Aelvin@σίσυφοσ.gr",
		"A\xff":                     "a\xff",
		"Ann@BÜCHER.Example":        "ann@bücher.example",
		"ann@XN--BCHER-KVA.EXAMPLE": "ann@bücher.example",
		"Ann@ＥＸＡＭＰＬＥ.Org":           "ann@ＥＸＡＭＰＬＥ.org",
	} {
		if got := FoldEmail(email); got != want {
			t.Errorf("FoldEmail(%q) = %q, want %q", email, got, want)
		}
	}
}

func TestStoredEmail(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{
		"Ann@Example.ORG": "Ann@Example.ORG", "a@b": "a@b", "a@b@c": "a@b@c", "ä@ö": "ä@ö", "ann@a_B.example": "ann@a_B.example", "ann@[127.0.0.1]": "ann@[127.0.0.1]",
		"@": "", "noat": "", "": "", "@b": "", "a@": "", "@b@c": "", "\u200b@b": "", "a@\u2800": "", "a b@c": "", "a@b\u00a0c": "",

		"Ann@bücher.example": "Ann@bücher.example", "ann@BÜCHER.Example": "ann@bücher.example", "ann@bu\u0308cher.example": "ann@bücher.example",
		"ann@xn--bcher-kva.example": "ann@bücher.example", "ann@Xn--BCHER-kva.EXAMPLE": "ann@bücher.example",
		"ann@mail.xn--bcher-kva.BÜCHER": "ann@mail.bücher.bücher", "ann@straße.example": "ann@straße.example", "ann@xn--strae-oqa.example": "ann@straße.example",
		"ann@ΣΊΣΥΦΟΣ.gr": "ann@σίσυφοσ.gr", "ann@xn--fiqs8s": "ann@中国", "ann@xn--80ak6aa92e.com": "ann@аррӏе.com",
		"ann@paral·lel.example": "", "ann@☃.example": "", "ann@ＥＸＡＭＰＬＥ.org": "", "ann@bücher。example": "", "ann@ﬁsh.example": "", "ann@bü_cher.example": "",
		"ann@İstanbul.example": "", "ann@I\u0307stanbul.example": "ann@i\u0307stanbul.example", "ann@STRAẞE.example": "", "ann@\u0308bücher.example": "", "ann@bü\u200bcher.example": "",
		// They are the ASCII form of no label in Unicode, so each is one of its own.
		"ann@xn--n3h.example": "ann@xn--n3h.example", "ann@xn--bcher-.example": "ann@xn--bcher-.example", "ann@xn--.example": "ann@xn--.example", "ann@xn--bcher-kv.example": "ann@xn--bcher-kv.example",
		"ann@xn--99999999.example": "ann@xn--99999999.example", "ann@xn--b_-eka.example": "ann@xn--b_-eka.example",
	} {
		got, err := StoredEmail(email)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("StoredEmail(%+q) = %+q, %v; want %+q", email, got, err, want)
		}
		if again, err := StoredEmail(want); want != "" && (again != want || err != nil) {
			t.Errorf("StoredEmail(%+q), a stored form, = %+q, %v", want, again, err)
		}
	}
	if _, err := StoredEmail("ann@bücher。example"); err == nil || !strings.Contains(err.Error(), "not U+3002") {
		t.Errorf("the error is %v", err)
	}
}

func TestIsOf(t *testing.T) {
	t.Parallel()
	domains := []string{"example.org", "Sub.Example.com", "xn--bcher-kva.example", "CAFÉ.example"}
	for email, want := range map[string]bool{
		"ann@example.org":           true,
		"ann@EXAMPLE.org":           true,
		"ann@sub.example.COM":       true,
		"ann@bücher.example":        true,
		"ann@XN--BCHER-KVA.example": true,
		"ann@xn--caf-dma.example":   true,
		"ann@evil.org@example.org":  false,
		"ann@example.org@evil.org":  false,
		"ann@sub.example.org":       false,
		"ann@example.com":           false,
		"ann@evilexample.org":       false,
		"ann@example.org.":          false,
		"ann@example.org.evil.org":  false,
		"ann@ex\u0430mple.org":      false,
		"ann@sub.example.com\u212a": false,
		"ann@":                      false,
		"example.org@evil.org":      false,
	} {
		if got := IsOf(email, domains); got != want {
			t.Errorf("%s is of %q: %t", email, domains, got)
		}
	}
	if IsOf("ann@example.org", nil) {
		t.Error("an address is of no domain")
	}
}
