package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
)

// told is what a client knows of a write after its last answer.
type told int

const (
	notAsked     told = iota
	acknowledged      // done, or there already, or gone already
	untold            // the outcome of an attempt is unknown
	notDone           // each attempt was refused, or found the service unavailable
)

// thing is what one client puts somewhere, and may drop again. Nobody else does.
type thing struct {
	kind      string
	put, drop told
	// puts and drops count each part of the traces that putting and dropping leave for
	// good, in logs above all. They are nil for what leaves none.
	puts, drops func(aftermath) []int
	// present counts how many times it is there. It is nil for what cannot be dropped
	// and has puts.
	present func(aftermath) int
}

// aftermath is all that there is after a fail-over.
type aftermath struct {
	scene
	queries []query.Saved
}

// judge returns what is wrong with the thing, or "".
func (th *thing) judge(after aftermath) string {
	stored := 0
	if th.puts != nil {
		if wrong := judgeTraces(th.put, th.puts(after)); wrong != "" {
			return wrong
		}
		stored = th.puts(after)[0]
	}
	if th.present != nil {
		n := th.present(after)
		least, most := 1, 1
		if th.put != acknowledged || th.drop == acknowledged || th.drop == untold {
			least = 0
		}
		if th.put == notDone || th.drop == acknowledged {
			most = 0
		}
		switch {
		case n > 1:
			return "DUPLICATE"
		case n < least:
			return "LOST"
		case n > most:
			return "RESURRECTED"
		}
	}
	if th.drops == nil || stored == 0 {
		return ""
	}
	return judgeTraces(th.drop, th.drops(after))
}

// judgeTraces compares the traces of a write with what was told of it.
func judgeTraces(t told, parts []int) string {
	least, most := slices.Min(parts), slices.Max(parts)
	switch {
	case most > 1:
		return "DUPLICATE"
	case least != most:
		return "TORN"
	case t == acknowledged && most == 0:
		return "LOST"
	case (t == notDone || t == notAsked) && most > 0:
		return "RESURRECTED"
	}
	return ""
}

// account is the ledger of all things of a round.
type account struct {
	mu     sync.Mutex
	things []*thing
	tags   map[string]bool // of all that was attempted
	number int
}

// tag returns a text that is used for one thing alone.
func (a *account) tag(kind string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.number++
	tag := fmt.Sprintf("%s-%d", kind, a.number)
	if a.tags == nil {
		a.tags = make(map[string]bool)
	}
	a.tags[tag] = true
	return tag
}

// open adds a thing.
func (a *account) open(th *thing) *thing {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.things = append(a.things, th)
	return th
}

// close compares all that was told with what there is. The list says what is wrong.
func (a *account) close(after aftermath) (books *failoverLedger, list []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	books = &failoverLedger{kinds: make(map[string]int)}
	for _, th := range a.things {
		for _, t := range []told{th.put, th.drop} {
			switch t {
			case acknowledged:
				books.acknowledged++
			case untold:
				books.unknown++
			case notDone:
				books.notDone++
			}
		}
		wrong := th.judge(after)
		if wrong == "" {
			continue
		}
		books.count(wrong, th.kind)
		list = append(list, fmt.Sprintf("%s: %s (put: %s, dropped: %s)", wrong, th.kind, th.put, th.drop))
	}
	for _, found := range slices.Concat(a.phantoms(after), broken(after)) {
		what, which, _ := strings.Cut(found, ": ")
		books.count(what, which)
		list = append(list, found)
	}
	return books, list
}

// phantoms returns what is there though nobody attempted it.
func (a *account) phantoms(after aftermath) (list []string) {
	check := func(kind, tag string) {
		if !a.tags[tag] {
			list = append(list, fmt.Sprintf("PHANTOM: %s %q", kind, tag))
		}
	}
	for _, d := range after.problems {
		check("problem", d.Title)
		for _, c := range d.Comments {
			check("comment", c.Text)
		}
		for _, k := range d.Keywords {
			check("keyword", k.Name)
		}
	}
	content := after.catalogue.Content()
	for _, c := range content.Components {
		check("component", c.Name)
	}
	for _, u := range content.Users {
		if tag, ok := strings.CutSuffix(u.Email, mailDomain); ok {
			check("user", tag)
		}
	}
	for _, q := range after.queries {
		check("query", q.Name)
	}
	return list
}

// broken returns what can never be, whatever was attempted: relationships and entries
// about them that only one of the two problems has, and gaps between revisions.
func broken(after aftermath) (list []string) {
	type side struct {
		batch        ident.ID
		owner, other problem.ID
		kind         relationship.Type
	}
	sides := make(map[side]bool)
	for _, d := range after.problems {
		for _, r := range d.Relationships {
			sides[side{ident.None, r.Owner, r.Other, r.Type}] = true
		}
		for _, e := range d.Log {
			if e.Type != problem.RelationshipAdded && e.Type != problem.RelationshipDeleted {
				continue
			}
			link := e.To
			if e.Type == problem.RelationshipDeleted {
				link = e.From
			}
			other, _ := link.Link()
			sides[side{e.Batch, e.Problem, other, relationship.Type(e.Field)}] = true
		}
	}
	for s := range sides {
		if !sides[side{s.batch, s.other, s.owner, s.kind.Mirror()}] {
			list = append(list, fmt.Sprintf("ONE-SIDED: problem %d is %s of %d", s.owner, s.kind, s.other))
		}
	}
	slices.Sort(list)
	for _, d := range after.problems {
		last := int64(0)
		for _, e := range d.Log {
			if e.Revision != last && e.Revision != last+1 {
				list = append(list, fmt.Sprintf("GAP: problem %d has revision %d after %d", d.ID, e.Revision, last))
			}
			last = e.Revision
		}
		if last != d.Revision {
			list = append(list, fmt.Sprintf("GAP: problem %d has revision %d, and its log ends with %d", d.ID, d.Revision, last))
		}
		if logged := count(d.Log, func(e problem.LogEntry) bool { return e.Type == problem.CommentAdded }); logged != len(d.Comments) {
			list = append(list, fmt.Sprintf("TORN: problem %d has %d comments, and %d entries about comments", d.ID, len(d.Comments), logged))
		}
	}
	return list
}

func (t told) String() string {
	return [...]string{"not asked", "acknowledged", "unknown", "not done"}[t]
}

// failoverLedger counts what clients were told, and what of that is not so.
type failoverLedger struct {
	acknowledged, unknown, notDone int
	// baseless counts the acknowledgements that began and ended while no standby could
	// confirm anything.
	baseless int
	wrong    [len(wrongs)]int
	kinds    map[string]int // what is wrong, by kind of write
}

// wrongs are the ways in which what was told can be wrong.
var wrongs = [...]string{"LOST", "DUPLICATE", "PHANTOM", "RESURRECTED", "ONE-SIDED", "TORN", "GAP"}

func (l *failoverLedger) count(wrong, kind string) {
	l.wrong[slices.Index(wrongs[:], wrong)]++
	l.kinds[wrong+": "+kind]++
}

// add adds the counts of another round.
func (l *failoverLedger) add(other *failoverLedger) {
	l.acknowledged += other.acknowledged
	l.unknown += other.unknown
	l.notDone += other.notDone
	l.baseless += other.baseless
	for i, n := range other.wrong {
		l.wrong[i] += n
	}
	for kind, n := range other.kinds {
		l.kinds[kind] += n
	}
}

// ok reports whether everything is as was told.
func (l *failoverLedger) ok() bool { return l.wrong == [len(wrongs)]int{} }

func (l *failoverLedger) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d acknowledged (%d while no standby could confirm), %d unknown, %d not done;", l.acknowledged, l.baseless, l.unknown, l.notDone)
	for i, name := range wrongs {
		fmt.Fprintf(&b, " %s %d", name, l.wrong[i])
	}
	return b.String()
}
