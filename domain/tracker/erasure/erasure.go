package erasure

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/kinds"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// Erasure is how far the erasure of a user has come (D46).
type Erasure struct {
	User user.User
	State
}

// State is the part of an Erasure in the store, as the state of its lease.
type State struct {
	By ident.ID `json:"by"` // who asked for it; None: nobody knows
	// Former are the former names and addresses, as has compares them. They go with the last Change.
	Former []string `json:"former,omitempty"`
	// Done is true when no problem is left, or in a dry run, when all are counted.
	Done bool `json:"done"`
	// Through is the last problem without the name.
	Through problem.ID `json:"through"`
	// Audit, Tokens, Sessions and Saved count what the first Change has rewritten and ended. Saved are
	// the user's own queries.
	Audit    int `json:"audit"`
	Tokens   int `json:"tokens"`
	Sessions int `json:"sessions"`
	Saved    int `json:"saved"`
	// Problems and Log count the changed problems and the rewritten entries of their logs, and
	// Watches the ended ones, up to Through.
	Problems int `json:"problems"`
	Log      int `json:"log"`
	Watches  int `json:"watches"`
	// Texts, Queries and Webhooks have a former name or address in a text that somebody wrote. Texts
	// are problems, at most mostTexts. What their logs keep counts, too.
	Texts    []problem.ID `json:"texts"`
	Queries  []ident.ID   `json:"queries"`
	Webhooks []ident.ID   `json:"webhooks"`
}

// MostCounted is how many problems a dry run of an erasure counts within a request.
const MostCounted = 5000

// mostTexts bounds the problems in a State.
const mostTexts = 1000

func erasureLease(who ident.ID) string { return "erasure " + who.String() }

// has reports whether one of the texts has a former name or address, in upper or lower case.
func (s *State) has(texts ...string) bool {
	return slices.ContainsFunc(texts, func(t string) bool {
		t = predicate.Fold(t, predicate.Case)
		return slices.ContainsFunc(s.Former, func(former string) bool { return strings.Contains(t, former) })
	})
}

// add adds a former name or address.
func (s *State) add(former string) {
	if former = predicate.Fold(former, predicate.Case); !slices.Contains(s.Former, former) {
		s.Former = append(s.Former, former)
	}
}

// logged reports whether a text in a log entry has a former name or address.
func (s *State) logged(e problem.LogEntry) (found bool) {
	e.WithTexts(func(t string, _ bool) problem.NullText {
		found = found || s.has(t)
		return problem.Text(t)
	})
	return found
}

func (s *State) encode() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic("erasure: a state cannot be encoded: " + err.Error())
	}
	return string(b)
}

// readErasure reads the state of an erasure. Without one, as in a copy of the store, it begins
// with the first problem.
func readErasure(ctx context.Context, r store.Reader, who ident.ID) (l lease.Lease, state State, err error) {
	l, ok, err := r.Lease(ctx, erasureLease(who))
	if err != nil || !ok {
		return l, state, err
	}
	if err := json.Unmarshal([]byte(l.State), &state); err != nil {
		return l, state, fault.Wrap(fault.Internal, err, "the state of the erasure cannot be read")
	}
	return l, state, nil
}

// erasable is the basis of the decision about an erasure.
type erasable struct {
	directory.Directory
	user  user.User
	lease lease.Lease
	state State
	audit []audit.Entry // those with a former name or address, as they will be
	saved []query.Saved // by the user, and not shared
	// queries is the lease of saved queries.
	queries lease.Lease
}

// Begin begins the erasure of a user, which a Worker completes (D46). For an erased user
// it returns how far that is. A dry run reads so many problems at most, and counts what would change
// in them. It fails with fault.NotFound, and with fault.InUse for the last administrator.
func (s *Service) Begin(ctx context.Context, caller tracker.Caller, who ident.ID, w tracker.Write, counted int) (tracker.Answer[Erasure], error) {
	a, err := core.Run(ctx, s.core, core.Command[erasable, tracker.Answer[Erasure]]{
		Locks:  []writerlocks.Key{writerlocks.Catalogue()},
		DryRun: w.DryRun,
		Load:   func(ctx context.Context, r store.Reader) (erasable, error) { return s.loadErasable(ctx, r, who) },
		Decide: func(e erasable, m changes.Moment) (store.Change, tracker.Answer[Erasure], error) {
			return decideErase(caller, w, e, m)
		},
	})
	if err == nil && w.DryRun && !a.Value.User.Erased() {
		err = s.countErasure(ctx, &a.Value, counted)
	}
	return a, err
}

// Load returns how far the erasure of a user has come. It fails with fault.NotFound for a user
// who is not erased.
func (s *Service) Load(ctx context.Context, who ident.ID) (a tracker.Answer[Erasure], err error) {
	err = s.core.Store.View(ctx, func(r store.Reader) error {
		if a.Catalogue, err = s.core.Catalogues.Now(ctx, r); err != nil {
			return err
		}
		u, ok := a.Catalogue.User(who)
		if !ok || !u.Erased() {
			return fault.New(fault.NotFound, "there is no erased user with this identifier")
		}
		a.Value.User = u
		_, a.Value.State, err = readErasure(ctx, r, who)
		return err
	})
	return a, err
}

func (s *Service) loadErasable(ctx context.Context, r store.Reader, who ident.ID) (e erasable, err error) {
	if e.Directory, err = directory.Load(ctx, s.core, r); err != nil {
		return e, err
	}
	u, ok := e.Catalogue.User(who)
	if !ok {
		return e, kinds.Users.NotFound()
	}
	e.user = u
	if e.lease, e.state, err = readErasure(ctx, r, who); err != nil || u.Erased() {
		return e, err
	}
	if err = e.readAudit(ctx, r); err != nil {
		return e, err
	}
	if e.Sessions, err = r.Sessions(ctx, who); err != nil {
		return e, err
	}
	if e.queries, err = changes.LeaseOfQueries(ctx, r); err != nil {
		return e, err
	}
	queries, err := r.SavedQueries(ctx, ident.None)
	if err != nil {
		return e, err
	}
	for _, q := range queries {
		switch {
		case q.Owner == who && !q.Shared:
			e.saved = append(e.saved, q)
		case e.state.has(q.Name, q.Predicate):
			e.state.Queries = append(e.state.Queries, q.ID)
		}
	}
	hooks, err := r.Webhooks(ctx, 0, webhook.MostStored)
	if err != nil {
		return e, err
	}
	for _, h := range hooks {
		if e.state.has(h.URL, h.Predicate) {
			e.state.Webhooks = append(e.state.Webhooks, h.ID)
		}
	}
	return e, nil
}

// readAudit reads the audit log: its entries as the erasure changes them, and the former names
// and addresses.
func (e *erasable) readAudit(ctx context.Context, r store.Reader) error {
	e.state = State{}
	e.state.add(e.user.Name)
	e.state.add(e.user.Email)
	own := make(map[ident.ID]bool)
	for _, t := range e.Tokens {
		own[t.ID] = t.User == e.user.ID
	}
	for skip := 0; ; skip += tracker.MostOnPage {
		page, err := r.Audit(ctx, skip, tracker.MostOnPage)
		if err != nil {
			return err
		}
		for _, of := range page {
			if after := of.Erasing(e.user.Erase(), own); after != of {
				e.audit = append(e.audit, after)
			}
			if of.Kind == audit.User && of.Object == e.user.ID && (of.Field == "name" || of.Field == "email") {
				if former, ok := of.From.Text(); ok {
					e.state.add(former)
				}
			}
		}
		if len(page) < tracker.MostOnPage {
			return nil
		}
	}
}

func decideErase(caller tracker.Caller, w tracker.Write, e erasable, m changes.Moment) (store.Change, tracker.Answer[Erasure], error) {
	a := tracker.Answer[Erasure]{Value: Erasure{e.user, e.state}, Catalogue: e.Catalogue}
	if err := w.Faults.Err(); err != nil || e.user.Erased() {
		return store.Change{}, a, err
	}
	erased := e.user.Erase()
	cb := changes.NewBuilder(m, caller.Author())
	cb.ResolvedBy(e.Catalogue.Version)
	cb.AddExpect(store.LeaseAt{Name: erasureLease(erased.ID), Version: e.lease.Version})
	cb.AddEffect(store.RewriteAudit{Entries: e.audit})
	cb.AddEffect(store.EmptyReplies{}) // those about users show the name
	of := changes.Audited{Kind: audit.User, ID: erased.ID, Name: erased.Name}
	cb.Audit(of, audit.Changed, audit.Erased, "", problem.LogFlag(true))
	renamed := e.user // the log never has the former name and address
	renamed.Name, renamed.Email = erased.Name, erased.Email
	cb.AuditChanges(of, kinds.Users.Members(renamed, e.Catalogue), kinds.Users.Members(erased, e.Catalogue))
	cb.AddEffect(store.PutUser{User: erased})
	e.Tokens = slices.Clone(e.Tokens)
	for i, t := range e.Tokens {
		if t.User == erased.ID && t.Name != "" { // people write their names there
			e.Tokens[i].Name = ""
			cb.AddEffect(store.PutToken{Token: e.Tokens[i]})
		}
	}
	before := renamed
	before.Inactive = false // tokens and sessions end in any case
	if err := directory.ShutOut(cb, w.LastAdmin, before, erased, e.Directory); err != nil {
		return store.Change{}, tracker.Answer[Erasure]{}, err
	}
	state := &a.Value.State
	for _, q := range e.saved {
		cb.AddEffect(store.DropQuery{ID: q.ID})
	}
	if len(e.saved) > 0 {
		cb.RaiseQueries(e.queries)
	}
	state.By, state.Audit, state.Sessions, state.Saved = caller.User, len(e.audit), len(e.Sessions), len(e.saved)
	for _, t := range e.Tokens {
		if t.User == erased.ID && t.Revoked.IsZero() {
			state.Tokens++
		}
	}
	cb.AddEffect(store.PutLease{Lease: lease.Lease{Name: erasureLease(erased.ID), Version: cb.Batch, State: state.encode()}})
	if !w.DryRun {
		a.Value.User = erased
		a.Catalogue = kinds.Users.With(e.Catalogue, erased, cb.Batch)
	}
	return cb.Change, a, nil
}

// countErasure counts what the erasure changes in problems.
func (s *Service) countErasure(ctx context.Context, e *Erasure, most int) error {
	defer func() { e.Former = nil }()
	for {
		ids, err := s.following(ctx, e.Through)
		if e.Done = len(ids) == 0; err != nil || e.Done || most <= 0 {
			return err
		}
		ids = ids[:min(most, len(ids))]
		most -= len(ids)
		for _, id := range ids {
			err := s.core.Views.View(ctx, func(r store.Reader) error {
				of, err := s.core.As(ident.None).Problem(ctx, r, id, erasureParts)
				if err == nil {
					_, e.State = e.in(e.User.Erase(), &of)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}

// following returns the numbers of the next problems behind one; none at the end.
func (s *Service) following(ctx context.Context, after problem.ID) (ids []problem.ID, err error) {
	const page = 200
	plan, err := check.Compile("identifier > "+strconv.FormatInt(int64(after), 10), predicate.Problem, predicate.Env{})
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "the predicate about numbers does not compile")
	}
	err = s.core.Store.View(ctx, func(r store.Reader) error {
		c, err := s.core.Catalogues.Now(ctx, r)
		if err != nil {
			return err
		}
		hits, err := s.core.As(ident.None).Find(ctx, r, store.Query{Plan: plan, Limit: page, Catalogue: c})
		for _, h := range hits {
			ids = append(ids, h.ID)
		}
		return err
	})
	return ids, err
}

// erasureParts are the parts of a problem that can have something of a user.
const erasureParts = snapshot.Log | snapshot.Comments | snapshot.Keywords | snapshot.Watchers | snapshot.Attachments

// erasedProblem is what the erasure of a user changes in a problem.
type erasedProblem struct {
	log      []problem.LogEntry // as they are afterwards
	watching bool
	shown    bool // answers about the problem can show the user
}

// in returns what the erasure of a user changes in a problem, and the state afterwards.
func (s State) in(erased user.User, of *snapshot.Snapshot) (p erasedProblem, after State) {
	about := problem.Erasure{User: erased.ID, Name: erased.Name}
	p.watching = slices.Contains(of.Watchers, erased.ID)
	p.shown = p.watching || slices.Contains([]ident.ID{of.Originator, of.Modifier, of.Assignee}, erased.ID)
	written := s.has(of.Title)
	for _, e := range of.Log {
		p.shown = p.shown || e.Author == erased.ID
		if after := about.Entry(e); after != e {
			p.log = append(p.log, after)
		}
		written = written || s.logged(e)
	}
	for _, c := range of.Comments {
		p.shown = p.shown || c.Author == erased.ID || c.Editor == erased.ID
		written = written || s.has(c.Text, c.HTML.String)
	}
	for _, k := range of.Keywords {
		written = written || s.has(k.Name, k.Value.String)
	}
	for _, f := range of.Attachments {
		p.shown = p.shown || f.Author == erased.ID
		written = written || s.has(f.Name)
	}
	s.Through, s.Log = of.ID, s.Log+len(p.log)
	if len(p.log) > 0 || p.watching {
		s.Problems++
	}
	if p.watching {
		s.Watches++
	}
	if written && len(s.Texts) < mostTexts {
		s.Texts = append(slices.Clip(s.Texts), of.ID)
	}
	return p, s
}

// untouched reports whether the erasure leaves the problem, and answers about it, as they are.
func (p erasedProblem) untouched() bool { return !p.shown && len(p.log) == 0 }

// change returns the Change of the problem; it has no effects if nothing changes.
func (p erasedProblem) change(by ident.ID, erased user.User, of *snapshot.Snapshot, m changes.Moment) *changes.Builder {
	cb := changes.NewBuilder(m, changes.Author{User: by}, of.Problem)
	if p.untouched() {
		return cb
	}
	cb.AddEffect(store.EmptyReplies{About: store.About{Problem: of.ID}})
	if len(p.log) == 0 && !p.watching {
		return cb
	}
	cb.Corrective(of)
	if p.watching {
		cb.AddEffect(store.Unwatch{Problem: of.ID, User: erased.ID})
		cb.AddLog(of, problem.WatcherRemoved, "watchers", problem.LogRef(erased.ID, erased.Name), "")
	}
	if len(p.log) > 0 {
		before := make(map[ident.ID]int64)
		for _, e := range of.Log {
			before[e.ID] = e.Size()
		}
		for _, e := range p.log {
			of.Size += e.Size() - before[e.ID]
		}
		cb.AddEffect(store.Rewrite{Problem: of.ID, Log: p.log})
		cb.AddLog(of, problem.Redacted, "", "", problem.LogPlaces(len(p.log)))
	}
	cb.StoreProblem(of)
	return cb
}

// erasedUsers returns the users of a catalogue who are erased.
func erasedUsers(c *metadata.Catalogue) (all []user.User) {
	for _, u := range c.Content().Users {
		if u.Erased() {
			all = append(all, u)
		}
	}
	return all
}
