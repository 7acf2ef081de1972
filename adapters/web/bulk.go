package web

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/history"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// bulkPage is the form for a change of many problems.
type bulkPage struct {
	layout
	Predicate string
	// Nothing is true when no problem was selected: the form is about the whole query.
	Nothing bool
	Fault   *predicateFault
	Texts   []forms.TextBox
	Choices []forms.Choice
	Read    string // keep, yes or no
	// To is the list to go back to, below the base path; empty: it is not known. Sent has the
	// keywords as they were sent.
	To   string
	Sent url.Values
	// Chosen are the first problems of the predicate, at most mostChosen. Count is the number of
	// all of them, or with CountedAll false a lower bound.
	Chosen     []relatedLink
	Count      int
	CountedAll bool
}

// mostChosen is the greatest number of problems that the form names.
const mostChosen = 10

// bulkPreview shows the effect of a change of many problems, before or after it.
type bulkPreview struct {
	layout
	Predicate string
	Changes   []bulkChange
	Refused   []bulkRefusal
	Unchanged int
	Sent      []hiddenField // the fields of the form, to send again with the preview
	Preview   string
	Done      bool
	Undo      string // the address that undoes what was done
	To        string // the list to go back to, below the base path
}

// changedSuffix returns the parameters with which a list says what was just changed.
func changedSuffix(to string, done tracker.ChangedProblems) string {
	pairs := url.Values{"changed": {strconv.Itoa(len(done.Changes))}}
	if !done.Batch.IsNone() {
		pairs.Set("undo", formatID(done.Changes[0].ID)+"."+done.Batch.String())
	}
	if strings.Contains(to, "?") {
		return "&" + pairs.Encode()
	}
	return "?" + pairs.Encode()
}

// changed says what a change of many problems has just changed. It takes the parameters about it
// away: the links of the list have none of them.
func (v *listPage) changed(q *request, asked url.Values) {
	v.Done, _ = strconv.Atoi(asked.Get("changed"))
	number, batch, _ := strings.Cut(asked.Get("undo"), ".")
	id, ok := problem.ParseID(number)
	if of, err := ident.Parse(batch); ok && err == nil {
		v.Undo = q.undoOf(id, of)
	}
	asked.Del("changed")
	asked.Del("undo")
}

// undoOf returns the address that undoes a batch at all problems that it changed.
func (q *request) undoOf(id problem.ID, batch ident.ID) string {
	return q.base + "/problems/" + formatID(id) + "/batches/" + batch.String() + "/undo?scope=" + tracker.UndoOfBatch
}

type bulkChange struct {
	ID     problem.ID
	Fields []history.Change
	Read   string // "read", "unread", or empty
}

type bulkRefusal struct {
	ID     problem.ID
	Detail string
}

// showBulk shows the form: for the named problems, or for those of a predicate.
func showBulk(q *request) (answer, error) {
	asked := q.r.URL.Query()
	states, err := q.Service.States().List(q.context())
	if err != nil {
		return answer{}, err
	}
	text, _ := withWords(asked.Get("predicate"), strings.TrimSpace(asked.Get("title")))
	if numbers := asked["problem"]; len(numbers) > 0 && !asked.Has("all") {
		if text, err = amongProblems(numbers); err != nil {
			return answer{}, err
		}
	}
	view := q.bulkPage(states.Catalogue, text, asked)
	view.Nothing = asked.Has("selected") && !asked.Has("problem")
	if err := view.loadChosen(q); err != nil {
		return answer{}, err
	}
	return page("bulk", view), nil
}

// loadChosen adds the problems of the predicate. It adds none when the predicate is invalid or
// takes too long: the preview then gives the reason.
func (v *bulkPage) loadChosen(q *request) error {
	if strings.TrimSpace(v.Predicate) == "" {
		return nil
	}
	found, err := q.as().Search(q.context(), tracker.SearchProblems{
		Search: tracker.Search{Predicate: patch.Set(v.Predicate), Limit: patch.Set(int64(mostChosen))}, CountTo: countTo,
	})
	if refusedPredicate(err) || fault.Is(err, fault.QueryTooExpensive) {
		return nil
	}
	if err != nil {
		return err
	}
	v.Count, v.CountedAll = found.Count, found.CountedAll
	v.Chosen, err = linksTo(found)
	return err
}

// amongProblems returns the predicate of these problems.
func amongProblems(numbers []string) (string, error) {
	for _, n := range numbers {
		if _, err := strconv.ParseUint(n, 10, 53); err != nil {
			return "", fault.New(fault.MalformedRequest, "a problem is named by its number")
		}
	}
	return "identifier IN {" + strings.Join(numbers, ", ") + "}", nil
}

// bulkPage returns the form for the problems of a predicate, with the sent values.
func (q *request) bulkPage(c *metadata.Catalogue, text string, sent url.Values) bulkPage {
	choices := bulkChoices(sent, c)
	q.ownFirst(choices)
	return bulkPage{
		layout: q.signedIn(q.say("bulk.title"), c).in("problems"), Predicate: text,
		Texts: bulkTexts(sent), Choices: choices, Read: sent.Get("read"),
		To: listPath(sent.Get("to")), Sent: sent,
	}
}

// bulkTexts are the texts among the fields of the form, with the sent values.
func bulkTexts(sent url.Values) (boxes []forms.TextBox) {
	for _, f := range bulkFields() {
		if f.To != "" {
			continue
		}
		box := forms.NewTextBox(f, forms.Keep)
		if sent.Has(f.Name) {
			box.Value = sent.Get(f.Name)
		}
		box.Keep = true
		boxes = append(boxes, box)
	}
	return boxes
}

// bulkChoices are the fields of the form, with the sent values. Any state can be
// chosen: the preview says where it is refused.
func bulkChoices(sent url.Values, c *metadata.Catalogue) (choices []forms.Choice) {
	for _, f := range forms.References {
		value := forms.Keep
		if sent.Has(f.Name) {
			value = sent.Get(f.Name)
		}
		one, _ := forms.Sent(f.Name, value, c)
		one.Keep = true
		choices = append(choices, one)
	}
	return choices
}

// barFields are the fields in the bar of a list.
var barFields = []string{"state", "priority", "assignee"}

// barChoices are the fields in the bar of a list, without those with too many objects.
func barChoices(c *metadata.Catalogue) (choices []forms.Choice) {
	for _, name := range barFields {
		if one, _ := forms.Sent(name, forms.Keep, c); !one.Typed {
			choices = append(choices, one)
		}
	}
	return choices
}

// listPath returns the path of a list of problems in a form; empty if it is none.
func listPath(to string) string {
	if path, _, _ := strings.Cut(to, "?"); path != "/problems" || !ownPath(to) {
		return ""
	}
	return to
}

// changeProblems makes a dry run, or the change of an earlier dry run. The bar of a list makes both
// at once: its problems were ticked one by one, and the change can be undone.
func changeProblems(q *request) (answer, error) {
	atOnce := q.form.Get("do") == "now"
	if numbers := q.form["problem"]; len(numbers) > 0 {
		text, err := amongProblems(numbers)
		if err != nil {
			return answer{}, err
		}
		q.form.Set("predicate", text)
		q.form.Del("problem")
	} else if atOnce {
		return q.redirect("/problems/bulk" + links.Suffix(links.With(nil, "selected", "yes", "predicate", q.form.Get("predicate"), "title", q.form.Get("title"), "to", q.form.Get("to")))), nil
	}
	cmd := bulkCommand(q.form)
	cmd.DryRun = !q.form.Has("preview")
	if !cmd.DryRun {
		preview, err := tracker.ParsePreview(q.form.Get("preview"))
		if err != nil {
			return answer{}, err
		}
		cmd.Preview = &preview
	}
	changed, err := q.Service.UpdateProblems(q.context(), q.caller, cmd)
	if err == nil && atOnce && cmd.DryRun && len(changed.Value.Changes) > 0 && len(changed.Value.Refused) == 0 {
		cmd.DryRun, cmd.Preview = false, changed.Value.Preview
		changed, err = q.Service.UpdateProblems(q.context(), q.caller, cmd)
	}
	if refusedPredicate(err) {
		states, listErr := q.Service.States().List(q.context())
		if listErr != nil {
			return answer{}, listErr
		}
		view := q.bulkPage(states.Catalogue, q.form.Get("predicate"), q.form)
		view.Fault, view.Again = locate(err, view.Predicate, false), againForm
		return answer{status: 400, name: "bulk", view: view}, nil
	}
	if err != nil {
		return answer{}, err
	}
	if to := listPath(q.form.Get("to")); to != "" && !cmd.DryRun {
		return q.redirect(to + changedSuffix(to, changed.Value)), nil
	}
	view := bulkPreview{
		layout: q.signedIn(q.say("bulk.title"), changed.Catalogue).in("problems"), Predicate: q.form.Get("predicate"),
		Unchanged: len(changed.Value.Unchanged), Sent: bulkSent(q.form), Done: !cmd.DryRun,
		To: cmp.Or(listPath(q.form.Get("to")), "/problems"),
	}
	for _, p := range changed.Value.Changes {
		view.Changes = append(view.Changes, bulkChangeOf(p))
	}
	for _, r := range changed.Value.Refused {
		view.Refused = append(view.Refused, bulkRefusal{r.ID, texts.Sentence(r.Err.Detail)})
	}
	if batch := changed.Value.Batch; !batch.IsNone() {
		view.Undo = q.undoOf(view.Changes[0].ID, batch)
	}
	if view.Again = againForm; view.Done {
		view.Again, view.At = "", "/problems"+links.Suffix(links.With(nil, "predicate", view.Predicate))
	}
	if changed.Value.Preview != nil {
		view.Preview = changed.Value.Preview.String()
	}
	return page("bulk-preview", view), nil
}

// bulkSent returns the fields of the sent form. The page of the preview sends them again, to
// make the change or to go back to the form.
func bulkSent(form url.Values) (sent []hiddenField) {
	names := []string{"predicate", "to", "read", "keyword", "value", "without"}
	for _, f := range bulkFields() {
		names = append(names, f.Name)
	}
	for _, name := range names {
		if form.Has(name) {
			sent = append(sent, hiddenField{name, form.Get(name)})
		}
	}
	return sent
}

// bulkFields are the fields in the form. A text that each problem needs, such as its title,
// is its own: many problems do not share one.
func bulkFields() (fields []*problem.Field) {
	for _, f := range problem.ClientFields() {
		if f.To != "" || !f.Required {
			fields = append(fields, f)
		}
	}
	return fields
}

// bulkCommand returns the change of a form.
func bulkCommand(form url.Values) tracker.UpdateProblems {
	cmd := tracker.UpdateProblems{ProblemPatch: bulkPatch(form), Predicate: patch.Set(form.Get("predicate"))}
	if name := form.Get("keyword"); name != "" {
		cmd.Keyword.Name = patch.Set(name)
		if value := form.Get("value"); value != "" {
			cmd.Keyword.Value = patch.Set(value)
		}
	}
	if name := form.Get("without"); name != "" {
		cmd.Without = patch.Set(name)
	}
	return cmd
}

// bulkPatch returns the fields set by a form.
func bulkPatch(form url.Values) problem.Patch {
	set := url.Values{}
	for _, f := range bulkFields() {
		if form.Has(f.Name) && form.Get(f.Name) != forms.Keep {
			set.Set(f.Name, form.Get(f.Name))
		}
	}
	p := forms.Patch(set)
	switch form.Get("read") {
	case "yes":
		p.Read = patch.Set(true)
	case "no":
		p.Read = patch.Set(false)
	}
	return p
}

func bulkChangeOf(p tracker.ProblemChange) bulkChange {
	b := bulkChange{ID: p.ID}
	for _, f := range p.Fields {
		if f.Type == problem.FieldChanged && f.Field == "read" {
			b.Read = "unread"
			if f.To == problem.LogFlag(true) {
				b.Read = "read"
			}
			continue
		}
		b.Fields = append(b.Fields, history.ChangeOf(problem.LogEntry{Type: f.Type, Field: f.Field, From: f.From, To: f.To}))
	}
	return b
}
