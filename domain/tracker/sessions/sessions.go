package sessions

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
	"github.com/problemtracking/problems/domain/user"
)

const (
	// sessionLife is the life of a session. Its token can end it earlier.
	sessionLife = 30 * 24 * time.Hour
	// mostSessions is the largest number of sessions of one user, and mostSessionsOfToken
	// that of one token: so a leaked token does not end the sessions of its user's other
	// ways to sign in. A further sign-in ends an older session (see crowdedOut).
	mostSessions, mostSessionsOfToken = 100, 20
	// forgottenAtOnce is the largest number of sessions forgotten by one Change.
	forgottenAtOnce = 1000
)

// SignedIn is a new session with its key. The key cannot be read again.
type SignedIn struct {
	Session access.Session
	Key     access.SessionKey
}

// SignIn begins a session with the secret of a token (D41). The session has the user and
// the scope of the token, and ends with it. An invitation is revoked, and its session goes
// on. agent is how the browser calls itself. SignIn fails as
// admin.Service.Authenticate does.
func (s *Service) SignIn(ctx context.Context, secret access.Secret, agent string) (SignedIn, error) {
	token, err := s.core.ValidToken(ctx, secret, s.core.Tokens.WithDigest)
	switch {
	case err != nil:
		return SignedIn{}, err
	case token.Invitation:
		return s.acceptInvitation(ctx, token.ID, token.User, agent)
	}
	s.core.Uses.Note(token.ID, s.core.Now())
	return s.beginSession(ctx, core.CallerOf(token), agent)
}

// acceptInvitation begins the one session of an invitation. Of many sign-ins at once, one
// succeeds.
func (s *Service) acceptInvitation(ctx context.Context, invitation, who ident.ID, agent string) (SignedIn, error) {
	key, err := s.newSessionKey()
	if err != nil {
		return SignedIn{}, err
	}
	begun, err := core.Run(ctx, s.core, core.Command[directory.Directory, tracker.Answer[access.Session]]{
		Locks: []writerlocks.Key{writerlocks.Catalogue(), writerlocks.Sessions(who)},
		Load: func(ctx context.Context, r store.Reader) (d directory.Directory, err error) {
			if d, err = directory.Load(ctx, s.core, r); err == nil {
				d.Sessions, err = r.Sessions(ctx, who)
			}
			return d, err
		},
		Decide: func(d directory.Directory, m changes.Moment) (store.Change, tracker.Answer[access.Session], error) {
			token, ok := d.FindToken(invitation)
			if !ok || !token.Valid(m.At) {
				return store.Change{}, tracker.Answer[access.Session]{}, core.Unauthenticated()
			}
			cb := changes.NewBuilder(m, changes.Author{User: who})
			session, err := addSession(cb, tracker.Caller{User: who, Scope: token.Scope}, key.Digest(), agent, sessionsOf{d.Catalogue, d.Sessions})
			token.Revoked = cb.At
			cb.AddExpect(store.AccessAt{Version: d.Access}) // or two sign-ins could both use it
			directory.PutToken(cb, token, d.Catalogue.Name(metadata.Users, who), false)
			return cb.Change, tracker.Answer[access.Session]{Value: session, Catalogue: d.Catalogue, New: true}, err
		},
	})
	return SignedIn{begun.Value, key}, err
}

// SignInUser begins a session for a user whom somebody else has authenticated: an identity
// provider, or a trusted proxy. An unknown or inactive user fails with
// fault.Unauthenticated.
func (s *Service) SignInUser(ctx context.Context, who ident.ID, scope access.Scope, agent string) (SignedIn, error) {
	return s.beginSession(ctx, tracker.Caller{User: who, Scope: scope}, agent)
}

// sessionsOf is the basis of the decision about a session.
type sessionsOf struct {
	catalogue *metadata.Catalogue
	sessions  []access.Session // of the user
}

func (s *Service) beginSession(ctx context.Context, caller tracker.Caller, agent string) (SignedIn, error) {
	key, err := s.newSessionKey()
	if err != nil {
		return SignedIn{}, err
	}
	begun, err := core.Run(ctx, s.core, core.Command[sessionsOf, tracker.Answer[access.Session]]{
		Locks: []writerlocks.Key{writerlocks.Sessions(caller.User)},
		Load:  s.sessionsOf(caller.User),
		Decide: func(of sessionsOf, m changes.Moment) (store.Change, tracker.Answer[access.Session], error) {
			cb := changes.NewBuilder(m, caller.Author())
			session, err := addSession(cb, caller, key.Digest(), agent, of)
			return cb.Change, tracker.Answer[access.Session]{Value: session, Catalogue: of.catalogue, New: true}, err
		},
	})
	return SignedIn{begun.Value, key}, err
}

func (s *Service) newSessionKey() (access.SessionKey, error) {
	var random [32]byte
	if err := s.core.ReadRandom(random[:]); err != nil {
		return access.SessionKey{}, err
	}
	return access.NewSessionKey(random), nil
}

// sessionsOf returns how the sessions of a user are loaded.
func (s *Service) sessionsOf(who ident.ID) func(context.Context, store.Reader) (sessionsOf, error) {
	return func(ctx context.Context, r store.Reader) (of sessionsOf, err error) {
		if of.catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
			return of, err
		}
		of.sessions, err = r.Sessions(ctx, who)
		return of, err
	}
}

// addSession adds a new session of the caller, and the ends of those that give way to it.
func addSession(cb *changes.Builder, caller tracker.Caller, digest access.Digest, agent string, of sessionsOf) (access.Session, error) {
	if u, ok := of.catalogue.User(caller.User); !ok || u.Inactive {
		return access.Session{}, fault.New(fault.Unauthenticated, "an active user is needed")
	}
	cb.ResolvedBy(of.catalogue.Version) // or the user could be deactivated meanwhile
	session := access.Session{
		ID: cb.NextID(), User: caller.User, Token: caller.Token, Scope: caller.Scope, Digest: digest,
		Agent: agentName(agent), Created: cb.At, Expires: cb.At.Add(sessionLife),
	}
	if !caller.Expires.IsZero() && caller.Expires.Before(session.Expires) {
		session.Expires = caller.Expires
	}
	for _, id := range crowdedOut(of.sessions, caller.Token) {
		cb.AddEffect(store.DropSession{ID: id})
	}
	cb.AddEffect(store.PutSession{Session: session})
	return session, nil
}

// crowdedOut returns the sessions that end for a new one of the token, or of no token. The
// oldest session of the token ends when the token has its most. Otherwise, when the user has
// the most, the oldest session of the token with most sessions ends; sessions of no token count as
// those of one. The sessions are of one user, in the order of their begin.
func crowdedOut(sessions []access.Session, token ident.ID) (out []ident.ID) {
	sessions = slices.Clone(sessions)
	count := map[ident.ID]int{token: 1} // the new session counts
	for _, s := range sessions {
		count[s.Token]++
	}
	for {
		from := token
		switch {
		case !token.IsNone() && count[token] > mostSessionsOfToken:
		case len(sessions)+1 > mostSessions:
			for _, s := range sessions {
				if count[s.Token] > count[from] {
					from = s.Token
				}
			}
		default:
			return out
		}
		i := slices.IndexFunc(sessions, func(s access.Session) bool { return s.Token == from })
		if i < 0 { // all tokens have one session, and the new one is of another
			i = 0
		}
		count[sessions[i].Token]--
		out = append(out, sessions[i].ID)
		sessions = slices.Delete(sessions, i, i+1)
	}
}

// agentName returns the name of a browser as it is stored: valid text, in one line and of
// limited length.
func agentName(agent string) string {
	printable := func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}
	name := []rune(strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(agent, "\uFFFD"))))
	return string(name[:min(len(name), access.MostAgent)])
}

// Recognize returns the caller with the key of a session. It fails with
// fault.Unauthenticated unless the session goes on, its user is active and its token, if
// any, is valid. It reads the session from the store each time, so the end of a session
// has its effect at once on all servers. A revocation of the token by another server takes
// up to tracker.Options.CacheFor.
func (s *Service) Recognize(ctx context.Context, key access.SessionKey) (tracker.Caller, error) {
	if key == (access.SessionKey{}) {
		return tracker.Caller{}, core.SignedOut()
	}
	var session access.Session
	var ok, active bool
	var preferences user.Preferences
	err := s.core.Store.View(ctx, func(r store.Reader) (err error) {
		if session, ok, err = r.SessionWith(ctx, key.Digest()); !ok || err != nil {
			return err
		}
		c, err := s.core.Catalogues.Now(ctx, r)
		if err == nil {
			u, known := c.User(session.User)
			active, preferences = known && !u.Inactive, u.Preferences
		}
		return err
	})
	switch {
	case err != nil:
		return tracker.Caller{}, err
	case !ok || !active || !session.Valid(s.core.Now()):
		return tracker.Caller{}, core.SignedOut()
	}
	scope, ok, err := s.scopeOf(ctx, session)
	switch {
	case err != nil:
		return tracker.Caller{}, err
	case !ok:
		return tracker.Caller{}, core.SignedOut()
	}
	return tracker.Caller{User: session.User, Token: session.Token, Scope: scope, Expires: session.Expires, Session: session.ID, Preferences: preferences}, nil
}

// scopeOf returns the scope of the session or of its token, the smaller one. ok is false
// when the token is no longer valid.
func (s *Service) scopeOf(ctx context.Context, session access.Session) (scope access.Scope, ok bool, err error) {
	if session.Token.IsNone() {
		return session.Scope, true, nil
	}
	token, ok, err := s.core.Tokens.WithID(ctx, session.Token)
	if err != nil || !ok || !token.Valid(s.core.Now()) {
		return "", false, err
	}
	if session.Scope.Covers(token.Scope) {
		return token.Scope, true, nil
	}
	return session.Scope, true, nil
}

// Own returns the sessions of the caller that go on, the newest first.
func (s *Service) Own(ctx context.Context, caller tracker.Caller) (tracker.Answer[[]access.Session], error) {
	a, _, err := s.List(ctx, caller.User, mostSessions)
	return a, err
}

// List returns the newest sessions of a user that go on, or of all users with
// ident.None: at most limit, the newest first. more is true when it left out others. Only
// administrators may see the sessions of others.
func (s *Service) List(ctx context.Context, who ident.ID, limit int) (a tracker.Answer[[]access.Session], more bool, err error) {
	var of sessionsOf
	err = s.core.Store.View(ctx, func(r store.Reader) (err error) {
		of, err = s.sessionsOf(who)(ctx, r)
		return err
	})
	if err != nil {
		return tracker.Answer[[]access.Session]{}, false, err
	}
	a.Catalogue = of.catalogue
	now := s.core.Now()
	for _, session := range slices.Backward(of.sessions) {
		if !session.Valid(now) {
			continue
		}
		_, ok, err := s.scopeOf(ctx, session)
		if err != nil {
			return tracker.Answer[[]access.Session]{}, false, err
		}
		if !ok {
			continue
		}
		if len(a.Value) == limit {
			return a, true, nil
		}
		a.Value = append(a.Value, session)
	}
	return a, false, nil
}

// End ends a session of the caller. With the scope admin, it ends any session. It
// fails with fault.NotFound for all other ones.
func (s *Service) End(ctx context.Context, caller tracker.Caller, id ident.ID) error {
	of := caller.User
	if caller.Scope.Covers(access.Admin) {
		of = ident.None
	}
	_, err := core.Run(ctx, s.core, core.Command[[]access.Session, tracker.Answer[struct{}]]{
		Load: func(ctx context.Context, r store.Reader) ([]access.Session, error) { return r.Sessions(ctx, of) },
		Decide: func(sessions []access.Session, m changes.Moment) (store.Change, tracker.Answer[struct{}], error) {
			if !slices.ContainsFunc(sessions, func(old access.Session) bool { return old.ID == id }) {
				return store.Change{}, tracker.Answer[struct{}]{}, fault.New(fault.NotFound, "there is no such session")
			}
			cb := changes.NewBuilder(m, caller.Author())
			cb.AddEffect(store.DropSession{ID: id})
			return cb.Change, tracker.Answer[struct{}]{}, nil
		},
	})
	return err
}

// SignOut ends the session of the caller. It does nothing when it has ended already.
func (s *Service) SignOut(ctx context.Context, caller tracker.Caller) error {
	err := s.End(ctx, tracker.Caller{User: caller.User}, caller.Session)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// Housekeep forgets expired sessions. Callers run it every hour or so. It reads the sessions once, and
// forgets a bounded number of them with each Change.
func (s *Service) Housekeep(ctx context.Context) error {
	now, err := s.core.Moment(ctx) // a clock that is not believed ends no session
	if err != nil {
		return err
	}
	var effects []store.Effect
	err = s.core.Store.View(ctx, func(r store.Reader) error {
		all, err := r.Sessions(ctx, ident.None)
		for _, old := range all {
			if !old.Valid(now.At) {
				effects = append(effects, store.DropSession{ID: old.ID})
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for portion := range slices.Chunk(effects, forgottenAtOnce) {
		m, err := s.core.Moment(ctx)
		if err != nil {
			return err
		}
		if err := s.core.CommitUnsettled(ctx, store.Change{Batch: m.IDs.Next(), At: m.At, Effects: portion}); err != nil {
			return err
		}
	}
	return nil
}
