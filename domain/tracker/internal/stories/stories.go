// Package stories reads from a store what an e-mail tells about a problem.
package stories

import (
	"context"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
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

func heading(of store.Snapshot, c *metadata.Catalogue) mail.Story {
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
	for skip := 0; len(comments) > 0; {
		part, err := r.Comments(ctx, i.Problem, skip, readEntries, readBytes)
		if err != nil {
			return s, err
		}
		if len(part) == 0 {
			break
		}
		skip += len(part)
		for _, comment := range part {
			if at, ok := comments[comment.ID.String()]; ok {
				s.Entries[at].Comment, s.Entries[at].HTML = comment.Text, comment.HTML.String
				delete(comments, comment.ID.String())
			}
		}
	}
	return s, nil
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
