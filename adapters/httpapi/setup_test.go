package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// api is the prefix of the paths that the tests ask for.
const api = prefix

// fixture is a handler over a store that has the problem of the samples, with a
// clock that stands still.
type fixture struct {
	*fixedStore
	http.Handler
	log       *bytes.Buffer
	observing sync.Mutex // exchanges
	exchanges []httpframe.Exchange
}

func setup(t testing.TB, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{fixedStore: newFixedStore(), log: &bytes.Buffer{}}
	now := func() time.Time { return samples.Time.Add(2 * time.Hour) }
	limits := tracker.DefaultLimits()
	limits.File = DefaultLimits().BodyBytes // a small one
	o := Options{
		Service: usecases.New(tracker.Options{
			Store: f.fixedStore, Now: now, Random: zeros{}, Limits: limits,
			Files: f.fixedStore, WebhookKey: func() (webhook.Key, error) { return webhook.NewKey([32]byte{}), nil },
		}, f.fixedStore),
		Limits:       DefaultLimits(),
		Version:      "test",
		Logger:       slog.New(slog.NewTextHandler(f.log, nil)),
		NewRequestID: func() string { return "r1" },
		Now:          now,
		Observe: func(x httpframe.Exchange) {
			f.observing.Lock()
			defer f.observing.Unlock()
			f.exchanges = append(f.exchanges, x)
		},
	}
	for _, c := range change {
		c(&o)
	}
	var err error
	if f.Handler, err = New(o); err != nil {
		t.Fatal(err)
	}
	return f
}

// request makes a request with the token of scope admin. The headers are pairs of
// name and value, of which an empty one removes what is there.
func request(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", secretOf(access.Admin).Reveal())
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return r
}

func (f *fixture) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

// send makes a request and checks the status and, for an error, its slug.
func (f *fixture) send(t *testing.T, r *http.Request, status int, slug fault.Kind) *httptest.ResponseRecorder {
	t.Helper()
	w := f.do(r)
	if w.Code != status {
		t.Fatalf("%s %s: status %d, not %d: %s", r.Method, r.URL, w.Code, status, w.Body)
	}
	if slug == "" || r.Method == http.MethodHead {
		return w
	}
	var body wire.Error
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Header().Get("Content-Type") != mediaProblem {
		t.Fatalf("%s %s: not a problem document (%v): %s", r.Method, r.URL, err, w.Body)
	}
	if want := "/errors/" + string(slug); !strings.HasSuffix(body.Type, want) || body.Status != status {
		t.Fatalf("%s %s: type %s and status %d, not %s and %d", r.Method, r.URL, body.Type, body.Status, want, status)
	}
	return w
}

// secretOf returns the secret of Ann's token with the scope.
func secretOf(scope access.Scope) access.Secret {
	var random [32]byte
	copy(random[:], scope)
	return access.NewSecret(random)
}

// hugeCatalogue has of each kind one object more than a search can find.
var hugeCatalogue = sync.OnceValue(func() *metadata.Catalogue {
	var content metadata.Content
	for i := range tracker.MostFound + 1 {
		id, name := samples.Identifier(1), strconv.Itoa(i)
		binary.BigEndian.PutUint32(id[12:], uint32(i))
		content.Users = append(content.Users, user.User{ID: id, Name: name, Email: name + "@example.org"})
		content.Components = append(content.Components, metadata.Component{ID: id, Name: name})
		content.Milestones = append(content.Milestones, metadata.Milestone{ID: id, Name: name})
		content.Priorities = append(content.Priorities, metadata.Priority{ID: id, Name: name})
		content.Classifications = append(content.Classifications, metadata.Classification{ID: id, Name: name})
		content.States = append(content.States, metadata.State{ID: id, Name: name})
	}
	return metadata.NewCatalogue(ident.Version{Number: 15}, content)
})

// endpoint is an operation as it is registered.
type endpoint struct {
	*huma.Operation
	*details
	of reflect.Type // the type of its answer in package wire; nil: it has no body
}

// endpoints returns all operations.
var endpoints = sync.OnceValue(func() (all []endpoint) {
	s := &server{mux: http.NewServeMux()}
	s.registerAll()
	types := s.document.Components.Schemas
	for _, op := range s.document.operations {
		e := endpoint{Operation: op, details: detailsOf(op)}
		switch body := op.Responses[strconv.Itoa(op.DefaultStatus)].Content[mediaJSON]; {
		case body == nil:
		case body.Schema.Items != nil:
			e.of = reflect.SliceOf(types.TypeFromRef(body.Schema.Items.Ref))
		case body.Schema.AnyOf != nil: // or null
			e.of = types.TypeFromRef(body.Schema.AnyOf[0].Ref)
		default:
			e.of = types.TypeFromRef(body.Schema.Ref)
		}
		all = append(all, e)
	}
	return all
})

// answers returns the answers that are no errors, by status.
func (e endpoint) answers() map[int]*huma.Response {
	answers := map[int]*huma.Response{}
	for key, a := range e.Responses {
		if status, _ := strconv.Atoi(key); 0 < status && status < http.StatusBadRequest {
			answers[status] = a
		}
	}
	return answers
}

func (e endpoint) takes(place, name string) bool { return takes(e.Operation, place, name) }

// objectOf returns the sample that an operation with an identifier is about, if that
// is not a problem.
func objectOf(e endpoint) ident.ID {
	switch strings.Split(e.Path, "/")[1] {
	case "states":
		return samples.Open.ID
	case "priorities":
		return samples.Priority.ID
	case "classifications":
		return samples.Classification.ID
	case "components":
		return samples.Accounts.ID
	case "milestones":
		return samples.Milestone.ID
	case "webhooks":
		return samples.Webhook().ID
	}
	return samples.Ann.ID
}

// fullCatalogue is the catalogue of the samples with a second object of each kind
// beside the first.
func fullCatalogue() *metadata.Catalogue {
	content := samples.Catalogue().Content()
	content.Priorities = append(content.Priorities, metadata.Priority{ID: samples.Identifier(41), Name: "Low", Order: 3})
	content.Classifications = append(content.Classifications, metadata.Classification{ID: samples.Identifier(42), Name: "Task"})
	content.Components = append(content.Components, metadata.Component{ID: samples.Identifier(43), Name: "Web", Parent: samples.Server.ID})
	content.Milestones = append(content.Milestones, metadata.Milestone{ID: samples.Identifier(44), Name: "Summer", Component: samples.Server.ID, Created: samples.Time})
	return metadata.NewCatalogue(samples.Version, content)
}

// zeros is a source of randomness that has none.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// fixedStore has always the same content but for the replies that it keeps. It
// notes what it was asked to commit.
type fixedStore struct {
	catalogue  *metadata.Catalogue
	snapshot   snapshot.Snapshot
	tokens     []access.Token
	audit      []audit.Entry
	feed       []event.Entry
	queries    []query.Saved
	webhooks   []webhook.Webhook
	sent       []string                           // messages to receivers of webhooks
	hits       []store.Hit                        // of every search
	searched   func(context.Context, store.Query) // if not nil, called when problems are searched
	neighbours []relationship.Relationship        // of every problem
	err        error                              // if not nil, everything fails with it
	commitErr  error                              // if not nil, Commit and Outcome fail with it
	fileErr    error                              // if not nil, Put fails with it
	during     func()                             // if not nil, called when a problem is read
	logFails   bool                               // but for the first portion

	mu       sync.Mutex
	access   int64 // how often the tokens were changed
	feedErr  error // if not nil, the feed fails with it, from the number feedFrom on
	feedFrom int64
	replies  map[string]store.Reply
	changes  []store.Change
}

func newFixedStore() *fixedStore {
	f := &fixedStore{catalogue: samples.Catalogue(), snapshot: samples.Snapshot(), replies: map[string]store.Reply{}}
	f.webhooks = []webhook.Webhook{samples.Webhook()}
	f.snapshot.Comments = []problem.Comment{samples.Comment()}
	f.snapshot.Relationships = []snapshot.Related{samples.Related()}
	f.snapshot.Watchers = []ident.ID{samples.Ann.ID}
	f.snapshot.Attachments = []problem.Attachment{samples.Attachment()}
	for i, scope := range []access.Scope{access.Read, access.Write, access.Admin} {
		f.tokens = append(f.tokens, access.Token{ID: samples.Identifier(100 + i), User: samples.Ann.ID, Scope: scope, Digest: secretOf(scope).Digest(), Created: samples.Time})
	}
	// Bob's lets Ann be deactivated.
	f.tokens = append(f.tokens, access.Token{ID: samples.Identifier(103), User: samples.Bob.ID, Scope: access.Admin, Created: samples.Time})
	for i, scope := range []access.Scope{access.Comment, access.Report} {
		f.tokens = append(f.tokens, access.Token{ID: samples.Identifier(105 + i), User: samples.Ann.ID, Scope: scope, Digest: secretOf(scope).Digest(), Created: samples.Time})
	}
	f.tokens = append(f.tokens, samples.Token)
	return f
}

func (f *fixedStore) View(_ context.Context, fn func(store.Reader) error) error {
	if f.err != nil {
		return f.err
	}
	return fn(f)
}

// The store is its own store of files, with one file: "test".

func (f *fixedStore) Put(_ context.Context, _ blob.Key, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return cmp.Or(err, f.fileErr)
}

func (f *fixedStore) Open(_ context.Context, _ blob.Key, from, _ int64) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("test"[from:])), f.err
}

func (f *fixedStore) Delete(context.Context, blob.Key) error { return nil }

func (f *fixedStore) List(context.Context, blob.Key) iter.Seq2[blob.Info, error] {
	return func(func(blob.Info, error) bool) {}
}

func (f *fixedStore) Owner(context.Context) (ident.ID, error) { return ident.None, nil }

func (f *fixedStore) Own(context.Context, ident.ID) error { return nil }

func (f *fixedStore) Confirm(context.Context, store.History) error { return f.err }

func (f *fixedStore) Reserve(context.Context) (problem.ID, error) { return 14, f.err }

func (f *fixedStore) Commit(_ context.Context, c store.Change) (store.Receipt, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.commitErr != nil {
		return store.Receipt{}, f.commitErr
	}
	f.changes = append(f.changes, c)
	for _, effect := range c.Effects {
		if keep, ok := effect.(store.KeepReply); ok {
			f.replies[keep.Reply.Key] = keep.Reply
		}
	}
	return store.Receipt{Batch: c.Batch, Position: 1}, f.err
}

func (f *fixedStore) Outcome(context.Context, ident.ID, time.Time) (store.Receipt, bool, error) {
	return store.Receipt{}, false, cmp.Or(f.commitErr, f.err)
}

func (f *fixedStore) Versions(context.Context) (store.Versions, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return store.Versions{Catalogue: f.catalogue.Version, Access: ident.Version{Number: 1 + f.access}}, f.err
}

func (f *fixedStore) Restore(context.Context, store.Archive) error { return f.err }

func (f *fixedStore) Close() error { return nil }

func (f *fixedStore) Problem(_ context.Context, id problem.ID, _ ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	if f.during != nil {
		f.during()
	}
	s := f.snapshot
	switch id {
	case 12:
	case 13:
		s.ID = 13
	default:
		return snapshot.Snapshot{}, fault.New(fault.ProblemNotFound, "none")
	}
	if parts.Has(snapshot.IfSmall) && s.Size > snapshot.Small {
		parts = 0
	}
	if !parts.Has(snapshot.Keywords) {
		s.Keywords = nil
	}
	if !parts.Has(snapshot.Log) {
		s.Log = nil
	}
	if !parts.Has(snapshot.Comments) {
		s.Comments = nil
	}
	if !parts.Has(snapshot.Attachments) {
		s.Attachments = nil
	}
	s.Attachments = slices.Clone(s.Attachments)
	if !parts.Has(snapshot.Relationships) || id == 13 {
		s.Relationships = nil
	}
	return s, nil
}

func (f *fixedStore) Log(_ context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error) {
	if skip > 0 && f.logFails {
		return nil, fault.New(fault.Unavailable, "the store is away")
	}
	return store.Portion(f.snapshot.Log, skip, limit, budget, (*problem.LogEntry).Size), f.err
}

func (f *fixedStore) Comments(_ context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.Comment, error) {
	return store.Portion(f.snapshot.Comments, skip, limit, budget, (*problem.Comment).Size), f.err
}

func (f *fixedStore) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) (all []snapshot.Snapshot, err error) {
	for _, id := range ids {
		if s, err := f.Problem(ctx, id, as, parts); err == nil {
			all = append(all, s)
		}
	}
	return all, f.err
}

func (f *fixedStore) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	if f.searched != nil {
		f.searched(ctx, q)
	}
	if err := store.Ended(ctx); err != nil {
		return nil, err
	}
	return f.hits[:min(q.Limit, len(f.hits))], f.err
}

func (f *fixedStore) Audit(_ context.Context, skip, limit int) ([]audit.Entry, error) {
	rest := f.audit[min(skip, len(f.audit)):]
	return rest[:min(limit, len(rest))], f.err
}

func (f *fixedStore) Feed(ctx context.Context, from int64, limit int, _ int64) (page []event.Entry, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.feed {
		if e.Number >= from && len(page) < limit {
			page = append(page, e)
		}
	}
	if from < f.feedFrom {
		return page, errors.Join(store.Ended(ctx), f.err)
	}
	return page, errors.Join(store.Ended(ctx), f.err, f.feedErr)
}

func (f *fixedStore) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.feed) > 0 {
		oldest, newest = f.feed[0], f.feed[len(f.feed)-1]
	}
	return oldest, newest, errors.Join(store.Ended(ctx), f.err, f.feedErr)
}

func (f *fixedStore) SavedQueries(_ context.Context, owner ident.ID) (all []query.Saved, err error) {
	for _, q := range f.queries {
		if owner.IsNone() || q.Owner == owner || q.Shared {
			all = append(all, q)
		}
	}
	return all, f.err
}

// Send implements webhook.Sender.
func (f *fixedStore) Send(_ context.Context, url string, m webhook.Message) webhook.Attempt {
	f.sent = append(f.sent, url+" "+string(m.Body))
	return webhook.Attempt{Status: 204, Duration: 42 * time.Millisecond}
}

func (f *fixedStore) Webhooks(_ context.Context, skip, limit int) ([]webhook.Webhook, error) {
	rest := f.webhooks[min(skip, len(f.webhooks)):]
	return rest[:min(limit, len(rest))], f.err
}

func (f *fixedStore) Webhook(_ context.Context, id ident.ID) (webhook.Webhook, bool, error) {
	for _, w := range f.webhooks {
		if w.ID == id {
			return w, true, f.err
		}
	}
	return webhook.Webhook{}, false, f.err
}

func (f *fixedStore) Lease(context.Context, string) (lease.Lease, bool, error) {
	return lease.Lease{}, false, f.err
}

func (f *fixedStore) Sessions(context.Context, ident.ID) ([]access.Session, error) {
	return nil, f.err
}

func (f *fixedStore) SessionWith(context.Context, access.Digest) (access.Session, bool, error) {
	return access.Session{}, false, f.err
}

func (f *fixedStore) SavedQuery(_ context.Context, id ident.ID) (query.Saved, bool, error) {
	for _, q := range f.queries {
		if q.ID == id {
			return q, true, f.err
		}
	}
	return query.Saved{}, false, f.err
}

func (f *fixedStore) Neighbours(context.Context, relationship.Type, []problem.ID) ([]relationship.Relationship, error) {
	return f.neighbours, nil
}

// History implements store.Reader. There is but one.
func (*fixedStore) History() store.History { return 0 }

func (f *fixedStore) Catalogue(context.Context) (*metadata.Catalogue, error) {
	return f.catalogue, nil
}

func (f *fixedStore) Dossiers(context.Context, problem.ID, int) ([]store.Dossier, error) {
	return nil, f.err
}

func (f *fixedStore) Tokens(context.Context) ([]access.Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.tokens), nil
}

func (f *fixedStore) Oldest(context.Context) (time.Time, bool, error) {
	return time.Time{}, false, f.err
}

func (f *fixedStore) Reply(_ context.Context, _ ident.ID, key string) (store.Reply, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.replies[key]
	return r, ok, nil
}
