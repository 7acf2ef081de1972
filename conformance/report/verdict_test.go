package report

import (
	"slices"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	core, extended := Case{Level: Core}, Case{Level: Extended}
	with := func(c Case, s Status) Case { c.Status = s; return c }
	waived := func(c Case) Case { c.Status, c.Waived = NotRun, true; return c }
	passed := with(core, Passed)
	for name, test := range map[string]struct {
		cases  []Case
		only   string
		result Result
		exit   int
		reason string
	}{
		"no cases":                     {nil, "", NotConformant, 1, "not one core case was run"},
		"only extended cases":          {[]Case{with(extended, Passed)}, "", NotConformant, 1, "not one core case was run"},
		"a case of no level":           {[]Case{{Status: Passed}}, "", NotConformant, 1, "not one core case was run"},
		"only waived cases":            {[]Case{waived(core), waived(extended)}, "", NotConformant, 1, "not one core case was run"},
		"only cases that were not run": {[]Case{with(core, NotRun)}, "", NotConformant, 1, "not one core case was run"},
		"all passed":                   {[]Case{passed, with(extended, Passed)}, "", Conformant, 0, "all 2 cases that apply passed"},
		"one passed":                   {[]Case{passed}, "", Conformant, 0, "the only case that applies passed"},
		"a waived one is no gap":       {[]Case{passed, passed, waived(core), waived(extended)}, "", Conformant, 0, "all 2 cases that apply passed"},
		"core not run":                 {[]Case{passed, with(core, NotRun)}, "", Incomplete, 2, "1 case that applies was not run"},
		"extended not run":             {[]Case{passed, with(extended, NotRun), with(extended, NotRun)}, "", Incomplete, 2, "2 cases that apply were not run"},
		"broken":                       {[]Case{passed, with(extended, Broken)}, "", Incomplete, 2, "the harness let 1 case down"},
		"broken beats not run":         {[]Case{passed, with(core, NotRun), with(core, Broken), with(core, Broken)}, "", Incomplete, 2, "the harness let 2 cases down"},
		"only broken":                  {[]Case{with(core, Broken)}, "", Incomplete, 2, "the harness let 1 case down"},
		"failed beats everything":      {[]Case{passed, with(extended, Failed), with(core, Broken), with(core, NotRun)}, "", NotConformant, 1, "1 of 2 cases failed"},
		"only failed":                  {[]Case{with(core, Failed)}, "", NotConformant, 1, "1 of 1 case failed"},
		"nobody knows the status":      {[]Case{passed, with(core, "skipped")}, "", Incomplete, 2, "1 case that applies was not run"},
		"no status, and waived":        {[]Case{passed, {Level: Core, Waived: true}}, "", Incomplete, 2, "1 case that applies was not run"},
		"waived, but failed":           {[]Case{passed, {Level: Core, Status: Failed, Waived: true}}, "", NotConformant, 1, "1 of 2 cases failed"},
		"some were chosen":             {[]Case{passed}, "COM", Incomplete, 2, `only the cases that match "COM" were chosen, of which 1 passed`},
		"some were chosen, one failed": {[]Case{with(core, Failed)}, "COM", NotConformant, 1, "1 of 1 case failed"},
		"some were chosen, all waived": {[]Case{waived(core)}, "COM", NotConformant, 1, "not one core case was run"},
		"those not chosen are there":   {[]Case{passed, with(core, NotRun)}, "COM", Incomplete, 2, `only the cases that match "COM" were chosen, of which 1 passed`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &Report{Suite: Suite{Only: test.only}, Cases: slices.Clone(test.cases)}
			r.Conclude()
			if r.Result != test.result || r.Reason != test.reason || r.ExitCode() != test.exit {
				t.Errorf("the verdict is %q, %q with exit code %d; expected %q, %q with %d",
					r.Result, r.Reason, r.ExitCode(), test.result, test.reason, test.exit)
			}
		})
	}
	if code := new(Report).ExitCode(); code != 2 {
		t.Errorf("a report without a result has the exit code %d where 2 was expected", code)
	}
}

func TestConclude(t *testing.T) {
	t.Parallel()
	r := &Report{Cases: []Case{
		{ID: "VER-001", Profile: "versions", Level: Core, Status: Passed},
		{ID: "COM-002", Profile: "commit", Level: Core, Status: NotRun, Reason: "no strace"},
		{ID: "COM-003", Profile: "commit", Level: Core, Status: NotRun, Reason: "no peer", Waived: true},
		{ID: "COM-004", Profile: "commit", Level: Extended, Status: Failed},
		{ID: "COM-001", Profile: "commit", Level: Core, Status: Broken},
		{ID: "COM-005", Profile: "commit", Level: Core, Status: NotRun, Reason: "no strace"},
	}}
	r.Conclude()
	if want := []string{"COM-001", "COM-002", "COM-003", "COM-004", "COM-005", "VER-001"}; !slices.Equal(ids(r.Cases), want) {
		t.Errorf("the cases are in the order %v where %v was expected", ids(r.Cases), want)
	}
	want := []Profile{
		{
			Name:     "commit",
			Core:     Count{Broken: 1, NotRun: 3, Waived: 1, Reasons: map[string]int{"no strace": 2, "no peer": 1}},
			Extended: Count{Failed: 1},
		},
		{Name: "versions", Core: Count{Passed: 1}},
	}
	if !slices.EqualFunc(r.Profiles, want, Profile.equal) {
		t.Errorf("the profiles are %+v where %+v was expected", r.Profiles, want)
	}
	if r.Schema != Schema {
		t.Errorf("the schema is %q where %q was expected", r.Schema, Schema)
	}
	core := r.Count(Core)
	if core.Passed != 1 || core.Total() != 5 || core.Applying() != 4 {
		t.Errorf("1 of 4 core cases that apply, of 5, passed; counted were %+v", core)
	}
	once := slices.Clone(r.Profiles)
	r.Conclude()
	if !slices.EqualFunc(r.Profiles, once, Profile.equal) {
		t.Errorf("a second Conclude changes the profiles from %+v to %+v", once, r.Profiles)
	}
}
