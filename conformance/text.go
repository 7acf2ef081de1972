package conformance

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func textCases() []Case {
	return []Case{{
		ID:   "READ-001/text",
		Rule: "Text of every kind is read back byte for byte, wherever it is stored.",
		run: func(b *bench) {
			p := b.create()
			for i, specimen := range texts() {
				name, text := specimen.what, specimen.text
				p.Title = text
				comment := b.comment(text)
				objects := b.objects()
				objects.States[0].Name, objects.Priorities[0].Name, objects.Classifications[0].Name = text, text, text
				objects.Components[0].Name, objects.Milestones[0].Name, objects.Users[0].Name = text, text, text
				entry := b.entry(p.ID)
				entry.Field, entry.From, entry.To = text, problem.LogText(text), problem.LogRef(b.ID(), text)
				saved, audited := b.query(b.author), b.audited()
				saved.Name, saved.Predicate, saved.Sort = text, text, text
				audited.Name, audited.Field, audited.From, audited.To = text, text, problem.LogText(text), problem.LogRef(b.ID(), text)
				change := b.change(append(putAll(objects),
					store.PutQuery{Query: saved},
					store.AppendAudit{Entry: audited},
					store.UpdateProblem{Problem: p},
					store.PutSavepoint{Problem: p},
					store.AddComment{Problem: p.ID, Comment: comment},
					store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: text, Value: problem.Text(text)}},
				)...)
				change.Log = []problem.LogEntry{entry}
				b.commit(change)

				s := b.load(p.ID, everything)
				b.equal("the problem with "+name, p, s.Problem)
				b.equal("the savepoint with "+name, store.Savepoint{Batch: change.Batch, Problem: p}, last(s.Savepoints))
				b.equal("the comment with "+name, comment, last(s.Comments))
				b.equal("the log entry with "+name, entry, last(s.Log))
				values := make(map[string]problem.NullText)
				for _, k := range s.Keywords {
					values[k.Name] = k.Value
				}
				b.equal("the keyword with "+name, problem.Text(text), values[text])
				b.view(func(r store.Reader) error {
					c, err := r.Catalogue(b.ctx)
					if err != nil {
						return err
					}
					state, _ := c.State(objects.States[0].ID)
					b.equal("the state with "+name, objects.States[0], state)
					milestone, _ := c.Milestone(objects.Milestones[0].ID)
					b.equal("the milestone with "+name, objects.Milestones[0], milestone)
					person, _ := c.User(objects.Users[0].ID)
					b.equal("the user with "+name, objects.Users[0], person)
					query, _, err := r.SavedQuery(b.ctx, saved.ID)
					if err != nil {
						return err
					}
					b.equal("the saved query with "+name, saved, query)
					entries, err := r.Audit(b.ctx, i, 1)
					if err != nil {
						return err
					}
					b.equal("the audit entry with "+name, audited, last(entries))
					return nil
				})
			}
			b.image() // compares Dossiers with Problem
		},
	}, {
		ID:   "READ-001/long-text",
		Rule: "Text of the greatest lengths is read back byte for byte.",
		run: func(b *bench) {
			p := b.problem(b.reserve())
			p.Title = strings.Repeat("\U0001f600", 1000)
			keyword := problem.Keyword{Name: strings.Repeat("\U0001f468", 255), Value: problem.Text(strings.Repeat("v\u2028'\\", 64<<10/6))}
			comment := b.comment(strings.Repeat("0123456789abcde\n", 64<<10))
			entry := b.entry(p.ID)
			entry.Field, entry.From, entry.To = keyword.Name, problem.LogText(keyword.Value.String), problem.LogText(comment.Text)
			change := b.change(store.CreateProblem{Problem: p}, store.PutSavepoint{Problem: p},
				store.PutKeyword{Problem: p.ID, Keyword: keyword}, store.AddComment{Problem: p.ID, Comment: comment})
			change.Log = []problem.LogEntry{entry}
			b.commit(change)
			b.equal("the problem", store.Snapshot{
				Batch:      change.Batch,
				Problem:    p,
				Keywords:   []problem.Keyword{keyword},
				Comments:   []problem.Comment{comment},
				Log:        []problem.LogEntry{entry},
				Savepoints: []store.Savepoint{{Batch: change.Batch, Problem: p}},
			}, b.load(p.ID, everything))
		},
	}, {
		ID:   "READ-001/names-apart",
		Rule: "Keyword names that differ in any byte are different keywords.",
		run: func(b *bench) {
			p := b.create()
			names := []string{"a", "A", "a ", " a", "a\u0301", "\u00e1", "\u0101", "\uff41", "ss", "\u00df", "SS", "i", "I", "\u0131", "\u0130", "k", "\u212a", "01", "1", "1.0"}
			for i, name := range names {
				b.do(store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: name, Value: problem.Text(fmt.Sprint(i))}})
			}
			for left := len(names); left > 0; left-- {
				got := b.load(p.ID, store.Keywords).Keywords
				if len(got) != left {
					b.failf("%d keywords are seen where %d were expected", len(got), left)
				}
				for _, k := range got {
					var i int
					if _, err := fmt.Sscan(k.Value.String, &i); err != nil || names[i] != k.Name {
						b.failf("the keyword %+q has the value %q of another", k.Name, k.Value.String)
					}
				}
				b.do(store.DropKeyword{Problem: p.ID, Name: names[left-1]})
			}
		},
	}, {
		ID:   "READ-001/times",
		Rule: "Times are read back to the millisecond, in UTC, from year 1 to year 9999; zero times stay zero.",
		run: func(b *bench) {
			for _, at := range times() {
				p := b.problem(b.reserve())
				p.Created, p.Modified, p.Resolved = at, at, at
				comment := b.comment("at another time")
				comment.Created = at
				entry := b.entry(p.ID)
				entry.Created = at
				objects := b.objects()
				objects.Milestones[0].Created, objects.Milestones[0].Start, objects.Milestones[0].End = at, at, at
				token := b.token()
				token.Created, token.Expires, token.Revoked = at, at, at
				saved, audited := b.query(b.author), b.audited()
				saved.Created, audited.Created = at, at
				change := b.change(store.CreateProblem{Problem: p}, store.AddComment{Problem: p.ID, Comment: comment},
					store.PutQuery{Query: saved}, store.AppendAudit{Entry: audited},
					store.PutSavepoint{Problem: p}, store.PutMilestone{Milestone: objects.Milestones[0]}, store.PutToken{Token: token})
				change.Log = []problem.LogEntry{entry}
				b.commit(change)
				s := b.load(p.ID, everything)
				b.equal("the problem", p, s.Problem)
				b.equal("the comment", comment, last(s.Comments))
				b.equal("the log entry", entry, last(s.Log))
				b.equal("the savepoint", p, last(s.Savepoints).Problem)
				image := b.image()
				b.equal("the token", token, last(image.Tokens))
				b.equal("the saved query", saved, last(image.Queries))
				b.equal("the audit entry", audited, last(image.Audit))
				found := false
				for _, m := range image.Content.Milestones {
					if m.ID == objects.Milestones[0].ID {
						found = true
						b.equal("the milestone", objects.Milestones[0], m)
					}
				}
				b.equal("whether the milestone is there", true, found)
			}
		},
	}}
}

// last returns the last element, or the zero value when there is none.
func last[E any](s []E) (e E) {
	if len(s) > 0 {
		e = s[len(s)-1]
	}
	return e
}
