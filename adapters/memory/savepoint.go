package memory

import (
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
)

// savepoint is a snapshot.Savepoint in about half of the memory. Its references point to
// identifiers common to all savepoints.
type savepoint struct {
	batch      ident.ID
	texts      [problem.TextFields]string
	references [problem.ReferenceFields]*ident.ID
	dates      [problem.DateFields]date.Date
	times      [problem.TimeFields]int64 // Unix milliseconds
	revision   int64
}

// fields are those of a problem, in the order of a savepoint.
var fields = problem.AllFields()

// savepoint returns the savepoint of a problem in that form.
func (i interned) savepoint(batch ident.ID, p *problem.Problem) savepoint {
	s := savepoint{batch: batch, revision: p.Revision}
	packing := packer{cursor{of: &s}, i}
	for _, f := range fields {
		problem.Value(f, p, &packing)
	}
	return s
}

// cursor goes through the values of a savepoint.
type cursor struct {
	of                              *savepoint
	texts, references, dates, times int // those behind it
}

func (c *cursor) text() *string {
	c.texts++
	return &c.of.texts[c.texts-1]
}

func (c *cursor) reference() **ident.ID {
	c.references++
	return &c.of.references[c.references-1]
}

func (c *cursor) date() *date.Date {
	c.dates++
	return &c.of.dates[c.dates-1]
}

func (c *cursor) time() *int64 {
	c.times++
	return &c.of.times[c.times-1]
}

// packer copies the values of fields into a savepoint, and unpacker back.
type (
	packer struct {
		cursor
		known interned
	}
	unpacker struct{ cursor }
)

// Text implements problem.Kinds, as do the methods below.
func (c *packer) Text(_ *problem.Field, value *string) (none struct{}) {
	*c.text() = *value
	return none
}

// Reference copies a reference.
func (c *packer) Reference(_ *problem.Field, value *ident.ID) (none struct{}) {
	*c.reference() = c.known.id(*value)
	return none
}

// Date copies a date.
func (c *packer) Date(_ *problem.Field, value *date.Date) (none struct{}) {
	*c.date() = *value
	return none
}

// Time copies a time.
func (c *packer) Time(_ *problem.Field, value *time.Time) (none struct{}) {
	*c.time() = value.UnixMilli()
	return none
}

// Text implements problem.Kinds, as do the methods below.
func (c *unpacker) Text(_ *problem.Field, value *string) (none struct{}) {
	*value = *c.text()
	return none
}

// Reference copies a reference.
func (c *unpacker) Reference(_ *problem.Field, value *ident.ID) (none struct{}) {
	*value = **c.reference()
	return none
}

// Date copies a date.
func (c *unpacker) Date(_ *problem.Field, value *date.Date) (none struct{}) {
	*value = *c.date()
	return none
}

// Time copies a time.
func (c *unpacker) Time(_ *problem.Field, value *time.Time) (none struct{}) {
	*value = timeOf(*c.time())
	return none
}

// historyOf returns the savepoints of a problem as they are read.
func historyOf(owner problem.ID, savepoints []savepoint) []snapshot.Savepoint {
	if len(savepoints) == 0 {
		return nil
	}
	read := make([]snapshot.Savepoint, len(savepoints))
	for i := range savepoints {
		s, p := &savepoints[i], &read[i].Problem
		read[i].Batch, p.ID, p.Revision = s.batch, owner, s.revision
		unpacking := unpacker{cursor{of: s}}
		for _, f := range fields {
			problem.Value(f, p, &unpacking)
		}
	}
	return read
}

// timeOf returns the time of Unix milliseconds. For those of the zero time it is the zero
// time.
func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
