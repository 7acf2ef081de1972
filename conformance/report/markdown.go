package report

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Markdown returns the report as a page. It
// escapes the markup of foreign texts.
func (r *Report) Markdown() string {
	p := &page{report: r}
	p.head()
	p.counts()
	p.gaps()
	p.complaints("Failures", Failed)
	p.complaints("Cases that the harness let down", Broken)
	p.run()
	p.slowest(10)
	return p.String()
}

type page struct {
	strings.Builder
	report *Report
}

// add writes a block of text and an empty line.
func (p *page) add(format string, args ...any) {
	fmt.Fprintf(p, format+"\n\n", args...)
}

// row writes a row of a table. The cells are Markdown already.
func (p *page) row(cells ...any) {
	for _, cell := range cells {
		fmt.Fprintf(p, "| %v ", cell)
	}
	p.WriteString("|\n")
}

// table begins a table. A colon at the end of a column's name marks numbers.
func (p *page) table(columns ...string) {
	var names, lines []any
	for _, c := range columns {
		name, number := strings.CutSuffix(c, ":")
		names = append(names, name)
		if number {
			lines = append(lines, "---:")
		} else {
			lines = append(lines, "---")
		}
	}
	p.row(names...)
	p.row(lines...)
}

// end ends a table.
func (p *page) end() { p.WriteString("\n") }

func (p *page) head() {
	r := p.report
	p.add("# Conformance of %s", md(r.Implementation.title()))
	verdict := "**" + strings.ToUpper(r.Result.words()[:1]) + r.Result.words()[1:] + "**"
	if r.Reason != "" {
		verdict += ": " + sentence(md(r.Reason))
	}
	p.add("%s", verdict)
	p.add("%s", md(r.figures()))
	p.add("%s", p.durability())
}

// figures returns the figures of the report in one line.
func (r *Report) figures() string {
	var parts []string
	parts = append(parts, "core "+r.Count(Core).ratio())
	if extended := r.Count(Extended); extended.Applying() > 0 {
		parts = append(parts, "extended "+extended.ratio())
	}
	if r.Durability != nil && r.Durability.Level != "" {
		parts = append(parts, line(r.Durability.Level))
	}
	return strings.Join(parts, " · ")
}

func (p *page) durability() string {
	d := p.report.Durability
	said := "Durability: **" + md(d.words()) + "**."
	if d == nil {
		return said
	}
	if meaning := d.meaning(); meaning != "" {
		said += " " + meaning
	}
	if d.Reason != "" {
		said += " Why it is not higher: " + sentence(md(d.Reason))
	}
	return said
}

func (p *page) counts() {
	p.add("## Profiles")
	p.table("Profile", "Level", "Passed:", "Failed:", "Broken:", "Not run:", "Does not apply:")
	for _, profile := range profiles(p.report.Cases) {
		p.count(md(profile.Name), Core, profile.Core)
		p.count(md(profile.Name), Extended, profile.Extended)
	}
	p.row(tally("**all**", Core, p.report.Count(Core))...)
	p.row(tally("**all**", Extended, p.report.Count(Extended))...)
	p.end()
}

// count writes the row of a level, unless the profile has no case of it.
func (p *page) count(name string, level Level, c Count) {
	if c.Total() > 0 {
		p.row(tally(name, level, c)...)
	}
}

func tally(name string, level Level, c Count) []any {
	return []any{name, level, c.Passed, c.Failed, c.Broken, c.NotRun - c.Waived, c.Waived}
}

func (p *page) gaps() {
	gaps := p.report.gaps()
	if len(gaps) == 0 {
		return
	}
	p.add("## Not run")
	p.table("Reason", "Cases:", "Verdict", "Which")
	for _, g := range gaps {
		note := "a gap"
		if g.waived {
			note = "does not apply"
		}
		p.row(md(g.reason), len(g.ids), note, md(few(g.ids, named)))
	}
	p.end()
}

func (p *page) complaints(title string, status Status) {
	those := p.report.ended(status)
	if len(those) == 0 {
		return
	}
	p.add("## %s", title)
	for _, c := range those {
		p.add("### %s", md(c.ID))
		p.add("Rule: %s", md(c.Rule))
		p.add("Source: %s. Profile: %s, %s.", md(c.Source), md(c.Profile), md(string(c.Level)))
		if len(c.Links) > 0 {
			var links []string
			for _, address := range c.Links {
				links = append(links, link(address))
			}
			p.add("See: %s", strings.Join(links, ", "))
		}
		fmt.Fprintln(p, fenced(cmp.Or(c.Failure, "The case said no more.")))
		if c.Seed != "" {
			p.add("Seed: %s", md(c.Seed))
		}
	}
}

func (p *page) run() {
	r := p.report
	p.add("## The run")
	p.table("", "")
	p.row("Implementation", md(r.Implementation.title()))
	if r.Implementation.URL != "" {
		p.row("Address", link(r.Implementation.URL))
	}
	p.row("Suite", md(r.Suite.Name+" "+r.Suite.Version))
	if r.Suite.Only != "" {
		p.row("Only cases that match", md(r.Suite.Only))
	}
	if r.Suite.Rounds > 1 {
		p.row("Rounds of random cases", r.Suite.Rounds)
	}
	if r.Suite.Long != 0 {
		p.row("Random cases went on for", r.Suite.Long)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Capabilities)) {
		p.row("Declares "+md(name), md(r.Capabilities[name]))
	}
	p.row("Environment", md(r.Environment.words()))
	p.row("Seed", md(cmp.Or(r.Seed, "none")))
	if !r.Started.IsZero() {
		p.row("Started", r.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	p.row("Duration", r.Duration)
	p.end()
}

func (p *page) slowest(n int) {
	ran := slices.DeleteFunc(slices.Clone(p.report.Cases), func(c Case) bool { return c.Duration <= 0 })
	if len(ran) == 0 {
		return
	}
	slices.SortStableFunc(ran, func(a, b Case) int { return cmp.Compare(b.Duration, a.Duration) })
	p.add("## Slowest cases")
	p.table("Case", "Rule", "Duration:")
	for _, c := range ran[:min(n, len(ran))] {
		p.row(md(c.ID), md(c.Rule), c.Duration)
	}
}

// link returns a link to the address if it is one of the web, and else its text.
// A password in it is masked.
func link(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return md(address)
	}
	return fmt.Sprintf("[%s](<%s>)", md(u.Redacted()), target(u))
}

// target returns an address for the angle brackets of a link.
func target(u *url.URL) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", `\`, "%5C", "|", "%7C", "`", "%60", "&", `\&`).Replace(u.Redacted())
}
