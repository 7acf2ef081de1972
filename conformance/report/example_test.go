package report

import (
	"slices"
	"testing"
	"time"
)

// plain is a text that no form has to escape.
const plain = "plain"

// hostile are texts that could break one form or the other.
var hostile = []string{
	"",
	"two\nlines, \r\nthree\r",
	"\x00\x01\x1b[31m\x7f\u0085\u009b",
	"]]><!-- </failure> &amp; &#0; <script>alert(1)</script>",
	"bytes \xff\xfe\xc0\x80 that are no text, \xed\xa0\x80",
	"\uFFFD \uFFFE \uFFFF \U0010FFFF",
	"` `` ``` ```` `````` ~~~~",
	"```\n# a heading\n~~~\n| a | b |\n```text\n",
	"a | b \\| c \\\\| d",
	"*a* _b_ **c** [d](http://example.com) ![e](f) <http://g> https://h www.i j@k #1 @l $m$ ~n~",
	"# a\n- b\n1. c\n> d\n    e\n---\n===",
	"\u202Eright to left\u200B\u2028\u2029\uFEFF",
	`"quoted" 'twice' \ back`,
	"   spaces   ",
}

// example returns a report in which something of everything happened. All that
// comes from outside has the given text in it.
func example(text string) *Report {
	r := &Report{
		Suite:          Suite{Name: "store", Version: "v0.3.0 " + text, Only: "x" + text, Long: Duration(time.Minute)},
		Implementation: Implementation{Name: "boltstore " + text, Version: "v0.1.0 " + text, URL: "https://example.com/" + text},
		Environment:    Environment{OS: "linux " + text, Arch: "amd64", CPUs: 2, Go: "go1.26.8"},
		Seed:           "18446744073709551615",
		Started:        time.Date(2026, time.March, 1, 10, 30, 0, 7e6, time.FixedZone("CET", 3600)),
		Duration:       Duration(3210 * time.Millisecond),
		Capabilities:   map[string]string{"durable": "yes", "shared": "no"},
		Durability:     &Durability{Level: "L1", Reason: "unsynced writes could not be lost here " + text},
		Cases: []Case{
			{ID: "COM-001", Level: Core, Status: Passed, Duration: Duration(12 * time.Millisecond)},
			{ID: "COM-002", Level: Core, Status: Failed, Failure: "COM-002: all or nothing\nBut " + text, Links: []string{"https://example.com/rules.md#com", "https://example.org/" + text}, Seed: "7", Duration: Duration(900 * time.Millisecond)},
			{ID: "COM-003", Level: Core, Status: NotRun, Reason: "strace is missing " + text},
			{ID: "COM-004", Level: Extended, Status: Broken, Failure: "the harness failed: " + text},
			{ID: "PEE-001", Level: Extended, Status: NotRun, Reason: "its stores share nothing " + text, Waived: true},
			{ID: "PEE-002", Level: Extended, Status: Passed, Duration: Duration(1100 * time.Millisecond)},
		},
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		c.Profile = "profile of " + c.ID[:3] + " " + text
		c.Rule = "the rule of " + c.ID + " " + text
		c.Source = "store.go, " + text
		c.ID += " " + text
	}
	r.Conclude()
	return r
}

// conformant returns a report of a run in which all went well.
func conformant() *Report {
	r := example(plain)
	r.Suite.Only = ""
	r.Cases = slices.DeleteFunc(r.Cases, func(c Case) bool { return c.Status != Passed && !c.Waived })
	r.Conclude()
	return r
}

// each calls check with an example for each of the texts, in parallel.
func each(t *testing.T, check func(*testing.T, *Report)) {
	for _, text := range slices.Concat(hostile, []string{plain}) {
		t.Run(line(text), func(t *testing.T) {
			t.Parallel()
			check(t, example(text))
		})
	}
}
