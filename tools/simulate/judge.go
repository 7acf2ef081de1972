package simulate

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// content is everything stored at the end.
type content struct {
	problems  []store.Dossier
	metadata  metadata.Content
	catalogue *metadata.Catalogue
	tokens    []access.Token
	audit     []audit.Entry
}

// judge compares the content with the clients' knowledge, once nothing fails any more.
func (w *world) judge() {
	all := w.readAll()
	w.judgeClaims(all)
	w.judgeRegisters(all)
	w.judgeNumbers()
	w.judgeNames(all)
	w.judgeTokens(all)
	w.judgeAudit(all)
	for _, d := range all.problems {
		w.judgeHistory(d)
		w.judgeReferences(d, all.catalogue)
		w.judgeTitles(d)
	}
	w.judgeRelationships(all)
	w.judgeAnswers(all)
}

func (w *world) readAll() (all content) {
	ctx := context.Background()
	seen, _ := w.cluster.look()
	err := seen.View(ctx, func(r store.Reader) (err error) {
		if all.problems, err = r.Dossiers(ctx, 0, 10_000); err != nil {
			return err
		}
		if all.catalogue, err = r.Catalogue(ctx); err != nil {
			return err
		}
		all.metadata = all.catalogue.Content()
		if all.tokens, err = r.Tokens(ctx); err != nil {
			return err
		}
		all.audit, err = r.Audit(ctx, 0, 10_000)
		return err
	})
	if err != nil {
		panic("simulate: the store cannot be read in the end: " + err.Error())
	}
	return all
}

// count breaks a rule when a write is not stored as often as its claim allows.
func (w *world) count(c *claim, stored int, what string) {
	say := func(rule Rule) {
		w.ledger.breaks(rule, "operation %d, client %d: %s, by the answers %s, is stored %d times", c.op.ID, c.op.Client, what, c.result, stored)
	}
	switch {
	case c.result == acked && stored == 0:
		say(Lost)
	case stored > 1:
		say(Duplicate)
	case (c.result == refused || c.result == notDone) && stored > 0:
		say(Resurrected)
	}
}

// String returns the result in words.
func (r result) String() string {
	return [...]string{"not done", "of unknown outcome", "acknowledged", "refused"}[r]
}

func (w *world) judgeClaims(all content) {
	created, comments, titles := map[string]int{}, map[string]int{}, map[string]int{}
	where := map[string][]int64{}
	for _, d := range all.problems {
		created[d.Savepoints[0].Title]++
		for _, k := range d.Comments {
			comments[k.Text]++
		}
		for _, e := range d.Log {
			if e.Field == "title" {
				title, _ := strconv.Unquote(e.To.JSON())
				if !slices.Contains(where[title], int64(d.ID)) {
					titles[title] = max(titles[title], 1)
					where[title] = append(where[title], int64(d.ID))
				} else {
					titles[title]++
				}
			}
		}
	}
	for i := range problems {
		delete(created, firstTitle(i))
	}
	for _, c := range w.ledger.claims {
		text := c.op.text()
		switch c.op.Kind {
		case Create, CreatePlain:
			w.count(c, created[text], "a problem")
			delete(created, text)
		case Comment:
			w.count(c, comments[text], "a comment")
			delete(comments, text)
		case Retitle, RetitleTwo:
			w.count(c, titles[text], "a title")
			delete(titles, text)
			if c.op.Kind == RetitleTwo {
				w.judgeTwo(c, where[text])
			}
		}
	}
	for _, left := range []map[string]int{created, comments, titles} {
		for text := range left {
			w.ledger.breaks(Phantom, "nobody has written %q", text)
		}
	}
}

// judgeTwo sees whether both problems were changed, or none.
func (w *world) judgeTwo(c *claim, where []int64) {
	if len(where) == 1 {
		w.ledger.breaks(Torn, "operation %d changes two problems: of both, %d alone was", c.op.ID, where[0])
	}
	for _, id := range c.problems {
		if len(where) > 0 && !slices.Contains(where, id) {
			w.ledger.breaks(Lost, "operation %d: problem %d was changed, by its answer, and is not", c.op.ID, id)
		}
	}
}

func (w *world) judgeRegisters(all content) {
	for _, d := range all.problems {
		id := int64(d.ID)
		for _, k := range d.Keywords {
			if client, ok := strings.CutPrefix(k.Name, "keyword-"); ok {
				w.judgeRegister(fmt.Sprintf("keyword-%s of problem %d", client, id), k.Value.String)
			}
		}
		for _, u := range d.Watchers {
			user, _ := all.catalogue.User(u)
			w.judgeRegister(fmt.Sprintf("%s watches %d", user.Email, id), linked)
		}
		for _, r := range d.Relationships {
			if r.Type == relationship.ParentOf {
				w.judgeRegister(fmt.Sprintf("problem %d ParentOf %d", id, r.Other), linked)
			}
		}
	}
	for i, id := range base().priorities {
		if register := w.ledger.registers[orderName(i)]; register != nil {
			for _, p := range all.metadata.Priorities {
				if p.ID.String() == id && p.Order >= 1000 {
					w.judgeRegister(orderName(i), strconv.Itoa(p.Order))
				}
			}
		}
	}
	for name, register := range w.ledger.registers {
		if !register.judged && !slices.Contains(register.possible, "") {
			w.ledger.breaks(Lost, "%s is not there, and can only be %q", name, register.possible)
		}
	}
}

func (w *world) judgeRegister(name, value string) {
	register := w.ledger.registers[name]
	if register == nil {
		w.ledger.breaks(Phantom, "%s is %q, which nobody has written", name, value)
		return
	}
	register.judged = true
	switch {
	case slices.Contains(register.possible, value):
	case len(register.possible) == 1 && register.possible[0] == "":
		w.ledger.breaks(Resurrected, "%s is %q, and must be gone", name, value)
	case !slices.Contains(register.possible, ""):
		w.ledger.breaks(Lost, "%s is %q, and can only be %q", name, value, register.possible)
	default:
		w.ledger.breaks(Resurrected, "%s is %q, and can only be %q", name, value, register.possible)
	}
}

// judgeNumbers checks for each problem created before the request for another one: it has
// the smaller number (D1).
func (w *world) judgeNumbers() {
	for _, a := range w.ledger.claims {
		for _, b := range w.ledger.claims {
			if a.number > 0 && b.number > 0 && a.answered.Before(b.sent) && a.number >= b.number {
				w.ledger.breaks(NumberBack, "operation %d has made problem %d, and operation %d thereafter problem %d", a.op.ID, a.number, b.op.ID, b.number)
			}
		}
	}
}

func (w *world) judgeNames(all content) {
	byName := map[Kind]map[string][]string{MakePriority: {}, MakeComponent: {}}
	for _, p := range all.metadata.Priorities {
		byName[MakePriority][p.Name] = append(byName[MakePriority][p.Name], p.ID.String())
	}
	for _, p := range all.metadata.Components {
		byName[MakeComponent][p.Name] = append(byName[MakeComponent][p.Name], p.ID.String())
	}
	for _, kind := range []Kind{MakePriority, MakeComponent} {
		for name, ids := range byName[kind] {
			if len(ids) > 1 {
				w.ledger.breaks(NameTwice, "%d objects are called %q", len(ids), name)
			}
		}
	}
	for _, c := range w.ledger.claims {
		if c.op.Kind != MakePriority && c.op.Kind != MakeComponent {
			continue
		}
		ids := byName[c.op.Kind][c.op.shared()]
		switch {
		case c.result == acked && !slices.Contains(ids, c.id):
			w.ledger.breaks(Lost, "operation %d has made %q as %s, and there is %q", c.op.ID, c.op.shared(), c.id, ids)
		case c.taken && len(ids) == 0:
			w.ledger.breaks(WrongRefusal, "operation %d was told that %q is taken, and it is not there", c.op.ID, c.op.shared())
		}
	}
}

func (w *world) judgeTokens(all content) {
	for _, c := range w.ledger.claims {
		if c.op.Kind != TokenLife {
			continue
		}
		stored := 0
		for _, t := range all.tokens {
			if !t.Expires.Equal(expiryOf(c.op)) {
				continue
			}
			stored++
			if c.revoked && t.ID.String() == c.id && t.Revoked.IsZero() {
				w.ledger.breaks(Resurrected, "operation %d: the token was revoked, and is valid", c.op.ID)
			}
		}
		w.count(c, stored, "a token")
	}
}

// judgeAudit sees whether each object was made once, by its log.
func (w *world) judgeAudit(all content) {
	made := map[ident.ID]int{}
	for _, e := range all.audit {
		if e.Type == audit.Created {
			made[e.Object]++
		}
	}
	for _, p := range all.metadata.Priorities {
		if made[p.ID] != 1 {
			w.ledger.breaks(Disorder, "by the audit log, priority %q was made %d times", p.Name, made[p.ID])
		}
	}
	for _, t := range all.tokens {
		if made[t.ID] != 1 {
			w.ledger.breaks(Disorder, "by the audit log, token %v was made %d times", t.ID, made[t.ID])
		}
	}
}

// judgeHistory sees whether the log of a problem tells its whole story.
func (w *world) judgeHistory(d store.Dossier) {
	bad := func(format string, args ...any) {
		w.ledger.breaks(Disorder, "problem %d: %s", d.ID, fmt.Sprintf(format, args...))
	}
	title := problem.LogText(d.Savepoints[0].Title)
	keywords := map[string]problem.LogValue{}
	revision := int64(0)
	batches := map[int64]ident.ID{}
	comments := 0
	for i, e := range d.Log {
		if e.Revision != revision && e.Revision != revision+1 {
			bad("entry %d is of revision %d, after one of %d", i, e.Revision, revision)
		}
		revision = e.Revision
		if batch, ok := batches[revision]; ok && batch != e.Batch {
			bad("two changes have made revision %d", revision)
		}
		batches[revision] = e.Batch
		switch {
		case e.Field == "title":
			if e.From != title {
				bad("the title goes from %s, and was %s", e.From, title)
			}
			title = e.To
		case e.Type == problem.KeywordSet || e.Type == problem.KeywordDeleted:
			if e.From != keywords[e.Field] {
				bad("keyword %s goes from %q, and was %q", e.Field, e.From, keywords[e.Field])
			}
			keywords[e.Field] = e.To
		case e.Type == problem.CommentAdded:
			if comments >= len(d.Comments) || problem.LogText(d.Comments[comments].ID.String()) != e.To {
				bad("comment %d is not that of the log, %s", comments, e.To)
			}
			comments++
		}
	}
	if revision != d.Revision {
		bad("it is at revision %d, and its log at %d", d.Revision, revision)
	}
	if title != problem.LogText(d.Title) || d.Savepoints[len(d.Savepoints)-1].Title != d.Title {
		bad("its title is %q, and by its log %s", d.Title, title)
	}
	if comments != len(d.Comments) {
		bad("it has %d comments, and by its log %d", len(d.Comments), comments)
	}
	for _, k := range d.Keywords {
		if keywords[k.Name] != problem.LogText(k.Value.String) {
			bad("keyword %s is %q, and by its log %s", k.Name, k.Value.String, keywords[k.Name])
		}
		delete(keywords, k.Name)
	}
	for name, value := range keywords {
		if value != "" {
			bad("keyword %s is gone, and by its log %s", name, value)
		}
	}
}

func (w *world) judgeReferences(d store.Dossier, c *metadata.Catalogue) {
	if _, ok := c.State(d.State); !ok {
		w.ledger.breaks(Dangling, "problem %d: there is no state %v", d.ID, d.State)
	}
	if _, ok := c.Priority(d.Priority); !ok && !d.Priority.IsNone() {
		w.ledger.breaks(Dangling, "problem %d: there is no priority %v", d.ID, d.Priority)
	}
	for _, id := range append([]ident.ID{d.Originator, d.Modifier}, d.Watchers...) {
		if _, ok := c.User(id); !ok {
			w.ledger.breaks(Dangling, "problem %d: there is no user %v", d.ID, id)
		}
	}
}

// judgeTitles checks that changed titles had been read before by their writers.
func (w *world) judgeTitles(d store.Dossier) {
	lost := func(before int) bool { return before != w.cluster.lossesSoFar() }
	for _, e := range d.Log {
		if e.Field != "title" {
			continue
		}
		for _, c := range w.ledger.claims {
			if c.op.Kind != Retitle || c.blind || slices.ContainsFunc(c.left, lost) || problem.LogText(c.op.text()) != e.To {
				continue
			}
			if read, ok := c.based[int64(d.ID)][e.Revision-1]; !ok || problem.LogText(read) != e.From {
				w.ledger.breaks(LostUpdate, "operation %d makes revision %d of problem %d from %s, and has read %q", c.op.ID, e.Revision, d.ID, e.From, read)
			}
		}
	}
}

func (w *world) judgeRelationships(all content) {
	links := map[relationship.Relationship]bool{}
	key := func(r relationship.Relationship) relationship.Relationship {
		return relationship.Relationship{Owner: r.Owner, Type: r.Type, Other: r.Other}
	}
	children := map[problem.ID][]problem.ID{}
	for _, d := range all.problems {
		for _, r := range d.Relationships {
			links[key(r)] = true
			if r.Type == relationship.ParentOf {
				children[r.Owner] = append(children[r.Owner], r.Other)
			}
		}
	}
	for r := range links {
		if !links[key(r.Mirror())] {
			w.ledger.breaks(OneSided, "problem %d is %s of %d, which does not know", r.Owner, r.Type, r.Other)
		}
	}
	var below func(problem.ID, int) bool
	below = func(id problem.ID, depth int) bool {
		return depth > len(all.problems) || slices.ContainsFunc(children[id], func(child problem.ID) bool { return below(child, depth+1) })
	}
	for _, d := range all.problems {
		if below(d.ID, 0) {
			w.ledger.breaks(Cycle, "problem %d is above itself, or above one that is", d.ID)
			return
		}
	}
}

// judgeAnswers checks that a fresh server shows the content.
func (w *world) judgeAnswers(all content) {
	w.options.Wrap = nil
	fresh := w.start(w.plan.Servers)
	c := newClient(w, clientsMost-1)
	for i := range problems {
		d := all.problems[i]
		a := newActor(requestSlot, w.plan.Seed, 5<<40|uint64(i))
		out := c.serve(fresh, a, request{method: http.MethodGet, path: fmt.Sprintf("/problems/%d", d.ID)})
		if out.fate != answered || !out.ok() {
			w.ledger.breaks(Defect, "in the end, problem %d is answered with %d %s", d.ID, out.status, out.kind)
			continue
		}
		shown := decode[struct {
			Title    string     `json:"title"`
			Revision int64      `json:"revision"`
			Keywords []any      `json:"keywords"`
			Logs     []struct{} `json:"logs"`
		}](c, out)
		if shown.Title != d.Title || shown.Revision != d.Revision || len(shown.Keywords) != len(d.Keywords) || len(shown.Logs) != len(d.Log) {
			w.ledger.breaks(Defect, "in the end, problem %d is shown as %+v, and stored as %+v", d.ID, shown, d.Problem)
		}
	}
}
