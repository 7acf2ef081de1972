package report

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// readJUnit reads JUnit's XML as a CI system would, and looks whether the sums
// are right.
func readJUnit(t *testing.T, r *Report) junitSuites {
	t.Helper()
	text, err := r.JUnit()
	if err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(text) || !strings.HasPrefix(string(text), `<?xml version="1.0" encoding="UTF-8"?>`+"\n<testsuites ") {
		t.Fatalf("this is no JUnit XML:\n%s", text)
	}
	var read junitSuites
	if err := xml.Unmarshal(text, &read); err != nil {
		t.Fatalf("the XML cannot be read: %v\n%s", err, text)
	}
	all := junitCount{Name: read.Name, Time: read.Time}
	for _, s := range read.Suites {
		counted := junitCount{Name: s.Name, Time: s.Time, Tests: len(s.Cases)}
		for _, c := range s.Cases {
			counted.Failures += one(c.Failure)
			counted.Errors += one(c.Error)
			counted.Skipped += one(c.Skipped)
		}
		if counted != s.junitCount {
			t.Errorf("the suite counts %+v where its cases are %+v", s.junitCount, counted)
		}
		all.Tests += counted.Tests
		all.Failures += counted.Failures
		all.Errors += counted.Errors
		all.Skipped += counted.Skipped
	}
	if all != read.junitCount {
		t.Errorf("the whole counts %+v where its suites are %+v", read.junitCount, all)
	}
	return read
}

func one(n *junitNote) int {
	if n == nil {
		return 0
	}
	return 1
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	read := readJUnit(t, example(plain))
	if want := (junitCount{Name: "conformance of boltstore plain v0.1.0 plain", Tests: 6, Failures: 1, Errors: 1, Skipped: 2, Time: "3.210"}); read.junitCount != want {
		t.Errorf("the whole is %+v where %+v was expected", read.junitCount, want)
	}
	if len(read.Suites) != 2 {
		t.Fatalf("there are %d suites where one for each of 2 profiles was expected", len(read.Suites))
	}
	first := read.Suites[0]
	if want := (junitCount{Name: "profile of COM plain", Tests: 4, Failures: 1, Errors: 1, Skipped: 1, Time: "0.912"}); first.junitCount != want {
		t.Errorf("the first suite is %+v where %+v was expected", first.junitCount, want)
	}
	if want := "2026-03-01T09:30:00"; first.Timestamp != want {
		t.Errorf("the suite began at %q where %q was expected", first.Timestamp, want)
	}
	for _, want := range []junitProperty{
		{"implementation", "boltstore plain"},
		{"version", "v0.1.0 plain"},
		{"suite", "store"},
		{"suite.version", "v0.3.0 plain"},
		{"seed", "18446744073709551615"},
		{"durability", "L1"},
		{"result", "not-conformant"},
		{"reason", "1 of 3 cases failed"},
	} {
		if !slices.Contains(first.Properties, want) {
			t.Errorf("the properties are %v; %v was expected among them", first.Properties, want)
		}
	}
}

func TestJUnitCases(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range readJUnit(t, example(plain)).Suites {
		for _, c := range s.Cases {
			how := "passed"
			switch {
			case c.Failure != nil:
				how = fmt.Sprintf("failure %q %q %q", c.Failure.Type, c.Failure.Message, c.Failure.Text)
			case c.Error != nil:
				how = fmt.Sprintf("error %q %q %q", c.Error.Type, c.Error.Message, c.Error.Text)
			case c.Skipped != nil:
				how = fmt.Sprintf("skipped %q", c.Skipped.Message)
			}
			got = append(got, c.Class+" "+c.Name+" "+c.Time+" "+how)
		}
	}
	want := []string{
		`store.profile of COM plain COM-001 plain 0.012 passed`,
		`store.profile of COM plain COM-002 plain 0.900 failure "core" "COM-002: all or nothing But plain" "COM-002: all or nothing\nBut plain\n\nrule: the rule of COM-002 plain\nsource: store.go, plain\nsee: https://example.com/rules.md#com\nsee: https://example.org/plain\nseed: 7"`,
		`store.profile of COM plain COM-003 plain 0.000 skipped "strace is missing plain"`,
		`store.profile of COM plain COM-004 plain 0.000 error "extended" "the harness failed: plain" "the harness failed: plain\n\nrule: the rule of COM-004 plain\nsource: store.go, plain"`,
		`store.profile of PEE plain PEE-001 plain 0.000 skipped "does not apply: its stores share nothing plain"`,
		`store.profile of PEE plain PEE-002 plain 1.100 passed`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the cases are\n%s\nwhere this was expected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestJUnitOfHostileTexts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *Report) {
		read := readJUnit(t, r)
		if len(read.Suites) != 2 || len(read.Suites[0].Cases) != 4 || read.Suites[0].Cases[1].Failure == nil {
			t.Fatalf("the suites are %+v", read.Suites)
		}
		c := r.Cases[1]
		got := read.Suites[0].Cases[1]
		if want := visible(c.Failure); !strings.HasPrefix(got.Failure.Text, want+"\n\nrule: ") {
			t.Errorf("the failure is\n%q\nwhere this was expected first\n%q", got.Failure.Text, want)
		}
		if want := visible(c.ID); got.Name != want {
			t.Errorf("the case is named %q where %q was expected", got.Name, want)
		}
	})
}

// A CI system sees no verdict: a report that is not conformant must not look like
// a success.
func TestJUnitIsNeverGreenByOmission(t *testing.T) {
	t.Parallel()
	empty := new(Report)
	empty.Conclude()
	missing := conformant()
	missing.Cases = append(missing.Cases, Case{ID: "COM-009", Profile: "commit", Level: Core, Status: NotRun, Reason: "no strace"})
	missing.Conclude()
	for _, test := range []struct {
		name    string
		report  *Report
		message string
	}{
		{"no cases", empty, "not conformant: not one core case was run"},
		{"a case was not run", missing, "incomplete: 1 case that applies was not run"},
		{"not concluded", new(Report), "without a result: "},
	} {
		read := readJUnit(t, test.report)
		if read.Errors != 1 {
			t.Errorf("%s: there are %d errors where one was expected", test.name, read.Errors)
			continue
		}
		last := read.Suites[len(read.Suites)-1]
		if last.Name != "verdict" || !strings.HasPrefix(last.Cases[0].Error.Message, strings.TrimSpace(test.message)) {
			t.Errorf("%s: the last suite is %+v where the verdict with %q was expected", test.name, last, test.message)
		}
	}
	if read := readJUnit(t, conformant()); read.Errors+read.Failures != 0 || read.Tests != 3 {
		t.Errorf("a conformant report gives %+v where 3 tests without failures were expected", read.junitCount)
	}
}
