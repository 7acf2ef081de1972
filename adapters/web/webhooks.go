package web

import (
	"cmp"
	"net/url"
	"slices"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// hooks is the path of the pages of webhooks.
const hooks = "/administration/webhooks"

// hookPath returns the path of the page of a webhook.
func hookPath(id ident.ID) string { return hooks + "/" + id.String() }

// webhooksPage lists all webhooks, with a form for a new one.
type webhooksPage struct {
	layout
	Kinds []kindLink
	Rows  []webhookRow
	Form  []input
	// Secret is that of a webhook just made; empty: none was. It is shown once.
	Secret string
}

// webhookRow is a webhook and its state.
type webhookRow struct {
	ID, URL string
	Owner   string
	Created time.Time
	State   webhook.State
	Reason  string // a sentence about the state, in English; empty when there is nothing to say
	// Failures are the failed attempts for the next event, and Next is the time of a
	// further one; zero: there is none.
	Failures int
	Next     time.Time
	Parked   int
}

// webhookPage shows one webhook, with its form.
type webhookPage struct {
	layout
	webhookRow
	Kinds   []kindLink
	Heading string
	Form    []input
	Was     string // the digest of the values in the form
	// Resumable is whether the next event can be tried at once, and Stoppable whether an
	// administrator has not stopped the webhook.
	Resumable, Stoppable bool
	Cursor               event.Cursor
	Deliveries           []webhook.Delivery // the newest first
	// Secret is a new secret, shown once; empty: none was made.
	Secret string
	// Tested is the outcome of a test; nil: none was sent.
	Tested *webhook.Delivery
}

// webhookDeletePage asks whether to delete a webhook.
type webhookDeletePage struct {
	layout
	ID, URL string
	Kinds   []kindLink
}

func (q *request) webhookRow(w webhooks.Webhook, c *metadata.Catalogue) webhookRow {
	p := w.Current()
	owner, known := c.User(w.Owner)
	ownerActive := known && !owner.Inactive
	state, reason := w.StateFor(ownerActive)
	return webhookRow{w.ID.String(), w.URL, c.Name(metadata.Users, w.Owner), w.Created, state, texts.Sentence(reason), p.Failures, w.NextAttempt(ownerActive), int(p.Parked)}
}

// webhookForm returns the form of a webhook, or of a new one for the zero Endpoint.
func (q *request) webhookForm(e webhook.Endpoint) []input {
	types := input{Name: "types", Type: "several"}
	for _, t := range event.Types() {
		types.Options = append(types.Options, forms.Option{Value: string(t), Name: string(t), Selected: slices.Contains(e.Types, t)})
	}
	onFailure := input{Name: "onFailure", Type: "one"}
	for _, f := range []webhook.OnFailure{webhook.Wait, webhook.Park} {
		onFailure.Options = append(onFailure.Options, forms.Option{Value: string(f), Name: q.say("webhook." + string(f)), Selected: f == e.OnFailure})
	}
	return []input{{Name: "url", Type: "url", Value: e.URL, Required: true}, {Name: "predicate", Type: "code", Value: e.Predicate}, onFailure, types}
}

// webhookOf returns the settings of a form. Browsers leave out a group of empty boxes.
func webhookOf(form url.Values) webhooks.Patch {
	p := webhooks.Patch{URL: sent(form, "url"), Types: patch.Null[[]string](), OnFailure: sent(form, "onFailure")}
	if types := form["types"]; len(types) > 0 {
		p.Types = patch.Set(types)
	}
	if text := form.Get("predicate"); text != "" {
		p.Predicate = patch.Set(text)
	} else {
		p.Predicate = patch.Null[string]()
	}
	return p
}

func showWebhooks(q *request) (answer, error) { return q.webhooksPage("") }

// webhooksPage lists the newest webhooks first.
func (q *request) webhooksPage(secret string) (answer, error) {
	all, err := q.Service.Webhooks.List(q.context())
	if err != nil {
		return answer{}, err
	}
	c := all.Catalogue
	view := webhooksPage{
		layout: q.signedIn(q.say("kind.webhooks"), c).in("administration"), Kinds: q.kindLinks("webhooks"),
		Form: q.webhookForm(webhook.Endpoint{}), Secret: secret,
	}
	for _, w := range slices.Backward(all.Value) {
		view.Rows = append(view.Rows, q.webhookRow(w, c))
	}
	return page("webhooks", view), nil
}

// createWebhook answers with the page itself: the secret is in no address, and is not shown
// again.
func createWebhook(q *request) (answer, error) {
	issued, err := q.Service.Webhooks.Create(q.context(), q.caller, webhooks.Create{Patch: webhookOf(q.form)})
	if err != nil {
		return answer{}, err
	}
	return q.webhooksPage(issued.Value.Secret.Reveal())
}

func showWebhook(q *request) (answer, error) {
	return onWebhook(q, func(id ident.ID) (answer, error) { return q.webhookPage(id, "", nil) })
}

// webhookPage shows a webhook, with a new secret or the outcome of a test if there is one.
func (q *request) webhookPage(id ident.ID, secret string, tested *webhook.Delivery) (answer, error) {
	found, err := q.Service.Webhooks.Load(q.context(), id)
	if err != nil {
		return answer{}, err
	}
	w, c := found.Value, found.Catalogue
	form := q.webhookForm(w.Endpoint)
	view := webhookPage{
		webhookRow: q.webhookRow(w, c), Kinds: q.kindLinks("webhooks"), Heading: hostOf(w.URL), Form: form, Was: digest(form),
		Stoppable: w.Active, Cursor: w.Current().Cursor, Deliveries: slices.Clone(w.Progress.Deliveries), Secret: secret, Tested: tested,
	}
	view.layout = q.signedIn(view.Heading, c).in("administration")
	view.Resumable = view.State != webhook.Active || view.Failures > 0
	slices.Reverse(view.Deliveries)
	return page("webhook", view), nil
}

// hostOf returns the host of a receiver, as its name.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	return cmp.Or(u.Host, text)
}

// onWebhook runs an action on the webhook in the path.
func onWebhook(q *request, do func(ident.ID) (answer, error)) (answer, error) {
	id, err := q.objectID()
	if err != nil {
		return answer{}, err
	}
	return do(id)
}

// setWebhook changes a webhook, and leads back to it.
func setWebhook(q *request, cmd webhooks.Update) (answer, error) {
	return onWebhook(q, func(id ident.ID) (answer, error) {
		_, err := q.Service.Webhooks.Update(q.context(), q.caller, id, cmd)
		return q.redirect(hookPath(id)), err
	})
}

// changeWebhook stores the settings of a webhook, unless somebody changed them since the form
// began.
func changeWebhook(q *request) (answer, error) {
	return setWebhook(q, webhooks.Update{
		Patch:     webhookOf(q.form),
		Condition: func(now webhook.Endpoint) error { return q.began(q.webhookForm(now)) },
	})
}

// resumeWebhook goes on with the next event at once.
func resumeWebhook(q *request) (answer, error) {
	return setWebhook(q, webhooks.Update{Active: patch.Set(true)})
}

func stopWebhook(q *request) (answer, error) {
	return setWebhook(q, webhooks.Update{Active: patch.Set(false)})
}

// replayWebhook goes on behind another event of the feed.
func replayWebhook(q *request) (answer, error) {
	return setWebhook(q, webhooks.Update{Cursor: patch.Set(q.form.Get("cursor"))})
}

// showDeleteWebhook asks first: nothing brings a deleted webhook and its secret back.
func showDeleteWebhook(q *request) (answer, error) {
	return onWebhook(q, func(id ident.ID) (answer, error) {
		found, err := q.Service.Webhooks.Load(q.context(), id)
		if err != nil {
			return answer{}, err
		}
		w := found.Value
		return page("webhook-delete", webhookDeletePage{
			layout: q.signedIn(q.say("webhook.delete-ask"), found.Catalogue).in("administration"),
			ID:     w.ID.String(), URL: w.URL, Kinds: q.kindLinks("webhooks"),
		}), nil
	})
}

func deleteWebhook(q *request) (answer, error) {
	return onWebhook(q, func(id ident.ID) (answer, error) {
		_, err := q.Service.Webhooks.Delete(q.context(), q.caller, id, tracker.Write{})
		return q.redirect(hooks), err
	})
}

// testWebhook sends a test, and answers with the page itself: nothing stores the outcome.
func testWebhook(q *request) (answer, error) {
	return onWebhook(q, func(id ident.ID) (answer, error) {
		attempt, err := q.Service.Webhooks.Test(q.context(), id)
		if err != nil {
			return answer{}, err
		}
		tested := attempt.Tested()
		return q.webhookPage(id, "", &tested)
	})
}

// rotateWebhook makes a new secret. It answers with the page itself, as createWebhook does.
func rotateWebhook(q *request) (answer, error) {
	return onWebhook(q, func(id ident.ID) (answer, error) {
		issued, err := q.Service.Webhooks.Rotate(q.context(), q.caller, id, webhooks.Rotate{EndEarlier: patch.Set(q.form.Has("endEarlier"))})
		if err != nil {
			return answer{}, err
		}
		return q.webhookPage(id, issued.Value.Secret.Reveal(), nil)
	})
}
