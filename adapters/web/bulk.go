package web

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/history"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/fault"
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
	found, err := q.Service.SearchProblems(q.context(), q.caller, tracker.SearchProblems{
		Search: tracker.Search{Predicate: patch.Set(v.Predicate), Limit: patch.Set(int64(mostChosen))}, CountTo: countTo,
	})
	if refusedPredicate(err) || fault.Is(err, fault.QueryTooExpensive) {
		return nil
	}
	if err != nil {
		return err
	}
	v.Count, v.CountedAll = found.Count, found.CountedAll
	for s, err := range problemsOf(found) {
		if err != nil {
			return err
		}
		state, _ := s.catalogue.State(s.State)
		v.Chosen = append(v.Chosen, relatedLink{s.ID, s.Title, state.Name, state.Resolved})
	}
	return nil
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
	return bulkPage{
		layout: q.signedIn(q.say("bulk.title"), c).in("problems"), Predicate: text,
		Texts: bulkTexts(sent), Choices: bulkChoices(sent, c), Read: sent.Get("read"),
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

// changeProblems makes a dry run, or the change of an earlier dry run.
func changeProblems(q *request) (answer, error) {
	cmd := tracker.UpdateProblems{ProblemPatch: bulkPatch(q.form), Predicate: patch.Set(q.form.Get("predicate"))}
	cmd.DryRun = !q.form.Has("preview")
	if !cmd.DryRun {
		preview, err := tracker.ParsePreview(q.form.Get("preview"))
		if err != nil {
			return answer{}, err
		}
		cmd.Preview = &preview
	}
	changed, err := q.Service.UpdateProblems(q.context(), q.caller, cmd)
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
	view := bulkPreview{
		layout: q.signedIn(q.say("bulk.title"), changed.Catalogue).in("problems"), Predicate: q.form.Get("predicate"),
		Unchanged: len(changed.Value.Unchanged), Sent: bulkSent(q.form), Done: !cmd.DryRun,
	}
	for _, p := range changed.Value.Changes {
		view.Changes = append(view.Changes, bulkChangeOf(p))
	}
	for _, r := range changed.Value.Refused {
		view.Refused = append(view.Refused, bulkRefusal{r.ID, texts.Sentence(r.Err.Detail)})
	}
	if batch := changed.Value.Batch; !batch.IsNone() {
		view.Undo = q.base + "/problems/" + formatID(view.Changes[0].ID) + "/batches/" + batch.String() + "/undo?scope=" + tracker.UndoOfBatch
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
	names := []string{"predicate", "read"}
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
		if f.Field == "read" {
			b.Read = "unread"
			if f.To == problem.LogFlag(true) {
				b.Read = "read"
			}
			continue
		}
		b.Fields = append(b.Fields, history.ChangeOf(problem.LogEntry{Type: problem.FieldChanged, Field: f.Field, From: f.From, To: f.To}))
	}
	return b
}
