package tracker

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// Objects are the metadata objects of one kind, or the users, for reading and writing
// (D30). T is the type of an object, and P holds the members set by clients.
type Objects[T, P any] struct {
	service *Service
	rules   *rules[T, P]
}

// CreateObject is the command that creates a metadata object.
type CreateObject[P any] struct {
	Write
	Patch P
	// Service holds the members written only by the service. They are not stored: see
	// Answer.Ignored.
	Service ObjectServiceFields
}

// UpdateObject is the command that changes a metadata object.
type UpdateObject[P any] struct {
	Write
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

// rules are the differences between the kinds of metadata objects.
type rules[T, P any] struct {
	kind metadata.Kind
	list func(*metadata.Content) *[]T
	find func(*metadata.Catalogue, ident.ID) (T, bool)
	id   func(*T) *ident.ID
	name func(*T) string
	// sent returns the required member of a new object: the name.
	sent func(*P) patch.Field[string]
	// blank returns a new object with default values.
	blank func(*metadata.Catalogue, time.Time) T
	// apply returns the object after the patch, and adds the errors of the patch to the
	// faults.
	apply func(p P, old T, c *metadata.Catalogue, faults *fault.List) T
	// check refuses an object in conflict with the rest of the catalogue.
	check func(*metadata.Catalogue, T) error
	// members are the members of the object in the audit log: all members that can
	// change.
	members func(T, *metadata.Catalogue) []problem.LogMember
	// fullName and created return members written only by the service. They are nil for
	// a kind without such a member.
	fullName func(current T, c *metadata.Catalogue) string
	created  func(current T) time.Time
	put      func(T) store.Effect
	// needsUnused reports whether the change is refused while problems have the object.
	// Only problems in a state are counted. With nil, no change is.
	needsUnused func(old, changed T) bool
	// also adds further effects of the change, or refuses the change because of them.
	// With nil, there are none.
	also func(cb *changes.Builder, w Write, old, changed T, d directory) error
}

// written is the basis of the decision about a metadata object.
type written struct {
	directory      // with tokens and sessions only if the change has further effects
	used      bool // a problem has the object; set only if needed
	// reply is the reply stored for the Idempotency-Key of a creation, or nil.
	reply *store.Reply
	// reused is the refusal of a key used for another request, or nil.
	reused error
	// sent are the members of a creation written only by the service.
	sent ObjectServiceFields
}

// List returns all objects of the kind, in the order of their order numbers if any,
// then by name.
func (o Objects[T, P]) List(ctx context.Context) (Answer[[]T], error) {
	c, err := o.service.catalogue(ctx)
	if err != nil {
		return Answer[[]T]{}, err
	}
	content := c.Content()
	return Answer[[]T]{Value: *o.rules.list(&content), Catalogue: c}, nil
}

// Load returns one object. It fails with fault.NotFound.
func (o Objects[T, P]) Load(ctx context.Context, id ident.ID) (Answer[T], error) {
	c, err := o.service.catalogue(ctx)
	if err != nil {
		return Answer[T]{}, err
	}
	object, ok := o.rules.find(c, id)
	if !ok {
		return Answer[T]{}, o.rules.notFound()
	}
	return Answer[T]{Value: object, Catalogue: c}, nil
}

func (r *rules[T, P]) notFound() error {
	return fault.New(fault.NotFound, "there is no %s with this identifier", r.kind)
}

// Create creates an object. In a dry run it has no identifier. It fails with the
// faults of a body, and with fault.AlreadyExists when the name is taken.
func (o Objects[T, P]) Create(ctx context.Context, caller Caller, cmd CreateObject[P]) (Answer[T], error) {
	return o.CreateOnce(ctx, caller, cmd, nil)
}

// CreateOnce is Create for a request that can be repeated. It also fails with
// fault.IdempotencyConflict. A nil key is none.
func (o Objects[T, P]) CreateOnce(ctx context.Context, caller Caller, cmd CreateObject[P], key *Idempotency[T]) (Answer[T], error) {
	body.Require(&cmd.Faults, o.rules.sent(&cmd.Patch).Sent, fault.At("name"), "a %s needs a name", o.rules.kind)
	return run(ctx, o.service, command[written, T]{
		locks:  append(key.lockKeys(caller), writerlocks.Catalogue()),
		dryRun: cmd.DryRun,
		load: func(ctx context.Context, r store.Reader) (w written, err error) {
			if w.reply, err = key.load(ctx, r, caller, o.service.time()); err != nil {
				return w, err
			}
			w.directory, err = o.loadDirectory(ctx, r)
			return w, err
		},
		decide: func(w written, m changes.Moment) (store.Change, Answer[T], error) {
			if a, ok := key.replay(w.reply); ok {
				return store.Change{}, a, nil
			}
			w.reused, w.sent = key.check(w.reply), cmd.Service
			change, a, err := o.rules.decide(caller, cmd.Write, cmd.Patch, o.rules.blank(w.catalogue, m.At), w, m)
			if err == nil {
				key.keep(&change, m.At, a)
			}
			return change, a, err
		},
	})
}

// Update sets fields of an object. It fails with fault.NotFound, the faults of a body,
// fault.AlreadyExists when the name is taken, and fault.MetadataCycle. It fails with
// fault.InUse for a change forbidden by dependents of the object.
func (o Objects[T, P]) Update(ctx context.Context, caller Caller, id ident.ID, cmd UpdateObject[P]) (Answer[T], error) {
	return run(ctx, o.service, command[written, T]{
		locks:  []writerlocks.Key{writerlocks.Catalogue()},
		dryRun: cmd.DryRun,
		load: func(ctx context.Context, r store.Reader) (written, error) {
			return o.load(ctx, r, caller, id, cmd.Patch)
		},
		decide: func(w written, m changes.Moment) (store.Change, Answer[T], error) {
			old, ok := o.rules.find(w.catalogue, id)
			if !ok {
				return store.Change{}, Answer[T]{}, o.rules.notFound()
			}
			if cmd.Condition != nil {
				if err := cmd.Condition(w.catalogue); err != nil {
					return store.Change{}, Answer[T]{}, err
				}
			}
			write := cmd.Write
			o.rules.compare(cmd.Service, old, w.catalogue).Refuse(&write.Faults)
			return o.rules.decide(caller, write, cmd.Patch, old, w, m)
		},
	})
}

// load returns the directory. It also looks for problems with the object, if the change
// depends on them.
func (o Objects[T, P]) loadDirectory(ctx context.Context, r store.Reader) (d directory, err error) {
	if o.rules.also != nil {
		return o.service.loadDirectory(ctx, r)
	}
	d.catalogue, err = o.service.catalogues.Now(ctx, r)
	return d, err
}

// load returns the directory and, where the change depends on it, whether a problem
// has the object.
func (o Objects[T, P]) load(ctx context.Context, r store.Reader, caller Caller, id ident.ID, p P) (w written, err error) {
	if w.directory, err = o.loadDirectory(ctx, r); err != nil {
		return w, err
	}
	if o.rules.also != nil {
		if w.sessions, err = r.Sessions(ctx, id); err != nil {
			return w, err
		}
	}
	if o.rules.needsUnused == nil {
		return w, nil
	}
	if old, ok := o.rules.find(w.catalogue, id); ok && o.rules.needsUnused(old, o.rules.apply(p, old, w.catalogue, new(fault.List))) {
		w.used, err = o.service.stateUsed(ctx, r, caller, id, w.catalogue)
	}
	return w, err
}

// compare compares the members written only by the service with the current values, by
// name (D11).
func (r *rules[T, P]) compare(sent ObjectServiceFields, current T, c *metadata.Catalogue) expected.Members {
	var fullName string
	if r.fullName != nil {
		fullName = r.fullName(current, c)
	}
	var created time.Time
	if r.created != nil {
		created = r.created(current)
	}
	return sent.All(*r.id(&current), fullName, created)
}

// decide applies the patch to old. A new object has no identifier yet.
func (r *rules[T, P]) decide(caller Caller, w Write, p P, old T, on written, m changes.Moment) (store.Change, Answer[T], error) {
	refuse := func(err error) (store.Change, Answer[T], error) { return store.Change{}, Answer[T]{}, err }
	faults := w.Faults
	object := r.apply(p, old, on.catalogue, &faults)
	if err := faults.Err(); err != nil {
		return refuse(err)
	}
	if on.reused != nil {
		return refuse(on.reused)
	}
	if err := r.check(on.catalogue, object); err != nil {
		return refuse(err)
	}
	cb := changes.NewBuilder(m, caller.User)
	created := r.id(&old).IsNone()
	if created {
		*r.id(&object) = cb.NextID()
	} else if r.needsUnused != nil && r.needsUnused(old, object) {
		if on.used {
			return refuse(inUse())
		}
		cb.AddExpect(store.StateUnused{State: *r.id(&object)})
	}
	of := changes.Audited{Kind: audit.Kind(r.kind), ID: *r.id(&object), Name: r.name(&object)}
	members := r.members(object, on.catalogue)
	if created {
		cb.AuditCreated(of, members)
	} else {
		cb.AuditChanges(of, r.members(old, on.catalogue), members)
	}
	a := Answer[T]{Value: object, Catalogue: on.catalogue, New: created}
	if len(cb.Effects) == 0 { // nothing differs from before
		return store.Change{}, a, nil
	}
	cb.ResolvedBy(on.catalogue.Version)
	cb.AddEffect(r.put(object))
	if r.also != nil {
		if err := r.also(cb, w, old, object, on.directory); err != nil {
			return refuse(err)
		}
	}
	a.Catalogue = r.with(on.catalogue, object, cb.Batch)
	a.Ignored = r.compare(on.sent, object, a.Catalogue).Ignored()
	if w.DryRun && created {
		*r.id(&a.Value) = ident.None
	}
	return cb.Change, a, nil
}

// with returns the catalogue after the object was stored in a Change of the batch.
func (r *rules[T, P]) with(c *metadata.Catalogue, object T, batch ident.ID) *metadata.Catalogue {
	content := c.Content().Clone()
	list := r.list(&content)
	i := slices.IndexFunc(*list, func(o T) bool { return *r.id(&o) == *r.id(&object) })
	if i < 0 {
		*list = append(*list, object)
	} else {
		(*list)[i] = object
	}
	return metadata.NewCatalogue(c.Version.Next(batch), content)
}
