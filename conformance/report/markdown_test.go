package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,})[^`]*$")
	escaped   = regexp.MustCompile(`\\.`)
	address   = regexp.MustCompile(`\]\(<[^<>]*>\)`)
	inert     = regexp.MustCompile(`[~@$_*!#]`) // in the address of a link
	foreign   = regexp.MustCompile("[^`*_\\[\\]<>|~&!#$@\n]")
)

// shape returns what a page is made of: the markup of each line, without texts
// and what is escaped, and the texts of its code blocks apart.
func shape(t *testing.T, page string) (lines, blocks []string) {
	t.Helper()
	fence := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		marks := ""
		if m := fenceLine.FindStringSubmatch(line); m != nil {
			marks = m[1]
		}
		switch {
		case fence == "" && marks != "":
			fence = marks
			lines, blocks = append(lines, "code"), append(blocks, "")
		case fence == "":
			line = escaped.ReplaceAllString(line, "")
			line = address.ReplaceAllStringFunc(line, func(a string) string { return inert.ReplaceAllString(a, "") })
			lines = append(lines, foreign.ReplaceAllString(line, ""))
		case len(marks) >= len(fence) && strings.TrimSpace(line) == marks:
			fence = ""
		default:
			blocks[len(blocks)-1] += line + "\n"
		}
	}
	if fence != "" {
		t.Errorf("a code block is not closed in\n%s", page)
	}
	return lines, blocks
}

// What the texts hold must not change what the page is made of.
func TestMarkdownOfHostileTexts(t *testing.T) {
	t.Parallel()
	// TestLink has hostile addresses, of which some become texts.
	modest := func(r *Report) *Report {
		r.Implementation.URL = ""
		for i, c := range r.Cases {
			r.Cases[i].Links = c.Links[:min(1, len(c.Links))]
		}
		return r
	}
	want, _ := shape(t, modest(example(plain)).Markdown())
	each(t, func(t *testing.T, r *Report) {
		page := modest(r).Markdown()
		if !utf8.ValidString(page) {
			t.Errorf("the page is not UTF-8: %q", page)
		}
		lines, blocks := shape(t, page)
		if !slices.Equal(lines, want) {
			t.Errorf("the page has the markup\n%q\nwhere this was expected\n%q\n%s", lines, want, page)
		}
		var complaints []string
		for _, c := range slices.Concat(r.ended(Failed), r.ended(Broken)) {
			complaints = append(complaints, strings.TrimRight(visible(c.Failure), "\n")+"\n")
		}
		if !slices.Equal(blocks, complaints) {
			t.Errorf("the code blocks are\n%q\nwhere this was expected\n%q", blocks, complaints)
		}
	})
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	has(t, example(plain).Markdown(),
		"# Conformance of boltstore plain v0.1.0 plain\n",
		"\n**Not conformant**: 1 of 3 cases failed.\n",
		"\ncore 1/3 · extended 1/2 · L1\n",
		"\nDurability: **L1**. What was acknowledged survived that the store was opened again, and that its process was killed. "+
			"Why it is not higher: unsynced writes could not be lost here plain.\n",
		`
| Profile | Level | Passed | Failed | Broken | Not run | Does not apply |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
| profile of COM plain | core | 1 | 1 | 0 | 1 | 0 |
| profile of COM plain | extended | 0 | 0 | 1 | 0 | 0 |
| profile of PEE plain | extended | 1 | 0 | 0 | 0 | 1 |
| **all** | core | 1 | 1 | 0 | 1 | 0 |
| **all** | extended | 1 | 0 | 1 | 0 | 1 |

`,
		`
| Reason | Cases | Verdict | Which |
| --- | ---: | --- | --- |
| strace is missing plain | 1 | a gap | COM-003 plain |
| its stores share nothing plain | 1 | does not apply | PEE-001 plain |

`,
		"\n## Failures\n\n### COM-002 plain\n\nRule: the rule of COM-002 plain\n\nSource: store.go, plain. Profile: profile of COM plain, core.\n\n"+
			"See: [https\\://example.com/rules.md\\#com](<https://example.com/rules.md#com>), [https\\://example.org/plain](<https://example.org/plain>)\n\n"+
			"```text\nCOM-002: all or nothing\nBut plain\n```\n\nSeed: 7\n",
		"\n## Cases that the harness let down\n\n### COM-004 plain\n",
		"\n| Address | [https\\://example.com/plain](<https://example.com/plain>) |\n",
		"\n| Suite | store v0.3.0 plain |\n| Only cases that match | xplain |\n| Random cases went on for | 1 min 00 s |\n",
		"\n| Declares durable | yes |\n| Declares shared | no |\n| Environment | linux plain/amd64, CPUs: 2, go1.26.8 |\n",
		"\n| Seed | 18446744073709551615 |\n| Started | 2026-03-01 09:30:00 UTC |\n| Duration | 3.2 s |\n",
		`
## Slowest cases

| Case | Rule | Duration |
| --- | --- | ---: |
| PEE-002 plain | the rule of PEE-002 plain | 1.1 s |
| COM-002 plain | the rule of COM-002 plain | 900 ms |
| COM-001 plain | the rule of COM-001 plain | 12 ms |
`)
}

// The report says how many rounds of random cases there were, unless there was one.
func TestMarkdownShowsRounds(t *testing.T) {
	t.Parallel()
	for rounds, want := range map[int]bool{0: false, 1: false, 100: true} {
		r := conformant()
		r.Suite.Rounds = rounds
		if got := strings.Contains(string(r.Markdown()), "\n| Rounds of random cases | 100 |\n"); got != want {
			t.Errorf("%d rounds: the report shows them: %v, want %v", rounds, got, want)
		}
	}
}

func TestMarkdownClaimsNothing(t *testing.T) {
	t.Parallel()
	r := new(Report)
	r.Conclude()
	page := r.Markdown()
	has(t, page, "**Not conformant**: not one core case was run.\n", "Durability: **not examined**.\n", "| Seed | none |\n")
	for _, section := range []string{"## Failures", "## Not run", "## Slowest", "harness", "Started", "L0"} {
		if strings.Contains(page, section) {
			t.Errorf("a report of nothing speaks of %q:\n%s", section, page)
		}
	}
	r.Durability = &Durability{Reason: "it was not durable"}
	has(t, r.Markdown(), "Durability: **none shown**. Why it is not higher: it was not durable.\n")
	has(t, new(Report).Markdown(), "\n**Without a result**\n")
	has(t, conformant().Markdown(), "\n**Conformant**: all 2 cases that apply passed.\n", "| **all** | extended | 1 | 0 | 0 | 0 | 1 |\n")
}

func TestMarkdownNamesFew(t *testing.T) {
	t.Parallel()
	r := new(Report)
	for _, id := range strings.Split("ABCDEFGHIJKL", "") {
		r.Cases = append(r.Cases,
			Case{ID: id, Profile: "p", Level: Core, Status: NotRun},
			Case{ID: "run " + id, Profile: "p", Level: Core, Status: Passed, Duration: 1e6})
	}
	r.Conclude()
	page := r.Markdown()
	has(t, page, "| no reason was given | 12 | a gap | A, B, C, D, E, F, G, H and 4 more |\n")
	if n := strings.Count(page, " | 1 ms |\n"); n != 10 {
		t.Errorf("%d slowest cases are named where 10 were expected", n)
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.com/a_b":       `[https\://example.com/a\_b](<https://example.com/a_b>)`,
		"http://ann:secret@example.com": `[http\://ann:xxxxx\@example.com](<http://ann:xxxxx@example.com>)`,
		"javascript:alert(1)":           "javascript:alert(1)",
		"https:alert":                   "https:alert",
		"https://a/b>c|d e":             `[https\://a/b%3Ec%7Cd%20e](<https://a/b%3Ec%7Cd%20e>)`,
		"https://a/?b=<script>|":        `[https\://a/?b=\<script\>\|](<https://a/?b=%3Cscript%3E%7C>)`,
		"https://a/?b&amp;c`d`":         `[https\://a/?b\&amp;c\` + "`d\\`](<https://a/?b\\&amp;c%60d%60>)",
		"https://\x00":                  `https\://\\x00`,
	} {
		if got := link(address); got != want {
			t.Errorf("%q becomes %s where %s was expected", address, got, want)
		}
	}
}

// has looks whether a text has all the parts, in their order.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("this does not follow:\n%s\nin\n%s", part, text)
			return
		}
		rest = part[len(part)-1:] + after
	}
}
