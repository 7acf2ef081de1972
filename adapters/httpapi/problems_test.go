package httpapi

import (
	"testing"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// The members that R1 returns and W2 checks, ignores or acts on (D11).
func TestUpdateMembers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for body, want := range map[string]int{
		`{"watching":"x","readByAssignee":1,"logs":{},"modifier":7,"modificationDate":"never"}`: 200,
		`{"identifier":12,"creationDate":"2015-11-05T10:30:00.125+01:00","resolver":null}`:      200,
		`{"originator":{"email":"BOB@example.org"}}`:                                            200,
		`{"identifier":13}`:                        422,
		`{"identifier":"12"}`:                      422,
		`{"identifier":12.0}`:                      422,
		`{"keywords":[]}`:                          422,
		`{"revision":3}`:                           200,
		`{"revision":2}`:                           412,
		`{"revision":"3"}`:                         422,
		`{"revision":3.0}`:                         422,
		`{"revision":null}`:                        422,
		`{"title":null}`:                           422,
		`{"state":null}`:                           422,
		`{"read":null}`:                            422,
		`{"comments":[]}`:                          422,
		`{"state":"Open"}`:                         422,
		`{"priority":null,"component":null}`:       200,
		`{"assignee":{"email":"BOB@EXAMPLE.ORG"}}`: 200,
	} {
		if w := f.do(request("PATCH", api+"/problems/12", body)); w.Code != want {
			t.Errorf("%s: status %d, not %d: %s", body, w.Code, want, w.Body)
		}
	}
	for body, want := range map[string]int{
		`{"title":"a","identifier":"x","revision":"x","keywords":1,"creationDate":7,"originator":[],"resolver":0,"resolveDate":"","logs":null,"watching":2}`: 201,
		`{"title":"a","Identifier":1}`: 422,
		`{"identifier":1}`:             422,
	} {
		if w := f.do(request("POST", api+"/problems", body)); w.Code != want {
			t.Errorf("%s: status %d, not %d: %s", body, w.Code, want, w.Body)
		}
	}
	var created problem.Problem
	for _, effect := range f.changes[len(f.changes)-1].Effects {
		if e, ok := effect.(store.CreateProblem); ok {
			created = e.Problem
		}
	}
	if created.ID != 14 || created.Revision != 1 || created.Title != "a" {
		t.Errorf("created %+v", created)
	}
}
