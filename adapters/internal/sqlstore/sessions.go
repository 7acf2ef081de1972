package sqlstore

import (
	"context"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
)

// Sessions implements store.Reader.
func (r Reader) Sessions(ctx context.Context, user ident.ID) (sessions []access.Session, err error) {
	if user.IsNone() {
		err = r.Read(ctx, rows(&sessions, r.sessionInto, "SELECT "+sessionColumns+" FROM sessions ORDER BY position"))
	} else {
		err = r.Read(ctx, rows(&sessions, r.sessionInto, "SELECT "+sessionColumns+" FROM sessions WHERE user_id = ? ORDER BY position", r.ID(user)))
	}
	return sessions, err
}

// SessionWith implements store.Reader.
func (r Reader) SessionWith(ctx context.Context, key access.Digest) (session access.Session, ok bool, err error) {
	err = r.Read(ctx, Query{SQL: "SELECT " + sessionColumns + " FROM sessions WHERE digest = ?", Args: []any{key[:]}, Row: func(scan func(...any) error) error {
		ok = true
		return r.sessionInto(scan, &session)
	}})
	if !ok || err != nil {
		return access.Session{}, false, err
	}
	return session, true, nil
}

const sessionColumns = "id, user_id, token, scope, digest, agent, created, expires"

func (d *Dialect) sessionInto(scan func(...any) error, s *access.Session) error {
	return scan(d.IDInto(&s.ID), d.IDInto(&s.User), d.IDInto(&s.Token), (*string)(&s.Scope), (*digest)(&s.Digest), &s.Agent, (*moment)(&s.Created), (*moment)(&s.Expires))
}

func (d *Dialect) sessionRow(s access.Session) Row {
	return Row{Table: &d.sessions, Values: []any{
		d.ID(s.ID), d.ID(s.User), d.ID(s.Token), string(s.Scope), s.Digest[:], s.Agent, micros(s.Created), micros(s.Expires),
	}}
}
