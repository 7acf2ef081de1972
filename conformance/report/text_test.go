package report

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	server := conformant()
	server.Durability, server.Seed = nil, ""
	for _, test := range []struct {
		report *Report
		want   string
	}{
		{conformant(), "conformance: boltstore plain v0.1.0 plain: conformant: all 2 cases that apply passed " +
			"(core 1/1, extended 1/1), durability L1, seed 18446744073709551615, 3.2 s\n"},
		{server, "conformance: boltstore plain v0.1.0 plain: conformant: all 2 cases that apply passed " +
			"(core 1/1, extended 1/1), 3.2 s\n"},
		{example(plain), "conformance: boltstore plain v0.1.0 plain: not conformant: 1 of 3 cases failed " +
			"(core 1/3, extended 1/2), durability L1, seed 18446744073709551615, 3.2 s\n" +
			"  failed: COM-002 plain\n" +
			"  broken: COM-004 plain\n" +
			"  not run: COM-003 plain: strace is missing plain\n"},
		{new(Report), "conformance: an implementation without a name: without a result:  (core 0/0, extended 0/0), 0 ms\n"},
	} {
		if got := test.report.Text(); got != test.want {
			t.Errorf("the text is\n%s\nwhere this was expected\n%s", got, test.want)
		}
	}
}

// No text may command the terminal, or add lines of its own.
func TestTextOfHostileTexts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *Report) {
		text := r.Text()
		if text != visible(text) || strings.Count(text, "\n") != 4 {
			t.Errorf("the text is %q where 4 lines without control characters were expected", text)
		}
	})
}
