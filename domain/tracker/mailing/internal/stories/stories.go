// Package stories reads from a store what an e-mail tells about a problem.
package stories

import (
	"context"
	"slices"
	"sort"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// Digest returns the stories of a digest: the titles of the first problems. left counts the
// other problems. Several items can be about one problem.
func Digest(ctx context.Context, r store.Reader, c *metadata.Catalogue, items []mail.Item) (all []mail.Story, left int, err error) {
	var ids []problem.ID
	seen := make(map[problem.ID]bool, len(items))
	for _, i := range items {
		if !seen[i.Problem] && len(ids) < mail.MostStories {
			ids = append(ids, i.Problem)
		}
		seen[i.Problem] = true
	}
	problems, err := r.Problems(ctx, ids, ident.None, 0)
	for _, of := range problems {
		all = append(all, heading(of, c))
	}
	return all, len(seen) - len(all), err
}

func heading(of snapshot.Snapshot, c *metadata.Catalogue) mail.Story {
	state, _ := c.State(of.State)
	return mail.Story{Problem: of.ID, Title: of.Title, State: state.Name}
}

// Bounds of one read of a log, or of comments.
const (
	readEntries = 500
	readBytes   = 1 << 20
)

// Of returns the changes of an item by others than the user. A problem that is missing
// has none.
func Of(ctx context.Context, r store.Reader, c *metadata.Catalogue, to user.User, i mail.Item) (mail.Story, error) {
	of, err := r.Problem(ctx, i.Problem, ident.None, 0)
	if fault.Is(err, fault.ProblemNotFound) {
		return mail.Story{}, nil
	}
	if err != nil {
		return mail.Story{}, err
	}
	s := heading(of, c)
	log, err := logBetween(ctx, r, i)
	if err != nil {
		return s, err
	}
	comments := make(map[string]int) // places of the entries, by comment
	for _, l := range log {
		if l.Author == to.ID || !l.Type.Significant() {
			continue
		}
		author, _ := c.User(l.Author)
		if text, ok := l.To.Text(); ok && l.Type == problem.CommentAdded {
			comments[text] = len(s.Entries)
		}
		s.Entries = append(s.Entries, mail.Entry{ID: l.ID, Author: author.Name, At: l.Created, Type: l.Type, Field: l.Field, From: l.From, To: l.To})
	}
	if skip := max(0, len(s.Entries)-mail.MostEntries); skip > 0 { // a letter has the newest ones
		s.Entries, s.Left = s.Entries[skip:], skip
		for id, at := range comments {
			if comments[id] = at - skip; at < skip {
				delete(comments, id)
			}
		}
	}
	err = addTexts(ctx, r, of, s.Entries, comments)
	s.Entries = slices.DeleteFunc(s.Entries, func(e mail.Entry) bool {
		return e.Type == problem.CommentAdded && e.Comment == "" // deleted since (D44)
	})
	return s, err
}

// addTexts adds the texts of comments to their entries. places has the places of the entries.
func addTexts(ctx context.Context, r store.Reader, of snapshot.Snapshot, entries []mail.Entry, places map[string]int) error {
	first := len(entries)
	for _, at := range places {
		first = min(first, at)
	}
	if first == len(entries) {
		return nil
	}
	begin, err := commentsBefore(ctx, r, of, entries[first].At)
	if err != nil {
		return err
	}
	// Imported comments can have other times, or be more than the revisions. So the second
	// pass begins with the first comment.
	for _, skip := range []int{begin, 0} {
		for limit := len(places); len(places) > 0; limit *= 2 {
			part, err := r.Comments(ctx, of.ID, skip, min(limit, readEntries), readBytes)
			if err != nil {
				return err
			}
			if len(part) == 0 {
				break
			}
			skip += len(part)
			for _, comment := range part {
				if at, ok := places[comment.ID.String()]; ok {
					entries[at].Comment, entries[at].HTML = comment.Text, comment.HTML.String
					delete(places, comment.ID.String())
				}
			}
		}
		if begin == 0 {
			break
		}
	}
	return nil
}

// commentsBefore returns the number of comments before a moment. Each comment has a revision.
func commentsBefore(ctx context.Context, r store.Reader, of snapshot.Snapshot, moment time.Time) (int, error) {
	var failed error
	n := sort.Search(int(of.Revision), func(n int) bool {
		if failed != nil {
			return true
		}
		part, err := r.Comments(ctx, of.ID, n, 1, 1)
		failed = err
		return len(part) == 0 || !part[0].Created.Before(moment)
	})
	return n, failed
}

// logBetween returns the entries of the revisions of an item.
func logBetween(ctx context.Context, r store.Reader, i mail.Item) (found []problem.LogEntry, err error) {
	// Each revision has an entry, unless the problem comes from elsewhere.
	for _, skip := range []int{int(i.From) - 1, 0} {
		for first := true; ; first = false {
			part, err := r.Log(ctx, i.Problem, skip, readEntries, readBytes)
			if err != nil {
				return nil, err
			}
			if len(part) == 0 || first && skip > 0 && part[0].Revision > i.From {
				break
			}
			skip += len(part)
			for _, l := range part {
				if i.From <= l.Revision && l.Revision <= i.Through {
					found = append(found, l)
				}
			}
			if part[len(part)-1].Revision > i.Through {
				break
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return found, nil
}
