package report

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Schema names the form of a Report in JSON. It changes when a reader of the old
// form would be misled.
const Schema = "problems-conformance-report/1"

// Report describes one run of the suite.
type Report struct {
	Schema         string         `json:"schema"`
	Suite          Suite          `json:"suite"`
	Implementation Implementation `json:"implementation"`
	Environment    Environment    `json:"environment"`
	// Seed began the random choices of the run, in decimal digits: JSON numbers would
	// lose some of them.
	Seed     string    `json:"seed"`
	Started  time.Time `json:"started"`
	Duration Duration  `json:"duration"`
	// Result is the verdict.
	Result Result `json:"result"`
	// Reason explains the Result in a sentence.
	Reason string `json:"reason"`
	// Capabilities are declared by the implementation, by name: "yes" or "no", and what follows from it.
	Capabilities map[string]string `json:"capabilities,omitempty"`
	// Durability is the shown durability of stores; nil for servers.
	Durability *Durability `json:"durability,omitempty"`
	Profiles   []Profile   `json:"profiles"`
	Cases      []Case      `json:"cases"`
}

// Suite describes the suite.
type Suite struct {
	Name    string `json:"name"`    // "store" or "http"
	Version string `json:"version"` // of the module that has the cases
	// Only is the regular expression for the chosen cases; empty for all.
	Only string `json:"only,omitempty"`
	// Rounds is the least number of rounds of the random cases, each with a seed of its
	// own: the run's, and the following ones.
	Rounds int `json:"rounds,omitempty"`
	// Long is how long the random cases went on beyond one round; 0 in a
	// quick run.
	Long Duration `json:"long,omitempty"`
}

// Implementation describes the tested implementation.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// URL is the address of its description, or of the server. It has no credentials:
	// reports are published.
	URL string `json:"url,omitempty"`
}

// Environment is where the run took place.
type Environment struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
}

// Durability is how much of the acknowledged data survives.
type Durability struct {
	// Level is "L0" for a store that survives reopening, "L1" if it also survives the
	// kill of its process, "L2" if also the loss of all unsynced writes; empty without
	// any of them.
	Level string `json:"level"`
	// Reason says why it is not higher.
	Reason string `json:"reason,omitempty"`
}

// Level says how much a case weighs.
type Level string

// The levels.
const (
	// Core cases hold for every implementation.
	Core Level = "core"
	// Extended cases are about optional features, and declare them.
	Extended Level = "extended"
)

// Status is how a case ended.
type Status string

// The values of Status.
const (
	Passed Status = "passed"
	Failed Status = "failed"
	// Broken cases have no result, because the harness failed.
	Broken Status = "broken"
	NotRun Status = "not-run"
)

// Result is the verdict on a run.
type Result string

// The values of Result.
const (
	// Conformant: every core case passed, and so did every applicable extended one.
	Conformant Result = "conformant"
	// NotConformant: a case failed, or no core case was there to pass.
	NotConformant Result = "not-conformant"
	// Incomplete: nothing failed, but an applicable case has no result.
	Incomplete Result = "incomplete"
)

// Case is one case and how it ended.
type Case struct {
	ID     string `json:"id"`
	Rule   string `json:"rule"`
	Source string `json:"source"` // where the rule comes from
	// Links are the addresses of the pages in the source.
	Links   []string `json:"links,omitempty"`
	Profile string   `json:"profile"`
	Level   Level    `json:"level"`
	Status  Status   `json:"status"`
	// Reason says why the case was not run.
	Reason string `json:"reason,omitempty"`
	// Waived cases were not run, because the implementation declares them inapplicable.
	// They are no gap.
	Waived bool `json:"waived,omitempty"`
	// Failure is the complaint of the case.
	Failure  string   `json:"failure,omitempty"`
	Seed     string   `json:"seed,omitempty"`
	Duration Duration `json:"duration"`
}

// Profile sums up the cases of one profile.
type Profile struct {
	Name     string `json:"name"`
	Core     Count  `json:"core"`
	Extended Count  `json:"extended"`
}

// Count counts cases by how they ended.
type Count struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	Broken int `json:"broken"`
	NotRun int `json:"notRun"`
	// Waived is the number of inapplicable ones among those not run.
	Waived int `json:"waived"`
	// Reasons are why cases were not run, each with how many.
	Reasons map[string]int `json:"reasons,omitempty"`
}

// Total is the number of all cases.
func (c Count) Total() int { return c.Passed + c.Failed + c.Broken + c.NotRun }

// Applying is the number of applicable cases, run or not.
func (c Count) Applying() int { return c.Total() - c.Waived }

func (c Count) equal(d Count) bool {
	return c.Passed == d.Passed && c.Failed == d.Failed && c.Broken == d.Broken &&
		c.NotRun == d.NotRun && c.Waived == d.Waived && maps.Equal(c.Reasons, d.Reasons)
}

// Conclude derives the rest from the cases: their order, the Profiles, the Result and its
// Reason. Call it before writing a report.
func (r *Report) Conclude() {
	r.Schema = Schema
	slices.SortStableFunc(r.Cases, func(a, b Case) int {
		return cmp.Or(cmp.Compare(a.Profile, b.Profile), cmp.Compare(a.ID, b.ID))
	})
	r.Profiles = profiles(r.Cases)
	r.Result, r.Reason = r.verdict()
}

// Count counts the cases of one level, of all profiles.
func (r *Report) Count(level Level) Count {
	var all Profile
	for _, c := range r.Cases {
		all.add(c)
	}
	if level == Core {
		return all.Core
	}
	return all.Extended
}

// profiles counts the cases of each profile, in the order of their names.
func profiles(cases []Case) []Profile {
	named := make(map[string]*Profile)
	for _, c := range cases {
		if named[c.Profile] == nil {
			named[c.Profile] = &Profile{Name: c.Profile}
		}
		named[c.Profile].add(c)
	}
	var all []Profile
	for _, name := range slices.Sorted(maps.Keys(named)) {
		all = append(all, *named[name])
	}
	return all
}

// Doubt makes a conformant report incomplete, for a reason outside of the cases.
func (r *Report) Doubt(reason string) {
	if r.Result == Conformant {
		r.Result, r.Reason = Incomplete, reason
	}
}

func (p *Profile) add(c Case) {
	count := &p.Extended
	if c.Level == Core {
		count = &p.Core
	}
	switch c.Status {
	case Passed:
		count.Passed++
	case Failed:
		count.Failed++
	case Broken:
		count.Broken++
	default:
		count.notRun(c)
	}
}

func (c *Count) notRun(this Case) {
	c.NotRun++
	if this.waived() {
		c.Waived++
	}
	if c.Reasons == nil {
		c.Reasons = make(map[string]int)
	}
	c.Reasons[valid(this.Reason)]++
}

// waived reports whether the case is no gap. An unknown status is a gap.
func (c Case) waived() bool { return c.Status == NotRun && c.Waived }
