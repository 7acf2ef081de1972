package mail

import "testing"

func TestAutomatic(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sender, header, value string
		want                  bool
	}{
		"by a person":                      {"ann@example.org", "Subject", "Re: #7", false},
		"that says so":                     {"ann@example.org", "Auto-Submitted", "no", false},
		"that says so, with a comment":     {"ann@example.org", "Auto-Submitted", "no (really)", false},
		"that says so, behind a comment":   {"ann@example.org", "Auto-Submitted", "(really) No", false},
		"that wants no answer of programs": {"ann@example.org", "X-Auto-Response-Suppress", "All", false},
		"with a comment":                   {"ann@example.org", "Auto-Submitted", "auto-replied (vacation)", true},
		"by a rule of Exchange":            {"ann@example.org", "X-MS-Exchange-Inbox-Rules-Loop", "ann@example.org", true},
		"with a normal priority":           {"ann@example.org", "Precedence", "first-class", false},
		"during a holiday (RFC 3834)":      {"ann@example.org", "Auto-Submitted", " Auto-Replied; owner-email=\"ann@example.org\"", true},
		"of this service":                  {"ann@example.org", "Auto-Submitted", "auto-generated", true},
		"bulk":                             {"ann@example.org", "Precedence", "Bulk", true},
		"of an older program":              {"ann@example.org", "Precedence", "auto_reply", true},
		"during a holiday, of an old one":  {"ann@example.org", "X-Autoreply", "yes", true},
		"of a list":                        {"ann@example.org", "List-Id", "<a.example.org>", true},
		"a bounce":                         {"", "Subject", "Undelivered", true},
		"a report":                         {"ann@example.org", "Content-Type", "multipart/report; report-type=delivery-status", true},
	} {
		got := Automatic(c.sender, func(name string) string {
			if name == c.header {
				return c.value
			}
			return ""
		})
		if got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
