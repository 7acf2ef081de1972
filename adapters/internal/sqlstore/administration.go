package sqlstore

import (
	"context"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/query"
)

// Audit implements store.Reader.
func (r Reader) Audit(ctx context.Context, after, limit int) (entries []audit.Entry, err error) {
	part := " FROM audit WHERE number > ? ORDER BY number LIMIT ?"
	if r.Unnumbered {
		part = " FROM audit ORDER BY position OFFSET ? LIMIT ?"
	}
	err = r.Read(ctx, rows(&entries, func(scan func(...any) error, e *audit.Entry) error {
		return scan(r.IDInto(&e.ID), (*moment)(&e.Created), r.IDInto(&e.Author), r.IDInto(&e.Batch), (*string)(&e.Type), (*string)(&e.Kind),
			r.IDInto(&e.Object), &e.Name, &e.Field, (*string)(&e.From), (*string)(&e.To))
	}, "SELECT "+auditColumns+part, after, limit))
	return entries, err
}

const auditColumns = "id, created, author, batch, type, kind, object, name, field, old_value, new_value"

func (d *Dialect) auditRow(e audit.Entry) Row {
	return Row{Table: &d.audit, Values: []any{
		d.ID(e.ID), micros(e.Created), d.ID(e.Author), d.ID(e.Batch), string(e.Type), string(e.Kind),
		d.ID(e.Object), e.Name, e.Field, string(e.From), string(e.To),
	}}
}

// SavedQueries implements store.Reader.
func (r Reader) SavedQueries(ctx context.Context, owner ident.ID) (saved []query.Saved, err error) {
	if owner.IsNone() {
		err = r.Read(ctx, rows(&saved, r.savedInto, "SELECT "+queryColumns+" FROM queries ORDER BY position"))
	} else {
		err = r.Read(ctx, rows(&saved, r.savedInto, "SELECT "+queryColumns+" FROM queries WHERE owner = ? OR shared = ? ORDER BY position", r.ID(owner), true))
	}
	return saved, err
}

// SavedQuery implements store.Reader.
func (r Reader) SavedQuery(ctx context.Context, id ident.ID) (saved query.Saved, ok bool, err error) {
	err = r.Read(ctx, Query{SQL: "SELECT " + queryColumns + " FROM queries WHERE id = ?", Args: []any{r.ID(id)}, Row: func(scan func(...any) error) error {
		ok = true
		return r.savedInto(scan, &saved)
	}})
	if !ok || err != nil {
		return query.Saved{}, false, err
	}
	return saved, true, nil
}

const queryColumns = "id, owner, name, predicate, sort, columns, shared, created"

func (d *Dialect) savedInto(scan func(...any) error, q *query.Saved) error {
	return scan(d.IDInto(&q.ID), d.IDInto(&q.Owner), &q.Name, &q.Predicate, &q.Sort, (*optionalText)(&q.Columns), &q.Shared, (*moment)(&q.Created))
}

func (d *Dialect) queryRow(q query.Saved) Row {
	return Row{Table: &d.queries, Values: []any{d.ID(q.ID), d.ID(q.Owner), q.Name, q.Predicate, q.Sort, string(q.Columns), q.Shared, micros(q.Created)}}
}
