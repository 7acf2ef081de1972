package conformance

import (
	"maps"
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// world is what the model knows at one moment.
type world struct {
	of              *kept // whose batches are its
	position        int64
	versions        store.Versions
	problems        map[problem.ID]problem.Problem
	batches         map[problem.ID]ident.ID // that stored each problem last
	sizes           map[problem.ID]int64
	keywords        map[named]problem.Keyword
	relationships   map[link]relationship.Relationship
	watchers        map[mark]bool
	readers         map[mark]bool
	log             []problem.LogEntry
	comments        []store.AddComment
	savepoints      []store.Savepoint
	epochs          map[store.FamilyName]ident.Version
	states          map[ident.ID]metadata.State
	priorities      map[ident.ID]metadata.Priority
	classifications map[ident.ID]metadata.Classification
	components      map[ident.ID]metadata.Component
	milestones      map[ident.ID]metadata.Milestone
	users           map[ident.ID]user.User
	tokens          []access.Token
	queries         []query.Saved
	audit           []audit.Entry
	replies         map[replyKey]store.Reply
}

type named struct {
	problem problem.ID
	name    string
}

type link struct {
	owner problem.ID
	t     relationship.Type
	other problem.ID
}

func newWorld() *world {
	return &world{
		problems:        make(map[problem.ID]problem.Problem),
		batches:         make(map[problem.ID]ident.ID),
		sizes:           make(map[problem.ID]int64),
		keywords:        make(map[named]problem.Keyword),
		relationships:   make(map[link]relationship.Relationship),
		watchers:        make(map[mark]bool),
		readers:         make(map[mark]bool),
		epochs:          make(map[store.FamilyName]ident.Version),
		states:          make(map[ident.ID]metadata.State),
		priorities:      make(map[ident.ID]metadata.Priority),
		classifications: make(map[ident.ID]metadata.Classification),
		components:      make(map[ident.ID]metadata.Component),
		milestones:      make(map[ident.ID]metadata.Milestone),
		users:           make(map[ident.ID]user.User),
		replies:         make(map[replyKey]store.Reply),
	}
}

func (w *world) clone() *world {
	return &world{
		of:              w.of,
		position:        w.position,
		versions:        w.versions,
		problems:        maps.Clone(w.problems),
		batches:         maps.Clone(w.batches),
		sizes:           maps.Clone(w.sizes),
		keywords:        maps.Clone(w.keywords),
		relationships:   maps.Clone(w.relationships),
		watchers:        maps.Clone(w.watchers),
		readers:         maps.Clone(w.readers),
		log:             slices.Clone(w.log),
		comments:        slices.Clone(w.comments),
		savepoints:      slices.Clone(w.savepoints),
		epochs:          maps.Clone(w.epochs),
		states:          maps.Clone(w.states),
		priorities:      maps.Clone(w.priorities),
		classifications: maps.Clone(w.classifications),
		components:      maps.Clone(w.components),
		milestones:      maps.Clone(w.milestones),
		users:           maps.Clone(w.users),
		tokens:          slices.Clone(w.tokens),
		queries:         slices.Clone(w.queries),
		audit:           slices.Clone(w.audit),
		replies:         maps.Clone(w.replies),
	}
}

func (w *world) expect(expectation store.Expectation) error {
	holds := false
	switch e := expectation.(type) {
	case store.ProblemAt:
		p, ok := w.problems[e.ID]
		holds = ok && p.Revision == e.Revision && w.batches[e.ID] == e.Batch
	case store.CatalogueAt:
		holds = w.versions.Catalogue == e.Version
	case store.AccessAt:
		holds = w.versions.Access == e.Version
	case store.FamilyAt:
		holds = w.epochs[e.Family] == e.Epoch
	case store.KeyUnused:
		reply, ok := w.replies[replyKey{e.User, e.Key}]
		holds = !ok || reply.Created.Before(e.Since)
	case store.StateUnused:
		holds = true
		for _, p := range w.problems {
			holds = holds && p.State != e.State
		}
	case store.StoreEmpty:
		holds = len(w.problems) == 0 && w.versions == store.Versions{} && len(w.queries) == 0 && len(w.audit) == 0
	default:
		return fault.New(fault.Unsupported, "the model does not know %T", expectation)
	}
	if !holds {
		return fault.New(fault.Conflict, "%+v does not hold", expectation)
	}
	return nil
}

func (w *world) run(change store.Change) error {
	var catalogue, tokens bool
	for _, effect := range change.Effects {
		if err := w.apply(change.Batch, effect); err != nil {
			return err
		}
		switch effect.(type) {
		case store.PutState, store.PutPriority, store.PutClassification, store.PutComponent, store.PutMilestone, store.PutUser:
			catalogue = true
		case store.PutToken:
			tokens = true
		}
	}
	w.log = append(w.log, change.Log...)
	if catalogue {
		w.versions.Catalogue = w.versions.Catalogue.Next(change.Batch)
	}
	if tokens {
		w.versions.Access = w.versions.Access.Next(change.Batch)
	}
	return nil
}

// put stores a problem of this size by the batch.
func (w *world) put(p problem.Problem, size int64, batch ident.ID) {
	w.problems[p.ID], w.sizes[p.ID], w.batches[p.ID] = p, size, batch
}

func (w *world) apply(batch ident.ID, effect store.Effect) error {
	switch e := effect.(type) {
	case store.CreateProblem:
		if _, ok := w.problems[e.Problem.ID]; ok {
			return fault.New(fault.Conflict, "the problem exists")
		}
		w.put(e.Problem, e.Size, batch)
	case store.UpdateProblem:
		if _, ok := w.problems[e.Problem.ID]; !ok {
			return fault.New(fault.Conflict, "the problem does not exist")
		}
		w.put(e.Problem, e.Size, batch)
	case store.PutSavepoint:
		w.savepoints = append(w.savepoints, store.Savepoint{Batch: batch, Problem: e.Problem})
	case store.AddComment:
		w.comments = append(w.comments, e)
	case store.PutKeyword:
		w.keywords[named{e.Problem, e.Keyword.Name}] = e.Keyword
	case store.DropKeyword:
		delete(w.keywords, named{e.Problem, e.Name})
	case store.PutRelationship:
		l := link{e.Relationship.Owner, e.Relationship.Type, e.Relationship.Other}
		if _, ok := w.relationships[l]; ok {
			return fault.New(fault.Conflict, "the relationship exists")
		}
		w.relationships[l] = e.Relationship
	case store.DropRelationship:
		delete(w.relationships, link{e.Owner, e.Type, e.Other})
	case store.MoveFamily:
		w.epochs[e.Family] = w.epochs[e.Family].Next(batch)
	case store.Watch:
		w.watchers[mark{e.Problem, e.User}] = true
	case store.Unwatch:
		delete(w.watchers, mark{e.Problem, e.User})
	case store.MarkRead:
		w.readers[mark{e.Problem, e.User}] = e.Read
	case store.ForgetReads:
		maps.DeleteFunc(w.readers, func(f mark, _ bool) bool { return f.Problem == e.Problem && f.User != e.But })
	case store.PutState:
		e.State.Next = slices.Clone(e.State.Next)
		w.states[e.State.ID] = e.State
	case store.PutPriority:
		w.priorities[e.Priority.ID] = e.Priority
	case store.PutClassification:
		w.classifications[e.Classification.ID] = e.Classification
	case store.PutComponent:
		w.components[e.Component.ID] = e.Component
	case store.PutMilestone:
		w.milestones[e.Milestone.ID] = e.Milestone
	case store.PutUser:
		w.users[e.User.ID] = e.User
	case store.PutToken:
		i := slices.IndexFunc(w.tokens, func(t access.Token) bool { return t.ID == e.Token.ID })
		if i < 0 {
			w.tokens = append(w.tokens, e.Token)
		} else {
			w.tokens[i] = e.Token
		}
	case store.AppendAudit:
		w.audit = append(w.audit, e.Entry)
	case store.PutQuery:
		i := slices.IndexFunc(w.queries, func(q query.Saved) bool { return q.ID == e.Query.ID })
		if i < 0 {
			w.queries = append(w.queries, e.Query)
		} else {
			w.queries[i] = e.Query
		}
	case store.DropQuery:
		w.queries = slices.DeleteFunc(w.queries, func(q query.Saved) bool { return q.ID == e.ID })
	case store.KeepReply:
		e.Reply.Body = slices.Clone(e.Reply.Body)
		w.replies[replyKey{e.Reply.User, e.Reply.Key}] = e.Reply
	case store.Expire:
		maps.DeleteFunc(w.replies, func(_ replyKey, r store.Reply) bool { return r.Created.Before(e.Before) })
	default:
		return fault.New(fault.Unsupported, "the model does not know %T", effect)
	}
	return nil
}

// restore adds a problem, whose revision is of the batch, with all that belongs to it.
func (w *world) restore(d store.Dossier, batch ident.ID) {
	w.put(d.Problem, d.Size(), batch)
	for _, k := range d.Keywords {
		w.keywords[named{d.ID, k.Name}] = k
	}
	for _, r := range d.Relationships {
		w.relationships[link{r.Owner, r.Type, r.Other}] = r
	}
	for _, id := range d.Watchers {
		w.watchers[mark{d.ID, id}] = true
	}
	for _, id := range d.Readers {
		w.readers[mark{d.ID, id}] = true
	}
	for _, c := range d.Comments {
		w.comments = append(w.comments, store.AddComment{Problem: d.ID, Comment: c})
	}
	w.log = append(w.log, d.Log...)
	w.savepoints = append(w.savepoints, d.Savepoints...)
}
