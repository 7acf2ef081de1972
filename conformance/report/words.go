package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// words returns the result for people.
func (r Result) words() string {
	switch r {
	case Conformant:
		return "conformant"
	case NotConformant:
		return "not conformant"
	case Incomplete:
		return "incomplete"
	}
	return "without a result"
}

// title returns the name and the version of the implementation.
func (i Implementation) title() string {
	return strings.TrimSpace(cmp.Or(i.Name, "an implementation without a name") + " " + i.Version)
}

// words returns the environment in a line.
func (e Environment) words() string {
	return fmt.Sprintf("%s/%s, CPUs: %d, %s", e.OS, e.Arch, e.CPUs, e.Go)
}

// words returns the level for people. d may be nil.
func (d *Durability) words() string {
	switch {
	case d == nil:
		return "not examined"
	case d.Level == "":
		return "none shown"
	}
	return d.Level
}

// meaning explains the level in a sentence.
func (d *Durability) meaning() string {
	switch d.Level {
	case "L0":
		return "What was acknowledged survived that the store was opened again."
	case "L1":
		return "What was acknowledged survived that the store was opened again, and that its process was killed."
	case "L2":
		return "What was acknowledged survived that the store was opened again, that its process was killed, and that all writes were lost that had not been synced."
	}
	return ""
}

// ratio returns the number of passed ones among the applicable ones.
func (c Count) ratio() string { return fmt.Sprintf("%d/%d", c.Passed, c.Applying()) }

// gap is why some cases were not run.
type gap struct {
	reason string
	waived bool
	ids    []string
}

// gaps groups the cases without a run by their reason: first the gaps, then the
// inapplicable ones.
func (r *Report) gaps() []gap {
	var all []gap
	for _, c := range r.Cases {
		switch c.Status {
		case Passed, Failed, Broken:
			continue
		}
		reason := cmp.Or(c.Reason, "no reason was given")
		i := slices.IndexFunc(all, func(g gap) bool { return g.reason == reason && g.waived == c.waived() })
		if i < 0 {
			i = len(all)
			all = append(all, gap{reason: reason, waived: c.waived()})
		}
		all[i].ids = append(all[i].ids, c.ID)
	}
	slices.SortStableFunc(all, func(a, b gap) int {
		if a.waived != b.waived {
			if a.waived {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.reason, b.reason)
	})
	return all
}

// ended returns the cases with the given status.
func (r *Report) ended(status Status) []Case {
	return slices.DeleteFunc(slices.Clone(r.Cases), func(c Case) bool { return c.Status != status })
}

func ids(cases []Case) []string {
	var all []string
	for _, c := range cases {
		all = append(all, c.ID)
	}
	return all
}
