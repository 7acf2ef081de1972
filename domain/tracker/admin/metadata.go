package admin

import (
	"context"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/kinds"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// Objects are the metadata objects of one kind, or the users, for reading and writing
// (D30). T is the type of an object, and P holds the members set by clients.
type Objects[T, P any] struct {
	core  *core.Core
	rules *kinds.Rules[T, P]
	also  sideEffects[T]
	most  int // of the kind, above which no more are created; 0 for any number
}

// sideEffects adds further effects of the change of an object, or refuses the change
// because of them. With nil, there are none.
type sideEffects[T any] func(cb *changes.Builder, lastAdmin bool, old, changed T, d directory.Directory) error

// The members of an object sent by a client, by its kind.
type (
	StatePatch          = metadata.StatePatch
	PriorityPatch       = metadata.PriorityPatch
	ClassificationPatch = metadata.ClassificationPatch
	MilestonePatch      = metadata.MilestonePatch
	ComponentPatch      = metadata.ComponentPatch
)

// States returns the states. A state cannot become resolved or unresolved while a
// problem is in it, and at least one state stays initial. Otherwise a change fails with
// fault.InUse (D2).
func (s *Service) States() Objects[metadata.State, StatePatch] {
	return Objects[metadata.State, StatePatch]{core: s.core, rules: &kinds.States}
}

// Priorities returns the priorities.
func (s *Service) Priorities() Objects[metadata.Priority, PriorityPatch] {
	return Objects[metadata.Priority, PriorityPatch]{core: s.core, rules: &kinds.Priorities}
}

// Classifications returns the classifications.
func (s *Service) Classifications() Objects[metadata.Classification, ClassificationPatch] {
	return Objects[metadata.Classification, ClassificationPatch]{core: s.core, rules: &kinds.Classifications}
}

// Milestones returns the milestones. Everybody who writes can create them (D17), so their
// number has a limit (D22).
func (s *Service) Milestones() Objects[metadata.Milestone, MilestonePatch] {
	return Objects[metadata.Milestone, MilestonePatch]{core: s.core, rules: &kinds.Milestones, most: s.core.Milestones}
}

// Components returns the components.
func (s *Service) Components() Objects[metadata.Component, ComponentPatch] {
	return Objects[metadata.Component, ComponentPatch]{core: s.core, rules: &kinds.Components}
}

// CreateObject is the command that creates a metadata object.
type CreateObject[P any] struct {
	core.Write
	Patch P
	// Service holds the members written only by the service. They are not stored: see
	// Answer.Ignored.
	Service ObjectServiceFields
}

// UpdateObject is the command that changes a metadata object.
type UpdateObject[P any] struct {
	core.Write
	Patch P
	// Service holds the members written only by the service. Each has to equal the
	// current value.
	Service ObjectServiceFields
	// Condition, when not nil, is called with the objects before the change. Its error
	// refuses the change.
	Condition func(*metadata.Catalogue) error
}

// ObjectServiceFields are the members of a metadata object written only by the service,
// as a client sent them back.
type ObjectServiceFields = expected.Object

// written is the basis of the decision about a metadata object.
type written struct {
	directory.Directory      // with tokens and sessions only if the change has further effects
	used                bool // a problem has the object; set only if needed
	// reply is the reply stored for the Idempotency-Key of a creation, or nil.
	reply *store.Reply
	// reused is the refusal of a key used for another request, or nil.
	reused error
	// sent are the members of a creation written only by the service.
	sent ObjectServiceFields
}

// List returns all objects of the kind, in the order of their order numbers if any,
// then by name.
func (o Objects[T, P]) List(ctx context.Context) (core.Answer[[]T], error) {
	c, err := o.core.Catalogue(ctx)
	if err != nil {
		return core.Answer[[]T]{}, err
	}
	content := c.Content()
	return core.Answer[[]T]{Value: *o.rules.List(&content), Catalogue: c}, nil
}

// Load returns one object. It fails with fault.NotFound.
func (o Objects[T, P]) Load(ctx context.Context, id ident.ID) (core.Answer[T], error) {
	c, err := o.core.Catalogue(ctx)
	if err != nil {
		return core.Answer[T]{}, err
	}
	object, ok := o.rules.Find(c, id)
	if !ok {
		return core.Answer[T]{}, o.rules.NotFound()
	}
	return core.Answer[T]{Value: object, Catalogue: c}, nil
}

// Create creates an object. In a dry run it has no identifier. It fails with the
// faults of a body, and with fault.AlreadyExists when the name is taken.
func (o Objects[T, P]) Create(ctx context.Context, caller core.Caller, cmd CreateObject[P]) (core.Answer[T], error) {
	return o.CreateOnce(ctx, caller, cmd, nil)
}

// CreateOnce is Create for a request that can be repeated. It also fails with
// fault.IdempotencyConflict. A nil key is none.
func (o Objects[T, P]) CreateOnce(ctx context.Context, caller core.Caller, cmd CreateObject[P], key *core.Idempotency[T]) (core.Answer[T], error) {
	body.Require(&cmd.Faults, o.rules.Sent(&cmd.Patch).Sent, fault.At("name"), "a %s needs a name", o.rules.Kind)
	return core.Run(ctx, o.core, core.Command[written, core.Answer[T]]{
		Locks:  append(key.LockKeys(caller), writerlocks.Catalogue()),
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (w written, err error) {
			if w.reply, err = key.Load(ctx, r, caller, o.core.Time()); err != nil {
				return w, err
			}
			w.Directory, err = o.loadDirectory(ctx, r)
			return w, err
		},
		Decide: func(w written, m changes.Moment) (store.Change, core.Answer[T], error) {
			if a, ok := key.Replay(w.reply); ok {
				return store.Change{}, a, nil
			}
			w.reused, w.sent = key.Check(w.reply), cmd.Service
			change, a, err := o.decide(caller, cmd.Write, cmd.Patch, o.rules.Blank(w.Catalogue, m.At), w, m)
			if err == nil {
				key.Keep(&change, m.At, store.About{}, a)
			}
			return change, a, err
		},
	})
}

// Update sets fields of an object. It fails with fault.NotFound, the faults of a body,
// fault.AlreadyExists when the name is taken, and fault.MetadataCycle. It fails with
// fault.InUse for a change forbidden by dependents of the object.
func (o Objects[T, P]) Update(ctx context.Context, caller core.Caller, id ident.ID, cmd UpdateObject[P]) (core.Answer[T], error) {
	return core.Run(ctx, o.core, core.Command[written, core.Answer[T]]{
		Locks:  []writerlocks.Key{writerlocks.Catalogue()},
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (written, error) {
			return o.load(ctx, r, caller, id, cmd.Patch)
		},
		Decide: func(w written, m changes.Moment) (store.Change, core.Answer[T], error) {
			old, ok := o.rules.Find(w.Catalogue, id)
			if !ok {
				return store.Change{}, core.Answer[T]{}, o.rules.NotFound()
			}
			if cmd.Condition != nil {
				if err := cmd.Condition(w.Catalogue); err != nil {
					return store.Change{}, core.Answer[T]{}, err
				}
			}
			write := cmd.Write
			o.rules.Compare(cmd.Service, old, w.Catalogue).Refuse(&write.Faults)
			return o.decide(caller, write, cmd.Patch, old, w, m)
		},
	})
}

// loadDirectory returns the directory, with the rest of it only if the change depends on it.
func (o Objects[T, P]) loadDirectory(ctx context.Context, r store.Reader) (d directory.Directory, err error) {
	if o.also != nil {
		return directory.Load(ctx, o.core, r)
	}
	d.Catalogue, err = o.core.Catalogues.Now(ctx, r)
	return d, err
}

// load returns the directory and, where the change depends on it, whether a problem
// has the object.
func (o Objects[T, P]) load(ctx context.Context, r store.Reader, caller core.Caller, id ident.ID, p P) (w written, err error) {
	if w.Directory, err = o.loadDirectory(ctx, r); err != nil {
		return w, err
	}
	if o.also != nil {
		if w.Sessions, err = r.Sessions(ctx, id); err != nil {
			return w, err
		}
	}
	if o.rules.NeedsUnused == nil {
		return w, nil
	}
	if old, ok := o.rules.Find(w.Catalogue, id); ok && o.rules.NeedsUnused(old, o.rules.Apply(p, old, w.Catalogue, new(fault.List))) {
		w.used, err = stateUsed(ctx, r, o.core.As(caller.User), id, w.Catalogue)
	}
	return w, err
}

// decide applies the patch to old. A new object has no identifier yet.
func (o Objects[T, P]) decide(caller core.Caller, w core.Write, p P, old T, on written, m changes.Moment) (store.Change, core.Answer[T], error) {
	r := o.rules
	refuse := func(err error) (store.Change, core.Answer[T], error) { return store.Change{}, core.Answer[T]{}, err }
	faults := w.Faults
	object := r.Apply(p, old, on.Catalogue, &faults)
	created, content := r.ID(&old).IsNone(), on.Catalogue.Content()
	if n := len(*r.List(&content)); created && o.most > 0 && n >= o.most {
		faults.Add(fault.InvalidValue, fault.Location{}, "there are %d %ss already, and the limit is %d: change one that is no longer needed", n, r.Kind, o.most)
	}
	if err := faults.Err(); err != nil {
		return refuse(err)
	}
	if on.reused != nil {
		return refuse(on.reused)
	}
	if err := r.Check(on.Catalogue, object); err != nil {
		return refuse(err)
	}
	cb := changes.NewBuilder(m, caller.Author())
	if created {
		*r.ID(&object) = cb.NextID()
	} else if r.NeedsUnused != nil && r.NeedsUnused(old, object) {
		if on.used {
			return refuse(inUse())
		}
		cb.AddExpect(store.StateUnused{State: *r.ID(&object)})
	}
	of := changes.Audited{Kind: audit.Kind(r.Kind), ID: *r.ID(&object), Name: r.Name(&object)}
	members := r.Members(object, on.Catalogue)
	if created {
		cb.AuditCreated(of, members)
	} else {
		cb.AuditChanges(of, r.Members(old, on.Catalogue), members)
	}
	a := core.Answer[T]{Value: object, Catalogue: on.Catalogue, New: created}
	if len(cb.Effects) == 0 { // nothing differs from before
		return store.Change{}, a, nil
	}
	cb.ResolvedBy(on.Catalogue.Version)
	cb.AddEffect(r.Put(object))
	if o.also != nil {
		if err := o.also(cb, w.LastAdmin, old, object, on.Directory); err != nil {
			return refuse(err)
		}
	}
	a.Catalogue = r.With(on.Catalogue, object, cb.Batch)
	a.Ignored = r.Compare(on.sent, object, a.Catalogue).Ignored()
	if w.DryRun && created {
		*r.ID(&a.Value) = ident.None
	}
	return cb.Change, a, nil
}

func inUse() error {
	return fault.New(fault.InUse, "problems are in this state: whether they count as resolved cannot change; move them to another state first, or make a new one")
}

// stateUsed reports whether a problem is in the state. Its search does not count for the search
// limit, because stores find the first such problem at once.
func stateUsed(ctx context.Context, r store.Reader, as core.Reads, state ident.ID, c *metadata.Catalogue) (bool, error) {
	plan, err := check.Compile("state.identifier = '"+state.String()+"'", predicate.Problem, predicate.Env{})
	if err != nil {
		return false, fault.Wrap(fault.Internal, err, "the predicate about a state does not compile")
	}
	hits, err := as.Find(ctx, r, store.Query{Plan: plan, Limit: 1, Catalogue: c})
	return len(hits) > 0, err
}
