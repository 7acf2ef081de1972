package tracker

import (
	"context"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
)

// SetKeyword sets a keyword of a problem (W4). The answer is New when the
// keyword was not there.
func (s *Service) SetKeyword(ctx context.Context, caller Caller, id problem.ID, cmd SetKeyword) (Answer[problem.Keyword], error) {
	return onProblem(ctx, s, caller, id, snapshot.Keywords, cmd.DryRun, func(l loaded, m changes.Moment) (store.Change, Answer[problem.Keyword], error) {
		return decideSetKeyword(caller, cmd, l, s.limits.Keywords, m)
	})
}

func decideSetKeyword(caller Caller, cmd SetKeyword, l loaded, limit int, m changes.Moment) (store.Change, Answer[problem.Keyword], error) {
	var none Answer[problem.Keyword]
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return store.Change{}, none, err
	}
	faults := cmd.Faults
	k := problem.Keyword{Name: keywordName(text.KeywordName, cmd.Name, &faults), Value: keywordValue(cmd.Value, fault.Location{}, &faults)}
	old := findKeyword(l.Keywords, k.Name)
	if old == nil && len(l.Keywords) >= limit {
		faults.Add(fault.InvalidValue, fault.Location{}, "the problem already has the largest number of keywords: %d", limit)
	}
	if err := faults.Err(); err != nil {
		return store.Change{}, none, err
	}

	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	if old == nil || *old != k {
		cb.Significant(&l.Snapshot)
		cb.PutKeyword(&l.Snapshot, old, k)
		cb.StoreProblem(&l.Snapshot)
	}
	a := answer(k, l)
	a.New = old == nil
	return cb.Change, a, nil
}

// DeleteKeyword deletes a keyword of a problem (W5). It fails with
// fault.KeywordNotFound when it is not there.
func (s *Service) DeleteKeyword(ctx context.Context, caller Caller, id problem.ID, cmd DeleteKeyword) (Answer[struct{}], error) {
	return onProblem(ctx, s, caller, id, snapshot.Keywords, cmd.DryRun, func(l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
		return decideDeleteKeyword(caller, cmd, l, m)
	})
}

func decideDeleteKeyword(caller Caller, cmd DeleteKeyword, l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
	var none Answer[struct{}]
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return store.Change{}, none, err
	}
	faults := cmd.Faults
	name := keywordName(text.KeywordName.Kept(), cmd.Name, &faults)
	if err := faults.Err(); err != nil {
		return store.Change{}, none, err
	}
	old := findKeyword(l.Keywords, name)
	if old == nil {
		return store.Change{}, none, fault.New(fault.KeywordNotFound, "the problem has no such keyword")
	}
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	cb.Significant(&l.Snapshot)
	cb.DropKeyword(&l.Snapshot, *old)
	cb.StoreProblem(&l.Snapshot)
	return cb.Change, answer(struct{}{}, l), nil
}

// keywordName applies a rule for names of keywords. They are in the path, so their
// faults have no location in the body.
func keywordName(rule text.Rule, name string, faults *fault.List) string {
	name, err := rule.Apply(name)
	if err != nil {
		faults.Add(fault.InvalidValue, fault.Location{}, "the keyword's name %v", err)
	}
	return name
}

// keywordValue applies the rule for values of keywords.
func keywordValue(value problem.NullText, where fault.Location, faults *fault.List) problem.NullText {
	if !value.Valid {
		return problem.NullText{}
	}
	s, err := text.KeywordValue.Apply(value.String)
	if err != nil {
		faults.Add(fault.InvalidValue, where, "a keyword's value %v", err)
	}
	return problem.Text(s)
}

// newKeywords returns the keywords of a new problem, sorted by name. It refuses a
// repeated name, because one of the values would be lost.
func newKeywords(sent []NewKeyword, limit int, faults *fault.List) []problem.Keyword {
	keywords := make([]problem.Keyword, 0, min(len(sent), limit))
	if len(sent) > limit {
		faults.Add(fault.InvalidValue, fault.At("keywords"), "a problem can have at most %d keywords", limit)
		return keywords
	}
	seen := make(map[string]bool, len(sent))
	for i, s := range sent {
		where := fault.At("keywords").Element(i)
		if faults.Covers(where) {
			continue // not an object
		}
		name := newKeywordName(s.Name, where.Member("name"), faults)
		if name != "" && seen[name] {
			faults.Add(fault.InvalidValue, where.Member("name"), "is the name of an earlier keyword too: a problem has one keyword of each name")
		}
		seen[name] = true
		value := problem.NullText{String: s.Value.Value, Valid: s.Value.Sent && !s.Value.Null}
		keywords = append(keywords, problem.Keyword{Name: name, Value: keywordValue(value, where.Member("value"), faults)})
	}
	slices.SortFunc(keywords, func(a, b problem.Keyword) int { return strings.Compare(a.Name, b.Name) })
	return keywords
}

// newKeywordName returns the name of a keyword in a body, or "" with a fault.
func newKeywordName(sent patch.Field[string], where fault.Location, faults *fault.List) string {
	body.Require(faults, sent.Sent, where, "a keyword needs a name")
	if !sent.Sent {
		return ""
	}
	return body.Line(text.KeywordName, sent, where, faults)
}

func findKeyword(keywords []problem.Keyword, name string) *problem.Keyword {
	i := slices.IndexFunc(keywords, func(k problem.Keyword) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &keywords[i]
}
