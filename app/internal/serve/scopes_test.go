package serve

import (
	"encoding/json"
	"log/slog"
	"maps"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/adapters/web"
	"github.com/problemtracking/problems/domain/access"
)

// operationOf has the operation of the API for each page and form that has one.
var operationOf = map[string]string{
	"GET /{$}":             "GET /problems",
	"GET /problems/csv":    "GET /problems/search",
	"GET /problems/board":  "GET /problems/search",
	"POST /problems/board": "PATCH /problems/{identifier}",
	"GET /settings":        "GET /me/mail",
	"POST /settings/mail":  "PUT /me/mail",

	"POST /settings/preferences": "PUT /me/preferences",

	"GET /live":                       "GET /events",
	"GET /find":                       "GET /problems/search",
	"POST /problems/{problem}/assign": "PATCH /problems/{identifier}",
	"GET /people":                     "GET /users",
	"GET /changes":                    "GET /problems/search",
	"GET /me/tokens":                  "GET /me/tokens",
	"POST /me/tokens":                 "POST /me/tokens",

	"POST /me/tokens/{id}/revoke": "DELETE /me/tokens/{identifier}",

	"GET /problems":                                           "GET /problems/search",
	"GET /problems/filter":                                    "GET /problems/search",
	"GET /problems/new":                                       "POST /problems",
	"POST /problems/new":                                      "POST /problems",
	"GET /problems/{problem}/batches/{batch}/undo":            "POST /problems/{identifier}/batches/{batch}/undo",
	"POST /problems/{problem}/batches/{batch}/undo":           "POST /problems/{identifier}/batches/{batch}/undo",
	"GET /problems/bulk":                                      "PATCH /problems",
	"POST /problems/bulk":                                     "PATCH /problems",
	"GET /queries/counts":                                     "GET /problems/search",
	"POST /queries":                                           "POST /queries",
	"POST /queries/{id}":                                      "PATCH /queries/{identifier}",
	"POST /queries/{id}/share":                                "PATCH /queries/{identifier}",
	"POST /queries/{id}/delete":                               "DELETE /queries/{identifier}",
	"GET /problems/{problem}":                                 "GET /problems/{identifier}",
	"POST /problems/{problem}":                                "PATCH /problems/{identifier}",
	"GET /problems/{problem}/graph":                           "GET /problems/{identifier}/relationships",
	"GET /problems/{problem}/past":                            "GET /problems/{identifier}",
	"POST /problems/{problem}/read":                           "PATCH /problems/{identifier}",
	"POST /problems/{problem}/attachments":                    "POST /problems/{identifier}/attachments",
	"POST /problems/{problem}/attachments/delete":             "DELETE /problems/{identifier}/attachments/{attachment}",
	"GET /problems/{problem}/attachments/{attachment}/{name}": "GET /problems/{identifier}/attachments/{attachment}/bytes",
	"GET /problems/{problem}/comments/{comment}/edit":         "PATCH /problems/{identifier}/comments/{comment}",
	"POST /problems/{problem}/comments/{comment}/edit":        "PATCH /problems/{identifier}/comments/{comment}",
	"GET /problems/{problem}/comments/{comment}/delete":       "DELETE /problems/{identifier}/comments/{comment}",
	"POST /problems/{problem}/comments/{comment}/delete":      "DELETE /problems/{identifier}/comments/{comment}",
	"GET /problems/{problem}/redaction":                       "POST /problems/{identifier}/redactions",
	"POST /problems/{problem}/redaction":                      "POST /problems/{identifier}/redactions",
	"GET /problems/{problem}/comments/{comment}/redaction":    "POST /problems/{identifier}/comments/{comment}/redactions",
	"POST /problems/{problem}/comments/{comment}/redaction":   "POST /problems/{identifier}/comments/{comment}/redactions",
	"GET /administration/users/{id}/erasure":                  "POST /users/{identifier}/erasure",
	"POST /administration/users/{id}/erasure":                 "POST /users/{identifier}/erasure",
	"POST /problems/{problem}/keywords":                       "PUT /problems/{identifier}/keywords/{keyword}",
	"POST /problems/{problem}/keywords/delete":                "DELETE /problems/{identifier}/keywords/{keyword}",
	"POST /problems/{problem}/relationships":                  "PUT /problems/{identifier}/relationships",
	"POST /problems/{problem}/relationships/delete":           "DELETE /problems/{identifier}/relationships",
	"POST /problems/{problem}/watchers":                       "PUT /problems/{identifier}/watchers",
	"POST /problems/{problem}/watchers/leave":                 "PUT /problems/{identifier}/watchers",
	"POST /problems/{problem}/claim":                          "PUT /problems/{identifier}/claim",
	"POST /problems/{problem}/claim/end":                      "DELETE /problems/{identifier}/claim",
	"GET /milestones":                                         "GET /milestones",
	"GET /milestones/{id}":                                    "GET /milestones/{identifier}",
	"GET /administration":                                     "GET /states",
	"GET /administration/{kind}":                              "GET /states",
	"GET /administration/{kind}/{id}":                         "GET /states/{identifier}",
	"POST /administration/{kind}":                             "POST /milestones", // the smallest scope of all kinds
	"POST /administration/{kind}/{id}":                        "PATCH /milestones/{identifier}",
	"POST /administration/states":                             "POST /states",
	"POST /administration/states/{id}":                        "PATCH /states/{identifier}",
	"POST /administration/components":                         "POST /components",
	"POST /administration/components/{id}":                    "PATCH /components/{identifier}",
	"POST /administration/milestones":                         "POST /milestones",
	"POST /administration/milestones/{id}":                    "PATCH /milestones/{identifier}",
	"POST /administration/priorities":                         "POST /priorities",
	"POST /administration/priorities/{id}":                    "PATCH /priorities/{identifier}",
	"POST /administration/classifications":                    "POST /classifications",
	"POST /administration/classifications/{id}":               "PATCH /classifications/{identifier}",
	"POST /administration/users":                              "POST /users",
	"POST /administration/users/{id}":                         "PATCH /users/{identifier}",
	"GET /administration/tokens":                              "GET /tokens",
	"POST /administration/tokens":                             "POST /tokens",
	"POST /administration/tokens/{id}/revoke":                 "DELETE /tokens/{identifier}",
	"GET /administration/queries":                             "GET /queries",
	"GET /administration/webhooks":                            "GET /webhooks",
	"POST /administration/webhooks":                           "POST /webhooks",
	"GET /administration/webhooks/{id}":                       "GET /webhooks/{identifier}",
	"POST /administration/webhooks/{id}":                      "PATCH /webhooks/{identifier}",
	"POST /administration/webhooks/{id}/test":                 "POST /webhooks/{identifier}/test",
	"POST /administration/webhooks/{id}/secret":               "POST /webhooks/{identifier}/secret",
	"POST /administration/webhooks/{id}/resume":               "PATCH /webhooks/{identifier}",
	"POST /administration/webhooks/{id}/stop":                 "PATCH /webhooks/{identifier}",
	"POST /administration/webhooks/{id}/replay":               "PATCH /webhooks/{identifier}",
	"GET /administration/webhooks/{id}/delete":                "DELETE /webhooks/{identifier}",
	"POST /administration/webhooks/{id}/delete":               "DELETE /webhooks/{identifier}",
	"GET /administration/audit":                               "GET /audit",
}

// The API has no sessions, and no keys.
var sessionScopes = map[string]access.Scope{
	"GET /keys":                              access.Read,
	"POST /keys":                             access.Read,
	"POST /sign-out":                         access.Read,
	"POST /settings/sessions/{id}/end":       access.Read,
	"GET /administration/sessions":           access.Admin,
	"POST /administration/sessions/{id}/end": access.Admin,
}

// D17: a page needs the scope of its operation.
func TestPagesHaveTheScopesOfTheAPI(t *testing.T) {
	t.Parallel()
	want := maps.Clone(sessionScopes)
	operations := operationScopes(t)
	for page, operation := range operationOf {
		want[page] = operations[operation]
	}
	got := web.Scopes()
	for page, scope := range want {
		if got[page] != scope {
			t.Errorf("%s needs the scope %q, not %q", page, got[page], scope)
		}
	}
	for page := range got {
		if want[page] == "" {
			t.Errorf("%s has no operation, or one that is unknown: %q", page, operationOf[page])
		}
	}
}

// operationScopes returns the scopes of the OpenAPI document by method and path.
func operationScopes(t *testing.T) map[string]access.Scope {
	service, _ := seeded(t)
	handler, err := httpapi.New(httpapi.Options{
		Service: service, Limits: httpapi.DefaultLimits(), Now: time.Now, NewRequestID: func() string { return "r1" }, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	scopes := map[string]access.Scope{}
	for path, operations := range document.Paths {
		for method, raw := range operations {
			var operation struct {
				Security []map[string][]access.Scope
			}
			_ = json.Unmarshal(raw, &operation) // some members of a path are no operations
			for _, scheme := range operation.Security {
				for _, needed := range scheme {
					scopes[strings.ToUpper(method)+" "+path] = needed[0]
				}
			}
		}
	}
	return scopes
}
