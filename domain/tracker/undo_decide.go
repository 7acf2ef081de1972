package tracker

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/undo"
)

func decideUndo(u undoing, m changes.Moment) (store.Change, Answer[UndoneBatch], error) {
	refused := func(err error) (store.Change, Answer[UndoneBatch], error) {
		return store.Change{}, Answer[UndoneBatch]{}, err
	}
	if err := checkMatch(u.cmd.Write, u.Snapshot); err != nil {
		return refused(err)
	}
	if err := u.faults.Err(); err != nil {
		return refused(err)
	}
	if u.refusal != nil {
		return refused(u.refusal)
	}
	if !u.found() {
		return refused(fault.New(fault.NotFound, "the log of the problem has no such batch: the entries in logs have theirs as batchIdentifier"))
	}
	cb, out := u.undo(m)
	now := u.preview(out)
	if u.cmd.Preview != nil && now != *u.cmd.Preview {
		return refused(fault.New(fault.StaleRevision, "not what was previewed: by now something else would go back. Nothing was changed; preview again"))
	}
	if u.cmd.Preview != nil && len(out.Refused) > 0 {
		return refused(out.Refused[0].fault())
	}
	switch {
	case u.cmd.DryRun:
		out.Preview = &now
	case len(cb.Log) > 0:
		out.Batch = cb.Batch
	}
	a := answer(out, u.loaded)
	for _, c := range out.Changes {
		if c.ID == u.ID {
			a.Revision = c.Revision
		}
	}
	return cb.Change, a, nil
}

// preview returns the preview of the undo. Revisions do not count: a change of something else
// does not get in its way.
func (u undoing) preview(out UndoneBatch) Preview {
	parts := []string{fmt.Sprint(u.now.UnixMilli()), u.caller.User.String(), fmt.Sprint(u.ID), u.cmd.Batch.String(), u.cmd.Scope.Value}
	for _, c := range out.Changes {
		for _, e := range c.Log {
			parts = append(parts, fmt.Sprintf("changes %d %s", c.ID, e.Type), e.Field, e.From.JSON(), e.To.JSON())
		}
	}
	for _, e := range out.Stays {
		parts = append(parts, fmt.Sprintf("stays %d %v %s", e.Problem, e.ID, e.Stays))
	}
	for _, r := range out.Refused {
		parts = append(parts, fmt.Sprintf("refused %d %s", r.ID, r.Err.Kind))
	}
	return Preview{Now: u.now, Hash: fingerprint(parts...)}
}

// undo makes the changes of all problems that do not refuse them.
func (u undoing) undo(m changes.Moment) (*changes.Builder, UndoneBatch) {
	plans, out := u.plan()
	touched := slices.Sorted(maps.Keys(plans))
	all := make([]problem.Problem, len(touched))
	for i, id := range touched {
		all[i] = plans[id].Problem
	}
	cb := changes.NewBuilder(m, u.caller.Author(), all...)
	cb.ResolvedBy(u.catalogue.Version)
	for _, id := range touched {
		p := plans[id]
		logged := len(cb.Log)
		p.write(cb, u.catalogue)
		out.Changes = append(out.Changes, UndoneProblem{id, p.Revision, slices.Clip(cb.Log[logged:])})
	}
	for _, check := range u.cycles {
		if plans[check.Owner] != nil {
			cb.ExpectSeen(check.seen)
		}
	}
	return cb, out
}

// undoPlan is what goes back in one problem.
type undoPlan struct {
	snapshot.Snapshot
	fields   problem.Fields
	keywords []problem.Keyword // to be set
	dropped  []problem.Keyword
	links    []link            // as the problem has them
	edited   []problem.Comment // with their former texts
	deleted  []problem.Comment
}

func (p *undoPlan) significant() bool {
	return p.fields != p.Fields || len(p.keywords)+len(p.dropped)+len(p.links) > 0
}

func (p *undoPlan) empty() bool { return !p.significant() && len(p.edited)+len(p.deleted) == 0 }

// plan returns the plans of the problems where something goes back, with the entries that
// stay, and the refusals.
func (u undoing) plan() (map[problem.ID]*undoPlan, UndoneBatch) {
	var out UndoneBatch
	plans := map[problem.ID]*undoPlan{}
	refuse := func(id problem.ID, err error) {
		refusal, _ := errors.AsType[*fault.Error](err) // all faults are of this type
		out.Refused = append(out.Refused, Refusal{id, refusal})
		delete(plans, id)
	}
	for _, part := range u.parts {
		for _, e := range part.entries {
			if e.Stays == "" && u.forbids(part, e) {
				e.Stays = undo.Forbidden
			}
			if e.Stays != "" {
				out.Stays = append(out.Stays, e)
			}
		}
		p, err := u.planOf(part)
		if err != nil {
			refuse(part.ID, err)
			continue
		}
		plans[part.ID] = p
	}
	for id, s := range u.others {
		plans[id] = &undoPlan{Snapshot: s, fields: s.Fields}
	}
	for _, l := range u.links() {
		owner, other := plans[l.Owner], plans[l.Other]
		if owner == nil || other == nil {
			continue // refused
		}
		if err := u.checkLink(l, owner, other); err != nil {
			refuse(l.Owner, err)
			continue
		}
		owner.links = append(owner.links, l)
		other.links = append(other.links, link{l.Mirror(), l.restored})
	}
	maps.DeleteFunc(plans, func(_ problem.ID, p *undoPlan) bool { return p.empty() })
	slices.SortFunc(out.Refused, func(a, b Refusal) int { return cmp.Compare(a.ID, b.ID) })
	return plans, out
}

// planOf returns what goes back in one problem, without its relationships. It fails as the
// single writes would; only a state goes back without a transition.
func (u undoing) planOf(part undonePart) (*undoPlan, error) {
	p := &undoPlan{Snapshot: part.Snapshot}
	var former problem.Patch
	for _, e := range part.entries {
		if e.Stays != "" || u.forbids(part, e) {
			continue
		}
		readable := true
		switch e.Type {
		case problem.FieldChanged:
			f := problem.FieldNamed(e.Field)
			readable = f != nil && f.Client && problem.Sent(f, &former, formerValue{e.From})
		case problem.KeywordSet, problem.KeywordDeleted:
			readable = p.planKeyword(e.LogEntry)
		case problem.CommentAdded, problem.CommentEdited:
			readable = p.planComment(e.LogEntry)
		}
		if !readable {
			return nil, fault.New(fault.Internal, "entry %v of the log of problem %d cannot be read", e.ID, p.ID)
		}
	}
	var faults fault.List
	p.fields = body.ResolvePatch(&former, u.catalogue, &faults).Apply(p.Fields, u.catalogue, &faults)
	if n := len(p.Keywords) - len(p.dropped); len(p.keywords) > 0 && n+p.newKeywords() > u.limits.Keywords {
		faults.Add(fault.InvalidValue, fault.Location{}, "the problem already has the largest number of keywords: %d", u.limits.Keywords)
	}
	return p, faults.Err()
}

func (p *undoPlan) newKeywords() (n int) {
	for _, k := range p.keywords {
		if findKeyword(p.Snapshot.Keywords, k.Name) == nil {
			n++
		}
	}
	return n
}

// planKeyword returns false for an unreadable entry.
func (p *undoPlan) planKeyword(e problem.LogEntry) bool {
	now := findKeyword(p.Snapshot.Keywords, e.Field)
	before, ok := e.From.Keyword(e.Field)
	switch {
	case before != nil && (now == nil || *now != *before):
		p.keywords = append(p.keywords, *before)
	case ok && before == nil && now != nil:
		p.dropped = append(p.dropped, *now)
	}
	return ok
}

// forbids reports whether the entry is about a comment that the caller may not correct (D44).
func (u undoing) forbids(part undonePart, e undo.Entry) bool {
	if e.Type != problem.CommentAdded && e.Type != problem.CommentEdited {
		return false
	}
	i := slices.IndexFunc(part.Comments, func(c problem.Comment) bool { return c.ID == commentOf(e.LogEntry) })
	return i >= 0 && checkAuthor(u.caller, part.Comments[i].Author, "comment", "change") != nil
}

// planComment returns false for an unreadable entry.
func (p *undoPlan) planComment(e problem.LogEntry) bool {
	i := slices.IndexFunc(p.Comments, func(c problem.Comment) bool { return c.ID == commentOf(e) && !c.Deleted })
	if i < 0 {
		return false
	}
	c := p.Comments[i]
	if e.Type == problem.CommentAdded {
		p.deleted = append(p.deleted, c)
		return true
	}
	before, ok := e.From.Comment()
	if before.Text != c.Text || before.HTML != c.HTML {
		c.Text, c.HTML = before.Text, before.HTML
		p.edited = append(p.edited, c)
	}
	return ok
}

// checkLink refuses a relationship that cannot come back.
func (u undoing) checkLink(l link, owner, other *undoPlan) error {
	if !l.restored {
		return nil
	}
	for _, r := range owner.Relationships {
		if r.Occupies(l.Type, l.Other) {
			return fault.New(fault.RelationshipConflict, "the problem is %s of problem %d already: delete that relationship first", r.Type, r.Other)
		}
	}
	for _, side := range []*undoPlan{owner, other} {
		n := len(side.Relationships) + 1
		for _, planned := range side.links {
			if planned.restored {
				n++
			} else {
				n--
			}
		}
		if n > u.limits.Relationships {
			return fault.New(fault.InvalidValue, "problem %d already has the largest number of relationships: %d", side.ID, u.limits.Relationships)
		}
	}
	for _, check := range u.cycles {
		if check.Relationship == l.Relationship && check.cycle != nil {
			return cycleFault(check.cycle)
		}
	}
	return nil
}

// write adds the changes of the problem: its next revision.
func (p *undoPlan) write(cb *changes.Builder, c *metadata.Catalogue) {
	s, old := &p.Snapshot, p.Fields
	significant := p.significant()
	s.Fields = p.fields
	if significant {
		cb.Significant(s)
	} else {
		cb.Corrective(s)
	}
	if s.Fields != old {
		cb.LogChanges(s, old, c)
	}
	for _, k := range p.keywords {
		cb.PutKeyword(s, findKeyword(s.Keywords, k.Name), k)
	}
	for _, k := range p.dropped {
		cb.DropKeyword(s, k)
	}
	for _, l := range p.links {
		if l.restored {
			l.Created, l.Author = cb.At, cb.Author
			cb.PutRelationship(s, l.Relationship)
		} else {
			cb.DropRelationship(s, l.Relationship)
		}
	}
	for _, edited := range p.edited {
		i := slices.IndexFunc(s.Comments, func(c problem.Comment) bool { return c.ID == edited.ID })
		cb.EditComment(s, c, s.Comments[i], edited)
	}
	for _, deleted := range p.deleted {
		cb.DeleteComment(s, c, deleted)
	}
	cb.StoreProblem(s)
}

// formerValue sets the member of a patch to a value in the log. It returns false for an unreadable
// one.
type formerValue struct{ problem.LogValue }

// Text implements problem.SentKinds, as do the methods below.
func (v formerValue) Text(_ *problem.Field, sent *patch.Field[string]) (ok bool) {
	*sent = patch.Null[string]()
	if v.LogValue == "" {
		return true
	}
	text, ok := v.LogValue.Text()
	*sent = patch.Set(text)
	return ok
}

// Reference sets an object by its identifier.
func (v formerValue) Reference(_ *problem.Field, sent *patch.Field[metadata.Partial]) bool {
	id, ok := v.Ref()
	if *sent = patch.Null[metadata.Partial](); id != ident.None {
		*sent = patch.Set[metadata.Partial](metadata.Members{"identifier": metadata.Text(id.String())})
	}
	return ok
}

// Date sets a date, or none.
func (v formerValue) Date(_ *problem.Field, sent *patch.Field[date.Date]) bool {
	*sent = patch.Null[date.Date]()
	if v.LogValue == "" {
		return true
	}
	text, _ := v.LogValue.Text()
	day, err := date.Parse(text)
	*sent = patch.Set(day)
	return err == nil
}
