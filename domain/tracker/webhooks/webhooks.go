package webhooks

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
	"github.com/problemtracking/problems/domain/webhook"
)

// Create is the command of POST /webhooks (D40).
type Create struct {
	tracker.Write
	Patch
}

// Update is the command of PATCH /webhooks/{identifier} (D40).
type Update struct {
	tracker.Write
	Patch
	// Active resumes the webhook, or stops it.
	Active patch.Field[bool]
	// Cursor makes the webhook go on behind another event of the feed; Now behind the
	// newest one.
	Cursor patch.Field[string]
	// Condition, when not nil, is called with the webhook before the change. Its error
	// refuses the change.
	Condition func(webhook.Endpoint) error
}

// Patch holds the settings of a webhook that a client sets.
type Patch struct {
	URL       patch.Field[string]
	Types     patch.Field[[]string]
	Predicate patch.Field[string]
	OnFailure patch.Field[string]
}

// Webhook is a webhook as one server sees it.
type Webhook struct {
	webhook.Webhook
	// Locked says why this server cannot sign messages to the webhook; nil: it can.
	Locked error
}

// StateFor is webhook.Webhook.StateFor, with the reason why the webhook is locked. It is
// active: another server may deliver to it.
func (w Webhook) StateFor(ownerActive bool) (webhook.State, string) {
	state, reason := w.Webhook.StateFor(ownerActive)
	if f, ok := errors.AsType[*fault.Error](w.Locked); ok && state == webhook.Active {
		reason = f.Detail
	}
	return state, reason
}

// Issued is a webhook with a new secret. The secret cannot be read again.
type Issued struct {
	webhook.Webhook
	Secret webhook.Secret
}

// CursorNow is the text of Update.Cursor for the newest event, and CursorOldest for
// the start of the feed.
const (
	CursorNow    = "now"
	CursorOldest = "oldest"
)

// basis is the basis of a decision about one webhook.
type basis struct {
	catalogue *metadata.Catalogue
	webhook   Webhook // zero for a new one
	count     int     // of all webhooks, for a new one
}

// seen returns the webhooks as this server sees them. Without a key, all are locked.
func (s *Service) seen(all []webhook.Webhook) []Webhook {
	if len(all) == 0 {
		return nil // or the key would be made before it is needed
	}
	key, err := s.core.ServiceKey()
	id := key.ID()
	seen := make([]Webhook, len(all))
	for i, w := range all {
		seen[i] = Webhook{w, err}
		if err == nil {
			seen[i].Locked = w.Secret.CheckKey(id)
		}
	}
	return seen
}

// Create makes a webhook of the caller. It gets the events from now on. In a dry
// run it has neither identifier nor secret. It fails with the faults of a body.
func (s *Service) Create(ctx context.Context, caller tracker.Caller, cmd Create) (tracker.Answer[Issued], error) {
	key, err := s.core.ServiceKey()
	if err != nil {
		return tracker.Answer[Issued]{}, err
	}
	newest, err := s.core.Newest(ctx)
	if err != nil {
		return tracker.Answer[Issued]{}, err
	}
	defer s.wake()
	return core.Run(ctx, s.core, core.Command[basis, tracker.Answer[Issued]]{
		// Several servers together can make some webhooks more than the limit. This does
		// no harm.
		Locks:  []writerlocks.Key{writerlocks.Webhooks()},
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (of basis, err error) {
			if of.catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
				return of, err
			}
			all, err := r.Webhooks(ctx, 0, webhook.Most)
			of.count = len(all)
			return of, err
		},
		Decide: func(of basis, m changes.Moment) (store.Change, tracker.Answer[Issued], error) {
			return decideCreate(caller, cmd, key, newest, of, m)
		},
	})
}

// wake ends the Rest of a worker: it may have something to deliver.
func (s *Service) wake() {
	select {
	case s.made <- struct{}{}:
	default:
	}
}

func decideCreate(caller tracker.Caller, cmd Create, key webhook.Key, newest event.Cursor, of basis, m changes.Moment) (store.Change, tracker.Answer[Issued], error) {
	cb := changes.NewBuilder(m, caller.Author())
	faults := slices.Clone(cmd.Faults)
	body.Require(&faults, cmd.URL.Sent, fault.At("url"), "a webhook needs the address of its receiver")
	if of.count >= webhook.Most {
		faults.Add(fault.InvalidValue, fault.Location{}, "there are already %d webhooks, the limit: delete one first", webhook.Most)
	}
	e := webhook.Endpoint{Owner: caller.User, Created: cb.At, OnFailure: webhook.Wait, Secret: webhook.SecretRef{Key: key.ID(), Generation: 1}}
	e = cmd.apply(e.Begin(newest), &faults)
	if err := faults.Err(); err != nil {
		return store.Change{}, tracker.Answer[Issued]{}, err
	}
	e.ID, e.Version = cb.NextID(), cb.Batch
	cb.ResolvedBy(of.catalogue.Version) // or the owner could be deactivated meanwhile
	cb.AuditCreated(audited(e), auditMembers(e))
	cb.AddEffect(store.PutWebhook{Endpoint: e})
	issued := Issued{webhook.Webhook{Endpoint: e}, key.Secret(e.ID, e.Secret.Generation)}
	if cmd.DryRun {
		issued.ID, issued.Secret = ident.None, webhook.Secret{}
	}
	return cb.Change, tracker.Answer[Issued]{Value: issued, Catalogue: of.catalogue, New: true}, nil
}

// apply sets the sent members, and adds their faults.
func (p Patch) apply(e webhook.Endpoint, faults *fault.List) webhook.Endpoint {
	if p.URL.Sent {
		e.URL = body.Line(text.Rule{Line: true}, p.URL, fault.At("url"), faults)
		err := webhook.CheckURL(e.URL)
		if err == nil {
			err = webhook.CheckHost(e.URL)
		}
		body.AddInvalid(faults, fault.At("url"), err)
	}
	if p.Types.Sent {
		e.Types = nil
		if !p.Types.Null && len(p.Types.Value) == 0 && !faults.Covers(fault.At("types")) {
			faults.Add(fault.InvalidValue, fault.At("types"), "must name at least one type of events: null stands for all")
		}
		for i, name := range p.Types.Value {
			t := event.Type(name)
			body.AddInvalid(faults, fault.At("types").Element(i), webhook.CheckType(t))
			if !slices.Contains(e.Types, t) {
				e.Types = append(e.Types, t)
			}
		}
	}
	if p.Predicate.Sent {
		e.Predicate = ""
		if !p.Predicate.Null {
			e.Predicate = body.Line(text.Predicate, p.Predicate, fault.At("predicate"), faults)
		}
		if !faults.Covers(fault.At("predicate")) {
			_, err := e.Plan(e.Created, nil)
			body.AddInvalid(faults, fault.At("predicate"), err)
		}
	}
	if p.OnFailure.Sent {
		e.OnFailure = webhook.OnFailure(p.OnFailure.Value)
		body.AddInvalid(faults, fault.At("onFailure"), e.OnFailure.Check())
	}
	return e
}

// audited returns the webhook as the object of audit entries. Its name is the host
// of its URL.
func audited(e webhook.Endpoint) changes.Audited {
	name := "webhook"
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		name = u.Host
	}
	return changes.Audited{Kind: audit.Webhook, ID: e.ID, Name: name}
}

// loggedURL returns a URL for the audit log: without its path and query. They are the
// credential of many receivers, and the receivers of all other webhooks get the log.
func loggedURL(text string) problem.LogValue {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	short := u.Scheme + "://" + u.Host + "/"
	if u.RequestURI() != "/" {
		short += "…"
	}
	return problem.LogText(short)
}

// auditMembers returns the settings of a webhook for the audit log.
func auditMembers(e webhook.Endpoint) []problem.LogMember {
	var types []problem.LogValue
	for _, t := range e.Types {
		types = append(types, problem.LogText(string(t)))
	}
	members := []problem.LogMember{
		{Name: "url", Value: loggedURL(e.URL)},
		{Name: "types", Value: ""},
		{Name: "predicate", Value: ""},
		{Name: "onFailure", Value: problem.LogText(string(e.OnFailure))},
		{Name: "active", Value: problem.LogFlag(e.Active)},
	}
	if len(types) > 0 {
		members[1].Value = problem.LogArray(types...)
	}
	if e.Predicate != "" {
		members[2].Value = problem.LogText(e.Predicate)
	}
	return members
}

// onWebhook runs a command about one webhook. It fails with fault.NotFound.
func onWebhook[T any](ctx context.Context, s *Service, id ident.ID, dryRun bool, decide func(basis, changes.Moment) (store.Change, tracker.Answer[T], error)) (tracker.Answer[T], error) {
	return core.Run(ctx, s.core, core.Command[basis, tracker.Answer[T]]{
		DryRun: dryRun,
		Load: func(ctx context.Context, r store.Reader) (of basis, err error) {
			if of.catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
				return of, err
			}
			of.webhook, err = s.load(ctx, r, id)
			return of, err
		},
		Decide: decide,
	})
}

func (s *Service) load(ctx context.Context, r store.Reader, id ident.ID) (Webhook, error) {
	w, ok, err := r.Webhook(ctx, id)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "there is no webhook with this identifier")
	}
	if err != nil {
		return Webhook{}, err
	}
	return s.seen([]webhook.Webhook{w})[0], nil
}

// Update changes the settings of a webhook. A cursor, another URL, and Active for a
// webhook that does not go on, are starts: the next event is tried at once. It fails with
// fault.NotFound and with the faults of a body.
func (s *Service) Update(ctx context.Context, caller tracker.Caller, id ident.ID, cmd Update) (tracker.Answer[Webhook], error) {
	start, err := s.startOf(ctx, id, cmd)
	if err != nil {
		return tracker.Answer[Webhook]{}, err
	}
	return onWebhook(ctx, s, id, cmd.DryRun, func(of basis, m changes.Moment) (store.Change, tracker.Answer[Webhook], error) {
		return decideUpdate(caller, cmd, start, of, m)
	})
}

// startOf returns the requested start, once the feed has it. A fault in its form stays in
// the command.
func (s *Service) startOf(ctx context.Context, id ident.ID, cmd Update) (start event.Cursor, err error) {
	switch {
	case !body.Given(cmd.Cursor) && body.Given(cmd.Active) && cmd.Active.Value:
		return event.Start, s.checkResumption(ctx, id)
	case !body.Given(cmd.Cursor), cmd.Cursor.Value == CursorOldest:
		return event.Start, nil
	case cmd.Cursor.Value == CursorNow:
		return s.core.Newest(ctx)
	}
	if start, err = event.ParseCursor(cmd.Cursor.Value); err != nil {
		return event.Start, nil // decideUpdate refuses it
	}
	f, err := s.tracker.As(tracker.Caller{}).Follow(ctx, tracker.Follow{After: start, Limit: 1})
	if err != nil {
		return start, err
	}
	f.Close()
	return start, nil
}

// checkResumption fails with fault.CursorGone when the feed has lost the position of a webhook that
// does not go on: it would stop again at once.
func (s *Service) checkResumption(ctx context.Context, id ident.ID) error {
	a, err := s.Load(ctx, id)
	if err != nil {
		return err
	}
	if state, _ := a.Value.StateFor(true); state == webhook.Active {
		return nil
	}
	f, err := s.tracker.As(tracker.Caller{}).Follow(ctx, tracker.Follow{After: a.Value.Current().Cursor, Limit: 1})
	if gone, ok := errors.AsType[*tracker.GoneError](err); ok {
		return fault.Wrap(fault.CursorGone, gone, "%s", webhook.CursorGone)
	}
	if err != nil {
		return err
	}
	f.Close()
	return nil
}

func decideUpdate(caller tracker.Caller, cmd Update, start event.Cursor, of basis, m changes.Moment) (store.Change, tracker.Answer[Webhook], error) {
	cb := changes.NewBuilder(m, caller.Author())
	faults := slices.Clone(cmd.Faults)
	old := of.webhook
	if cmd.Condition != nil {
		if err := cmd.Condition(old.Endpoint); err != nil {
			return store.Change{}, tracker.Answer[Webhook]{}, err
		}
	}
	next := old
	next.Endpoint = cmd.apply(old.Endpoint, &faults)
	if cmd.Active.Null {
		faults.Add(fault.InvalidValue, fault.At("active"), "cannot be null")
	}
	if cmd.Cursor.Null {
		faults.Add(fault.InvalidValue, fault.At("cursor"), "cannot be null: give the identifier of an event, %q or %q", CursorOldest, CursorNow)
	} else if _, err := event.ParseCursor(cmd.Cursor.Value); cmd.Cursor.Sent && err != nil && cmd.Cursor.Value != CursorNow && cmd.Cursor.Value != CursorOldest {
		faults.Add(fault.InvalidValue, fault.At("cursor"), "must be the identifier of an event, %q or %q", CursorOldest, CursorNow)
	}
	owner, known := of.catalogue.User(old.Owner)
	state, _ := old.StateFor(known && !owner.Inactive)
	if body.Given(cmd.Active) && cmd.Active.Value && (!known || owner.Inactive) {
		faults.Add(fault.InvalidValue, fault.At("active"), "%s", webhook.OwnerInactive)
	}
	if err := faults.Err(); err != nil {
		return store.Change{}, tracker.Answer[Webhook]{}, err
	}
	resumed := body.Given(cmd.Active) && cmd.Active.Value && (state != webhook.Active || old.Current().Failures > 0)
	from := old.Current().Cursor
	if body.Given(cmd.Cursor) {
		from = start
	}
	wasActive := old.Active
	if body.Given(cmd.Cursor) || resumed || next.URL != old.URL {
		next.Endpoint = next.Begin(from)
		next.Active = wasActive || resumed
	}
	if body.Given(cmd.Active) {
		next.Active = cmd.Active.Value
	}
	object := audited(next.Endpoint)
	cb.AuditChanges(object, auditMembers(old.Endpoint), auditMembers(next.Endpoint))
	if from, to := loggedURL(old.URL), loggedURL(next.URL); from == to && next.URL != old.URL {
		cb.Audit(object, audit.Changed, "url", from, to)
	}
	if body.Given(cmd.Cursor) {
		cb.Audit(object, audit.Changed, "cursor", problem.LogText(old.Current().Cursor.String()), problem.LogText(from.String()))
	}
	if resumed && wasActive {
		cb.Audit(object, audit.Changed, "state", problem.LogText(string(state)), problem.LogText(string(webhook.Active)))
	}
	if len(cb.Effects) > 0 {
		next.Version = cb.Batch
		cb.AddExpect(store.WebhookAt{ID: old.ID, Version: old.Version})
		cb.AddEffect(store.PutWebhook{Endpoint: next.Endpoint})
	}
	return cb.Change, tracker.Answer[Webhook]{Value: next, Catalogue: of.catalogue}, nil
}

// Delete deletes a webhook. The delivering server sends nothing to it any more:
// at once when it is this one, and otherwise within two seconds. It fails with
// fault.NotFound.
func (s *Service) Delete(ctx context.Context, caller tracker.Caller, id ident.ID, w tracker.Write) (tracker.Answer[struct{}], error) {
	return onWebhook(ctx, s, id, w.DryRun, func(of basis, m changes.Moment) (store.Change, tracker.Answer[struct{}], error) {
		cb := changes.NewBuilder(m, caller.Author())
		cb.AddExpect(store.WebhookAt{ID: id, Version: of.webhook.Version}) // or two servers would both log it
		cb.Audit(audited(of.webhook.Endpoint), audit.Changed, "deleted", problem.LogFlag(false), problem.LogFlag(true))
		cb.AddEffect(store.DropWebhook{ID: id})
		return cb.Change, tracker.Answer[struct{}]{}, nil
	})
}

// Rotate is the command of POST /webhooks/{identifier}/secret (D40).
type Rotate struct {
	tracker.Write
	// EndEarlier ends the earlier secrets at once.
	EndEarlier patch.Field[bool]
}

// Rotate gives a webhook a new secret. For a day, messages have the signature of the
// earlier one, too. In a dry run there is no secret. It fails with fault.NotFound, with
// fault.InUse when webhook.MostSecrets sign already, and with the faults of a body.
func (s *Service) Rotate(ctx context.Context, caller tracker.Caller, id ident.ID, cmd Rotate) (tracker.Answer[Issued], error) {
	key, err := s.core.ServiceKey()
	if err != nil {
		return tracker.Answer[Issued]{}, err
	}
	defer s.wake()
	return onWebhook(ctx, s, id, cmd.DryRun, func(of basis, m changes.Moment) (store.Change, tracker.Answer[Issued], error) {
		cb := changes.NewBuilder(m, caller.Author())
		faults := slices.Clone(cmd.Faults)
		if cmd.EndEarlier.Null {
			faults.Add(fault.InvalidValue, fault.At("endEarlier"), "cannot be null")
		}
		if err := faults.Err(); err != nil {
			return store.Change{}, tracker.Answer[Issued]{}, err
		}
		next := of.webhook
		next.Version = cb.Batch
		if next.Secret, err = next.Secret.Rotate(key.ID(), cb.At, cmd.EndEarlier.Value); err != nil {
			return store.Change{}, tracker.Answer[Issued]{}, err
		}
		cb.AddExpect(store.WebhookAt{ID: id, Version: of.webhook.Version})
		cb.Audit(audited(next.Endpoint), audit.Changed, "secret",
			problem.LogNumber(int(of.webhook.Secret.Generation)), problem.LogNumber(int(next.Secret.Generation)))
		cb.AddEffect(store.PutWebhook{Endpoint: next.Endpoint})
		issued := Issued{next.Webhook, key.Secret(id, next.Secret.Generation)}
		if cmd.DryRun {
			issued.Secret = webhook.Secret{}
		}
		return cb.Change, tracker.Answer[Issued]{Value: issued, Catalogue: of.catalogue}, nil
	})
}

// List returns all webhooks, in the order of their creation.
func (s *Service) List(ctx context.Context) (a tracker.Answer[[]Webhook], err error) {
	err = s.core.Store.View(ctx, func(r store.Reader) error {
		if a.Catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
			return err
		}
		all, err := r.Webhooks(ctx, 0, webhook.MostStored)
		a.Value = s.seen(all)
		return err
	})
	return a, err
}

// Load returns a webhook. It fails with fault.NotFound.
func (s *Service) Load(ctx context.Context, id ident.ID) (a tracker.Answer[Webhook], err error) {
	err = s.core.Store.View(ctx, func(r store.Reader) error {
		if a.Catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
			return err
		}
		a.Value, err = s.load(ctx, r, id)
		return err
	})
	return a, err
}

// Test sends a message of the type webhook.test to the receiver, at once and beside
// the events, and returns the attempt. It fails with fault.NotFound.
func (s *Service) Test(ctx context.Context, id ident.ID) (webhook.Attempt, error) {
	a, err := s.Load(ctx, id)
	if err != nil {
		return webhook.Attempt{}, err
	}
	m, err := s.core.Moment(ctx)
	if err != nil {
		return webhook.Attempt{}, err
	}
	attempt, err := s.Send(ctx, a.Value.Endpoint, webhook.Test(m.IDs.Next(), m.At))
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return webhook.Attempt{At: m.At, Err: f.Detail}, nil
	}
	return attempt, err
}

// Send signs a message and sends it once. A failure of the receiver is part of the
// attempt. It fails with fault.Unavailable when this server cannot sign the message: then there
// was no attempt.
func (s *Service) Send(ctx context.Context, e webhook.Endpoint, message webhook.Message) (webhook.Attempt, error) {
	at := s.core.Time()
	key, err := s.core.ServiceKey()
	if err != nil {
		return webhook.Attempt{}, err
	}
	message.Time = at
	if message.Signature, err = e.Sign(key, message.ID, at, message.Body); err != nil {
		return webhook.Attempt{}, err
	}
	if s.sender == nil {
		return webhook.Attempt{}, fault.New(fault.Unavailable, "this process sends no messages")
	}
	attempt := s.sender.Send(ctx, e.URL, message)
	attempt.At = at
	return attempt, nil
}
