package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
)

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitCount
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	junitCount
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitCount struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Time    string     `xml:"time,attr"`
	Failure *junitNote `xml:"failure"`
	Error   *junitNote `xml:"error"`
	Skipped *junitNote `xml:"skipped"`
}

type junitNote struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit returns the report in the form of CI systems: a test suite for each profile, a
// failure for each failed case, an error for each broken one. CI systems know no verdict.
// So a report that is not conformant, but has neither failures nor errors, gets a suite
// of one error, named "verdict", with the reason.
func (r *Report) JUnit() ([]byte, error) {
	all := junitSuites{junitCount: junitCount{Name: visible("conformance of " + r.Implementation.title()), Time: r.Duration.seconds()}}
	for _, p := range profiles(r.Cases) {
		all.add(r.junitSuite(p.Name))
	}
	if r.Result != Conformant && all.Failures+all.Errors == 0 {
		all.add(r.junitVerdict())
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s%s\n", xml.Header, text), nil
}

func (all *junitSuites) add(s junitSuite) {
	all.Suites = append(all.Suites, s)
	all.Tests += s.Tests
	all.Failures += s.Failures
	all.Errors += s.Errors
	all.Skipped += s.Skipped
}

func (r *Report) junitSuite(profile string) junitSuite {
	s := junitSuite{junitCount: junitCount{Name: visible(profile)}, Properties: r.junitProperties()}
	if !r.Started.IsZero() {
		s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05")
	}
	var took Duration
	for _, c := range r.Cases {
		if c.Profile == profile {
			s.add(r.junitCase(c))
			took += c.Duration
		}
	}
	s.Time = took.seconds()
	return s
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func (r *Report) junitCase(c Case) junitCase {
	j := junitCase{Class: r.junitClass(c.Profile), Name: visible(c.ID), Time: c.Duration.seconds()}
	switch c.Status {
	case Passed:
	case Failed:
		j.Failure = c.junitComplaint()
	case Broken:
		j.Error = c.junitComplaint()
	default:
		reason := cmp.Or(c.Reason, "no reason was given")
		if c.waived() {
			reason = "does not apply: " + reason
		}
		j.Skipped = &junitNote{Message: line(reason)}
	}
	return j
}

// junitClass returns the name for grouping cases in CI systems: dots make folders.
func (r *Report) junitClass(profile string) string { return visible(r.Suite.Name + "." + profile) }

// junitComplaint describes the complaint: in short for a list, and in full.
func (c Case) junitComplaint() *junitNote {
	text := []string{cmp.Or(c.Failure, "The case said no more."), "", "rule: " + c.Rule, "source: " + c.Source}
	for _, address := range c.Links {
		text = append(text, "see: "+address)
	}
	if c.Seed != "" {
		text = append(text, "seed: "+c.Seed)
	}
	for i := range text {
		text[i] = visible(text[i])
	}
	return &junitNote{
		Message: brief(cmp.Or(c.Failure, c.Rule), 300),
		Type:    visible(string(c.Level)),
		Text:    strings.Join(text, "\n"),
	}
}

func (r *Report) junitVerdict() junitSuite {
	s := junitSuite{junitCount: junitCount{Name: "verdict", Time: Duration(0).seconds()}, Properties: r.junitProperties()}
	s.add(junitCase{
		Class: r.junitClass("verdict"), Name: "result", Time: Duration(0).seconds(),
		Error: &junitNote{
			Message: line(r.Result.words() + ": " + r.Reason),
			Text:    "No case failed, but the implementation has not been shown to conform.",
		},
	})
	return s
}

func (r *Report) junitProperties() []junitProperty {
	all := []junitProperty{
		{"implementation", r.Implementation.Name},
		{"version", r.Implementation.Version},
		{"suite", r.Suite.Name},
		{"suite.version", r.Suite.Version},
		{"seed", r.Seed},
		{"durability", r.Durability.words()},
		{"result", string(r.Result)},
		{"reason", r.Reason},
		{"environment", r.Environment.words()},
	}
	for i := range all {
		all[i].Value = line(all[i].Value)
	}
	return all
}
