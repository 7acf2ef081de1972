package limits

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// rowKind is the meaning of a statement's rows.
type rowKind int

const (
	otherRows rowKind = iota
	problemRows
	keywordRows
	logRows
)

// kindOf tells the kind by the columns.
func kindOf(columns []pgconn.FieldDescription) rowKind {
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c pgconn.FieldDescription) bool { return c.Name == name })
	}
	switch {
	case has("title") && has("revision"):
		return problemRows
	case has("old_value"):
		return logRows
	case has("name") && has("value"):
		return keywordRows
	}
	return otherRows
}

// loadedRow has a variable for every column. Parts without a column stay as recorded:
// states, users and other metadata, which a service keeps in memory, and whatever the
// adapter has the database put together.
type loadedRow struct {
	id, author, batch                     pgtype.UUID
	title, logType, field, old, new, name string
	value                                 *string
	created, modified, resolved           pgtype.Int8
	revision                              int64
	others                                []any
}

// places returns where the columns are scanned into.
func (r *loadedRow) places(columns []pgconn.FieldDescription) []any {
	places := make([]any, len(columns))
	r.others = make([]any, len(columns))
	for i, c := range columns {
		places[i] = r.place(c)
		if places[i] == nil {
			places[i] = &r.others[i]
		}
	}
	return places
}

func (r *loadedRow) place(c pgconn.FieldDescription) any {
	switch c.DataTypeOID {
	case pgtype.UUIDOID:
		switch c.Name {
		case "id":
			return &r.id
		case "author":
			return &r.author
		case "batch":
			return &r.batch
		}
	case pgtype.Int8OID:
		switch c.Name {
		case "created":
			return &r.created
		case "modified":
			return &r.modified
		case "resolved":
			return &r.resolved
		case "revision":
			return &r.revision
		}
	case pgtype.TextOID:
		switch c.Name {
		case "title":
			return &r.title
		case "type":
			return &r.logType
		case "field":
			return &r.field
		case "old_value":
			return &r.old
		case "new_value":
			return &r.new
		case "name":
			return &r.name
		case "value":
			return &r.value
		}
	}
	return nil
}

// filling is an answer with the rows of a load.
type filling struct {
	answer   *rawAnswer
	problems int
}

// read runs the statements of a round trip.
func (f *filling) read(ctx context.Context, conn *pgxpool.Conn, t loaderTrip, id int64) error {
	batch := &pgx.Batch{}
	for _, s := range t.statements {
		args := slices.Clone(s.args)
		for _, place := range s.problem {
			args[place] = id
		}
		batch.Queue(s.SQL, args...)
	}
	results := conn.SendBatch(ctx, batch)
	for _, s := range t.statements {
		rows, err := results.Query()
		if err != nil {
			return errors.Join(err, results.Close())
		}
		places, end := f.places(s.sets)
		for rows.Next() {
			if err := rows.Scan(places...); err != nil {
				rows.Close()
				return errors.Join(err, results.Close())
			}
			end()
		}
		if err := rows.Err(); err != nil {
			return errors.Join(err, results.Close())
		}
	}
	return results.Close()
}

// places returns the scan targets of the columns of a statement, and a function to call
// for each row.
func (f *filling) places(sets []rowSet) (places []any, end func()) {
	for _, set := range sets {
		f.begin(set.kind)
	}
	if len(sets) == 1 {
		row := new(loadedRow)
		return row.places(sets[0].columns), func() { f.put(sets[0].kind, row) }
	}
	all := make([]recordRows, len(sets))
	for i, set := range sets {
		row := new(loadedRow)
		all[i] = recordRows{row: row.places(set.columns), each: func() { f.put(set.kind, row) }}
		places = append(places, &all[i])
	}
	return places, func() {
		for i := range all {
			all[i].end()
		}
	}
}

// begin empties the targets.
func (f *filling) begin(kind rowKind) {
	switch kind {
	case keywordRows:
		f.answer.Keywords = f.answer.Keywords[:0:0]
	case logRows:
		f.answer.Logs = make([]logAnswer[json.RawMessage], 0, len(f.answer.Logs))
	}
}

// put puts a row into the answer.
func (f *filling) put(kind rowKind, row *loadedRow) {
	a := f.answer
	switch kind {
	case problemRows:
		f.problems++
		a.Title, a.Revision = row.title, row.revision
		a.CreationDate, a.ModificationDate = moment(row.created), moment(row.modified)
		a.ResolveDate = nil
		if row.resolved.Valid {
			at := moment(row.resolved)
			a.ResolveDate = &at
		}
	case keywordRows:
		a.Keywords = append(a.Keywords, keywordAnswer{row.name, row.value})
	case logRows:
		entry := logAnswer[json.RawMessage]{
			Identifier:      row.id.String(),
			Type:            row.logType,
			CreationDate:    moment(row.created),
			Author:          nameAnswer{row.author.String(), a.Originator.Name},
			BatchIdentifier: row.batch.String(),
			IsSignificant:   true,
			From:            json.RawMessage(orNull(row.old)),
			To:              json.RawMessage(orNull(row.new)),
		}
		if row.field != "" {
			field := row.field
			entry.Field = &field
		}
		a.Logs = append(a.Logs, entry)
	}
}

// orNull returns a value of the log as JSON.
func orNull(value string) string {
	if value == "" {
		return "null"
	}
	return value
}

func moment(micros pgtype.Int8) momentAnswer { return momentAnswer(time.UnixMicro(micros.Int64).UTC()) }
