package archive_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
	"github.com/problemtracking/problems/domain/webhook"
)

// body is an archive without its manifest, written by hand: a line of every kind but
// those of used, with and without what can be null.
var body = []string{
	/* 1*/ `{"catalogueVersion":6,"kind":"header","version":10}`,
	/* 2*/ `{"identifier":"01900000-0000-7000-8000-000000000001","initial":true,"kind":"state","name":"Open","nextStates":["01900000-0000-7000-8000-000000000002"],"order":1,"resolved":false}`,
	/* 3*/ `{"identifier":"01900000-0000-7000-8000-000000000002","initial":false,"kind":"state","name":"Closed","nextStates":[],"order":-2,"resolved":true}`,
	/* 4*/ `{"identifier":"01900000-0000-7000-8000-000000000011","kind":"priority","name":"High","order":0}`,
	/* 5*/ `{"identifier":"01900000-0000-7000-8000-000000000021","kind":"classification","name":"Bug \"soft\\hard\" <é> 😀"}`,
	/* 6*/ `{"closed":false,"identifier":"01900000-0000-7000-8000-000000000031","kind":"component","name":"Engine","parent":null,"successor":"01900000-0000-7000-8000-000000000032"}`,
	/* 7*/ `{"closed":true,"identifier":"01900000-0000-7000-8000-000000000032","kind":"component","name":"Pump","parent":"01900000-0000-7000-8000-000000000031","successor":null}`,
	/* 8*/ `{"component":null,"creationDate":"2026-01-02T03:04:05.678Z","endDate":"9999-12-31T23:59:59.999Z","identifier":"01900000-0000-7000-8000-000000000041","kind":"milestone","name":"Beta","startDate":null}`,
	/* 9*/ `{"email":"ann@example.org","identifier":"01900000-0000-7000-8000-000000000051","inactive":false,"kind":"user","mail":null,"name":"Ann","preferences":null,"robotOf":null}`,
	/*10*/ `{"email":"bo@example.org","identifier":"01900000-0000-7000-8000-000000000052","inactive":true,"kind":"user","mail":"mine","name":"Bo","preferences":"density=compact timeZone=Europe/Berlin","robotOf":"01900000-0000-7000-8000-000000000051"}`,
	/*11*/ `{"creationDate":"2026-01-02T03:04:00.000Z","expires":null,"identifier":"01900000-0000-7000-8000-000000000061","invitation":false,"kind":"token","lastUse":"2026-01-02T03:04:00.500Z","name":"CI of \"web\"","revoked":"2026-01-02T03:04:01.000Z","scope":"write","sha256":"00000000000000000000000000000000000000000000000000000000000000ff","user":"01900000-0000-7000-8000-000000000052"}`,
	/*12*/ `{"assignee":"01900000-0000-7000-8000-000000000052","classification":"01900000-0000-7000-8000-000000000021","component":"01900000-0000-7000-8000-000000000032","creationDate":"2026-01-02T03:04:01.000Z","due":null,"identifier":3,"kind":"problem","milestone":"01900000-0000-7000-8000-000000000041","modificationDate":"2026-01-02T03:04:02.000Z","modifier":"01900000-0000-7000-8000-000000000051","originator":"01900000-0000-7000-8000-000000000051","priority":"01900000-0000-7000-8000-000000000011","resolveDate":"2026-01-02T03:04:01.000Z","resolver":"01900000-0000-7000-8000-000000000051","revision":2,"state":"01900000-0000-7000-8000-000000000002","title":"Leak"}`,
	/*13*/ `{"assignee":"01900000-0000-7000-8000-000000000052","batchIdentifier":"01900000-0000-7000-8000-000000000101","classification":"01900000-0000-7000-8000-000000000021","component":"01900000-0000-7000-8000-000000000032","due":null,"kind":"savepoint","milestone":"01900000-0000-7000-8000-000000000041","modificationDate":"2026-01-02T03:04:01.000Z","modifier":"01900000-0000-7000-8000-000000000051","priority":"01900000-0000-7000-8000-000000000011","problem":3,"resolveDate":"2026-01-02T03:04:01.000Z","resolver":"01900000-0000-7000-8000-000000000051","revision":1,"state":"01900000-0000-7000-8000-000000000002","title":"Leak"}`,
	/*14*/ `{"author":"01900000-0000-7000-8000-000000000051","batchIdentifier":"01900000-0000-7000-8000-000000000101","creationDate":"2026-01-02T03:04:01.000Z","field":null,"from":null,"identifier":"01900000-0000-7000-8000-000000000201","kind":"logEntry","problem":3,"revision":1,"to":{"assignee":{"identifier":"01900000-0000-7000-8000-000000000052","name":"Bo"},"classification":{"identifier":"01900000-0000-7000-8000-000000000021","name":"Bug"},"component":{"identifier":"01900000-0000-7000-8000-000000000032","name":"Pump"},"milestone":{"identifier":"01900000-0000-7000-8000-000000000041","name":"Beta"},"priority":{"identifier":"01900000-0000-7000-8000-000000000011","name":"High"},"state":{"identifier":"01900000-0000-7000-8000-000000000002","name":"Closed"},"title":"Leak"},"type":"ProblemCreated","via":null}`,
	/*15*/ `{"author":"01900000-0000-7000-8000-000000000051","batchIdentifier":"01900000-0000-7000-8000-000000000102","creationDate":"2026-01-02T03:04:02.000Z","field":"CauseOf","from":null,"identifier":"01900000-0000-7000-8000-000000000202","kind":"logEntry","problem":3,"revision":2,"to":{"problemIdentifier":7},"type":"RelationshipAdded","via":"01900000-0000-7000-8000-000000000061"}`,
	/*16*/ `{"author":"01900000-0000-7000-8000-000000000052","creationDate":"2026-01-02T03:04:03.000Z","deleted":false,"editDate":null,"editor":null,"html":null,"identifier":"01900000-0000-7000-8000-000000000301","kind":"comment","problem":3,"text":"It\twas\r\nthe fuse. \"","via":"01900000-0000-7000-8000-000000000061"}`,
	/*17*/ `{"author":"01900000-0000-7000-8000-000000000052","creationDate":"2026-01-02T03:04:03.000Z","deleted":false,"editDate":null,"editor":null,"html":"<b>","identifier":"01900000-0000-7000-8000-000000000302","kind":"comment","problem":3,"text":"It was.","via":null}`,
	/*18*/ `{"kind":"keyword","name":"floor","problem":3,"value":null}`,
	/*19*/ `{"kind":"keyword","name":"room","problem":3,"value":""}`,
	/*20*/ `{"author":"01900000-0000-7000-8000-000000000051","creationDate":"2026-01-02T03:04:02.000Z","kind":"relationship","problem":3,"problemIdentifier":7,"type":"CauseOf"}`,
	/*21*/ `{"kind":"watcher","problem":3,"user":"01900000-0000-7000-8000-000000000051"}`,
	/*22*/ `{"kind":"readMark","problem":3,"user":"01900000-0000-7000-8000-000000000052"}`,
	/*23*/ `{"assignee":null,"classification":null,"component":null,"creationDate":"2026-01-02T03:04:01.000Z","due":null,"identifier":7,"kind":"problem","milestone":null,"modificationDate":"2026-01-02T03:04:02.000Z","modifier":"01900000-0000-7000-8000-000000000051","originator":"01900000-0000-7000-8000-000000000051","priority":null,"resolveDate":null,"resolver":null,"revision":2,"state":"01900000-0000-7000-8000-000000000001","title":"Flood"}`,
	/*24*/ `{"assignee":null,"batchIdentifier":"01900000-0000-7000-8000-000000000103","classification":null,"component":null,"due":null,"kind":"savepoint","milestone":null,"modificationDate":"2026-01-02T03:04:01.000Z","modifier":"01900000-0000-7000-8000-000000000051","priority":null,"problem":7,"resolveDate":null,"resolver":null,"revision":1,"state":"01900000-0000-7000-8000-000000000001","title":"Flood"}`,
	/*25*/ `{"author":"01900000-0000-7000-8000-000000000051","batchIdentifier":"01900000-0000-7000-8000-000000000103","creationDate":"2026-01-02T03:04:01.000Z","field":null,"from":null,"identifier":"01900000-0000-7000-8000-000000000203","kind":"logEntry","problem":7,"revision":1,"to":{"state":{"identifier":"01900000-0000-7000-8000-000000000001","name":"Open"},"title":"Flood"},"type":"ProblemCreated","via":null}`,
	/*26*/ `{"author":"01900000-0000-7000-8000-000000000051","batchIdentifier":"01900000-0000-7000-8000-000000000102","creationDate":"2026-01-02T03:04:02.000Z","field":"CausedBy","from":null,"identifier":"01900000-0000-7000-8000-000000000204","kind":"logEntry","problem":7,"revision":2,"to":{"problemIdentifier":3},"type":"RelationshipAdded","via":"01900000-0000-7000-8000-000000000061"}`,
	/*27*/ `{"author":"01900000-0000-7000-8000-000000000051","creationDate":"2026-01-02T03:04:02.000Z","kind":"relationship","problem":7,"problemIdentifier":3,"type":"CausedBy"}`,
}

// used are the lines of saved queries and of the audit log, which stand before the first
// problem.
var used = []string{
	`{"columns":"due,state","creationDate":"2026-01-02T03:04:06.000Z","identifier":"01900000-0000-7000-8000-000000000502","kind":"savedQuery","name":"Mine","owner":"01900000-0000-7000-8000-000000000052","predicate":"title CONTAINS 'é'\n","shared":true,"sort":"-identifier"}`,
	`{"columns":null,"creationDate":"2026-01-02T03:04:05.000Z","identifier":"01900000-0000-7000-8000-000000000501","kind":"savedQuery","name":"Mine","owner":"01900000-0000-7000-8000-000000000051","predicate":"watching = YES","shared":false,"sort":null}`,
	`{"author":null,"batchIdentifier":"01900000-0000-7000-8000-000000000602","creationDate":"2026-01-02T03:04:05.000Z","field":null,"from":null,"identifier":"01900000-0000-7000-8000-000000000612","kind":"auditEntry","name":"Beta","object":"01900000-0000-7000-8000-000000000041","objectKind":"milestone","to":{"component":{"identifier":"01900000-0000-7000-8000-000000000031","name":"Engine"},"name":"Beta"},"type":"Created"}`,
	`{"author":"01900000-0000-7000-8000-000000000051","batchIdentifier":"01900000-0000-7000-8000-000000000601","creationDate":"2026-01-02T03:04:04.000Z","field":"order","from":-1,"identifier":"01900000-0000-7000-8000-000000000611","kind":"auditEntry","name":"High","object":"01900000-0000-7000-8000-000000000011","objectKind":"priority","to":0,"type":"Changed"}`,
	`{"author":"01900000-0000-7000-8000-000000000051","batchIdentifier":"01900000-0000-7000-8000-000000000601","creationDate":"2026-01-02T03:04:04.000Z","field":"revoked","from":null,"identifier":"01900000-0000-7000-8000-000000000613","kind":"auditEntry","name":"Bo","object":"01900000-0000-7000-8000-000000000061","objectKind":"token","to":"2026-01-02T03:04:01.000Z","type":"Changed"}`,
}

// called are the lines of webhooks, which stand before the audit log.
var called = []string{
	`{"active":true,"creationDate":"2026-01-02T03:04:05.000Z","cursor":"4SoBAZAAAAAAcACAAAAAAAABAg","epoch":3,"failures":2,"from":"4SkBAZAAAAAAcACAAAAAAAAGAg","identifier":"01900000-0000-7000-8000-000000000702","kind":"webhook","nextAttempt":"2026-01-02T03:09:05.000Z","onFailure":"park","owner":"01900000-0000-7000-8000-000000000051","parked":1,"predicate":"title CONTAINS 'é'","progressEpoch":3,"reason":"it had to","secretGeneration":3,"secretKey":"00000000000000ff","secretRotated":"2026-01-02T03:04:04.000Z","secretRotatedBefore":"2026-01-02T03:04:03.000Z","state":"stopped","types":["problem.changed","user.created"],"url":"https://example.org/hook?a=b","version":"01900000-0000-7000-8000-000000000712"}`,
	`{"active":false,"creationDate":"2026-01-02T03:04:04.000Z","cursor":"4QAA","epoch":1,"failures":0,"from":"4QAA","identifier":"01900000-0000-7000-8000-000000000701","kind":"webhook","nextAttempt":null,"onFailure":"wait","owner":"01900000-0000-7000-8000-000000000052","parked":0,"predicate":null,"progressEpoch":0,"reason":null,"secretGeneration":1,"secretKey":"0102030405060708","secretRotated":null,"secretRotatedBefore":null,"state":null,"types":null,"url":"http://10.0.0.1/","version":"01900000-0000-7000-8000-000000000711"}`,
}

// events are the lines of the feed, which stand behind the problems.
var events = []string{
	`{"author":null,"batchIdentifier":"01900000-0000-7000-8000-000000000602","creationDate":"2026-01-02T03:04:05.000Z","kind":"event","lines":[{"field":null,"from":null,"identifier":"01900000-0000-7000-8000-000000000612","to":"{\"name\":\"Beta\"}","type":"Created"}],"name":"Beta","number":41,"object":"01900000-0000-7000-8000-000000000041","objectKind":"milestone","problem":null,"revision":null,"state":null,"title":null,"type":"milestone.created","via":null}`,
	`{"author":"01900000-0000-7000-8000-000000000051","batchIdentifier":"01900000-0000-7000-8000-000000000102","creationDate":"2026-01-02T03:04:02.000Z","kind":"event","lines":[{"field":"CauseOf","from":null,"identifier":"01900000-0000-7000-8000-000000000202","to":"{\"problemIdentifier\":7}","type":"RelationshipAdded"},{"field":"title","from":"\"é\"","identifier":"01900000-0000-7000-8000-000000000205","to":"\"Leak\"","type":"FieldChanged"}],"name":null,"number":42,"object":null,"objectKind":null,"problem":3,"revision":2,"state":"01900000-0000-7000-8000-000000000002","title":"Leak","type":"problem.changed","via":"01900000-0000-7000-8000-000000000061"}`,
	`{"author":"01900000-0000-7000-8000-000000000051","batchIdentifier":"01900000-0000-7000-8000-000000000102","creationDate":"2026-01-02T03:04:02.000Z","kind":"event","lines":[{"field":"CausedBy","from":null,"identifier":"01900000-0000-7000-8000-000000000204","to":"{\"problemIdentifier\":3}","type":"RelationshipAdded"}],"name":null,"number":42,"object":null,"objectKind":null,"problem":7,"revision":2,"state":"01900000-0000-7000-8000-000000000001","title":"Flood","type":"problem.changed","via":"01900000-0000-7000-8000-000000000061"}`,
	`{"author":"01900000-0000-7000-8000-000000000052","batchIdentifier":"01900000-0000-7000-8000-000000000603","creationDate":"2026-01-02T03:04:01.000Z","kind":"event","lines":[{"field":"revoked","from":null,"identifier":"01900000-0000-7000-8000-000000000613","to":"\"2026-01-02T03:04:01.000Z\"","type":"Changed"}],"name":"Bo","number":43,"object":"01900000-0000-7000-8000-000000000061","objectKind":"token","problem":null,"revision":null,"state":null,"title":null,"type":"token.changed","via":null}`,
}

// inUse is body with the lines of used and events.
func inUse() []string { return slices.Concat(body[:11], used, body[11:], events) }

// withWebhooks is inUse with the lines of called.
func withWebhooks() []string {
	return slices.Concat(body[:11], used[:2], called, used[2:], body[11:], events)
}

// manifest returns the last line of an archive whose other lines are given, with
// the next number.
func manifest(lines []string, next int) string {
	var counts, sums []string
	kinds := []string{"attachment", "auditEntry", "classification", "comment", "component", "event", "keyword", "logEntry", "milestone", "priority", "problem", "readMark", "relationship", "savedQuery", "savepoint", "state", "token", "user", "watcher", "webhook"}
	for _, kind := range kinds {
		n, h := 0, sha256.New()
		for _, line := range lines {
			if strings.Contains(line, `"kind":"`+kind+`"`) {
				n++
				fmt.Fprintln(h, line)
			}
		}
		counts = append(counts, fmt.Sprintf(`"%s":%d`, kind, n))
		sums = append(sums, fmt.Sprintf(`"%s":"%x"`, kind, h.Sum(nil)))
	}
	return fmt.Sprintf(`{"counts":{%s},"kind":"manifest","nextIdentifier":%d,"sha256":{%s},"version":%d}`,
		strings.Join(counts, ","), next, strings.Join(sums, ","), archive.Version)
}

// whole returns an archive: the lines and their manifest.
func whole(lines []string, next int) string {
	return strings.Join(append(slices.Clone(lines), manifest(lines, next)), "\n") + "\n"
}

// canonical is body in canonical form, with its manifest: its comment says \u0022
// where \" is shorter.
func canonical() string { return canonicalOf(body) }

func canonicalOf(lines []string) string {
	lines = slices.Clone(lines)
	lines[15] = strings.Replace(lines[15], `\u0022`, `\"`, 1)
	return whole(lines, 8)
}

// world is what an archive holds; it is a transfer.Reader.
type world struct {
	store.Archive
	dossiers []store.Dossier
	feed     []event.Entry
}

// load reads an archive.
func load(text string) (world, error) {
	a, err := transfer.Load(archive.NewReader(strings.NewReader(text)), ident.None)
	w := world{Archive: a}
	if err != nil {
		return w, err
	}
	for d, err := range a.Problems {
		if err != nil {
			return w, err
		}
		w.dossiers = append(w.dossiers, d)
	}
	for e, err := range a.Feed {
		if err != nil {
			return w, err
		}
		w.feed = append(w.feed, e)
	}
	return w, nil
}

// text writes an archive.
func (w world) text(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := archive.Write(t.Context(), &b, w); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func (w world) Catalogue(context.Context) (*metadata.Catalogue, error) {
	return metadata.NewCatalogue(ident.Version{Number: w.Archive.Catalogue}, w.Metadata), nil
}

func (w world) Tokens(context.Context) ([]access.Token, error) { return w.Archive.Tokens, nil }

func (w world) SavedQueries(context.Context, ident.ID) ([]query.Saved, error) {
	return w.Archive.Queries, nil
}

func (w world) Webhooks(_ context.Context, skip, limit int) ([]webhook.Webhook, error) {
	rest := w.Archive.Webhooks[min(skip, len(w.Archive.Webhooks)):]
	return rest[:min(limit, len(rest))], nil
}

func (w world) Audit(_ context.Context, skip, limit int) ([]audit.Entry, error) {
	rest := w.Archive.Audit[min(skip, len(w.Archive.Audit)):]
	return rest[:min(limit, len(rest))], nil
}

func (w world) Feed(_ context.Context, from int64, limit int, _ int64) (page []event.Entry, err error) {
	for _, e := range w.feed {
		if e.Number >= from && len(page) < limit {
			page = append(page, e)
		}
	}
	return page, nil
}

func (w world) Problems(_ context.Context, ids []problem.ID, _ ident.ID, _ snapshot.Parts) (found []snapshot.Snapshot, _ error) {
	for _, d := range w.dossiers {
		if slices.Contains(ids, d.ID) {
			found = append(found, snapshot.Snapshot{Problem: d.Problem, Size: d.Size()})
		}
	}
	return found, nil
}

func (w world) Dossiers(_ context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	from := slices.IndexFunc(w.dossiers, func(d store.Dossier) bool { return d.ID > after })
	if from < 0 {
		return nil, nil
	}
	return w.dossiers[from:min(len(w.dossiers), from+limit)], nil
}
