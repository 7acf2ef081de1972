package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
	"github.com/problemtracking/problems/domain/webhook"
)

func TestLoadGroups(t *testing.T) {
	t.Parallel()
	more := sample()[10].(transfer.Token)
	more.ID, more.Digest = id(60), access.Digest{2}
	archive, dossiers := mustLoad(t, insert(12, more)(sample()))
	if got := len(archive.Metadata.States) + len(archive.Metadata.Components); got != 4 {
		t.Errorf("%d states and components, want 4", got)
	}
	if len(archive.Tokens) != 2 || archive.Tokens[1] != more.Token {
		t.Errorf("the tokens are %+v, want two in the order in which they came", archive.Tokens)
	}
	if len(dossiers) != 2 {
		t.Fatalf("%d problems, want 2", len(dossiers))
	}
	d := dossiers[0]
	counts := []int{len(d.Savepoints), len(d.Log), len(d.Comments), len(d.Keywords), len(d.Relationships), len(d.Watchers), len(d.Readers)}
	if want := []int{2, 7, 1, 2, 1, 2, 2}; !slices.Equal(counts, want) {
		t.Errorf("problem 1 has %v parts, want %v", counts, want)
	}
	if s := dossiers[1].Savepoints[0]; s.Originator != ann || !s.Created.Equal(at(1)) {
		t.Errorf("a savepoint of problem 2 has the originator %v and the date %v, want those of the problem", s.Originator, s.Created)
	}
}

// D16: a log with a watcher who left comes in and goes out as it was.
func TestLoadTakesWatchersWhoLeft(t *testing.T) {
	t.Parallel()
	left := edit(21, func(r *transfer.LogEntry) { r.Type, r.From, r.To = problem.WatcherRemoved, refBo, "" })
	records := both(left, drop(27))(sample())
	archive, dossiers := mustLoad(t, records)
	if got := dossiers[0].Watchers; !slices.Equal(got, []ident.ID{ann}) {
		t.Errorf("the watchers are %v, want Ann alone", got)
	}
	var got []transfer.Record
	for record, err := range transfer.Records(t.Context(), reader{archive: archive, dossiers: dossiers}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, record)
	}
	if want := records[20]; len(got) != len(records)+1 || !reflect.DeepEqual(got[21], want) {
		t.Errorf("%d records with %+v, want %d with %+v", len(got), got[min(21, len(got)-1)], len(records)+1, want)
	}
}

// D2: components of a version without a limit come in and go out as they were.
func TestLoadTakesLongFullNames(t *testing.T) {
	t.Parallel()
	records := sample()
	records = edit(6, func(r *transfer.Component) { r.Name = strings.Repeat("e", 255) })(records)
	parent := pump
	for n := range uint64(20) {
		o := metadata.Component{ID: id(33 + n), Name: strings.Repeat("c", 255), Parent: parent}
		records, parent = slices.Insert(records, 7+int(n), transfer.Record(transfer.Component{Component: o})), o.ID
	}
	archive, dossiers := mustLoad(t, records)
	var got []transfer.Record
	for record, err := range transfer.Records(t.Context(), reader{archive: archive, dossiers: dossiers}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, record)
	}
	if len(got) != len(records)+1 || !reflect.DeepEqual(got[1:28], records[:27]) {
		t.Errorf("the components come as %+v, want %+v", got[1:min(28, len(got))], records[:27])
	}
}

func TestRecordsGiveWhatWasLoaded(t *testing.T) {
	t.Parallel()
	archive, dossiers := mustLoad(t, sample())
	var got []transfer.Record
	for record, err := range transfer.Records(t.Context(), reader{archive: archive, dossiers: dossiers}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, record)
	}
	if start := (transfer.Start{Catalogue: 6}); len(got) == 0 || got[0] != start {
		t.Fatalf("the records do not begin with %+v", start)
	}
	got = got[1:]
	want := sample()
	for i, founder := range []struct{ line, problem int }{{13, 12}, {14, 12}, {31, 30}} {
		s, p := want[founder.line-1].(transfer.Savepoint), want[founder.problem-1].(transfer.Problem)
		if s.Originator != p.Originator || !s.Created.Equal(p.Created) {
			t.Fatalf("the sample's savepoint %d is not one of its problem", i)
		}
	}
	for i := range want {
		if i >= len(got) || !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("record %d is %+v, want %+v", i+1, got[min(i, len(got)-1)], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
}

// Texts come in as D9 wants them, in log entries too, and values of log entries as
// the service writes them.
func TestLoadNormalises(t *testing.T) {
	t.Parallel()
	const loose, composed = " Le\u0301a ", "L\u00e9a"
	records := edit(9, func(r *transfer.User) { r.Name, r.Email = loose, " ann@XN--BCHER-KVA.example" })(sample())
	records = edit(12, func(r *transfer.Problem) { r.Title = loose })(records)
	records = edit(13, func(r *transfer.Savepoint) { r.Title = loose })(records)
	records = edit(14, func(r *transfer.Savepoint) { r.Title = loose })(records)
	records = edit(15, func(r *transfer.LogEntry) {
		r.To = problem.LogValue(fmt.Sprintf(`{ "state" : {"name":"Op\u0065n", "identifier":%q}, "title" : %q }`, open, loose))
	})(records)
	records = edit(24, func(r *transfer.Keyword) { r.Name = " room "; r.Value.String = "e\u0301" })(records)
	archive, dossiers := mustLoad(t, records)
	d := dossiers[0]
	for what, c := range map[string]struct{ got, want string }{
		"user":      {archive.Metadata.Users[0].Name, composed},
		"email":     {archive.Metadata.Users[0].Email, "ann@b\u00fccher.example"},
		"title":     {d.Title, composed},
		"savepoint": {d.Savepoints[0].Title, composed},
		"log":       {string(d.Log[0].To), `{"title":"` + composed + `","state":{"identifier":"` + open.String() + `","name":"Open"}}`},
		"keyword":   {d.Keywords[1].Name, "room"},
		"value":     {d.Keywords[1].Value.String, "\u00e9"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", what, c.got, c.want)
		}
	}
}

// Problems are a stream: read twice, they are not taken for none.
func TestLoadedProblemsAreReadOnce(t *testing.T) {
	t.Parallel()
	archive, _ := mustLoad(t, sample())
	failed := 0
	for d, err := range archive.Problems {
		if err == nil {
			t.Errorf("problem %d came again", d.ID)
		}
		failed++
	}
	if failed != 1 {
		t.Errorf("the second time, the problems end with %d errors, want 1", failed)
	}

	archive, err := transfer.Load(from(sample()), filled)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range archive.Problems {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	for d, err := range archive.Problems {
		if err == nil {
			t.Errorf("after a break, the problems go on with %d", d.ID)
		}
	}
}

func TestLoadOfNothing(t *testing.T) {
	t.Parallel()
	archive, dossiers, err := loadFrom(&source{start: &transfer.Start{}, records: []transfer.Record{transfer.End{Next: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if archive.Catalogue != 0 || len(dossiers) != 0 || len(archive.Tokens) != 0 || len(archive.Metadata.Users) != 0 {
		t.Errorf("loaded %+v and %+v of nothing", archive, dossiers)
	}
}

// The version of the catalogue is there, and goes with what the catalogue has.
func TestLoadChecksTheStart(t *testing.T) {
	t.Parallel()
	nothing := []transfer.Record{transfer.End{Next: 1}}
	for _, c := range []struct {
		name    string
		start   *transfer.Start
		records []transfer.Record
		field   string
		reason  string
	}{
		{"none", nil, sample(), "/kind", "the start comes first, and only there"},
		{"0 with metadata", &transfer.Start{}, sample(), "/catalogueVersion", "must be at least 1: there are metadata"},
		{"below 0", &transfer.Start{Catalogue: -1}, sample(), "/catalogueVersion", "must be at least 1: there are metadata"},
		{"below 0 without metadata", &transfer.Start{Catalogue: -1}, nothing, "/catalogueVersion", "must be 0: there are no metadata"},
		{"1 without metadata", &transfer.Start{Catalogue: 1}, nothing, "/catalogueVersion", "must be 0: there are no metadata"},
	} {
		_, _, err := loadFrom(&source{start: c.start, records: c.records})
		f, ok := errors.AsType[*transfer.Fault](err)
		if !ok || f.Field != c.field || !strings.HasPrefix(f.Reason, c.reason) {
			t.Errorf("%s: %v, want %s: %s…", c.name, err, c.field, c.reason)
		}
	}
	archive, _ := mustLoad(t, sample())
	if archive.Catalogue != 6 {
		t.Errorf("the catalogue has the version %d, want 6", archive.Catalogue)
	}
}

// chain returns the sample without problem 1's relationship, and with problems
// from 3 on that are related in the given pairs, the first the parent of the other.
func chain(problems int, pairs ...[2]problem.ID) []transfer.Record {
	records := drop(20, 25, 33, 34)(sample())
	records = edit(20, func(r *transfer.LogEntry) { r.Revision, r.Created = 5, at(5) })(records)
	records = edit(12, func(r *transfer.Problem) { r.Revision, r.Modified = 5, at(4) })(records)
	records = records[:slices.IndexFunc(records, func(r transfer.Record) bool { p, ok := r.(transfer.Problem); return ok && p.ID == 2 })]
	for n := problem.ID(2); n <= problem.ID(problems); n++ {
		p := problem.Problem{ID: n, Fields: problem.Fields{Title: "x", State: open}, Originator: ann, Created: at(1), Modifier: ann, Modified: at(1), Revision: 1}
		records = append(records, transfer.Problem{Problem: p},
			transfer.Savepoint{Savepoint: snapshot.Savepoint{Batch: batch1, Problem: p}},
			transfer.LogEntry{LogEntry: problem.LogEntry{ID: entry(1), Problem: n, Type: problem.ProblemCreated, Created: at(1), Author: ann, Batch: batch1,
				To: `{"title":"x","state":` + refOpen + `}`, Revision: 1}})
		var related []relationship.Relationship
		for _, p := range pairs {
			r := relationship.Relationship{Owner: p[0], Type: relationship.ParentOf, Other: p[1], Created: at(1), Author: ann}
			for _, side := range []relationship.Relationship{r, r.Mirror()} {
				if side.Owner == n {
					related = append(related, side)
				}
			}
		}
		slices.SortFunc(related, relationship.Relationship.Compare)
		for _, r := range related {
			records = append(records, transfer.Relationship{Relationship: r})
		}
	}
	return append(records, transfer.End{Next: problem.ID(problems) + 1})
}

func TestCheckerFindsCycles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		pairs [][2]problem.ID
		cycle string
	}{
		{"of three", [][2]problem.ID{{2, 3}, {3, 4}, {4, 2}}, "2 → 3 → 4 → 2"},
		{"behind a tail", [][2]problem.ID{{2, 5}, {5, 6}, {6, 7}, {7, 5}}, "5 → 6 → 7 → 5"},
		{"in the second part", [][2]problem.ID{{2, 3}, {7, 6}, {6, 5}, {5, 7}}, "5 → 7 → 6 → 5"},
		{"none in a diamond", [][2]problem.ID{{2, 3}, {2, 4}, {3, 5}, {4, 5}, {2, 5}}, ""},
		{"none upwards", [][2]problem.ID{{7, 6}, {6, 5}, {5, 4}, {4, 3}, {7, 3}}, ""},
	} {
		_, _, err := load(chain(7, c.pairs...))
		switch {
		case c.cycle == "":
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		case err == nil || !strings.Contains(err.Error(), "/problemIdentifier: closes a cycle of ParentOf: "+c.cycle):
			t.Errorf("%s: %v, want the cycle %s", c.name, err, c.cycle)
		}
	}
}

// A chain through all problems is no reason to run out of stack or time.
func TestCheckerTakesLongChains(t *testing.T) {
	t.Parallel()
	var pairs [][2]problem.ID
	for n := problem.ID(2); n < 2000; n++ {
		pairs = append(pairs, [2]problem.ID{n, n + 1})
	}
	if _, _, err := load(chain(2000, pairs...)); err != nil {
		t.Error(err)
	}
}

func TestRecordsReturnErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, at := range []string{"catalogue", "tokens", "saved queries", "webhooks", "audit log", "problems", "dossiers", "feed"} {
		var last error
		for _, err := range transfer.Records(t.Context(), failing{at, broken}) {
			last = err
		}
		if last != broken {
			t.Errorf("%s: the records end with %v, want the error of the Reader", at, last)
		}
	}
}

// reader is a store.Reader of what was loaded.
type reader struct {
	archive  store.Archive
	dossiers []store.Dossier
	feed     []event.Entry
}

func (r reader) Catalogue(context.Context) (*metadata.Catalogue, error) {
	return metadata.NewCatalogue(ident.Version{Number: r.archive.Catalogue}, r.archive.Metadata), nil
}

func (r reader) Tokens(context.Context) ([]access.Token, error) { return r.archive.Tokens, nil }

func (r reader) SavedQueries(context.Context, ident.ID) ([]query.Saved, error) {
	return r.archive.Queries, nil
}

func (r reader) Webhooks(_ context.Context, skip, limit int) ([]webhook.Webhook, error) {
	rest := r.archive.Webhooks[min(skip, len(r.archive.Webhooks)):]
	return rest[:min(limit, len(rest))], nil
}

func (r reader) Audit(_ context.Context, skip, limit int) ([]audit.Entry, error) {
	rest := r.archive.Audit[min(skip, len(r.archive.Audit)):]
	return rest[:min(limit, len(rest))], nil
}

func (r reader) Problems(_ context.Context, ids []problem.ID, _ ident.ID, _ snapshot.Parts) (found []snapshot.Snapshot, _ error) {
	for _, d := range r.dossiers {
		if slices.Contains(ids, d.ID) {
			found = append(found, snapshot.Snapshot{Problem: d.Problem, Size: d.Size()})
		}
	}
	return found, nil
}

func (r reader) Dossiers(_ context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	i := slices.IndexFunc(r.dossiers, func(d store.Dossier) bool { return d.ID > after })
	if i < 0 {
		return nil, nil
	}
	return r.dossiers[i:min(len(r.dossiers), i+limit)], nil
}

func (r reader) Feed(_ context.Context, from int64, limit int, _ int64) (page []event.Entry, err error) {
	for _, e := range r.feed {
		if e.Number >= from && len(page) < limit {
			page = append(page, e)
		}
	}
	return page, nil
}

// failing is a store.Reader that fails in one method.
type failing struct {
	at  string
	err error
}

func (f failing) fail(at string) error {
	if f.at == at {
		return f.err
	}
	return nil
}

func (f failing) Catalogue(context.Context) (*metadata.Catalogue, error) {
	return metadata.NewCatalogue(ident.Version{}, metadata.Content{}), f.fail("catalogue")
}

func (f failing) Tokens(context.Context) ([]access.Token, error) { return nil, f.fail("tokens") }

func (f failing) SavedQueries(context.Context, ident.ID) ([]query.Saved, error) {
	return nil, f.fail("saved queries")
}

func (f failing) Webhooks(context.Context, int, int) ([]webhook.Webhook, error) {
	return nil, f.fail("webhooks")
}

func (f failing) Audit(context.Context, int, int) ([]audit.Entry, error) {
	return nil, f.fail("audit log")
}

func (f failing) Problems(context.Context, []problem.ID, ident.ID, snapshot.Parts) ([]snapshot.Snapshot, error) {
	return nil, f.fail("problems")
}

func (f failing) Dossiers(context.Context, problem.ID, int) ([]store.Dossier, error) {
	return nil, f.fail("dossiers")
}

func (f failing) Feed(context.Context, int64, int, int64) ([]event.Entry, error) {
	return nil, f.fail("feed")
}
