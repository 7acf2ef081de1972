package tracker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// reportValue is the rule for the value that reports have in common (D55). A search for it has a
// predicate of limited length.
var reportValue = text.Rule{Min: 1, Max: 1000}

// Report adds the comment to the unresolved problem with the keyword that has the smallest
// number, or creates a problem with the keyword (D55). The answer is New for a problem that was
// created. Of many reports with one keyword at once, through any number of servers, one creates
// the problem.
func (s *Service) Report(ctx context.Context, caller Caller, cmd Report) (Answer[snapshot.Snapshot], error) {
	faults := slices.Clone(cmd.Faults) // decideReport finds those of the keyword again
	k := cmd.keyword(&faults)
	searches := len(faults) == 0
	keys := cmd.Idempotency.LockKeys(caller)
	if searches {
		release, err := s.searches.Acquire(ctx, caller.User)
		if err != nil {
			return Answer[snapshot.Snapshot]{}, err
		}
		defer release()
		keys = append(keys, writerlocks.Reports(reportLease(k)))
	}
	return core.Run(ctx, s.core, core.Command[reporting, Answer[snapshot.Snapshot]]{
		Locks:  keys,
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (b reporting, err error) {
			if b.reply, err = cmd.Idempotency.Load(ctx, r, caller, s.core.Time()); err != nil {
				return b, err
			}
			b.maxKeywords, b.maxWatchers = s.limits.Keywords, s.limits.Watchers
			if b.catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil || !searches || b.reply != nil {
				return b, err
			}
			b.lease.Name = reportLease(k)
			if now, ok, err := r.Lease(ctx, b.lease.Name); err != nil {
				return b, err
			} else if ok {
				b.lease = now
			}
			b.found, err = s.reported(ctx, r, caller, k, partsForMentions(cmd.Comment))
			return b, err
		},
		Prepare: func(ctx context.Context, b *reporting) (err error) {
			if searches && b.reply == nil && b.found == nil {
				b.id, err = s.reserveNumber(ctx)
			}
			return err
		},
		Decide: func(b reporting, m changes.Moment) (store.Change, Answer[snapshot.Snapshot], error) {
			return decideReport(caller, cmd, b, m)
		},
	})
}

// reporting is the basis of the decision about a report.
type reporting struct {
	creation
	// lease is the one of the reports with this keyword, and others.
	lease lease.Lease
	// found is the problem with the keyword; nil: there is none.
	found *loaded
}

// reportLease returns the name of the lease that each report with the keyword has to raise, if it
// creates a problem. There are 256 of them.
func reportLease(k problem.Keyword) string {
	hash := fingerprint(k.Name, k.Value.String)
	return fmt.Sprintf("report-%02x", hash[0])
}

// reported returns the unresolved problem with the keyword that has the smallest number, or nil.
func (s *Service) reported(ctx context.Context, r store.Reader, caller Caller, k problem.Keyword, parts snapshot.Parts) (*loaded, error) {
	plan, err := compile(fmt.Sprintf("SUBQUERY(keywords, $k, $k.name = %s AND $k.value = %s).@count > 0 AND state.resolved = NO",
		predicate.Quote(k.Name), predicate.Quote(k.Value.String)), predicate.Problem, predicate.Env{Now: s.core.Time(), User: caller.User, Zone: s.core.Zone})
	if err != nil {
		return nil, err
	}
	catalogue, err := s.core.Catalogues.Now(ctx, r)
	if err != nil {
		return nil, err
	}
	hits, err := s.As(caller).reads.Find(ctx, r, store.Query{Plan: plan, Limit: 1, Catalogue: catalogue})
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	l, err := s.As(caller).load(ctx, r, hits[0].ID, snapshot.Keywords|parts)
	return &l, err
}

// keyword returns the keyword of the report.
func (cmd Report) keyword(faults *fault.List) problem.Keyword {
	at := fault.At("keyword")
	if faults.Covers(at) {
		return problem.Keyword{} // it is no object
	}
	k := problem.Keyword{Name: newKeywordName(cmd.Keyword.Name, at.Member("name"), faults)}
	body.Require(faults, cmd.Keyword.Value.Sent, at.Member("value"), "the keyword of a report needs a value: what reports of the same fault have in common")
	if cmd.Keyword.Value.Sent {
		k.Value = problem.Text(body.Line(reportValue, cmd.Keyword.Value, at.Member("value"), faults))
	}
	return k
}

func decideReport(caller Caller, cmd Report, b reporting, m changes.Moment) (store.Change, Answer[snapshot.Snapshot], error) {
	var none Answer[snapshot.Snapshot]
	if a, ok := cmd.Idempotency.Replay(b.reply); ok {
		return store.Change{}, a, nil
	}
	made, err := cmd.check(b.creation)
	if err == nil {
		err = cmd.Idempotency.Check(b.reply)
	}
	if err != nil {
		return store.Change{}, none, err
	}
	if b.found != nil {
		change, a, err := decideUpdate(caller, UpdateProblem{Comment: cmd.Comment}, *b.found, m)
		if err != nil {
			return store.Change{}, none, err
		}
		if change.Empty() { // but for the reply
			change.Expect = append(change.Expect, store.ProblemAt{ID: b.found.ID, Revision: b.found.Revision, Batch: b.found.Batch})
		}
		cmd.Idempotency.Keep(&change, m.At, store.About{Problem: b.found.ID}, a)
		return change, a, nil
	}
	cb, a := create(caller, made, b.creation, m)
	// Each report that creates a problem raises the lease, so of two that have found none, the
	// second one looks again.
	cb.AddExpect(store.LeaseAt{Name: b.lease.Name, Version: b.lease.Version})
	cb.AddEffect(store.PutLease{Lease: lease.Lease{Name: b.lease.Name, Version: cb.Batch}})
	a.Ignored = cmd.Problem.Service.All(a.Value, b.catalogue).Ignored()
	cmd.Idempotency.Keep(&cb.Change, m.At, store.About{Problem: b.id}, a)
	return cb.Change, a, nil
}

// check returns the problem to create. A report is refused for what is wrong with it, also when
// there is a problem already: it says so from the first time on.
func (cmd Report) check(c creation) (newProblem, error) {
	faults := slices.Clone(cmd.Faults)
	k := cmd.keyword(&faults)
	below := faults.Below("problem")
	p, err := cmd.Problem.check(c, &below)
	if err != nil {
		return p, err
	}
	switch {
	case findKeyword(p.keywords, k.Name) != nil:
		faults.Add(fault.InvalidValue, fault.At("keyword"), "is one of the problem's keywords, too")
	case len(p.keywords) >= c.maxKeywords:
		below.Add(fault.InvalidValue, fault.At("keywords"), "a problem can have at most %d keywords, with that of the report", c.maxKeywords)
	}
	faults.Append(below.Within("problem"))
	p.comments = newComment(cmd.Comment, &faults)
	p.keywords = append(p.keywords, k)
	slices.SortFunc(p.keywords, func(a, b problem.Keyword) int { return strings.Compare(a.Name, b.Name) })
	if err := faults.Err(); err != nil {
		return p, err
	}
	return p, c.catalogue.CheckInitial(p.fields.State)
}
