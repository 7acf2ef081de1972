package web

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/erasure"
)

// erasurePage says what the erasure of a user would change, or how far it is (D46).
type erasurePage struct {
	layout
	Kinds   []kindLink
	Of      erasure.Erasure
	Begun   bool
	Mention []string // saved queries and webhooks with the name
}

// showErasure counts what would change for a user who is not erased.
func showErasure(q *request) (answer, error) {
	id, err := q.objectID()
	if err != nil {
		return answer{}, err
	}
	a, err := q.Service.Erasures.Begin(q.context(), q.caller, id, tracker.Write{DryRun: true}, erasure.MostCounted)
	if err != nil {
		return answer{}, err
	}
	view := erasurePage{
		layout: q.signedIn(q.say("erasure.title"), a.Catalogue).in("administration"), Kinds: q.kindLinks("users"),
		Of: a.Value, Begun: a.Value.User.Erased(),
	}
	for _, ids := range [][]ident.ID{a.Value.Queries, a.Value.Webhooks} {
		for _, id := range ids {
			view.Mention = append(view.Mention, id.String())
		}
	}
	return page("erasure", view), nil
}

func eraseUser(q *request) (answer, error) {
	id, err := q.objectID()
	if err != nil {
		return answer{}, err
	}
	if _, err := q.Service.Erasures.Begin(q.context(), q.caller, id, tracker.Write{}, 0); err != nil {
		return answer{}, err
	}
	return q.redirect("/administration/users/" + id.String() + "/erasure"), nil
}
