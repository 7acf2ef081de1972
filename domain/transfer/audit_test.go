package transfer_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/transfer"
)

// audited returns the sample with saved queries and an audit log, from line 12 on,
// whose identifiers and times run backwards.
func audited() []transfer.Record {
	entry := func(n uint64, t audit.Type, kind audit.Kind, object ident.ID, field string, from, to problem.LogValue) transfer.AuditEntry {
		return transfer.AuditEntry{Entry: audit.Entry{ID: id(n), Created: at(int(n % 50)), Author: ann, Batch: id(600), Type: t,
			Kind: kind, Object: object, Name: "Then", Field: field, From: from, To: to}}
	}
	founded := entry(509, audit.Created, audit.State, open, "", "", `{"name":"Open","resolved":false,"initial":true,"order":1,"nextStates":[`+refClosed+`]}`)
	founded.Author = ident.None
	return insert(12,
		/*12*/ transfer.SavedQuery{Saved: query.Saved{ID: id(702), Owner: bo, Name: "Mine", Predicate: "watching = YES", Created: at(3)}},
		/*13*/ transfer.SavedQuery{Saved: query.Saved{ID: id(701), Owner: ann, Name: "Mine", Predicate: "title CONTAINS '\u00e9'\n", Sort: "-identifier", Created: at(2)}},
		/*14*/ founded,
		/*15*/ entry(508, audit.Changed, audit.State, open, "nextStates", `[]`, `[`+refClosed+`]`),
		/*16*/ entry(507, audit.Changed, audit.State, open, "resolved", `true`, `false`),
		/*17*/ entry(506, audit.Changed, audit.Priority, high, "order", `-2`, `1`),
		/*18*/ entry(505, audit.Changed, audit.Component, pump, "parent", "", problem.LogRef(engine, "Engine")),
		/*19*/ entry(504, audit.Changed, audit.User, bo, "name", `"Bob"`, `"Bo"`),
		/*20*/ entry(503, audit.Created, audit.Token, token, "", "", `{"user":`+problem.LogRef(ann, "Ann")+`,"scope":"admin","expires":"2026-01-02T03:04:09.000Z"}`),
		/*21*/ entry(502, audit.Changed, audit.Token, token, "revoked", "", `"2026-01-02T03:04:09.000Z"`),
	)(sample())
}

func TestLoadTakesSavedQueriesAndTheAuditLog(t *testing.T) {
	t.Parallel()
	archive, dossiers := mustLoad(t, audited())
	if len(archive.Queries) != 2 || len(archive.Audit) != 8 || len(dossiers) != 2 {
		t.Fatalf("%d saved queries, %d entries and %d problems, want 2, 8 and 2", len(archive.Queries), len(archive.Audit), len(dossiers))
	}
	var got []transfer.Record
	for record, err := range transfer.Records(t.Context(), reader{archive: archive, dossiers: dossiers}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, record)
	}
	if want := audited(); !reflect.DeepEqual(got[1:], want) {
		t.Errorf("the records are %+v, want %+v", got[1:], want)
	}
}

// Records reads an audit log of any length, page by page.
func TestRecordsHaveTheWholeAuditLog(t *testing.T) {
	t.Parallel()
	for _, length := range []int{0, 1, 999, 1000, 1001, 2000, 2500} {
		var r reader
		for n := range length {
			r.archive.Audit = append(r.archive.Audit, audit.Entry{ID: id(uint64(n))})
		}
		n := 0
		for record, err := range transfer.Records(t.Context(), r) {
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := record.(transfer.AuditEntry); ok {
				if e.ID != id(uint64(n)) {
					t.Fatalf("of %d entries, number %d comes as %v", length, n, e.ID)
				}
				n++
			}
		}
		if n != length {
			t.Errorf("%d entries come of %d", n, length)
		}
	}
}

// Values can have spaces between members, and these in any order. Texts come in as D9
// wants them.
func TestLoadNormalisesUse(t *testing.T) {
	t.Parallel()
	records := edit(14, func(r *transfer.AuditEntry) {
		r.Name = " The\u0301n "
		r.To = `{ "nextStates": [ {"name":"Clos\u0065d", "identifier":"` + problem.LogValue(closed.String()) + `"} ],
			"order":1, "initial":true, "endDate":null, "name":"O\u0301", "resolved" : false }`
	})(audited())
	records = edit(13, func(r *transfer.SavedQuery) {
		r.Name, r.Predicate = " Mi\u0301ne ", "title CONTAINS 'e\u0301' OR title = '\\n\u0303'"
	})(records)
	escaped := problem.LogText("title = '\\n\u0303'")
	records = edit(15, func(r *transfer.AuditEntry) { r.Kind, r.Field, r.From, r.To = audit.Webhook, "predicate", "", escaped })(records)
	records = edit(16, func(r *transfer.AuditEntry) {
		r.Kind, r.Type, r.Field, r.From, r.To = audit.Webhook, audit.Created, "", "", `{"predicate":`+escaped+`}`
	})(records)
	archive, _ := mustLoad(t, records)
	if changed, created := archive.Audit[1].To, archive.Audit[2].To; changed != escaped || created != `{"predicate":`+escaped+`}` {
		t.Errorf("the predicates of webhooks are %s and %s, want %s", changed, created, escaped)
	}
	e := archive.Audit[0]
	if want := problem.LogValue("{\"name\":\"\u00d3\"" + `,"resolved":false,"initial":true,"order":1,"nextStates":[` + string(refClosed) + `]}`); e.To != want {
		t.Errorf("the value is %s, want %s", e.To, want)
	}
	if e.Name != "Th\u00e9n" {
		t.Errorf("the name is %q", e.Name)
	}
	if q := archive.Queries[1]; q.Name != "M\u00edne" || q.Predicate != "title CONTAINS 'e\u0301' OR title = '\\n\u0303'" {
		t.Errorf("the saved query is %+v, want its name trimmed and in NFC, and its predicate as it was", q)
	}
}

func TestCheckerRefusesSavedQueriesAndAuditEntries(t *testing.T) {
	t.Parallel()
	query := func(line int, change func(*transfer.SavedQuery)) func([]transfer.Record) []transfer.Record {
		return edit(line, change)
	}
	entry := func(line int, change func(*transfer.AuditEntry)) func([]transfer.Record) []transfer.Record {
		return edit(line, change)
	}
	swapped := func(records []transfer.Record) []transfer.Record {
		records[12], records[13] = records[13], records[12]
		return records
	}
	late := func(records []transfer.Record) []transfer.Record {
		records[10], records[11] = records[11], records[10]
		return records
	}
	for _, c := range []struct {
		rule   string
		change func([]transfer.Record) []transfer.Record
		line   int64
		field  string
		reason string
	}{
		{"saved queries come before the audit log", swapped, 14, "/kind", "a saved query cannot come after a record of the audit log"},
		{"saved queries come after tokens", late, 12, "/kind", "a token cannot come after a saved query"},
		{"saved queries have identifiers", query(12, func(r *transfer.SavedQuery) { r.ID[6] = 0x40 }), 12, "/identifier", "must be a UUID of version 7"},
		{"identifiers of saved queries are unique", query(13, func(r *transfer.SavedQuery) { r.ID = id(702) }), 13, "/identifier", "another saved query has this already"},
		{"owners are users", query(12, func(r *transfer.SavedQuery) { r.Owner = high }), 12, "/owner", "there is no user"},
		{"saved queries have a name", query(12, func(r *transfer.SavedQuery) { r.Name = " " }), 12, "/name", "must not be empty"},
		{"saved queries have a predicate", query(12, func(r *transfer.SavedQuery) { r.Predicate = "" }), 12, "/predicate", "must not be empty"},
		{"predicates have no odd characters", query(12, func(r *transfer.SavedQuery) { r.Predicate = "a\x00" }), 12, "/predicate", "must not contain U+0000"},
		{"predicates have a length", query(12, func(r *transfer.SavedQuery) { r.Predicate = strings.Repeat("x", 16_385) }), 12, "/predicate", "must have at most 16384 bytes"},
		{"predicates have the grammar", query(12, func(r *transfer.SavedQuery) { r.Predicate = "title = " }), 12, "/predicate", "is not valid: expected a value"},
		{"predicates have known keys", query(12, func(r *transfer.SavedQuery) { r.Predicate = "\ncolour = 'red'" }), 12, "/predicate", "is not valid: "},
		{"predicates compare what can be compared", query(12, func(r *transfer.SavedQuery) { r.Predicate = "title = 1" }), 12, "/predicate", "is not valid: "},
		{"orders have known keys", query(12, func(r *transfer.SavedQuery) { r.Sort = "colour" }), 12, "/sort", "is not valid: "},
		{"orders are text", query(12, func(r *transfer.SavedQuery) { r.Sort = "\xff" }), 12, "/sort", "must be valid UTF-8"},
		{"saved queries have a date", query(12, func(r *transfer.SavedQuery) { r.Created = at(1).Local().Add(1) }), 12, "/creationDate", "must be a time"},

		{"entries have identifiers", entry(14, func(r *transfer.AuditEntry) { r.ID = ident.None }), 14, "/identifier", "must be a UUID of version 7"},
		{"identifiers of entries are unique", entry(15, func(r *transfer.AuditEntry) { r.ID = id(509) }), 15, "/identifier", "another record of the audit log has this already"},
		{"entries have a date", entry(14, func(r *transfer.AuditEntry) { r.Created = at(1).Add(1) }), 14, "/creationDate", "must be a time"},
		{"authors are users", entry(15, func(r *transfer.AuditEntry) { r.Author = high }), 15, "/author", "there is no user"},
		{"entries have a batch", entry(15, func(r *transfer.AuditEntry) { r.Batch = ident.None }), 15, "/batchIdentifier", "must be a UUID of version 7"},
		{"types are known", entry(15, func(r *transfer.AuditEntry) { r.Type = "Dropped" }), 15, "/type", "must be Created or Changed"},
		{"kinds are known", entry(15, func(r *transfer.AuditEntry) { r.Kind = "problem" }), 15, "/objectKind", "must be one of: state, priority"},
		{"objects are there", entry(15, func(r *transfer.AuditEntry) { r.Object = high }), 15, "/object", "there is no state"},
		{"tokens are there", entry(20, func(r *transfer.AuditEntry) { r.Object = ann }), 20, "/object", "there is no token"},
		{"objects had a name", entry(15, func(r *transfer.AuditEntry) { r.Name = "" }), 15, "/name", "must not be empty"},
		{"what was created has no field", entry(14, func(r *transfer.AuditEntry) { r.Field = "name" }), 14, "/field", "must be null with this type"},
		{"what was created was nothing before", entry(14, func(r *transfer.AuditEntry) { r.From = "1" }), 14, "/from", "must be null with this type"},
		{"what was created is an object", entry(14, func(r *transfer.AuditEntry) { r.To = `"Open"` }), 14, "/to", "must be an object"},
		{"what was created has known members", entry(14, func(r *transfer.AuditEntry) { r.To = `{"name":"Open","colour":1}` }), 14, "/to/colour", "is not known here"},
		{"members have known members", entry(18, func(r *transfer.AuditEntry) { r.To = `{"a/b":1}` }), 18, "/to/a~1b", "is not known here"},
		{"what changed is known", entry(15, func(r *transfer.AuditEntry) { r.Field = "colour" }), 15, "/field", "must be the name of a member"},
		{"what changed is said", entry(15, func(r *transfer.AuditEntry) { r.Field = "" }), 15, "/field", "must be the name of a member"},
		{"numbers are integers", entry(17, func(r *transfer.AuditEntry) { r.To = `1.5` }), 17, "/to", "must be an integer without fraction or exponent"},
		{"numbers have no exponent", entry(17, func(r *transfer.AuditEntry) { r.From = `1e400` }), 17, "/from", "must be an integer without fraction or exponent"},
		{"numbers are those that JSON has", entry(14, func(r *transfer.AuditEntry) { r.To = `{"order":9007199254740992}` }), 14, "/to/order", "must be an integer without fraction or exponent, of at most 9007199254740991"},
		{"texts in values have no odd characters", entry(19, func(r *transfer.AuditEntry) { r.To = `"\u0000"` }), 19, "/to", "must not contain U+0000"},
	} {
		_, _, err := load(c.change(audited()))
		f, ok := errors.AsType[*transfer.Fault](err)
		if !ok {
			t.Errorf("%s: %v, want a fault", c.rule, err)
			continue
		}
		if f.Line != c.line || f.Field != c.field || !strings.HasPrefix(f.Reason, c.reason) {
			t.Errorf("%s: %q, want line %d, %s: %s…", c.rule, f, c.line, c.field, c.reason)
		}
	}
}

// Older versions took predicates that exceed what are the limits now. They are kept: who
// runs them is told.
func TestLoadTakesPredicatesBeyondTheLimits(t *testing.T) {
	t.Parallel()
	for _, predicate := range []string{
		"title LIKE '" + strings.Repeat("*a", 20) + "'",
		"title MATCHES '" + strings.Repeat("a", 300) + "'",
		strings.Repeat("(", 70) + "TRUEPREDICATE" + strings.Repeat(")", 70),
	} {
		saved := query.Saved{Owner: ann, Predicate: predicate}
		if saved.CheckPredicate() == nil {
			t.Errorf("%s is within the limits, and proves nothing", predicate)
		}
		archive, _ := mustLoad(t, edit(12, func(r *transfer.SavedQuery) { r.Predicate = predicate })(audited()))
		if got := archive.Queries[0].Predicate; got != predicate {
			t.Errorf("the predicate is %s, want %s", got, predicate)
		}
	}
}

// D9: an order with too many keys stays as it was, too.
func TestLoadKeepsOrdersBeyondTheLimits(t *testing.T) {
	t.Parallel()
	sort := strings.Repeat("title, ", predicate.MaxSortKeys) + "title.e\u0301"
	archive, _ := mustLoad(t, edit(12, func(r *transfer.SavedQuery) { r.Sort = sort })(audited()))
	if got := archive.Queries[0].Sort; got != sort {
		t.Errorf("the order is %+q, want %+q", got, sort)
	}
}
