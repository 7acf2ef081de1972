package mailing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/holder"
	"github.com/problemtracking/problems/domain/tracker/mailing/internal/stories"
	"github.com/problemtracking/problems/domain/user"
)

// Set is the command of PUT /me/mail: the caller's choice of e-mail.
type Set struct {
	tracker.Write
	// Mail is the name of a user.Mail.
	Mail patch.Field[string]
}

// Set sets the caller's choice of e-mail. It fails with the faults of a body.
func (s *Service) Set(ctx context.Context, caller tracker.Caller, cmd Set) (tracker.Answer[user.User], error) {
	body.Require(&cmd.Faults, cmd.Mail.Sent, fault.At("mail"), `say which e-mail you want: "everything", "mine" or "none"`)
	return s.admin.Users().Update(ctx, caller, caller.User, admin.UpdateObject[admin.UserPatch]{Write: cmd.Write, Patch: admin.UserPatch{Mail: cmd.Mail}})
}

// Unsubscribe ends the e-mail to the user with the token of a mail. It fails with
// fault.NotFound for any other token.
func (s *Service) Unsubscribe(ctx context.Context, token string) error {
	who, err := s.unsubscriber(token)
	if err != nil {
		return err
	}
	_, err = s.Set(ctx, tracker.Caller{User: who}, Set{Mail: patch.Set(user.MailNone.String())})
	return err
}

// CheckUnsubscribe fails like Unsubscribe, and changes nothing.
func (s *Service) CheckUnsubscribe(ctx context.Context, token string) error {
	who, err := s.unsubscriber(token)
	if err != nil {
		return err
	}
	_, err = s.admin.Users().Load(ctx, who)
	return err
}

func (s *Service) unsubscriber(token string) (ident.ID, error) {
	key, err := s.core.ServiceKey()
	if err != nil {
		return ident.None, err
	}
	who, ok := mail.ReadToken(key, token)
	if !ok {
		return ident.None, fault.New(fault.NotFound, "this link is not from an e-mail of this service, or it was cut: use the whole link")
	}
	return who, nil
}

// mailLease is the name of the lease of e-mail. Its state is a mail.State.
const mailLease = "mail"

// Mailer is one server's part in sending e-mail. Of all servers, one sends at a time: it
// holds the lease. A Mailer is for one goroutine.
type Mailer struct {
	service *Service
	lease   holder.Holder
	seen    ident.ID   // the version of the lease at the latest look
	next    time.Time  // when the next mail of its state may be sent, by a clock that nobody sets
	text    string     // the state at the latest look
	state   mail.State // what text says
}

// NewMailer returns a Mailer without the lease. alone is true when no other server
// can use the store: then any lease in it belongs to an ended server.
func (s *Service) NewMailer(alone bool) *Mailer {
	return &Mailer{service: s, lease: holder.New(mailLease, alone, s.core.Moment, s.core.Commit)}
}

// Begin makes e-mail start behind the newest change, unless a server of the store has begun it
// before. A server calls it before it takes requests (D43).
func (m *Mailer) Begin(ctx context.Context) error {
	for {
		var begun bool
		err := m.service.core.Store.View(ctx, func(r store.Reader) (err error) {
			_, begun, err = m.lease.Read(ctx, r)
			return err
		})
		if err != nil || begun {
			return err
		}
		newest, err := m.Newest(ctx)
		if err != nil {
			return err
		}
		// No error: it is stored, or another server was first, or a write that was cut off
		// is not stored. The next look tells.
		if err := m.lease.Release(ctx, mail.State{Cursor: newest}.Encode()); err != nil {
			return err
		}
	}
}

// Take takes the lease if it is free and there is work. It returns the stored state, or nil
// while another server has the lease. The caller may change the state only if the lease was
// taken. Without a state, as after a fail-over that lost it, e-mail begins behind the newest change.
// now is a monotonic time: see lease.Watch. It fails with fault.Internal for a server without
// a key.
func (m *Mailer) Take(ctx context.Context, now time.Time) (s *mail.State, taken bool, err error) {
	if _, err := m.service.core.ServiceKey(); err != nil {
		return nil, false, fault.Wrap(fault.Internal, err, "a server without the key of webhooks sends no e-mail: its links need the key")
	}
	var current lease.Lease
	var ok bool
	err = m.service.core.Store.View(ctx, func(r store.Reader) error {
		current, ok, err = m.lease.Read(ctx, r)
		return err
	})
	if err != nil || !m.lease.Free(current, ok, now) {
		return nil, false, err
	}
	newest, err := m.service.core.Newest(ctx)
	if err != nil {
		return nil, false, err
	}
	stored := mail.State{Cursor: newest}
	if current.State != "" {
		if stored, err = m.parsed(current.State); err != nil {
			return nil, false, err
		}
		if stored.Cursor == newest && !m.due(current.Version, stored, now) {
			return &stored, false, nil
		}
	}
	if taken, err = m.lease.Take(ctx, current, stored.Encode()); err != nil || !taken {
		return nil, false, err
	}
	m.text, m.state = "", mail.State{} // the caller changes it
	return &stored, true, nil
}

// parsed parses a stored state. Mail may wait for a day, and the text has some hundred KB at
// most: only a changed text is parsed again.
func (m *Mailer) parsed(text string) (mail.State, error) {
	if m.text == text {
		return m.state, nil
	}
	s, err := parseMail(text)
	if err == nil {
		m.text, m.state = text, s
	}
	return s, err
}

// due reports whether a mail of the stored state may be sent. The clock may have stepped back
// since the first look at the state, so the wait ends by the time of that look at the latest.
func (m *Mailer) due(version ident.ID, s mail.State, now time.Time) bool {
	wait, ok := s.Due(m.service.core.Time())
	if next := now.Add(wait); m.seen != version || next.Before(m.next) {
		m.seen, m.next = version, next
	}
	return ok && !now.Before(m.next)
}

func parseMail(state string) (mail.State, error) {
	s, err := mail.ParseState(state)
	if err != nil {
		return s, fault.Wrap(fault.Internal, err, "the state of e-mail cannot be read")
	}
	return s, nil
}

// Waits reports whether the store has changes without their e-mail. A copy of the store
// never sends this e-mail. It is false if e-mail has never begun.
func (s *Service) Waits(ctx context.Context) (bool, error) {
	newest, err := s.core.Newest(ctx)
	if err != nil {
		return false, err
	}
	var current lease.Lease
	err = s.core.Store.View(ctx, func(r store.Reader) error {
		current, _, err = r.Lease(ctx, mailLease)
		return err
	})
	if err != nil || current.State == "" {
		return false, err
	}
	state, err := parseMail(current.State)
	if err != nil {
		return false, err
	}
	_, waits := state.Due(s.core.Time())
	return state.Cursor != newest || waits, nil
}

// Save renews the lease, and stores the state with it. held is false when another server has
// the lease: nothing is stored then. After an error the holder is unknown.
func (m *Mailer) Save(ctx context.Context, s mail.State) (held bool, err error) {
	return m.lease.Renew(ctx, s.Encode())
}

// Release stores the state and gives the lease back.
func (m *Mailer) Release(ctx context.Context, s mail.State) error {
	return m.lease.Release(ctx, s.Encode())
}

// Follow returns a Follower of all events behind a cursor. It fails with fault.CursorGone.
func (m *Mailer) Follow(ctx context.Context, after event.Cursor, limit int) (*tracker.Follower, error) {
	// mail.Gathering passes over the events of administration.
	return m.service.tracker.As(tracker.Caller{Scope: access.Admin}).Follow(ctx, tracker.Follow{After: after, Limit: limit})
}

// Newest returns the cursor behind the newest event.
func (m *Mailer) Newest(ctx context.Context) (event.Cursor, error) {
	return m.service.core.Newest(ctx)
}

// Addressed is a group with its addressees.
type Addressed struct {
	mail.Group
	Users []ident.ID
	Err   error // the problem cannot be read: it is damaged
}

// Address returns the addressees of each group, from the current problems and users. It reads
// all of them in one View. Only a damaged problem makes it read each one in a View of its own.
func (m *Mailer) Address(ctx context.Context, groups []mail.Group) (all []Addressed, err error) {
	all, unread, err := m.address(ctx, groups)
	if err != nil || unread == nil {
		return all, err
	}
	for _, g := range groups {
		of, unread, err := m.address(ctx, []mail.Group{g})
		if err != nil {
			return nil, err
		}
		if unread != nil {
			of = []Addressed{{Group: g, Err: unread}}
		}
		all = append(all, of...)
	}
	return all, nil
}

// address returns the addressees of each group, or why a problem cannot be read. Other errors
// say nothing about a problem.
func (m *Mailer) address(ctx context.Context, groups []mail.Group) (all []Addressed, unread, err error) {
	byProblem := make(map[problem.ID]mail.Group, len(groups))
	var ids []problem.ID
	for _, g := range groups {
		byProblem[g.Problem] = g
		ids = append(ids, g.Problem)
	}
	err = m.service.core.Store.View(ctx, func(r store.Reader) error {
		catalogue, err := m.service.core.Catalogues.Now(ctx, r)
		if err != nil {
			return err
		}
		problems, err := r.Problems(ctx, ids, ident.None, snapshot.Watchers)
		if err != nil {
			if fault.Is(err, fault.Internal) {
				unread = err
			}
			return err
		}
		for _, of := range problems {
			g := byProblem[of.ID]
			who := g.Addressees(mail.Involved{Originator: of.Originator, Assignee: of.Assignee, Watchers: of.Watchers}, catalogue.User)
			all = append(all, Addressed{Group: g, Users: who})
		}
		return nil
	})
	if unread != nil {
		return nil, unread, nil
	}
	return all, nil, err
}

// unreadable returns the items of a digest whose problems are damaged. Each read has a View of
// its own: a failed one may end it.
func (m *Mailer) unreadable(ctx context.Context, d mail.Draft) (items []mail.Item) {
	for _, i := range d.Items {
		err := m.service.core.Store.View(ctx, func(r store.Reader) error {
			_, err := r.Problems(ctx, []problem.ID{i.Problem}, ident.None, 0)
			return err
		})
		if fault.Is(err, fault.Internal) {
			items = append(items, i)
		}
	}
	return items
}

// Letter writes a mail. ok is false when it is not due any more: the user has switched e-mail
// off, for example. It fails with a *mail.Failure when this mail cannot be written, and with
// another error when none can. It may run beside the other methods.
func (m *Mailer) Letter(ctx context.Context, d mail.Draft) (l mail.Letter, ok bool, err error) {
	key, err := m.service.core.ServiceKey()
	if err != nil {
		return l, false, err
	}
	err = m.service.core.Store.View(ctx, func(r store.Reader) error {
		catalogue, err := m.service.core.Catalogues.Now(ctx, r)
		if err != nil {
			return err
		}
		to, known := catalogue.User(d.User)
		if !known || !mail.Wants(to, true) {
			return nil
		}
		l = mail.Letter{To: to, Unsubscribe: mail.NewToken(key, to.ID)}
		if d.Digest() {
			var left int
			l.Stories, left, err = stories.Digest(ctx, r, catalogue, d.Items)
			l.ID = fmt.Sprintf("%v.%s", to.ID, d.ID())
			l.More = left + d.More.Count
			return unwritten("the problems of a digest", err)
		}
		for _, i := range d.Items {
			s, err := stories.Of(ctx, r, catalogue, to, i)
			if err != nil {
				return unwritten(fmt.Sprintf("the changes of problem %d for an e-mail", i.Problem), err)
			}
			if len(s.Entries) > 0 {
				l.ID = fmt.Sprintf("%v.%v", to.ID, s.Entries[len(s.Entries)-1].ID)
				l.Stories = append(l.Stories, s.Bound())
				l.Reply = mail.NewReplyToken(key, to.ID, i.Problem)
			}
		}
		return nil
	})
	if f, ok := errors.AsType[*mail.Failure](err); ok && f.Kind == mail.Deferred && d.Digest() {
		if f.Items = m.unreadable(ctx, d); len(f.Items) > 0 {
			f.Reason = fmt.Sprintf("%s; the first of %d such changes is of problem %d", f.Reason, len(f.Items), f.Items[0].Problem)
		}
	}
	return l, err == nil && (len(l.Stories) > 0 || l.More > 0), err
}

// unwritten returns the failure of a mail that cannot be written. When the store is away, that
// says nothing about the mail.
func unwritten(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case fault.Is(err, fault.Unavailable):
		return &mail.Failure{Kind: mail.Unreachable, Reason: what + " cannot be read in time: " + err.Error()}
	}
	return &mail.Failure{Kind: mail.Deferred, Reason: what + " cannot be read: " + err.Error()}
}
