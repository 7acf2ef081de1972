package memory

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
)

func TestNamesShareMemory(t *testing.T) {
	t.Parallel()
	known := newInterned()
	_, inRequest, _ := strings.Cut("PUT /problems/1/keywords/build", "keywords/")
	first := known.name(inRequest)
	if first != "build" || unsafe.StringData(first) == unsafe.StringData(inRequest) {
		t.Errorf("%q keeps the request alive", first)
	}
	if again := known.name(strings.Clone("build")); unsafe.StringData(again) != unsafe.StringData(first) {
		t.Error("the same name is kept twice")
	}
}

// However many identifiers, names and contents come, some thousand are known at a time, and all of
// them are what they were.
func TestInternedIsBounded(t *testing.T) {
	t.Parallel()
	known := newInterned()
	for n := range 3 * mostKnown {
		want := content{problem.KeywordSet, fmt.Sprintf("keyword %d", n), problem.LogNoValue, problem.LogNumber(n)}
		if got := known.content(want); *got != want || known.content(want) != got {
			t.Fatalf("%v became %v, and again %v", want, *got, known.content(want))
		}
		id := ident.ID{0: byte(n), 1: byte(n >> 8)}
		if got := known.id(id); *got != id || known.id(id) != got {
			t.Fatalf("%v became %v, and again %v", id, *got, *known.id(id))
		}
		if len(known.ids) > mostKnown || len(known.names) > mostKnown || len(known.contents) > mostKnown {
			t.Fatalf("%d identifiers, %d names and %d contents are known", len(known.ids), len(known.names), len(known.contents))
		}
	}
	long := content{kind: problem.CommentAdded, to: problem.LogText(strings.Repeat("x", longest))}
	if got := known.content(long); *got != long || known.contents[long] != nil {
		t.Errorf("%v became %v, and is known", long, got)
	}
}

// A log is read as it was written, to the millisecond and in UTC.
func TestLogIsReadAsWritten(t *testing.T) {
	t.Parallel()
	id := func(n byte) ident.ID { return ident.ID{15: n} }
	written := []problem.LogEntry{
		{ID: id(1), Problem: 7, Type: problem.ProblemCreated, Created: time.Date(2030, 1, 2, 3, 4, 5, 678e6, time.UTC), Author: id(2), Batch: id(3), To: problem.LogText("a"), Revision: 1},
		{ID: id(4), Problem: 7, Type: problem.KeywordSet, Created: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), Author: id(2), Batch: id(5), Field: "k", From: problem.LogNoValue, To: problem.LogText("b"), Revision: math.MaxInt64},
		{ID: id(6), Problem: 7, Type: problem.WatcherAdded, Created: time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC), Field: "watchers"},
		{Problem: 7},
	}
	known := newInterned()
	var log []entry
	for _, e := range written {
		log = grown(log, known.entry(e))
	}
	if got := logOf(7, log); !reflect.DeepEqual(got, written) {
		t.Errorf("written:\n%+v\nread:\n%+v", written, got)
	}
	if got := logOf(7, nil); got != nil {
		t.Errorf("the log that there is not: %v", got)
	}
}

// Savepoints are read as they were written, also one of nothing but a batch.
func TestHistoryIsReadAsWritten(t *testing.T) {
	t.Parallel()
	id := func(n byte) ident.ID { return ident.ID{15: n} }
	at := time.Date(2030, 1, 2, 3, 4, 5, 678e6, time.UTC)
	p := problem.Problem{
		ID: 7, Fields: problem.Fields{Title: "a", State: id(1), Priority: id(2), Classification: id(3), Component: id(4), Milestone: id(5), Assignee: id(6)},
		Originator: id(7), Created: at, Modifier: id(8), Modified: at.Add(time.Hour), Resolver: id(9), Resolved: at.Add(time.Minute), Revision: math.MaxInt64,
	}
	written := []snapshot.Savepoint{{Batch: id(10), Problem: p}, {Batch: id(11), Problem: problem.Problem{ID: 7}}}
	known := newInterned()
	var savepoints []savepoint
	for _, s := range written {
		savepoints = grown(savepoints, known.savepoint(s.Batch, &s.Problem))
	}
	if got := historyOf(7, savepoints); !reflect.DeepEqual(got, written) {
		t.Errorf("written:\n%+v\nread:\n%+v", written, got)
	}
	if got := historyOf(7, nil); got != nil {
		t.Errorf("the history that there is not: %v", got)
	}
}

// Lists grow as if each were a copy, with room for an eighth more than they need, but
// for what the allocator gives away.
func TestGrown(t *testing.T) {
	t.Parallel()
	var lists [][]int
	var list []int
	for n := range 1000 {
		list = grown(list, n)
		lists = append(lists, list)
		if room := cap(list) - len(list); room > len(list)/8+len(list)/4+1 {
			t.Errorf("%d of %d are used", len(list), cap(list))
		}
	}
	for i, list := range lists {
		if len(list) != i+1 {
			t.Fatalf("list %d has %d", i, len(list))
		}
		for n, v := range list {
			if v != n {
				t.Fatalf("list %d has %d in place %d", i, v, n)
			}
		}
	}
}

// What is known of a batch is what was kept.
func TestBatch(t *testing.T) {
	t.Parallel()
	id, at := ident.ID{1}, time.Date(2030, 1, 2, 3, 4, 5, 678e6, time.UTC)
	if _, ok := ruledOut(at).receipt(id); ok || ruledOut(at).time() != at {
		t.Errorf("ruled out: %+v", ruledOut(at))
	}
	done := batchOf(at, 42)
	if receipt, ok := done.receipt(id); !ok || receipt.Batch != id || receipt.Position != 42 || done.time() != at {
		t.Errorf("done: %+v", done)
	}
}
