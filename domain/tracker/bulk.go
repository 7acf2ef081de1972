package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/preview"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// MostChanged is the largest number of problems changed by one request. One more fails
// with fault.TooManyResults.
const MostChanged = 1000

// UpdateProblems is the command of PATCH /problems: one patch for all problems that
// match a predicate. It ignores IfMatch.
type UpdateProblems struct {
	Write
	ProblemPatch
	// Predicate selects the problems, in the query language.
	Predicate patch.Field[string]
	// Keyword is set at each problem, unless it is zero. Without, when sent, is the name of a
	// keyword that none of them keeps. Their faults are at keyword and at without.
	Keyword NewKeyword
	Without patch.Field[string]
	// Saved names a saved query with the predicate. Exactly one of Saved and Predicate
	// is sent.
	Saved patch.Field[ident.ID]
	// Preview comes from a dry run of the same command. Without a Preview, the command
	// has to be a dry run.
	Preview *Preview
}

// Preview identifies the result of a dry run of UpdateProblems.
type Preview = preview.Preview

// ParsePreview reads the text of a Preview. It fails with fault.MalformedRequest.
func ParsePreview(text string) (Preview, error) { return preview.Parse(text) }

// ChangedProblems is the result of a change of many problems. Each matching problem is
// in one of the lists. They are in ascending order.
type ChangedProblems struct {
	// Batch is the batch of the change; None in a dry run, and when nothing was changed.
	Batch     ident.ID
	Changes   []ProblemChange
	Unchanged []problem.ID // without a difference
	// Refused are the problems refused by the rules. A single refusal stops the whole
	// change, so only a dry run returns this list.
	Refused []Refusal
	// Preview, of a dry run, is the permit for exactly this change. It is nil after the
	// change itself.
	Preview *Preview
}

// ProblemChange is the change of one problem.
type ProblemChange struct {
	ID       problem.ID
	Revision int64 // after the change; the current one when only a read mark changes
	Fields   []FieldChange
}

// FieldChange is the change of one field or keyword in the form of the log (D8), or of the
// caller's read mark. The log has no read marks.
type FieldChange struct {
	Type  problem.LogType // FieldChanged for a read mark
	Field string          // a field, "read", or the name of a keyword
	From  problem.LogValue
	To    problem.LogValue
}

// Refusal explains why a problem cannot be changed.
type Refusal struct {
	ID  problem.ID
	Err *fault.Error
}

// UpdateProblems changes all problems that match a predicate. It makes exactly the
// change of an earlier dry run: the same problems, at the same revisions, in one batch,
// all of them or none.
//
// Beside the faults of a search and of UpdateProblem, it has two more. It fails with
// fault.PreviewRequired without a preview or with an expired one. It fails with
// fault.StaleRevision when the change would now differ from the preview.
func (s *Service) UpdateProblems(ctx context.Context, caller Caller, cmd UpdateProblems) (Answer[ChangedProblems], error) {
	refuse, err := s.refusing(ctx, cmd.DryRun)
	if err != nil {
		return Answer[ChangedProblems]{}, err
	}
	b, err := s.prepareBulk(ctx, caller, cmd)
	if err != nil {
		return Answer[ChangedProblems]{}, refuse(err)
	}
	var keys []writerlocks.Key
	if b.searches() {
		// One lease of the search limit covers both searches. So a request never waits
		// for the limit while it holds locks of problems.
		release, err := s.searches.Acquire(ctx, caller.User)
		if err != nil {
			return Answer[ChangedProblems]{}, err
		}
		defer release()
		if !cmd.DryRun {
			if keys, err = s.lockKeysOf(ctx, b); err != nil {
				return Answer[ChangedProblems]{}, refuse(err)
			}
		}
	}
	return core.Run(ctx, s.core, core.Command[bulk, Answer[ChangedProblems]]{
		Locks:  keys,
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (bulk, error) {
			return s.loadBulk(ctx, r, b)
		},
		Decide: decideBulk,
	})
}

// refusing returns a function for refusals of decisions over several Views. It confirms
// them together, if the History of the store is still the same.
func (s *Service) refusing(ctx context.Context, dryRun bool) (func(error) error, error) {
	if dryRun {
		return func(refusal error) error { return refusal }, nil
	}
	var history store.History
	err := s.core.Store.View(ctx, func(r store.Reader) error {
		_, err := r.Versions(ctx)
		history = r.History()
		return err
	})
	return func(refusal error) error {
		err := s.core.Refuse(ctx, history, refusal)
		if fault.Is(err, fault.Conflict) {
			err = fault.Wrap(fault.Unavailable, err, "another server of the database has taken over; nothing was changed")
		}
		return err
	}, err
}

// CheckUpdateProblems checks only the predicate, as UpdateProblems does. It is for
// adapters that have to report these faults before they read the rest of a request
// (D18).
func (s *Service) CheckUpdateProblems(caller Caller, cmd UpdateProblems) error {
	if err := checkSelection(cmd.Predicate, cmd.Saved); err != nil || body.Given(cmd.Saved) {
		return err
	}
	_, err := compile(cmd.Predicate.Value, predicate.Problem, predicate.Env{Now: s.core.Time(), User: caller.User, Zone: s.core.Zone})
	return err
}

// bulk is the basis of a decision about many problems.
type bulk struct {
	caller Caller
	cmd    UpdateProblems
	text   string    // the predicate
	now    time.Time // its NOW(): the time of the preview
	plan   *predicate.Plan
	// refusal, if not nil, reports a missing or invalid preview. No search is then
	// necessary.
	refusal error

	catalogue *metadata.Catalogue
	problems  []snapshot.Snapshot // the matching ones, in ascending order
	// maxKeywords is the largest number of keywords of a problem.
	maxKeywords int
}

// prepareBulk determines the predicate of the command.
func (s *Service) prepareBulk(ctx context.Context, caller Caller, cmd UpdateProblems) (b bulk, err error) {
	b = bulk{caller: caller, cmd: cmd, text: cmd.Predicate.Value, now: s.core.Time(), maxKeywords: s.limits.Keywords}
	if err := checkSelection(cmd.Predicate, cmd.Saved); err != nil {
		return b, err
	}
	if body.Given(cmd.Saved) {
		saved, err := s.As(b.caller).savedQuery(ctx, cmd.Saved.Value)
		if err != nil {
			return b, err
		}
		b.text = saved.Predicate
	}
	switch {
	case cmd.Preview != nil:
		b.refusal = cmd.Preview.Check(b.now)
		b.now = cmd.Preview.Now
	case !cmd.DryRun:
		b.refusal = preview.Required("many problems are only changed as a preview has shown")
	}
	b.plan, err = compile(b.text, predicate.Problem, predicate.Env{Now: b.now, User: caller.User, Zone: s.core.Zone})
	return b, err
}

// searches reports whether the command needs a search. It needs none without a valid
// preview, and none in a dry run with a faulty body.
func (b bulk) searches() bool {
	faulty := b.cmd.DryRun && b.cmd.Preview == nil && len(b.cmd.Faults) > 0
	return b.refusal == nil && !faulty
}

// lockKeysOf returns the locks of all problems to change. If other problems match after
// the locking, decideBulk detects it.
func (s *Service) lockKeysOf(ctx context.Context, b bulk) (keys []writerlocks.Key, err error) {
	err = s.core.Store.View(ctx, func(r store.Reader) error {
		if b.catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
			return err
		}
		ids, err := s.matching(ctx, r, b)
		for _, id := range ids {
			keys = append(keys, writerlocks.Problem(id))
		}
		return err
	})
	return keys, err
}

// matching returns the matching problems in ascending order.
func (s *Service) matching(ctx context.Context, r store.Reader, b bulk) ([]problem.ID, error) {
	hits, err := s.As(b.caller).reads.Find(ctx, r, store.Query{Plan: b.plan, Limit: MostChanged + 1, Catalogue: b.catalogue})
	if err != nil {
		return nil, err
	}
	if len(hits) > MostChanged {
		return nil, fault.New(fault.TooManyResults, "more than %d problems match, the limit for one request: add conditions, and change the problems in parts", MostChanged)
	}
	ids := make([]problem.ID, len(hits))
	for i, hit := range hits {
		ids[i] = hit.ID
	}
	return ids, nil
}

// loadBulk loads the problems to change.
func (s *Service) loadBulk(ctx context.Context, r store.Reader, b bulk) (bulk, error) {
	var err error
	if b.catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil || !b.searches() {
		return b, err
	}
	var parts snapshot.Parts
	if b.cmd.Keyword.Name.Sent || b.cmd.Without.Sent {
		parts = snapshot.Keywords
	}
	ids, err := s.matching(ctx, r, b)
	if err == nil && len(ids) > 0 {
		b.problems, err = s.As(b.caller).reads.Problems(ctx, r, ids, parts)
	}
	return b, err
}

func decideBulk(b bulk, m changes.Moment) (store.Change, Answer[ChangedProblems], error) {
	var none Answer[ChangedProblems]
	cmd, faults := b.cmd, b.cmd.Faults
	set := body.ResolvePatch(&cmd.ProblemPatch, b.catalogue, &faults)
	cb, out := b.update(set, cmd.keywords(&faults), m)
	now := b.preview(out)
	if cmd.Preview != nil && b.refusal == nil && now != *cmd.Preview {
		return store.Change{}, none, fault.New(fault.StaleRevision,
			"not what was previewed: by now other problems match, or they have other revisions, or would change otherwise. Nothing was changed; preview again")
	}
	if err := faults.Err(); err != nil {
		return store.Change{}, none, err
	}
	if b.refusal != nil {
		return store.Change{}, none, b.refusal
	}
	if cmd.Preview != nil && len(out.Refused) > 0 {
		return store.Change{}, none, out.Refused[0].fault()
	}
	switch {
	case cmd.DryRun:
		out.Preview = &now
	case len(cb.Log) > 0:
		out.Batch = cb.Batch
	}
	return cb.Change, Answer[ChangedProblems]{Value: out, Catalogue: b.catalogue}, nil
}

// keywordChange is what becomes of the keywords of each problem.
type keywordChange struct {
	put     *problem.Keyword
	without string // empty: none goes
}

// keywords returns the change of keywords in the command.
func (cmd UpdateProblems) keywords(faults *fault.List) (k keywordChange) {
	if cmd.Keyword.Name.Sent {
		at := fault.At("keyword")
		value := problem.NullText{String: cmd.Keyword.Value.Value, Valid: cmd.Keyword.Value.Sent && !cmd.Keyword.Value.Null}
		k.put = &problem.Keyword{Name: newKeywordName(cmd.Keyword.Name, at, faults), Value: keywordValue(value, at, faults)}
	}
	if cmd.Without.Sent {
		k.without = body.Line(text.KeywordName.Kept(), cmd.Without, fault.At("without"), faults)
	}
	if k.put != nil && k.put.Name == k.without {
		faults.Add(fault.InvalidValue, fault.At("without"), "is the keyword to set, too")
	}
	return k
}

// of returns the change of the keywords of one problem.
func (k keywordChange) of(all []problem.Keyword, most int, faults *fault.List) (c changes.Keywords) {
	if k.without != "" {
		c.Drop = findKeyword(all, k.without)
	}
	if k.put == nil {
		return c
	}
	c.Old = findKeyword(all, k.put.Name)
	if c.Old == nil && c.Drop == nil && len(all) >= most {
		faults.Add(fault.InvalidValue, fault.At("keyword"), "the problem already has the largest number of keywords: %d", most)
	}
	if c.Old == nil || *c.Old != *k.put {
		c.Put = k.put
	}
	return c
}

// update applies the settings to each problem where they are allowed.
func (b bulk) update(set body.Settings, k keywordChange, m changes.Moment) (*changes.Builder, ChangedProblems) {
	var out ChangedProblems
	all := make([]problem.Problem, len(b.problems))
	for i, s := range b.problems {
		all[i] = s.Problem
	}
	cb := changes.NewBuilder(m, b.caller.Author(), all...)
	cb.ResolvedBy(b.catalogue.Version)
	for _, s := range b.problems {
		l := loaded{Snapshot: s, catalogue: b.catalogue}
		var faults fault.List
		fields, keywords := set.Apply(l.Fields, b.catalogue, &faults), k.of(s.Keywords, b.maxKeywords, &faults)
		err := faults.Err()
		if err == nil {
			err = b.catalogue.CheckTransition(l.State, fields.State)
		}
		if err != nil {
			refused, _ := errors.AsType[*fault.Error](err) // all faults are of this type
			out.Refused = append(out.Refused, Refusal{s.ID, refused})
			continue
		}
		logged := len(cb.Log)
		cb.Update(&l.Snapshot, l.catalogue, fields, keywords, b.cmd.Read)
		differences := fieldChanges(cb.Log[logged:], b.cmd, s, l.Snapshot)
		if len(differences) == 0 {
			cb.ExpectProblem(&s)
			out.Unchanged = append(out.Unchanged, s.ID)
			continue
		}
		out.Changes = append(out.Changes, ProblemChange{s.ID, l.Revision, differences})
	}
	return cb, out
}

// preview returns the preview of the change.
func (b bulk) preview(out ChangedProblems) Preview {
	// All patches can be encoded, and members are in the order of their names. So the
	// form of the sent patch does not matter.
	sent, err := json.Marshal(b.cmd.ProblemPatch)
	if err != nil {
		panic("tracker: a patch cannot be encoded: " + err.Error())
	}
	parts := []string{fmt.Sprint(b.now.UnixMilli()), b.caller.User.String(), b.text, string(sent)}
	for _, s := range b.problems {
		parts = append(parts, fmt.Sprintf("%d@%d %v", s.ID, s.Revision, s.Batch))
	}
	for _, c := range out.Changes {
		parts = append(parts, fmt.Sprintf("changes %d", c.ID))
		for _, f := range c.Fields {
			parts = append(parts, string(f.Type), f.Field, f.From.JSON(), f.To.JSON())
		}
	}
	for _, r := range out.Refused {
		parts = append(parts, fmt.Sprintf("refused %d", r.ID), string(r.Err.Kind))
	}
	return Preview{Now: b.now, Hash: fingerprint(parts...)}
}

// fieldChanges returns the changes of one problem. Any change marks the problem as read
// for its author. So the list shows the read mark only when the patch sets it.
func fieldChanges(log []problem.LogEntry, cmd UpdateProblems, before, after snapshot.Snapshot) (differences []FieldChange) {
	for _, e := range log {
		differences = append(differences, FieldChange{e.Type, e.Field, e.From, e.To})
	}
	if cmd.Read.Sent && before.Read != after.Read {
		differences = append(differences, FieldChange{problem.FieldChanged, "read", problem.LogFlag(before.Read), problem.LogFlag(after.Read)})
	}
	return differences
}

// fault returns the refusal as the fault of the whole request.
func (r Refusal) fault() error {
	f := *r.Err
	f.Detail = fmt.Sprintf("problem %d: %s", r.ID, f.Detail)
	return &f
}
