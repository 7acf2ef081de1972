package conformance

import (
	"context"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// saboteur breaks a store in one way.
type saboteur struct {
	name     string
	caught   string // the ID of the case that has to notice
	sabotage func(*broken)
}

// broken is a correct store of which some methods are replaced.
type broken struct {
	*model.Model
	stale atomic.Pointer[model.World]

	commit   func(context.Context, store.Change) (store.Receipt, error)
	outcome  func(context.Context, ident.ID, time.Time) (store.Receipt, bool, error)
	confirm  func(context.Context) error
	view     func(context.Context, func(store.Reader) error) error
	reader   func(*shown)
	reserve  func(context.Context) (problem.ID, error)
	versions func(context.Context) (store.Versions, error)
	restore  func(context.Context, store.Archive) error
	close    func() error
	feed     func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error)
	ends     func(context.Context) (oldest, newest event.Entry, err error)
}

// alter is the sabotage that changes what is committed.
func alter(fn func(*store.Change)) func(*broken) {
	return func(s *broken) {
		s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
			fn(&change)
			return s.Model.Commit(ctx, change)
		}
	}
}

// distort is the sabotage that changes the problems that are read.
func distort(fn func(*snapshot.Snapshot)) func(*broken) {
	return func(s *broken) { s.reader = func(r *shown) { r.snapshot = fn } }
}

// world returns what the model knows now.
func (s *broken) world() *model.World {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Now
}

func (s *broken) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	if s.commit == nil {
		return s.Model.Commit(ctx, change)
	}
	return s.commit(ctx, change)
}

func (s *broken) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	if s.outcome == nil {
		return s.Model.Outcome(ctx, batch, at)
	}
	return s.outcome(ctx, batch, at)
}

func (s *broken) Confirm(ctx context.Context, shown store.History) error {
	if s.confirm == nil {
		return s.Model.Confirm(ctx, shown)
	}
	return s.confirm(ctx)
}

func (s *broken) View(ctx context.Context, fn func(store.Reader) error) error {
	if s.view != nil {
		return s.view(ctx, fn)
	}
	return s.Model.View(ctx, func(r store.Reader) error {
		if s.reader == nil {
			return fn(r)
		}
		altered := &shown{Reader: r}
		s.reader(altered)
		return fn(altered)
	})
}

func (s *broken) Reserve(ctx context.Context) (problem.ID, error) {
	if s.reserve == nil {
		return s.Model.Reserve(ctx)
	}
	return s.reserve(ctx)
}

func (s *broken) Versions(ctx context.Context) (store.Versions, error) {
	if s.versions == nil {
		return s.Model.Versions(ctx)
	}
	return s.versions(ctx)
}

func (s *broken) Restore(ctx context.Context, archive store.Archive) error {
	if s.restore == nil {
		return s.Model.Restore(ctx, archive)
	}
	return s.restore(ctx, archive)
}

func (s *broken) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	if s.feed == nil {
		return s.Model.Feed(ctx, from, limit, budget)
	}
	return s.feed(ctx, from, limit, budget)
}

func (s *broken) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	if s.ends == nil {
		return s.Model.FeedEnds(ctx)
	}
	return s.ends(ctx)
}

func (s *broken) Close() error {
	if s.close == nil {
		return s.Model.Close()
	}
	return s.close()
}

// shown is a reader that shows something else than what is there.
type shown struct {
	store.Reader
	snapshot func(*snapshot.Snapshot) // whose like is done to dossiers
	page     func(after problem.ID, limit int, page *[]store.Dossier)
	tokens   func([]access.Token)
	several  func(ids []problem.ID, as ident.ID, all []snapshot.Snapshot) ([]snapshot.Snapshot, error)
	queries  func(owner ident.ID, found []query.Saved) []query.Saved
	saved    func(id ident.ID) (query.Saved, bool)
	sessions func(user ident.ID, found []access.Session) []access.Session
	session  func(digest access.Digest, found access.Session, ok bool) (access.Session, bool)
	webhooks func(skip, limit int, found []webhook.Webhook) []webhook.Webhook
	webhook  func(id ident.ID) (webhook.Webhook, bool) // for one that is not there
	lease    func(name string, found lease.Lease, ok bool) (lease.Lease, bool)
	audit    func(skip, limit int, page []audit.Entry) []audit.Entry
	portion  func(skip, limit *int, budget *int64) // before Log and Comments
	search   func(context.Context, store.Reader, store.Query) ([]store.Hit, error)
	bodies   map[string][]byte
	oldest   func(time.Time) time.Time
	feed     func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error)
	moment   func() store.Reader // whose problems are shown
	parts    snapshot.Parts      // loaded in any case
	deaf     bool                // to the end of the context
	never    bool                // fails to find a problem
	twice    bool                // returns neighbours for every time they are asked for
}

func (r *shown) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	if r.deaf {
		ctx = context.WithoutCancel(ctx)
	}
	if r.moment != nil {
		r.Reader = r.moment()
	}
	s, err := r.Reader.Problem(ctx, id, as, parts|r.parts)
	if r.never && fault.Is(err, fault.ProblemNotFound) {
		err = nil
	}
	if r.snapshot != nil {
		r.snapshot(&s)
	}
	return s, err
}

func (r *shown) Dossiers(ctx context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	if r.moment != nil {
		r.Reader = r.moment()
	}
	page, err := r.Reader.Dossiers(ctx, after, limit)
	for i := range page {
		if r.snapshot != nil {
			r.distort(&page[i])
		}
	}
	if r.page != nil {
		r.page(after, limit, &page)
	}
	return page, err
}

// distort does to a dossier what is done to a Snapshot.
func (r *shown) distort(d *store.Dossier) {
	s := snapshot.Snapshot{
		Problem: d.Problem, Keywords: d.Keywords, Log: d.Log, Comments: d.Comments,
		Watchers: d.Watchers, Savepoints: d.Savepoints,
	}
	for _, side := range d.Relationships {
		s.Relationships = append(s.Relationships, snapshot.Related{Relationship: side})
	}
	r.snapshot(&s)
	readers := d.Readers
	*d = bench.DossierOf(s)
	d.Readers = readers
}

func (r *shown) Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) (found []relationship.Relationship, err error) {
	if !r.twice {
		return r.Reader.Neighbours(ctx, t, owners)
	}
	for _, owner := range owners {
		more, err := r.Reader.Neighbours(ctx, t, []problem.ID{owner})
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

func (r *shown) Tokens(ctx context.Context) ([]access.Token, error) {
	all, err := r.Reader.Tokens(ctx)
	if r.tokens != nil {
		r.tokens(all)
	}
	return all, err
}

func (r *shown) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	all, err := r.Reader.Problems(ctx, ids, as, parts)
	for i := range all {
		if r.snapshot != nil {
			r.snapshot(&all[i])
		}
	}
	if r.several != nil && err == nil {
		return r.several(ids, as, all)
	}
	return all, err
}

func (r *shown) SavedQueries(ctx context.Context, owner ident.ID) ([]query.Saved, error) {
	found, err := r.Reader.SavedQueries(ctx, owner)
	if r.queries != nil {
		found = r.queries(owner, found)
	}
	return found, err
}

func (r *shown) SavedQuery(ctx context.Context, id ident.ID) (query.Saved, bool, error) {
	saved, ok, err := r.Reader.SavedQuery(ctx, id)
	if r.saved != nil && err == nil && !ok {
		saved, ok = r.saved(id)
	}
	return saved, ok, err
}

func (r *shown) Sessions(ctx context.Context, user ident.ID) ([]access.Session, error) {
	found, err := r.Reader.Sessions(ctx, user)
	if r.sessions != nil {
		found = r.sessions(user, found)
	}
	return found, err
}

func (r *shown) SessionWith(ctx context.Context, digest access.Digest) (access.Session, bool, error) {
	found, ok, err := r.Reader.SessionWith(ctx, digest)
	if r.session != nil && err == nil {
		found, ok = r.session(digest, found, ok)
	}
	return found, ok, err
}

func (r *shown) Webhooks(ctx context.Context, skip, limit int) ([]webhook.Webhook, error) {
	found, err := r.Reader.Webhooks(ctx, skip, limit)
	if r.webhooks != nil && err == nil {
		found = r.webhooks(skip, limit, found)
	}
	return found, err
}

func (r *shown) Webhook(ctx context.Context, id ident.ID) (webhook.Webhook, bool, error) {
	found, ok, err := r.Reader.Webhook(ctx, id)
	if r.webhook != nil && err == nil && !ok {
		found, ok = r.webhook(id)
	}
	return found, ok, err
}

func (r *shown) Lease(ctx context.Context, name string) (lease.Lease, bool, error) {
	found, ok, err := r.Reader.Lease(ctx, name)
	if r.lease != nil && err == nil {
		found, ok = r.lease(name, found, ok)
	}
	return found, ok, err
}

func (r *shown) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	if r.feed != nil {
		return r.feed(ctx, from, limit, budget)
	}
	return r.Reader.Feed(ctx, from, limit, budget)
}

func (r *shown) Audit(ctx context.Context, skip, limit int) ([]audit.Entry, error) {
	page, err := r.Reader.Audit(ctx, skip, limit)
	if r.audit != nil && err == nil {
		page = r.audit(skip, limit, page)
	}
	return page, err
}

func (r *shown) Log(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error) {
	if r.portion != nil {
		r.portion(&skip, &limit, &budget)
	}
	return r.Reader.Log(ctx, id, skip, limit, budget)
}

func (r *shown) Comments(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.Comment, error) {
	if r.portion != nil {
		r.portion(&skip, &limit, &budget)
	}
	return r.Reader.Comments(ctx, id, skip, limit, budget)
}

func (r *shown) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	if r.search != nil {
		return r.search(ctx, r.Reader, q)
	}
	return r.Reader.Search(ctx, q)
}

func (r *shown) Reply(ctx context.Context, user ident.ID, key string) (store.Reply, bool, error) {
	reply, ok, err := r.Reader.Reply(ctx, user, key)
	if body := r.bodies[key]; body != nil && ok {
		reply.Body = body
	}
	return reply, ok, err
}

func (r *shown) Oldest(ctx context.Context) (time.Time, bool, error) {
	at, ok, err := r.Reader.Oldest(ctx)
	if r.oldest != nil && ok {
		at = r.oldest(at)
	}
	return at, ok, err
}

// exactly chooses one case.
func exactly(c bench.Case) *regexp.Regexp {
	return regexp.MustCompile("^" + regexp.QuoteMeta(c.ID) + "$")
}

// attempt runs a case on its own, and returns how it ended.
func attempt(t *testing.T, c bench.Case, h harness.Harness, seed uint64) report.Case {
	t.Helper()
	h.Name = "on trial"
	r, err := Execute(t.Context(), h, Options{Seed: seed, Only: exactly(c)})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Cases, func(done report.Case) bool { return done.ID == c.ID })
	return r.Cases[i]
}
