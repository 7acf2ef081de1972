package transfer_test

import (
	"encoding/binary"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
	"github.com/problemtracking/problems/domain/user"
)

// id returns an identifier; greater numbers make greater ones.
func id(n uint64) ident.ID {
	i := ident.ID{0: 0x01, 6: 0x70, 8: 0x80}
	binary.BigEndian.PutUint32(i[12:], uint32(n))
	return i
}

// at returns the n-th second.
func at(n int) time.Time { return time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC) }

// The objects of the sample.
var (
	open, closed           = id(1), id(2)
	high, low              = id(11), id(12)
	bug                    = id(21)
	engine, pump           = id(31), id(32)
	beta                   = id(41)
	ann, bo                = id(51), id(52)
	token                  = id(61)
	batch1, batch2, batch3 = id(101), id(102), id(103)
	batch4, batch5, batch6 = id(104), id(105), id(106)
	other1                 = id(201)
	remark                 = id(301)
	entry                  = func(n uint64) ident.ID { return id(400 + n) }
	refOpen, refBo         = problem.LogRef(open, "Open"), problem.LogRef(bo, "Bo")
	refClosed, refHigh     = problem.LogRef(closed, "Closed"), problem.LogRef(high, "High")
)

// sample returns records that are as they have to be, one on each line. Problem 1
// was created, closed, commented on, given a keyword, related to problem 2, and is
// watched by Bo, in this order.
func sample() []transfer.Record {
	entryOf := func(p problem.ID, n uint64, batch ident.ID, revision int64, t problem.LogType, field string, from, to problem.LogValue) transfer.LogEntry {
		return transfer.LogEntry{LogEntry: problem.LogEntry{
			ID: entry(n), Problem: p, Type: t, Created: at(int(revision)), Author: ann, Batch: batch,
			Field: field, From: from, To: to, Revision: revision,
		}}
	}
	created := problem.Problem{
		ID: 1, Fields: problem.Fields{Title: "Leak", State: open}, Originator: ann, Created: at(1), Modifier: ann, Modified: at(1), Revision: 1,
	}
	settled := created
	settled.Fields = problem.Fields{Title: "Leak", State: closed, Priority: high}
	settled.Modified, settled.Resolver, settled.Resolved, settled.Revision = at(2), ann, at(2), 2
	first := settled
	first.Modified, first.Revision = at(5), 6

	second := problem.Problem{
		ID: 2, Fields: problem.Fields{Title: "Flood", State: open, Assignee: bo}, Originator: ann, Created: at(1), Modifier: ann, Modified: at(5), Revision: 2,
	}
	founded := second
	founded.Modified, founded.Revision = at(1), 1
	link := relationship.Relationship{Owner: 1, Type: relationship.ChildOf, Other: 2, Created: at(5), Author: ann}
	linked := entryOf(2, 8, batch5, 2, problem.RelationshipAdded, "ParentOf", "", problem.LogLink(1))
	linked.Created = at(5)

	return []transfer.Record{
		/* 1*/ transfer.State{State: metadata.State{ID: open, Name: "Open", Initial: true, Order: 1, Next: []ident.ID{closed}}},
		/* 2*/ transfer.State{State: metadata.State{ID: closed, Name: "Closed", Resolved: true, Order: 2}},
		/* 3*/ transfer.Priority{Priority: metadata.Priority{ID: high, Name: "High", Order: 1}},
		/* 4*/ transfer.Priority{Priority: metadata.Priority{ID: low, Name: "Low", Order: 2}},
		/* 5*/ transfer.Classification{Classification: metadata.Classification{ID: bug, Name: "Bug"}},
		/* 6*/ transfer.Component{Component: metadata.Component{ID: engine, Name: "Engine", Successor: pump}},
		/* 7*/ transfer.Component{Component: metadata.Component{ID: pump, Name: "Pump", Parent: engine}},
		/* 8*/ transfer.Milestone{Milestone: metadata.Milestone{ID: beta, Name: "Beta", Component: pump, Created: at(0), Start: at(1), End: at(2)}},
		/* 9*/ transfer.User{User: user.User{ID: ann, Name: "Ann", Email: "ann@example.org"}},
		/*10*/ transfer.User{User: user.User{ID: bo, Name: "Bo", Email: "bo@example.org"}},
		/*11*/ transfer.Token{Token: access.Token{ID: token, User: ann, Scope: access.Admin, Digest: access.Digest{1}, Created: at(0), Expires: at(9)}},
		/*12*/ transfer.Problem{Problem: first},
		/*13*/ transfer.Savepoint{Savepoint: snapshot.Savepoint{Batch: batch1, Problem: created}},
		/*14*/ transfer.Savepoint{Savepoint: snapshot.Savepoint{Batch: batch2, Problem: settled}},
		/*15*/ entryOf(1, 1, batch1, 1, problem.ProblemCreated, "", "", `{"title":"Leak","state":`+refOpen+`}`),
		/*16*/ entryOf(1, 2, batch2, 2, problem.FieldChanged, "state", refOpen, refClosed),
		/*17*/ entryOf(1, 3, batch2, 2, problem.FieldChanged, "priority", "", refHigh),
		/*18*/ entryOf(1, 4, batch3, 3, problem.CommentAdded, "comments", "", problem.LogText(remark.String())),
		/*19*/ entryOf(1, 5, batch4, 4, problem.KeywordSet, "room", "", `"cellar"`),
		/*20*/ entryOf(1, 6, batch5, 5, problem.RelationshipAdded, "ChildOf", "", problem.LogLink(2)),
		/*21*/ entryOf(1, 7, batch6, 6, problem.WatcherAdded, "watchers", "", refBo),
		/*22*/ transfer.Comment{Problem: 1, Comment: problem.Comment{ID: remark, Author: ann, Created: at(3), Text: "Wet.", HTML: problem.Text("<p>Wet.")}},
		/*23*/ transfer.Keyword{Problem: 1, Keyword: problem.Keyword{Name: "floor"}},
		/*24*/ transfer.Keyword{Problem: 1, Keyword: problem.Keyword{Name: "room", Value: problem.Text("cellar")}},
		/*25*/ transfer.Relationship{Relationship: link},
		/*26*/ transfer.Watcher{Problem: 1, User: ann},
		/*27*/ transfer.Watcher{Problem: 1, User: bo},
		/*28*/ transfer.ReadMark{Problem: 1, User: ann},
		/*29*/ transfer.ReadMark{Problem: 1, User: bo},
		/*30*/ transfer.Problem{Problem: second},
		/*31*/ transfer.Savepoint{Savepoint: snapshot.Savepoint{Batch: other1, Problem: founded}},
		/*32*/ entryOf(2, 9, other1, 1, problem.ProblemCreated, "", "", `{"title":"Flood","state":`+refOpen+`,"assignee":`+refBo+`}`),
		/*33*/ linked,
		/*34*/ transfer.Relationship{Relationship: link.Mirror()},
		/*35*/ transfer.End{Next: 3},
	}
}

// source gives records, each of which is on the line of its number, after a start
// on line 0.
type source struct {
	start   *transfer.Start // nil once it was given, or if there is none
	records []transfer.Record
	line    int64
}

func (s *source) Next() (int64, transfer.Record, error) {
	if start := s.start; start != nil {
		s.start = nil
		return s.line, *start, nil
	}
	if len(s.records) == 0 {
		return s.line, nil, io.EOF
	}
	record := s.records[0]
	s.records = s.records[1:]
	s.line++
	return s.line, record, nil
}

// from returns a source of records that belong to a catalogue of version 6.
func from(records []transfer.Record) *source {
	return &source{start: &transfer.Start{Catalogue: 6}, records: records}
}

// load loads records, and the problems among them.
func load(records []transfer.Record) (store.Archive, []store.Dossier, error) {
	return loadFrom(from(records))
}

// filled is the batch of the stores that are filled.
var filled = ident.ID{15: 99}

func loadFrom(source *source) (store.Archive, []store.Dossier, error) {
	archive, err := transfer.Load(source, filled)
	if err != nil {
		return archive, nil, err
	}
	var dossiers []store.Dossier
	for d, err := range archive.Problems {
		if err != nil {
			return archive, nil, err
		}
		dossiers = append(dossiers, d)
	}
	return archive, dossiers, nil
}

// edit changes the record on a line.
func edit[T transfer.Record](line int, change func(*T)) func([]transfer.Record) []transfer.Record {
	return func(records []transfer.Record) []transfer.Record {
		record := records[line-1].(T)
		change(&record)
		records[line-1] = record
		return records
	}
}

// drop leaves out the records of some lines.
func drop(lines ...int) func([]transfer.Record) []transfer.Record {
	return func(records []transfer.Record) []transfer.Record {
		for _, line := range slices.Backward(lines) {
			records = slices.Delete(records, line-1, line)
		}
		return records
	}
}

// insert adds records before the one on a line.
func insert(line int, added ...transfer.Record) func([]transfer.Record) []transfer.Record {
	return func(records []transfer.Record) []transfer.Record { return slices.Insert(records, line-1, added...) }
}

// both makes two changes.
func both(first, second func([]transfer.Record) []transfer.Record) func([]transfer.Record) []transfer.Record {
	return func(records []transfer.Record) []transfer.Record { return second(first(records)) }
}

func mustLoad(t *testing.T, records []transfer.Record) (store.Archive, []store.Dossier) {
	t.Helper()
	archive, dossiers, err := load(records)
	if err != nil {
		t.Fatal(err)
	}
	return archive, dossiers
}
