package ident

import (
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const canonical = "0197c3f2-89ab-7cde-8f01-23456789abcd"
	id, err := Parse(canonical)
	if err != nil {
		t.Fatal(err)
	}
	want := ID{0x01, 0x97, 0xc3, 0xf2, 0x89, 0xab, 0x7c, 0xde, 0x8f, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd}
	if id != want || id.String() != canonical || id.IsNone() {
		t.Errorf("Parse(%q) = %x, which is written %q", canonical, [16]byte(id), id)
	}
	if none, err := Parse(None.String()); err != nil || !none.IsNone() {
		t.Errorf("Parse(%q) = %s, %v", None, none, err)
	}
	for name, s := range map[string]string{
		"empty":              "",
		"upper case":         strings.ToUpper(canonical),
		"one letter in it":   "0197c3f2-89ab-7cde-8f01-23456789abcD",
		"no hyphens":         strings.ReplaceAll(canonical, "-", ""),
		"braces":             "{" + canonical + "}",
		"URN":                "urn:uuid:" + canonical,
		"too short":          canonical[:35],
		"too long":           canonical + "0",
		"space":              canonical[:35] + " ",
		"not hexadecimal":    canonical[:35] + "g",
		"hyphen elsewhere":   "0197c3f-289ab-7cde-8f01-23456789abcd",
		"hyphen for a digit": "0197c3f2-89ab-7cde-8f01-23456789abc-",
		"beyond ASCII":       "0197c3f2-89ab-7cde-8f01-23456789abé",
	} {
		if id, err := Parse(s); err == nil || id != None {
			t.Errorf("%s: Parse(%q) = %s, %v; want an error", name, s, id, err)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	ordered := []ID{None, {15: 1}, {14: 1}, {0: 0x0f}, {0: 0x10}, {0: 0xff}}
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := a.Compare(b), strings.Compare(a.String(), b.String()); got != want {
				t.Errorf("%s and %s: compared to %d, their strings to %d", a, b, got, want)
			}
			if got := a.Compare(b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s.Compare(%s) = %d", a, b, got)
			}
		}
	}
}

// TestSequence checks the rules of RFC 9562 for version 7. It checks that identifiers
// increase, from the lowest and from the highest random bits.
func TestSequence(t *testing.T) {
	t.Parallel()
	const n = 100_000
	at := time.UnixMilli(0x0197c3f289ab).Add(999 * time.Microsecond)
	for name, random := range map[string][10]byte{
		"all zero": {},
		"all one":  {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"carrying": {2: 0x12, 3: 0xff, 4: 0xff, 5: 0xff, 6: 0xff, 7: 0xff, 8: 0xfe},
	} {
		seq := NewSequence(at, random)
		last := None
		for range n {
			id := seq.Next()
			if id.Compare(last) <= 0 {
				t.Fatalf("%s: %s comes after %s", name, id, last)
			}
			if s := id.String(); !strings.HasPrefix(s, "0197c3f2-89ab-7") || !strings.Contains("89ab", s[19:20]) {
				t.Fatalf("%s: %s lacks the time, version 7 or variant 10", name, s)
			}
			if parsed, err := Parse(id.String()); err != nil || parsed != id {
				t.Fatalf("%s: Parse(%s) = %s, %v", name, id, parsed, err)
			}
			last = id
		}
	}
}

func TestSequenceIsDeterministic(t *testing.T) {
	t.Parallel()
	at, random := time.UnixMilli(1), [10]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	a, b := NewSequence(at, random), NewSequence(at, random)
	for range 10 {
		if x, y := a.Next(), b.Next(); x != y {
			t.Errorf("the same start leads to %s and %s", x, y)
		}
	}
	later := NewSequence(at.Add(time.Millisecond), [10]byte{})
	if x, y := a.Next(), later.Next(); x.Compare(y) >= 0 {
		t.Errorf("%s of one millisecond is not less than %s of the next", x, y)
	}
}

// An identifier contains the time of its creation.
func TestTimeOfIdentifier(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{time.UnixMilli(0), time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)} {
		seq := NewSequence(at.Add(999*time.Microsecond), [10]byte{1, 2, 3})
		for range 3 {
			if got := seq.Next().Time(); !got.Equal(at) || got.Location() != time.UTC {
				t.Errorf("the time is %s, want %s", got, at)
			}
		}
	}
	if got := None.Time(); !got.IsZero() {
		t.Errorf("no object has the time %s", got)
	}
}
