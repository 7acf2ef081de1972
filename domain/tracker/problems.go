package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// CreateProblem creates a problem (W1). The answer holds the problem with its
// log. In a dry run it has no identifier.
func (s *Service) CreateProblem(ctx context.Context, caller Caller, cmd CreateProblem) (Answer[snapshot.Snapshot], error) {
	return core.Run(ctx, s.core, core.Command[creation, Answer[snapshot.Snapshot]]{
		Locks:  cmd.Idempotency.LockKeys(caller),
		DryRun: cmd.DryRun,
		Once:   cmd.Idempotency == nil,
		Load: func(ctx context.Context, r store.Reader) (c creation, err error) {
			if c.reply, err = cmd.Idempotency.Load(ctx, r, caller, s.core.Time()); err != nil {
				return c, err
			}
			c.maxKeywords, c.maxWatchers = s.limits.Keywords, s.limits.Watchers
			c.catalogue, err = s.core.Catalogues.Now(ctx, r)
			return c, err
		},
		Prepare: func(ctx context.Context, c *creation) (err error) {
			if c.reply == nil {
				c.id, err = s.reserveNumber(ctx)
			}
			return err
		},
		Decide: func(c creation, m changes.Moment) (store.Change, Answer[snapshot.Snapshot], error) {
			return decideCreate(caller, cmd, c, m)
		},
	})
}

// reserveNumber returns a number for a new problem. It fails with fault.InvalidValue
// when the store has no number left.
func (s *Service) reserveNumber(ctx context.Context) (problem.ID, error) {
	id, err := s.core.Store.Reserve(ctx)
	if err == nil && problem.CheckID(id) != nil {
		var faults fault.List
		faults.Add(fault.InvalidValue, fault.Location{}, "there is no number left for another problem: the greatest is %d", problem.MaxID)
		err = faults.Err()
	}
	return id, err
}

// creation is the basis of the decision about a new problem.
type creation struct {
	catalogue *metadata.Catalogue
	reply     *store.Reply // for the Idempotency-Key
	id        problem.ID   // 0 in a dry run
	// maxKeywords and maxWatchers are the largest numbers of keywords and watchers.
	maxKeywords, maxWatchers int
}

func decideCreate(caller Caller, cmd CreateProblem, c creation, m changes.Moment) (store.Change, Answer[snapshot.Snapshot], error) {
	if a, ok := cmd.Idempotency.Replay(c.reply); ok {
		return store.Change{}, a, nil
	}
	faults := cmd.Faults
	p, err := cmd.check(c, &faults)
	if err == nil {
		err = faults.Err()
	}
	if err == nil {
		err = cmd.Idempotency.Check(c.reply)
	}
	if err == nil {
		err = c.catalogue.CheckInitial(p.fields.State)
	}
	if err != nil {
		return store.Change{}, Answer[snapshot.Snapshot]{}, err
	}
	cb, a := create(caller, p, c, m)
	a.Ignored = cmd.Service.All(a.Value, c.catalogue).Ignored()
	cmd.Idempotency.Keep(&cb.Change, m.At, store.About{Problem: c.id}, a)
	return cb.Change, a, nil
}

// newProblem is a problem to be created.
type newProblem struct {
	fields   problem.Fields
	keywords []problem.Keyword
	comments []problem.Comment
	read     bool // by its author
}

// create returns the Change of a new problem.
func create(caller Caller, n newProblem, c creation, m changes.Moment) (*changes.Builder, Answer[snapshot.Snapshot]) {
	cb := changes.NewBuilder(m, caller.Author())
	p := problem.Problem{
		ID:         c.id,
		Fields:     n.fields,
		Originator: cb.Author,
		Created:    cb.At,
		Modifier:   cb.Author,
		Modified:   cb.At,
		Revision:   1,
	}
	cb.Resolve(&p, true, c.catalogue)
	shown := snapshot.Snapshot{Problem: p, Batch: cb.Batch, Catalogue: c.catalogue.Version, Keywords: n.keywords}

	cb.ResolvedBy(c.catalogue.Version)
	shown.Size = p.TextSize() + problem.SavedSize(p.Fields)
	cb.AddLog(&shown, problem.ProblemCreated, "", "", changes.LogFields(n.fields, c.catalogue))
	for _, k := range n.keywords {
		shown.Size += k.Size()
		cb.AddLog(&shown, problem.KeywordSet, k.Name, "", problem.LogKeyword(k))
	}
	created := len(cb.Effects)
	cb.AddEffect(store.CreateProblem{Problem: p})
	cb.AddEffect(store.PutSavepoint{Problem: p})
	for _, k := range n.keywords {
		cb.AddEffect(store.PutKeyword{Problem: p.ID, Keyword: k})
	}
	for _, comment := range n.comments {
		cb.AddComment(&shown, withMentions(comment, c.catalogue, nil, c.maxWatchers))
	}
	cb.Effects[created] = store.CreateProblem{Problem: p, Size: shown.Size}
	cb.MarkRead(&shown, n.read)
	shown.Log = cb.Log
	return cb, Answer[snapshot.Snapshot]{Value: shown, Catalogue: c.catalogue, Revision: 1, New: true}
}

// check returns the new problem of the command.
func (cmd CreateProblem) check(c creation, faults *fault.List) (p newProblem, err error) {
	if !cmd.State.Sent {
		initial, ok := c.catalogue.DefaultState()
		if !ok {
			return p, fault.New(fault.Internal, "no state is initial")
		}
		p.fields.State = initial.ID
	}
	body.Require(faults, cmd.Title.Sent, fault.At("title"), "a problem needs a title")
	p.fields = body.ResolvePatch(&cmd.ProblemPatch, c.catalogue, faults).Apply(p.fields, c.catalogue, faults)
	p.keywords = newKeywords(cmd.Keywords, c.maxKeywords, faults)
	p.comments = newComment(cmd.Comment, faults)
	p.read = !cmd.Read.Sent || cmd.Read.Value
	return p, nil
}

// UpdateProblem sets fields of a problem (W2), and adds a comment if one is sent. The answer
// holds the problem with the log entries of this request. It fails with
// fault.ProblemNotFound, fault.StaleRevision, the faults of a body, or
// fault.TransitionNotAllowed. A fault.StaleRevision about a Base has an item for each field
// in conflict.
func (s *Service) UpdateProblem(ctx context.Context, caller Caller, id problem.ID, cmd UpdateProblem) (Answer[snapshot.Snapshot], error) {
	parts := snapshot.Keywords
	if len(cmd.Service.Log.Value) > 0 {
		parts |= snapshot.Log // to compare them
	}
	if cmd.Base.Sent {
		parts |= snapshot.Savepoints
	}
	parts |= partsForMentions(cmd.Comment)
	return core.Run(ctx, s.core, core.Command[repeatable, Answer[snapshot.Snapshot]]{
		Locks:  append(cmd.Idempotency.LockKeys(caller), writerlocks.Problem(id)),
		DryRun: cmd.DryRun,
		Once:   cmd.Idempotency == nil,
		Load:   loadRepeatable(s, caller, id, parts, cmd.Idempotency),
		Decide: func(c repeatable, m changes.Moment) (store.Change, Answer[snapshot.Snapshot], error) {
			if a, ok := cmd.Idempotency.Replay(c.reply); ok {
				return store.Change{}, a, nil
			}
			change, a, err := decideUpdate(caller, cmd, c.loaded, m)
			if err == nil {
				err = cmd.Idempotency.Check(c.reply)
			}
			if err == nil {
				cmd.Idempotency.Keep(&change, m.At, store.About{Problem: id}, a)
			}
			return change, a, err
		},
	})
}

func decideUpdate(caller Caller, cmd UpdateProblem, l loaded, m changes.Moment) (store.Change, Answer[snapshot.Snapshot], error) {
	fields, comments, err := checkUpdate(cmd, l)
	if err != nil {
		return store.Change{}, Answer[snapshot.Snapshot]{}, err
	}
	var added []changes.Comment
	for _, comment := range comments {
		added = append(added, withMentions(comment, l.catalogue, l.Watchers, l.maxWatchers))
	}
	l.Savepoints, l.Watchers = nil, nil // no parts of the answer
	names := cmd.Service.Moving(l.Snapshot, l.catalogue).Ignored()
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	if fields != l.Fields || len(added) > 0 && len(added[0].Named) > 0 {
		cb.ResolvedBy(l.Catalogue)
	}
	cb.Update(&l.Snapshot, l.catalogue, fields, changes.Keywords{}, cmd.Read, added...)
	l.Log = cb.Log
	a := answer(l.Snapshot, l)
	a.Ignored = names
	return cb.Change, a, nil
}

// checkUpdate returns the fields after the update, and the comments that it adds.
func checkUpdate(cmd UpdateProblem, l loaded) (problem.Fields, []problem.Comment, error) {
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return l.Fields, nil, err
	}
	if cmd.Revision.Sent && cmd.Revision.Value != l.Revision {
		return l.Fields, nil, stale(l.Revision)
	}
	base, err := cmd.base(l)
	if err != nil {
		return l.Fields, nil, err
	}
	faults := cmd.Faults
	cmd.Service.Binding(l.Snapshot, l.catalogue).Refuse(&faults)
	change := body.ResolvePatch(&cmd.ProblemPatch, l.catalogue, &faults).Apply(base, l.catalogue, &faults)
	comments := newComment(cmd.Comment, &faults)
	if err := faults.Err(); err != nil {
		return l.Fields, nil, err
	}
	fields, clashes := problem.Merge(base, change, l.Fields)
	if len(clashes) > 0 {
		return l.Fields, nil, clash(clashes, cmd.Base.Value, l.Revision)
	}
	return fields, comments, l.catalogue.CheckTransition(l.State, fields.State)
}

// base returns the fields that the update began with: those of its Base, or the current ones.
func (cmd UpdateProblem) base(l loaded) (problem.Fields, error) {
	if !cmd.Base.Sent || cmd.Base.Value == l.Revision {
		return l.Fields, nil
	}
	if cmd.Base.Value < 1 || cmd.Base.Value > l.Revision {
		return l.Fields, fault.New(fault.MalformedRequest, "the problem has no revision %d to begin with: its revisions are 1 to %d", cmd.Base.Value, l.Revision)
	}
	fields := l.Fields
	for _, s := range l.Savepoints {
		if s.Revision <= cmd.Base.Value {
			fields = s.Fields
		}
	}
	return fields, nil
}

// clash is the refusal of an update that began with a base (D52).
func clash(fields []*problem.Field, base, current int64) error {
	e := fault.New(fault.StaleRevision, "others have changed the same fields since revision %d, and the problem is at revision %d by now: reload it and choose", base, current)
	e.Revision = current
	for _, f := range fields {
		e.Items = append(e.Items, fault.Item{Kind: fault.StaleRevision, At: fault.At(f.Name), Detail: "has another value by now"})
	}
	return e
}
