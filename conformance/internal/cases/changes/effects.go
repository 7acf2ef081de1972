package changes

import (
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// Effect are about each type of effect by itself.
func Effect() []bench.Case {
	return []bench.Case{{
		ID:   "READ-001/create-problem",
		Rule: "A created problem is read back as it was given, with nothing beside it.",
		Run:  createProblem,
	}, {
		ID:   "READ-001/update-problem",
		Rule: "An update replaces all fields of one problem, and none of its parts.",
		Run:  updateProblem,
	}, {
		ID:   "READ-001/savepoint",
		Rule: "A savepoint is read back as the given problem, with the batch of its Change, and does not change the problem.",
		Run:  putSavepoint,
	}, {
		ID:   "READ-001/comment",
		Rule: "A comment is read back as it was given; its HTML can be null or empty, and the two are different.",
		Run:  addComment,
	}, {
		ID:   "READ-001/put-comment",
		Rule: "PutComment replaces a comment in its place, also by a deleted one; all others stay.",
		Run:  putComment,
	}, {
		ID:   "READ-001/put-claim",
		Rule: "PutClaim replaces the claim of one problem, or ends it, and leaves all else as it is; a later write of the problem leaves the claim.",
		Run:  putClaim,
	}, {
		ID:   "READ-001/put-attachment",
		Rule: "PutAttachment adds a record behind the others of its problem, or replaces the one with its identifier in its place.",
		Run:  putAttachment,
	}, {
		ID:   "READ-028",
		Rule: "Rewrite replaces the texts of the named log entries and savepoints, and of their events, and nothing else.",
		Run:  rewriteTexts,
	}, {
		ID:   "READ-030",
		Rule: "RewriteAudit replaces the names and values of the named entries of the audit log, and of their events, and nothing else.",
		Run:  rewriteAudit,
	}, {
		ID:   "READ-029",
		Rule: "EmptyReplies empties the replies about a problem, or about one comment of it, and no others.",
		Run:  emptyReplies,
	}, {
		ID:   "FEED-002/rewritten",
		Rule: "The feed has the new texts of rewritten entries, under the same numbers, whether it was read before or not.",
		Run:  rewriteFeed,
	}, {
		ID:   "READ-001/put-keyword",
		Rule: "A keyword replaces one with the same name and leaves all others; its value can be null or empty, and the two are different.",
		Run:  putKeyword,
	}, {
		ID:   "READ-001/drop-keyword",
		Rule: "DropKeyword removes the keyword of the exact name from the problem; when there is none it does nothing.",
		Run:  dropKeyword,
	}, {
		ID:   "READ-001/relationship",
		Rule: "Two problems can have a relationship of every type, and each side is read back as it was given.",
		Run:  putRelationship,
	}, {
		ID:   "READ-001/drop-relationship",
		Rule: "DropRelationship removes exactly one side; when it is not there it does nothing; afterwards it can be put again.",
		Run:  dropRelationship,
	}, {
		ID:   "READ-001/watch",
		Rule: "Watch makes one user a watcher of one problem, once; Unwatch removes this watcher alone, from this problem alone, and leaves the read mark; both succeed when there is nothing to do.",
		Run:  watchAndUnwatch,
	}, {
		ID:   "READ-001/mark-read",
		Rule: "MarkRead sets and removes the mark of one user on one problem, and does not mind when there is nothing to do.",
		Run:  markRead,
	}, {
		ID:   "READ-001/forget-reads",
		Rule: "ForgetReads removes the read marks of all users but one from one problem, and sets none.",
		Run:  forgetReads,
	}, {
		ID:   "READ-001/read-by-assignee",
		Rule: "ReadByAssignee is true if the assignee has read the problem, for every asking user, and false without an assignee.",
		Run:  readByAssignee,
	}, {
		ID:   "READ-001/metadata",
		Rule: "Metadata objects and users are read back as they were given.",
		Run:  putMetadata,
	}, {
		ID:   "READ-001/replace-metadata",
		Rule: "A metadata object or user replaces the one with its identifier, every member of it.",
		Run:  replaceMetadata,
	}, {
		ID:   "READ-001/token",
		Rule: "A token is read back as it was given, with its times or without.",
		Run:  putToken,
	}, {
		ID:   "READ-031",
		Rule: "MarkUsed sets the last use of one token, unless it has a later one, and changes nothing else, nor a version.",
		Run:  markUsed,
	}, {
		ID:   "READ-001/audit",
		Rule: "An entry of the audit log is read back as it was given, with its author and values or without.",
		Run: func(b *bench.Bench) {
			for _, e := range b.Trail(3) {
				does(b, []store.Effect{store.AppendAudit{Entry: e}}, func(want *bench.Image) { want.Audit = append(want.Audit, e) })
			}
		},
	}, {
		ID:   "READ-001/query",
		Rule: "A saved query is read back as it was given, in the place of the one with its identifier or after the others; DropQuery removes it, if it is there.",
		Run:  queryEffects,
	}, {
		ID:   "READ-001/session",
		Rule: "A session is read back as it was given, in the place of the one with its identifier or after the others; DropSession removes it, if it is there.",
		Run:  sessionEffects,
	}, {
		ID:   "READ-001/webhook",
		Rule: "The settings of a webhook are read back as they were given, in the place of those with their identifier or after the others, and leave its progress; DropWebhook removes both, if they are there.",
		Run:  webhookEffects,
	}, {
		ID:   "READ-001/progress",
		Rule: "The progress of a webhook is read back as it was given, and leaves its settings; without the webhook PutProgress does nothing.",
		Run:  progressEffects,
	}, {
		ID:   "READ-001/reply",
		Rule: "A reply is read back byte for byte, with any body.",
		Run:  putReply,
	}, {
		ID:   "READ-001/log",
		Rule: "A log entry is read back as it was given, from its problem.",
		Run:  logEntry,
	}, {
		ID:   "READ-001/expire",
		Rule: "Expire forgets the batches and replies from before its time, and no others.",
		Run:  expireBatches,
	}}
}

func createProblem(b *bench.Bench) {
	for _, p := range []problem.Problem{
		b.Problem(b.Reserve()),
		{ID: b.Reserve(), Fields: problem.Fields{Title: "only what is needed", State: b.ID()}, Originator: b.ID(), Created: b.Now(), Modifier: b.ID(), Modified: b.Now(), Revision: 1},
	} {
		does(b, []store.Effect{store.CreateProblem{Problem: p}}, func(want *bench.Image) {
			want.Problems[p.ID] = snapshot.Snapshot{Problem: p, Catalogue: want.Catalogue}
		})
	}
}

func updateProblem(b *bench.Bench) {
	p := b.Furnished()
	q := b.Furnished()
	next := b.Problem(p.ID)
	next.Title, next.Revision = "Another title", 1<<40
	does(b, []store.Effect{store.UpdateProblem{Problem: next}}, func(want *bench.Image) {
		bench.Update(want, next)
	})
	bare := problem.Problem{ID: q.ID, Fields: problem.Fields{Title: "bare", State: b.ID()}, Revision: 2,
		Originator: b.ID(), Created: b.Now(), Modifier: b.ID(), Modified: b.Now()}
	does(b, []store.Effect{store.UpdateProblem{Problem: bare}}, func(want *bench.Image) {
		bench.Update(want, bare)
	})
}

func putSavepoint(b *bench.Bench) {
	p := b.Furnished()
	saved := b.Problem(p.ID)
	saved.Revision = 7
	change := b.Change(store.PutSavepoint{Problem: saved})
	changes(b, change, func(want *bench.Image) {
		bench.Edit(want, p.ID, func(s *snapshot.Snapshot) {
			s.Savepoints = append(s.Savepoints, snapshot.Savepoint{Batch: change.Batch, Problem: saved})
		})
	})
}

func addComment(b *bench.Bench) {
	p := b.Furnished()
	for _, html := range []problem.NullText{{}, problem.Text(""), problem.Text("<b>bold</b>")} {
		comment := b.Comment("text")
		comment.HTML = html
		does(b, []store.Effect{store.AddComment{Problem: p.ID, Comment: comment}}, func(want *bench.Image) {
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) { s.Comments = append(s.Comments, comment) })
		})
	}
}

func putComment(b *bench.Bench) {
	p := b.Furnished()
	comment := b.Comment("text")
	b.Do(store.AddComment{Problem: p.ID, Comment: comment}, store.AddComment{Problem: p.ID, Comment: b.Comment("after")})
	edited := comment
	edited.Text, edited.HTML, edited.Edited, edited.Editor = "edited", problem.NullText{}, b.Now(), b.ID()
	for _, now := range []problem.Comment{edited, comment, edited, comment.Place()} {
		does(b, []store.Effect{store.PutComment{Problem: p.ID, Comment: now}}, func(want *bench.Image) {
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) { s.Comments[len(s.Comments)-2] = now })
		})
	}
}

func putClaim(b *bench.Bench) {
	p := b.Furnished()
	first := b.Claim()
	for _, put := range []problem.Claim{first, {ID: first.ID, Holder: first.Holder, Expires: b.Now().Add(time.Hour)}, b.Claim(), {}, first} {
		does(b, []store.Effect{store.PutClaim{Problem: p.ID, Claim: put}}, func(want *bench.Image) {
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) { s.Claim = put })
		})
	}
	p.Revision++
	b.Do(store.UpdateProblem{Problem: p})
	b.Equal("the claim after a write of the problem", first, b.Load(p.ID, 0).Claim)
	b.Refuse("a claim of a missing problem", fault.Conflict, b.Change(store.PutClaim{Problem: b.Reserve(), Claim: b.Claim()}))
}

func putAttachment(b *bench.Bench) {
	p := b.Furnished()
	first, second := b.Attachment(), b.Attachment()
	for _, put := range []problem.Attachment{first, second} {
		does(b, []store.Effect{store.PutAttachment{Problem: p.ID, Attachment: put}}, func(want *bench.Image) {
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) { s.Attachments = append(s.Attachments, put) })
		})
	}
	for _, put := range []problem.Attachment{
		{ID: first.ID, Name: "other", MediaType: "text/plain", Bytes: 2, Digest: bench.Fingerprint(2), Author: b.ID(), Created: b.Now()},
		{ID: first.ID, Created: b.Now()},
		first,
	} {
		does(b, []store.Effect{store.PutAttachment{Problem: p.ID, Attachment: put}}, func(want *bench.Image) {
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) { s.Attachments[len(s.Attachments)-2] = put })
		})
	}
}

func putKeyword(b *bench.Bench) {
	p := b.Furnished()
	for _, keyword := range []problem.Keyword{
		{Name: "new", Value: problem.Text("value")},
		{Name: "new"},
		{Name: "new", Value: problem.Text("")},
		{Name: "NEW", Value: problem.Text("other case")},
		{Name: "new", Value: problem.Text("again")},
		{Name: "ne", Value: problem.Text("a prefix")},
	} {
		does(b, []store.Effect{store.PutKeyword{Problem: p.ID, Keyword: keyword}}, func(want *bench.Image) {
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) {
				s.Keywords = slices.DeleteFunc(s.Keywords, func(k problem.Keyword) bool { return k.Name == keyword.Name })
				s.Keywords = append(s.Keywords, keyword)
				slices.SortFunc(s.Keywords, func(a, b problem.Keyword) int { return strings.Compare(a.Name, b.Name) })
			})
		})
	}
}

func dropKeyword(b *bench.Bench) {
	p := b.Furnished()
	b.Furnished()
	does(b, []store.Effect{store.DropKeyword{Problem: p.ID, Name: "area"}}, func(want *bench.Image) {
		bench.Edit(want, p.ID, func(s *snapshot.Snapshot) {
			s.Keywords = slices.DeleteFunc(s.Keywords, func(k problem.Keyword) bool { return k.Name == "area" })
		})
	})
	does(b, []store.Effect{store.DropKeyword{Problem: p.ID, Name: "area"}}, nothing)
	does(b, []store.Effect{store.DropKeyword{Problem: p.ID, Name: "PRICE"}}, nothing)
}

func putRelationship(b *bench.Bench) {
	p, q := b.Create(), b.Create()
	for _, t := range relationship.Types() {
		side := relationship.Relationship{Owner: p.ID, Type: t, Other: q.ID, Created: b.Now(), Author: b.ID()}
		does(b, []store.Effect{store.PutRelationship{Relationship: side}}, func(want *bench.Image) {
			want.Neighbours[t] = append(want.Neighbours[t], side)
			slices.SortFunc(want.Neighbours[t], bench.CompareSides)
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) {
				s.Relationships = append(s.Relationships, snapshot.Related{Relationship: side, OtherTitle: q.Title, OtherState: q.State})
			})
		})
	}
}

func dropRelationship(b *bench.Bench) {
	p, q, third := b.Create(), b.Create(), b.Create()
	b.Do(b.Pair(p.ID, relationship.ParentOf, q.ID)...)
	b.Do(b.Pair(p.ID, relationship.ParentOf, third.ID)...)
	b.Do(b.Pair(p.ID, relationship.ChildOf, q.ID)...)
	drop := []store.Effect{store.DropRelationship{Owner: p.ID, Type: relationship.ParentOf, Other: q.ID}}
	gone := func(r relationship.Relationship) bool { return r.Owner == p.ID && r.Other == q.ID }
	does(b, drop, func(want *bench.Image) {
		want.Neighbours[relationship.ParentOf] = slices.DeleteFunc(want.Neighbours[relationship.ParentOf], gone)
		bench.Edit(want, p.ID, func(s *snapshot.Snapshot) {
			s.Relationships = slices.DeleteFunc(s.Relationships, func(r snapshot.Related) bool {
				return r.Type == relationship.ParentOf && r.Other == q.ID
			})
		})
	})
	does(b, drop, nothing)
	does(b, []store.Effect{store.DropRelationship{Owner: p.ID, Type: relationship.RelatedTo, Other: q.ID}}, nothing)
	b.Do(b.Pair(p.ID, relationship.ParentOf, q.ID)[0])
}

func watchAndUnwatch(b *bench.Bench) {
	p, other := b.Furnished(), b.Furnished()
	who := b.ID()
	b.Do(store.Watch{Problem: other.ID, User: who}, store.MarkRead{Problem: p.ID, User: who, Read: true}, store.MarkRead{Problem: other.ID, User: who, Read: true})
	watch, unwatch := store.Watch{Problem: p.ID, User: who}, store.Unwatch{Problem: p.ID, User: who}
	watching := func(want *bench.Image) {
		want.Watching[bench.Mark{Problem: p.ID, User: who}] = true
		bench.Edit(want, p.ID, func(s *snapshot.Snapshot) {
			s.Watchers = append(s.Watchers, who)
			slices.SortFunc(s.Watchers, ident.ID.Compare)
		})
	}
	does(b, []store.Effect{watch}, watching)
	does(b, []store.Effect{watch}, nothing)
	does(b, []store.Effect{unwatch}, func(want *bench.Image) {
		want.Watching[bench.Mark{Problem: p.ID, User: who}] = false
		bench.Edit(want, p.ID, func(s *snapshot.Snapshot) {
			s.Watchers = slices.DeleteFunc(s.Watchers, func(id ident.ID) bool { return id == who })
		})
	})
	does(b, []store.Effect{unwatch}, nothing)
	does(b, []store.Effect{watch, watch}, watching)
}

func markRead(b *bench.Bench) {
	p := b.Furnished()
	b.Furnished()
	who := b.ID()
	for _, read := range []bool{false, true, true, false, true} {
		does(b, []store.Effect{store.MarkRead{Problem: p.ID, User: who, Read: read}}, func(want *bench.Image) {
			want.Read[bench.Mark{Problem: p.ID, User: who}] = read
		})
	}
}

func forgetReads(b *bench.Bench) {
	p, q := b.Create(), b.Create()
	users := []ident.ID{b.ID(), b.ID(), b.ID()}
	for _, but := range []ident.ID{users[1], users[0], b.ID(), ident.None} {
		for _, u := range users {
			b.Do(store.MarkRead{Problem: p.ID, User: u, Read: true}, store.MarkRead{Problem: q.ID, User: u, Read: true})
		}
		does(b, []store.Effect{store.ForgetReads{Problem: p.ID, But: but}}, func(want *bench.Image) {
			for _, u := range users {
				want.Read[bench.Mark{Problem: p.ID, User: u}] = u == but
			}
		})
	}
}

func readByAssignee(b *bench.Bench) {
	p := b.Create()
	assignee, other := p.Assignee, b.ID()
	expect := func(want bool) {
		b.Helper()
		for _, as := range []ident.ID{assignee, other, ident.None} {
			b.Equal("ReadByAssignee", want, b.LoadAs(p.ID, as, 0).ReadByAssignee)
		}
	}
	expect(false)
	b.Do(store.MarkRead{Problem: p.ID, User: other, Read: true})
	expect(false)
	b.Do(store.MarkRead{Problem: p.ID, User: assignee, Read: true})
	expect(true)
	p.Assignee = ident.None
	b.Do(store.UpdateProblem{Problem: p})
	expect(false)
	p.Assignee = other
	b.Do(store.UpdateProblem{Problem: p})
	expect(true)
}

func putMetadata(b *bench.Bench) {
	for range 3 {
		o := b.Objects()
		does(b, []store.Effect{
			store.PutState{State: o.States[0]}, store.PutPriority{Priority: o.Priorities[0]},
			store.PutClassification{Classification: o.Classifications[0]}, store.PutComponent{Component: o.Components[0]},
			store.PutMilestone{Milestone: o.Milestones[0]}, store.PutUser{User: o.Users[0]},
		}, func(want *bench.Image) { want.Put(o) })
	}
}

func replaceMetadata(b *bench.Bench) {
	first := b.Objects()
	b.Do(bench.PutAll(first)...)
	b.Do(bench.PutAll(b.Objects())...)
	for _, next := range []metadata.Content{b.Objects(), bench.Bare(b.Objects())} {
		next.States[0].ID = first.States[0].ID
		next.Priorities[0].ID = first.Priorities[0].ID
		next.Classifications[0].ID = first.Classifications[0].ID
		next.Components[0].ID = first.Components[0].ID
		next.Milestones[0].ID = first.Milestones[0].ID
		next.Users[0].ID = first.Users[0].ID
		b.Do(bench.PutAll(next)...)
		b.View(func(r store.Reader) error {
			c, err := r.Catalogue(b.Ctx)
			if err != nil {
				return err
			}
			state, _ := c.State(first.States[0].ID)
			b.Equal("the state", next.States[0], state)
			priority, _ := c.Priority(first.Priorities[0].ID)
			b.Equal("the priority", next.Priorities[0], priority)
			classification, _ := c.Classification(first.Classifications[0].ID)
			b.Equal("the classification", next.Classifications[0], classification)
			component, _ := c.Component(first.Components[0].ID)
			b.Equal("the component", next.Components[0], component)
			milestone, _ := c.Milestone(first.Milestones[0].ID)
			b.Equal("the milestone", next.Milestones[0], milestone)
			person, _ := c.User(first.Users[0].ID)
			b.Equal("the user", next.Users[0], person)
			b.Equal("the number of states", 2, len(c.Content().States))
			b.Equal("the number of users", 2, len(c.Content().Users))
			return nil
		})
	}
}

func putToken(b *bench.Bench) {
	full, lasting := b.Token(), b.Token()
	lasting.Expires, lasting.Revoked, lasting.Scope, lasting.Invitation, lasting.Name, lasting.LastUse = time.Time{}, time.Time{}, access.Read, false, "", time.Time{}
	for _, t := range []access.Token{full, lasting} {
		does(b, []store.Effect{store.PutToken{Token: t}}, func(want *bench.Image) {
			want.Versions.Access.Number++
			want.Tokens = append(want.Tokens, t)
		})
	}
}

func markUsed(b *bench.Bench) {
	used, fresh := b.Token(), b.Token()
	fresh.LastUse = time.Time{}
	b.Do(store.PutToken{Token: used}, store.PutToken{Token: fresh})
	later := used.LastUse.Add(time.Minute)
	for i, at := range []time.Time{later, later.Add(time.Hour)} {
		for n, t := range []access.Token{used, fresh} {
			does(b, []store.Effect{store.MarkUsed{Token: t.ID, At: at}}, func(want *bench.Image) { want.Tokens[n].LastUse = at })
			does(b, []store.Effect{store.MarkUsed{Token: t.ID, At: later.Add(-time.Duration(i+1) * time.Second)}}, nothing)
		}
	}
	does(b, []store.Effect{store.MarkUsed{Token: b.ID(), At: later}}, nothing)
}

func queryEffects(b *bench.Bench) {
	queries := b.Queries(3)
	for _, q := range queries {
		does(b, []store.Effect{store.PutQuery{Query: q}}, func(want *bench.Image) { want.Queries = append(want.Queries, q) })
	}
	next := b.Query(b.ID())
	next.ID, next.Sort = queries[1].ID, ""
	does(b, []store.Effect{store.PutQuery{Query: next}}, func(want *bench.Image) { want.Queries[1] = next })
	drop := []store.Effect{store.DropQuery{ID: queries[0].ID}}
	does(b, drop, func(want *bench.Image) { want.Queries = want.Queries[1:] })
	does(b, drop, nothing)
	does(b, []store.Effect{store.DropQuery{ID: b.ID()}}, nothing)
}

func sessionEffects(b *bench.Bench) {
	sessions := []access.Session{b.Session(b.Author), b.Session(b.ID()), b.Session(b.Author)}
	sessions[2].Token, sessions[2].Agent = ident.None, ""
	for _, s := range sessions {
		does(b, []store.Effect{store.PutSession{Session: s}}, func(want *bench.Image) { want.Sessions = append(want.Sessions, s) })
	}
	next := b.Session(b.ID())
	next.ID, next.Token = sessions[1].ID, ident.None
	does(b, []store.Effect{store.PutSession{Session: next}}, func(want *bench.Image) { want.Sessions[1] = next })
	drop := []store.Effect{store.DropSession{ID: sessions[0].ID}}
	does(b, drop, func(want *bench.Image) { want.Sessions = want.Sessions[1:] })
	does(b, drop, nothing)
	does(b, []store.Effect{store.DropSession{ID: b.ID()}}, nothing)
}

func webhookEffects(b *bench.Bench) {
	hooks := []webhook.Endpoint{b.Endpoint(), b.Endpoint(), b.Endpoint()}
	hooks[2] = webhook.Endpoint{ID: hooks[2].ID, Version: b.ID(), Owner: b.ID(), Created: b.Now(), URL: "http://a", OnFailure: webhook.Wait}
	for _, e := range hooks {
		does(b, []store.Effect{store.PutWebhook{Endpoint: e}}, func(want *bench.Image) { want.Webhooks = append(want.Webhooks, webhook.Webhook{Endpoint: e}) })
	}
	p := b.Progress()
	does(b, []store.Effect{store.PutProgress{Webhook: hooks[1].ID, Progress: p}}, func(want *bench.Image) { want.Webhooks[1].Progress = p })
	next := b.Endpoint()
	next.ID, next.Types, next.Predicate, next.Active = hooks[1].ID, nil, "", false
	does(b, []store.Effect{store.PutWebhook{Endpoint: next}}, func(want *bench.Image) { want.Webhooks[1].Endpoint = next })
	drop := []store.Effect{store.DropWebhook{ID: hooks[1].ID}}
	does(b, drop, func(want *bench.Image) { want.Webhooks = append(want.Webhooks[:1:1], want.Webhooks[2:]...) })
	does(b, drop, nothing)
	does(b, []store.Effect{store.DropWebhook{ID: b.ID()}}, nothing)
}

func progressEffects(b *bench.Bench) {
	e := b.Endpoint()
	b.Do(store.PutWebhook{Endpoint: e}, store.PutWebhook{Endpoint: b.Endpoint()})
	for _, p := range []webhook.Progress{b.Progress(), {}, {Epoch: 1, State: webhook.Active}, b.Progress()} {
		does(b, []store.Effect{store.PutProgress{Webhook: e.ID, Progress: p}}, func(want *bench.Image) { want.Webhooks[0].Progress = p })
	}
	does(b, []store.Effect{store.PutProgress{Webhook: b.ID(), Progress: b.Progress()}}, nothing)
	b.Do(store.DropWebhook{ID: e.ID})
	does(b, []store.Effect{store.PutProgress{Webhook: e.ID, Progress: b.Progress()}}, nothing)
}

func putReply(b *bench.Bench) {
	who := b.ID()
	for i, body := range [][]byte{nil, {0, 1, 255, 0}, []byte("\xff\xfe not UTF-8"), make([]byte, 1<<20)} {
		reply := store.Reply{User: who, Key: strings.Repeat("k!~", i+1), Fingerprint: bench.Fingerprint(byte(i)), Created: b.Now(), Body: body}
		does(b, []store.Effect{store.KeepReply{Reply: reply}}, func(want *bench.Image) {
			want.Replies[bench.ReplyKey{User: reply.User, Key: reply.Key}] = reply
		})
	}
}

func logEntry(b *bench.Bench) {
	p := b.Furnished()
	b.Furnished()
	full := b.Entry(p.ID)
	created := problem.LogEntry{ID: b.ID(), Problem: p.ID, Type: problem.ProblemCreated, Created: b.Now(), Author: b.ID(), Batch: b.ID(),
		Revision: 1 << 40,
		To:       problem.LogObject(problem.LogMember{Name: "title", Value: problem.LogText("<&>\u2028")}, problem.LogMember{Name: "a", Value: "1.50"})}
	change := b.Change()
	change.Log = []problem.LogEntry{full, created}
	changes(b, change, func(want *bench.Image) {
		bench.Edit(want, p.ID, func(s *snapshot.Snapshot) { s.Log = append(s.Log, full, created) })
	})
}

func expireBatches(b *bench.Bench) {
	who, before := b.ID(), b.Now().Add(time.Hour)
	old, young := steps.Probe(b), steps.Probe(b)
	old.At, young.At = before.Add(-time.Millisecond), before
	b.Commit(old)
	receipt := b.Commit(young)
	for _, reply := range []store.Reply{{Key: "old", Created: old.At}, {Key: "young", Created: young.At}, {Key: "later", Created: before.Add(time.Hour)}} {
		reply.User, reply.Body = who, []byte(reply.Key)
		b.Do(store.KeepReply{Reply: reply})
	}
	expire := b.Change(store.Expire{Before: before})
	expire.At = before.Add(time.Hour)
	changes(b, expire, func(want *bench.Image) { delete(want.Replies, bench.ReplyKey{User: who, Key: "old"}) })
	again, stored, err := b.Store.Outcome(b.Ctx, young.Batch, b.Now())
	b.Must("Outcome", err)
	b.Equal("whether the younger batch is stored", true, stored)
	b.Equal("the receipt of the younger batch", receipt, again)
	_, stored, err = b.Store.Outcome(b.Ctx, old.Batch, b.Now())
	b.Must("Outcome", err)
	b.Equal("whether the forgotten batch is known", false, stored)
}

// does commits a change of the given effects: see changes.
func does(b *bench.Bench, effects []store.Effect, edit func(want *bench.Image)) {
	b.Helper()
	changes(b, b.Change(effects...), edit)
}

// changes commits the change. It ends the case unless the content afterwards is the
// edited content from before, with the batch of the change.
func changes(b *bench.Bench, change store.Change, edit func(want *bench.Image)) {
	b.Helper()
	b.Seen.Add(change)
	want := b.Image()
	edit(&want)
	bench.Stamp(&want, change)
	b.Commit(change)
	b.Equal("what is stored", want, b.Image())
}

func nothing(*bench.Image) {}
