package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// turnTo reads what the turn is about, of the given scope: a problem as a user
// sees it, what is beside it, and a reply.
func (seen *sight) turnTo(ctx context.Context, r store.Reader, of *scope, turn int) (err error) {
	ids := owners(of)
	users := append(slices.SortedFunc(maps.Keys(of.users), ident.ID.Compare), ident.None)
	if len(ids) > 0 {
		// Over 64 turns, all selections of parts.
		parts := store.Parts(turn*27) & everything
		s, err := r.Problem(ctx, ids[turn%len(ids)], users[turn/len(ids)%len(users)], parts)
		if err == nil {
			slices.SortFunc(s.Watchers, ident.ID.Compare)
			seen.Snapshot = s
		} else if !fault.Is(err, fault.ProblemNotFound) {
			return fmt.Errorf("Problem: %w", err)
		}
	}
	if seen.Several, err = r.Problems(ctx, turned(ids, turn), users[turn%len(users)], store.Parts(turn*11)&everything); err != nil {
		return fmt.Errorf("Problems: %w", err)
	}
	for i := range seen.Several {
		seen.Several[i] = sorted(seen.Several[i])
	}
	if seen.Hits, err = r.Search(ctx, turnedQuery(turn, users, seen.Held)); err != nil {
		return fmt.Errorf("Search: %w", err)
	}
	if err := seen.turnToLists(ctx, r, of, turn); err != nil {
		return err
	}
	types := relationship.Types()
	if seen.Sides, err = r.Neighbours(ctx, types[turn%len(types)], append(ids, ids...)); err != nil {
		return fmt.Errorf("Neighbours: %w", err)
	}
	slices.SortFunc(seen.Sides, compareSides)
	keys := slices.SortedFunc(maps.Keys(of.keys), replyKey.compare)
	if len(keys) == 0 {
		return nil
	}
	k := keys[turn%len(keys)]
	if seen.Reply, _, err = r.Reply(ctx, k.User, k.Key); err != nil {
		return fmt.Errorf("Reply: %w", err)
	}
	return nil
}

// turned returns the problems in another order at each turn.
func turned(ids []problem.ID, turn int) []problem.ID {
	if len(ids) == 0 {
		return nil
	}
	first := turn % len(ids)
	return slices.Concat(ids[first:], ids[:first])
}

// turnedQuery returns the query of a turn. Problems of sequences may refer to metadata
// and users that are not there, and those it is not about.
func turnedQuery(turn int, users []ident.ID, held holdings) store.Query {
	ask := []asked{
		{predicate: `title CONTAINS[c] 'A'`, sort: "-title"},
		{predicate: `ANY keywords.name =[cd] 'a' OR ANY keywords.value = nil`, sort: "resolveDate"},
		{predicate: `watching = YES OR read = YES`, sort: "-watching,read"},
		{predicate: `ANY comments.text LIKE[c] '*e*' AND readByAssignee = NO`, sort: "readByAssignee,-creationDate"},
		{predicate: `ANY relationships.type < 400 OR ANY relationships.child.title BEGINSWITH[cd] 'TEXT'`},
		{predicate: `SUBQUERY(history, $h, $h.title != title).@count > 0 OR logs.@max.creationDate > NOW()`},
		{predicate: `NOT (title MATCHES '(?s).*[a-z].*' AND comments.@count < 2)`, sort: "modificationDate"},
	}
	a := ask[turn%len(ask)]
	a.as = users[turn%len(users)]
	q, err := a.query(metadata.NewCatalogue(held.Versions.Catalogue, ordered(held.Metadata)))
	if err != nil {
		panic(err) // these can be asked
	}
	return q
}

// turnToLists reads what the turn is about of saved queries and the audit log.
func (seen *sight) turnToLists(ctx context.Context, r store.Reader, of *scope, turn int) (err error) {
	if seen.Page, err = r.Audit(ctx, turn%5, 1+turn%3); err != nil {
		return fmt.Errorf("Audit: %w", err)
	}
	saved := slices.SortedFunc(maps.Keys(of.saved), ident.ID.Compare)
	if len(saved) == 0 {
		return nil
	}
	id := saved[turn%len(saved)]
	if seen.Saved, _, err = r.SavedQuery(ctx, id); err != nil {
		return fmt.Errorf("SavedQuery: %w", err)
	}
	if seen.Owned, err = r.SavedQueries(ctx, of.saved[id]); err != nil {
		return fmt.Errorf("SavedQueries: %w", err)
	}
	return nil
}
