package sequence

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/finding"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// turnTo makes the reads of a turn, in the given scope: a problem as a user sees it, its
// neighbours, and a reply.
func (seen *sight) turnTo(ctx context.Context, r store.Reader, of *bench.Scope, turn int) (err error) {
	ids := bench.Owners(of)
	users := append(slices.SortedFunc(maps.Keys(of.Users), ident.ID.Compare), ident.None)
	if len(ids) > 0 {
		// Over 64 turns, all selections of parts.
		parts := snapshot.Parts(turn*27) & bench.Everything
		s, err := r.Problem(ctx, ids[turn%len(ids)], users[turn/len(ids)%len(users)], parts)
		if err == nil {
			slices.SortFunc(s.Watchers, ident.ID.Compare)
			seen.Snapshot = s
		} else if !fault.Is(err, fault.ProblemNotFound) {
			return fmt.Errorf("Problem: %w", err)
		}
	}
	if seen.Several, err = r.Problems(ctx, turned(ids, turn), users[turn%len(users)], snapshot.Parts(turn*11)&bench.Everything); err != nil {
		return fmt.Errorf("Problems: %w", err)
	}
	for i := range seen.Several {
		seen.Several[i] = bench.Sorted(seen.Several[i])
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
	slices.SortFunc(seen.Sides, bench.CompareSides)
	keys := slices.SortedFunc(maps.Keys(of.Keys), bench.ReplyKey.Compare)
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

// turnedQuery returns the query of a turn. It leaves out paths through metadata and
// users: problems of sequences may refer to missing ones.
func turnedQuery(turn int, users []ident.ID, held bench.Holdings) store.Query {
	ask := []finding.Asked{
		{Predicate: `title CONTAINS[c] 'A'`, Sort: "-title"},
		{Predicate: `ANY keywords.name =[cd] 'a' OR ANY keywords.value = nil`, Sort: "resolveDate"},
		{Predicate: `watching = YES OR read = YES`, Sort: "-watching,read"},
		{Predicate: `ANY comments.text LIKE[c] '*e*' AND readByAssignee = NO`, Sort: "readByAssignee,-creationDate"},
		{Predicate: `ANY relationships.type < 400 OR ANY relationships.child.title BEGINSWITH[cd] 'TEXT'`},
		{Predicate: `SUBQUERY(history, $h, $h.title != title).@count > 0 OR logs.@max.creationDate > NOW()`},
		{Predicate: `NOT (title MATCHES '(?s).*[a-z].*' AND comments.@count < 2)`, Sort: "modificationDate"},
	}
	a := ask[turn%len(ask)]
	a.As = users[turn%len(users)]
	q, err := a.Query(metadata.NewCatalogue(held.Versions.Catalogue, bench.Ordered(held.Metadata)))
	if err != nil {
		panic(err) // these can be asked
	}
	return q
}

// turnToLists makes the reads of a turn in saved queries and the audit log.
func (seen *sight) turnToLists(ctx context.Context, r store.Reader, of *bench.Scope, turn int) (err error) {
	if seen.Page, err = r.Audit(ctx, turn%5, 1+turn%3); err != nil {
		return fmt.Errorf("Audit: %w", err)
	}
	if seen.Browsers, err = r.Sessions(ctx, ident.None); err != nil {
		return fmt.Errorf("Sessions: %w", err)
	}
	if seen.Hooks, err = r.Webhooks(ctx, turn%3, 1+turn%4); err != nil {
		return fmt.Errorf("Webhooks: %w", err)
	}
	if n := len(seen.Hooks); n > 0 {
		if seen.Hook, _, err = r.Webhook(ctx, seen.Hooks[turn%n].ID); err != nil {
			return fmt.Errorf("Webhook: %w", err)
		}
	}
	if seen.Lease, _, err = r.Lease(ctx, []string{"webhooks", "mail"}[turn%2]); err != nil {
		return fmt.Errorf("Lease: %w", err)
	}
	if n := len(seen.Browsers); n > 0 {
		one := seen.Browsers[turn%n]
		if seen.Browser, _, err = r.SessionWith(ctx, one.Digest); err != nil {
			return fmt.Errorf("SessionWith: %w", err)
		}
		if seen.OfUser, err = r.Sessions(ctx, one.User); err != nil {
			return fmt.Errorf("Sessions: %w", err)
		}
	}
	saved := slices.SortedFunc(maps.Keys(of.Saved), ident.ID.Compare)
	if len(saved) == 0 {
		return nil
	}
	id := saved[turn%len(saved)]
	if seen.Saved, _, err = r.SavedQuery(ctx, id); err != nil {
		return fmt.Errorf("SavedQuery: %w", err)
	}
	if seen.Owned, err = r.SavedQueries(ctx, of.Saved[id]); err != nil {
		return fmt.Errorf("SavedQueries: %w", err)
	}
	return nil
}
