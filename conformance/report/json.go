package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// JSON returns the whole report, indented, with the time in UTC. The same report gives
// the same bytes. Invalid UTF-8 becomes U+FFFD. It fails for a report before Conclude.
func (r *Report) JSON() ([]byte, error) {
	if r.Result != Conformant && r.Result != NotConformant && r.Result != Incomplete {
		return nil, fmt.Errorf("the result of the report is %q: a report is concluded before it is written", r.Result)
	}
	written := *r
	written.Schema = Schema
	written.Started = r.Started.UTC().Truncate(time.Millisecond)
	if written.Profiles == nil {
		written.Profiles = []Profile{}
	}
	if written.Cases == nil {
		written.Cases = []Case{}
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false) // it is read by people, and never part of a page
	to.SetIndent("", "  ")
	if err := to.Encode(written); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Read reads a report in JSON. It ignores unknown members. It refuses reports of another
// [Schema], and contradictory ones: with other counts than those of the cases, or a
// Result better than the cases.
func Read(from io.Reader) (*Report, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	var form struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &form); err != nil {
		return nil, fmt.Errorf("this is no conformance report: %w", err)
	}
	switch form.Schema {
	case Schema:
	case "":
		return nil, fmt.Errorf("this is no conformance report: it names no schema where %q was expected", Schema)
	default:
		return nil, fmt.Errorf("the report has the schema %q; this version of the suite reads %q", form.Schema, Schema)
	}
	r := new(Report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("the report does not have the form of its schema: %w", err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("the report does not hold together: %w", err)
	}
	return r, nil
}

// check returns where the report contradicts itself.
func (r *Report) check() error {
	for _, c := range r.Cases {
		if err := c.check(); err != nil {
			return fmt.Errorf("case %q: %w", c.ID, err)
		}
	}
	stated := slices.SortedFunc(slices.Values(r.Profiles), func(a, b Profile) int { return cmp.Compare(a.Name, b.Name) })
	if !slices.EqualFunc(stated, profiles(r.Cases), Profile.equal) {
		return errors.New("its profiles do not count what its cases are")
	}
	switch shown, reason := r.verdict(); r.Result {
	case NotConformant, Incomplete: // a run may have ended worse than its cases
		return nil
	case shown:
		return nil
	case Conformant:
		return fmt.Errorf("it says %q, and its cases say %q: %s", r.Result, shown, reason)
	}
	return fmt.Errorf("its result is %q where %q, %q or %q was expected", r.Result, Conformant, NotConformant, Incomplete)
}

func (c Case) check() error {
	switch c.Level {
	case Core, Extended:
	default:
		return fmt.Errorf("its level is %q where %q or %q was expected", c.Level, Core, Extended)
	}
	switch c.Status {
	case Passed, Failed, Broken, NotRun:
		return nil
	}
	return fmt.Errorf("its status is %q where %q, %q, %q or %q was expected", c.Status, Passed, Failed, Broken, NotRun)
}

func (p Profile) equal(q Profile) bool {
	return p.Name == q.Name && p.Core.equal(q.Core) && p.Extended.equal(q.Extended)
}
