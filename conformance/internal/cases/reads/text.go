package reads

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Text are about the bytes of texts, and the milliseconds of times.
func Text() []bench.Case {
	return []bench.Case{{
		ID:   "READ-001/text",
		Rule: "Text of every kind is read back byte for byte, wherever it is stored.",
		Run:  textByteForByte,
	}, {
		ID:   "READ-001/long-text",
		Rule: "Text of the greatest lengths is read back byte for byte.",
		Run:  longText,
	}, {
		ID:   "READ-001/names-apart",
		Rule: "Names with a difference in any byte are different keywords.",
		Run:  namesApart,
	}, {
		ID:   "READ-001/times",
		Rule: "Times are read back to the millisecond, in UTC, from year 1 to year 9999; zero times stay zero.",
		Run:  timesToMillisecond,
	}}
}

func textByteForByte(b *bench.Bench) {
	p := b.Create()
	for i, specimen := range bench.Texts() {
		name, text := specimen.What, specimen.Text
		p.Title = text
		comment := b.Comment(text)
		objects := b.Objects()
		objects.States[0].Name, objects.Priorities[0].Name, objects.Classifications[0].Name = text, text, text
		objects.Components[0].Name, objects.Milestones[0].Name, objects.Users[0].Name = text, text, text
		entry := b.Entry(p.ID)
		entry.Field, entry.From, entry.To = text, problem.LogText(text), problem.LogRef(b.ID(), text)
		saved, audited := b.Query(b.Author), b.Audited()
		saved.Name, saved.Predicate, saved.Sort = text, text, text
		audited.Name, audited.Field, audited.From, audited.To = text, text, problem.LogText(text), problem.LogRef(b.ID(), text)
		change := b.Change(append(bench.PutAll(objects),
			store.PutQuery{Query: saved},
			store.AppendAudit{Entry: audited},
			store.UpdateProblem{Problem: p},
			store.PutSavepoint{Problem: p},
			store.AddComment{Problem: p.ID, Comment: comment},
			store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: text, Value: problem.Text(text)}},
		)...)
		change.Log = []problem.LogEntry{entry}
		b.Commit(change)

		s := b.Load(p.ID, bench.Everything)
		b.Equal("the problem with "+name, p, s.Problem)
		b.Equal("the savepoint with "+name, snapshot.Savepoint{Batch: change.Batch, Problem: p}, last(s.Savepoints))
		b.Equal("the comment with "+name, comment, last(s.Comments))
		b.Equal("the log entry with "+name, entry, last(s.Log))
		values := make(map[string]problem.NullText)
		for _, k := range s.Keywords {
			values[k.Name] = k.Value
		}
		b.Equal("the keyword with "+name, problem.Text(text), values[text])
		b.View(func(r store.Reader) error {
			c, err := r.Catalogue(b.Ctx)
			if err != nil {
				return err
			}
			state, _ := c.State(objects.States[0].ID)
			b.Equal("the state with "+name, objects.States[0], state)
			milestone, _ := c.Milestone(objects.Milestones[0].ID)
			b.Equal("the milestone with "+name, objects.Milestones[0], milestone)
			person, _ := c.User(objects.Users[0].ID)
			b.Equal("the user with "+name, objects.Users[0], person)
			query, _, err := r.SavedQuery(b.Ctx, saved.ID)
			if err != nil {
				return err
			}
			b.Equal("the saved query with "+name, saved, query)
			entries, err := r.Audit(b.Ctx, i, 1)
			if err != nil {
				return err
			}
			b.Equal("the audit entry with "+name, audited, last(entries))
			return nil
		})
	}
	b.Image() // compares Dossiers with Problem
}

func longText(b *bench.Bench) {
	p := b.Problem(b.Reserve())
	p.Title = strings.Repeat("\U0001f600", 1000)
	keyword := problem.Keyword{Name: strings.Repeat("\U0001f468", 255), Value: problem.Text(strings.Repeat("v\u2028'\\", 64<<10/6))}
	comment := b.Comment(strings.Repeat("0123456789abcde\n", 64<<10))
	entry := b.Entry(p.ID)
	entry.Field, entry.From, entry.To = keyword.Name, problem.LogText(keyword.Value.String), problem.LogText(comment.Text)
	change := b.Change(store.CreateProblem{Problem: p}, store.PutSavepoint{Problem: p},
		store.PutKeyword{Problem: p.ID, Keyword: keyword}, store.AddComment{Problem: p.ID, Comment: comment})
	change.Log = []problem.LogEntry{entry}
	b.Commit(change)
	b.Equal("the problem", snapshot.Snapshot{
		Batch:      change.Batch,
		Problem:    p,
		Keywords:   []problem.Keyword{keyword},
		Comments:   []problem.Comment{comment},
		Log:        []problem.LogEntry{entry},
		Savepoints: []snapshot.Savepoint{{Batch: change.Batch, Problem: p}},
	}, b.Load(p.ID, bench.Everything))
}

func namesApart(b *bench.Bench) {
	p := b.Create()
	names := []string{"a", "A", "a ", " a", "a\u0301", "\u00e1", "\u0101", "\uff41", "ss", "\u00df", "SS", "i", "I", "\u0131", "\u0130", "k", "\u212a", "01", "1", "1.0"}
	for i, name := range names {
		b.Do(store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: name, Value: problem.Text(fmt.Sprint(i))}})
	}
	for left := len(names); left > 0; left-- {
		got := b.Load(p.ID, snapshot.Keywords).Keywords
		if len(got) != left {
			b.Failf("%d keywords are seen where %d were expected", len(got), left)
		}
		for _, k := range got {
			var i int
			if _, err := fmt.Sscan(k.Value.String, &i); err != nil || names[i] != k.Name {
				b.Failf("the keyword %+q has the value %q of another", k.Name, k.Value.String)
			}
		}
		b.Do(store.DropKeyword{Problem: p.ID, Name: names[left-1]})
	}
}

func timesToMillisecond(b *bench.Bench) {
	for _, at := range bench.Times() {
		p := b.Problem(b.Reserve())
		p.Created, p.Modified, p.Resolved = at, at, at
		comment := b.Comment("at another time")
		comment.Created = at
		entry := b.Entry(p.ID)
		entry.Created = at
		objects := b.Objects()
		objects.Milestones[0].Created, objects.Milestones[0].Start, objects.Milestones[0].End = at, at, at
		token := b.Token()
		token.Created, token.Expires, token.Revoked, token.LastUse = at, at, at, at
		saved, audited := b.Query(b.Author), b.Audited()
		saved.Created, audited.Created = at, at
		change := b.Change(store.CreateProblem{Problem: p}, store.AddComment{Problem: p.ID, Comment: comment},
			store.PutQuery{Query: saved}, store.AppendAudit{Entry: audited},
			store.PutSavepoint{Problem: p}, store.PutMilestone{Milestone: objects.Milestones[0]}, store.PutToken{Token: token})
		change.Log = []problem.LogEntry{entry}
		b.Commit(change)
		s := b.Load(p.ID, bench.Everything)
		b.Equal("the problem", p, s.Problem)
		b.Equal("the comment", comment, last(s.Comments))
		b.Equal("the log entry", entry, last(s.Log))
		b.Equal("the savepoint", p, last(s.Savepoints).Problem)
		image := b.Image()
		b.Equal("the token", token, last(image.Tokens))
		b.Equal("the saved query", saved, last(image.Queries))
		b.Equal("the audit entry", audited, last(image.Audit))
		found := false
		for _, m := range image.Content.Milestones {
			if m.ID == objects.Milestones[0].ID {
				found = true
				b.Equal("the milestone", objects.Milestones[0], m)
			}
		}
		b.Equal("whether the milestone is there", true, found)
	}
}

// last returns the last element, or the zero value when there is none.
func last[E any](s []E) (e E) {
	if len(s) > 0 {
		e = s[len(s)-1]
	}
	return e
}
