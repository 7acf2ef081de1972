package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// reader is a store.Reader in a transaction that only reads.
type reader struct {
	*conn
	versions store.Versions
}

// newReader starts the transaction. SQLite fixes what it shows when it first
// reads, so it reads the versions at once.
func newReader(c *conn) (*reader, error) {
	if _, err := c.exec("BEGIN"); err != nil {
		return nil, err
	}
	r := &reader{conn: c}
	var err error
	if r.versions, err = versions(c); err != nil {
		r.end()
		return nil, err
	}
	return r, nil
}

// end ends the transaction.
func (r *reader) end() {
	if _, err := r.exec("ROLLBACK"); err != nil {
		r.drop()
	}
}

func versions(c *conn) (v store.Versions, err error) {
	_, err = c.one([]any{&v.Catalogue, &v.Access}, "SELECT catalogue, access FROM versions")
	return v, err
}

func epoch(c *conn, family store.FamilyName) (epoch int64, err error) {
	_, err = c.one([]any{&epoch}, "SELECT epoch FROM families WHERE type = ?", typeCode(family))
	return epoch, err
}

// Problem implements store.Reader.
func (r *reader) Problem(ctx context.Context, id problem.ID, as ident.ID, parts store.Parts) (store.Snapshot, error) {
	if err := ended(ctx); err != nil {
		return store.Snapshot{}, err
	}
	s := store.Snapshot{Problem: problem.Problem{ID: id}, Catalogue: r.versions.Catalogue}
	found, err := r.one(append(fields(&s.Problem), &s.Watching, &s.Read, &s.ReadByAssignee), "SELECT "+fieldColumns+`,
		EXISTS (SELECT 1 FROM watchers WHERE problem = id AND user_id = ?1),
		EXISTS (SELECT 1 FROM reads WHERE problem = id AND user_id = ?1),
		EXISTS (SELECT 1 FROM reads WHERE problem = id AND user_id = assignee)
		FROM problems WHERE id = ?2`, uuid(as), id)
	if err != nil {
		return store.Snapshot{}, err
	}
	if !found {
		return store.Snapshot{}, fault.New(fault.ProblemNotFound, "problem %d does not exist", id)
	}
	for _, part := range []struct {
		store.Parts
		load func(*store.Snapshot) error
	}{
		{store.Keywords, r.keywords},
		{store.Log, r.log},
		{store.Comments, r.comments},
		{store.Relationships, r.relationships},
		{store.Watchers, r.watchers},
		{store.Savepoints, r.savepoints},
	} {
		if parts.Has(part.Parts) {
			if err := part.load(&s); err != nil {
				return store.Snapshot{}, err
			}
		}
	}
	return s, nil
}

// fields returns where the columns of fieldColumns are read into.
func fields(p *problem.Problem) []any {
	return []any{
		&p.Title, (*uuid)(&p.State), (*uuid)(&p.Priority), (*uuid)(&p.Classification), (*uuid)(&p.Component), (*uuid)(&p.Milestone),
		(*uuid)(&p.Assignee), (*uuid)(&p.Originator), (*moment)(&p.Created), (*uuid)(&p.Modifier), (*moment)(&p.Modified),
		(*uuid)(&p.Resolver), (*moment)(&p.Resolved), &p.Revision,
	}
}

func (r *reader) keywords(s *store.Snapshot) (err error) {
	s.Keywords, err = list(r.conn, func(rows *sql.Rows, k *problem.Keyword) error {
		return rows.Scan(&k.Name, (*nullText)(&k.Value))
	}, "SELECT name, value FROM keywords WHERE problem = ? ORDER BY name", s.ID)
	return err
}

func (r *reader) log(s *store.Snapshot) (err error) {
	s.Log, err = list(r.conn, func(rows *sql.Rows, e *problem.LogEntry) error {
		e.Problem = s.ID
		return rows.Scan((*uuid)(&e.ID), &e.Type, (*moment)(&e.Created), (*uuid)(&e.Author), (*uuid)(&e.Batch),
			&e.Field, &e.From, &e.To, &e.Revision)
	}, "SELECT id, type, created, author, batch, field, old_value, new_value, revision FROM log WHERE problem = ? ORDER BY position", s.ID)
	return err
}

func (r *reader) comments(s *store.Snapshot) (err error) {
	s.Comments, err = list(r.conn, func(rows *sql.Rows, c *problem.Comment) error {
		return rows.Scan((*uuid)(&c.ID), (*uuid)(&c.Author), (*moment)(&c.Created), &c.Text, (*nullText)(&c.HTML))
	}, "SELECT id, author, created, text, html FROM comments WHERE problem = ? ORDER BY position", s.ID)
	return err
}

func (r *reader) relationships(s *store.Snapshot) (err error) {
	s.Relationships, err = list(r.conn, func(rows *sql.Rows, o *store.Related) error {
		o.Owner = s.ID
		var title sql.NullString
		err := rows.Scan((*typeCode)(&o.Type), &o.Other, (*moment)(&o.Created), (*uuid)(&o.Author), &title, (*uuid)(&o.OtherState))
		o.OtherTitle = title.String
		return err
	}, `SELECT r.type, r.other, r.created, r.author, p.title, p.state
		FROM relationships r LEFT JOIN problems p ON p.id = r.other
		WHERE r.owner = ? ORDER BY r.type, r.other`, s.ID)
	return err
}

func (r *reader) watchers(s *store.Snapshot) (err error) {
	s.Watchers, err = list(r.conn, func(rows *sql.Rows, id *ident.ID) error {
		return rows.Scan((*uuid)(id))
	}, "SELECT user_id FROM watchers WHERE problem = ?", s.ID)
	return err
}

func (r *reader) savepoints(s *store.Snapshot) (err error) {
	s.Savepoints, err = list(r.conn, func(rows *sql.Rows, p *store.Savepoint) error {
		p.ID = s.ID
		return rows.Scan(append(fields(&p.Problem), (*uuid)(&p.Batch))...)
	}, "SELECT "+fieldColumns+", batch FROM savepoints WHERE problem = ? ORDER BY position", s.ID)
	return err
}

// Neighbours implements store.Reader.
func (r *reader) Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) ([]relationship.Relationship, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	among, err := json.Marshal(owners)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "the numbers of problems cannot be encoded")
	}
	return list(r.conn, func(rows *sql.Rows, o *relationship.Relationship) error {
		o.Type = t
		return rows.Scan(&o.Owner, &o.Other, (*moment)(&o.Created), (*uuid)(&o.Author))
	}, "SELECT owner, other, created, author FROM relationships WHERE type = ? AND owner IN (SELECT value FROM json_each(?))",
		typeCode(t), string(among))
}

// Epoch implements store.Reader.
func (r *reader) Epoch(ctx context.Context, family store.FamilyName) (int64, error) {
	if err := ended(ctx); err != nil {
		return 0, err
	}
	return epoch(r.conn, family)
}

// Catalogue implements store.Reader.
func (r *reader) Catalogue(ctx context.Context) (*metadata.Catalogue, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	var content metadata.Content
	var steps [][2]ident.ID // from a state to one that can follow it
	if err := cmp.Or(
		load(r.conn, &content.States, stateRow.object),
		load(r.conn, &steps, stateNextRow.object, "state", "place"),
		load(r.conn, &content.Priorities, priorityRow.object),
		load(r.conn, &content.Classifications, classificationRow.object),
		load(r.conn, &content.Components, componentRow.object),
		load(r.conn, &content.Milestones, milestoneRow.object),
		load(r.conn, &content.Users, userRow.object),
	); err != nil {
		return nil, err
	}
	next := make(map[ident.ID][]ident.ID)
	for _, step := range steps {
		next[step[0]] = append(next[step[0]], step[1])
	}
	for i := range content.States {
		content.States[i].Next = next[content.States[i].ID]
	}
	return metadata.NewCatalogue(r.versions.Catalogue, content), nil
}

// Versions implements store.Reader.
func (r *reader) Versions(ctx context.Context) (store.Versions, error) {
	return r.versions, ended(ctx)
}

// Tokens implements store.Reader.
func (r *reader) Tokens(ctx context.Context) ([]access.Token, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	var tokens []access.Token
	err := load(r.conn, &tokens, tokenRow.object, "position")
	return tokens, err
}

// Reply implements store.Reader.
func (r *reader) Reply(ctx context.Context, user ident.ID, key string) (reply store.Reply, ok bool, err error) {
	if err := ended(ctx); err != nil {
		return store.Reply{}, false, err
	}
	reply = store.Reply{User: user, Key: key}
	ok, err = r.one([]any{(*digest)(&reply.Fingerprint), (*moment)(&reply.Created), &reply.Body},
		"SELECT fingerprint, created, body FROM replies WHERE user_id = ? AND key = ?", uuid(user), key)
	if !ok || err != nil {
		return store.Reply{}, false, err
	}
	return reply, true, nil
}
