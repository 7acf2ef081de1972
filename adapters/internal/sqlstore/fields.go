package sqlstore

import (
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// fields are the fields of a problem. Each has a column.
var fields = problem.AllFields()

// foldedFields are the fields with folded forms beside them in the table of problems.
var foldedFields = slices.DeleteFunc(problem.AllFields(), func(f *problem.Field) bool { return !f.Folded })

var (
	// fieldColumns are the common columns of problems and savepoints, in the order of
	// fieldValues and of fieldsInto.
	fieldColumns = strings.Join(append(columnsOf(fields), "revision"), ", ")
	// problemColumns are the columns of problems without the number, in the order of
	// problemValues.
	problemColumns = strings.Join(append(append([]string{fieldColumns}, foldedColumns(columnsOf(foldedFields))...), "batch", "size"), ", ")
)

func columnsOf(fields []*problem.Field) (columns []string) {
	for _, f := range fields {
		columns = append(columns, sqlsearch.Column(f))
	}
	return columns
}

// foldedColumns returns the columns with the folded forms of texts.
func foldedColumns(texts []string) (columns []string) {
	for _, column := range texts {
		columns = append(columns, column+"_c", column+"_cd")
	}
	return columns
}

// problemValues returns the values of a problem of this size, stored by the batch.
func (d *Dialect) problemValues(p problem.Problem, size int64, batch ident.ID) []any {
	values := d.fieldValues(&p)
	for _, f := range foldedFields {
		values = withFolded(values, problem.Text(*f.Text(&p)))
	}
	return append(values, d.ID(batch), size)
}

func (d *Dialect) fieldValues(p *problem.Problem) []any {
	values := make([]any, 0, len(fields)+1+2*len(foldedFields)+2) // also for problemValues
	for _, f := range fields {
		values = append(values, problem.Value(f, p, argumentOf{d}))
	}
	return append(values, p.Revision)
}

// argumentOf returns the values of fields as arguments.
type argumentOf struct{ *Dialect }

// Text implements problem.Kinds, as do the methods below.
func (argumentOf) Text(f *problem.Field, text *string) any {
	return optional(problem.NullText{String: *text, Valid: f.Required || *text != ""})
}

// Reference returns an identifier; null for none.
func (a argumentOf) Reference(_ *problem.Field, id *ident.ID) any { return a.ID(*id) }

// Date returns the end of the day in UTC, for comparisons with times; null for none.
func (argumentOf) Date(_ *problem.Field, d *date.Date) any {
	if d.IsNone() {
		return nil
	}
	return micros(d.End(time.UTC))
}

// Time returns microseconds; null for none.
func (argumentOf) Time(_ *problem.Field, at *time.Time) any { return micros(*at) }

// fieldsInto returns where the columns are read into.
func (d *Dialect) fieldsInto(p *problem.Problem) []any {
	into := make([]any, 0, len(fields)+12) // also for snapshotInto
	for _, f := range fields {
		into = append(into, problem.Value(f, p, columnInto{d}))
	}
	return append(into, &p.Revision)
}

// columnInto returns the destinations to scan the columns of fields into.
type columnInto struct{ *Dialect }

// Text implements problem.Kinds, as do the methods below.
func (columnInto) Text(f *problem.Field, text *string) any {
	if f.Required {
		return text
	}
	return (*optionalText)(text)
}

// Reference returns the destination of an identifier.
func (c columnInto) Reference(_ *problem.Field, id *ident.ID) any { return c.IDInto(id) }

// Date returns the destination of a date.
func (columnInto) Date(_ *problem.Field, d *date.Date) any { return (*day)(d) }

// Time returns the destination of a time.
func (columnInto) Time(_ *problem.Field, at *time.Time) any { return (*moment)(at) }
