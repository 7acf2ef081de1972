package e2e

import (
	"errors"
	"testing"
	"time"

	api "github.com/problemtracking/problems/adapters/client"
)

// The client makes, lists and revokes tokens of its own user (D50).
func TestOwnTokensThroughTheClient(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	as := func(token string) *api.Client {
		c, err := api.New(s.url, api.Options{Token: token})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	expires := time.Now().Add(time.Hour).Truncate(time.Second)
	made, err := as(token).CreateOwnToken(t.Context(), api.NewOwnToken{Scope: "read", Name: "CI", Expires: &expires})
	if err != nil || made.Secret == "" || made.Scope != "read" || *made.Name != "CI" || !made.Expires.Equal(expires) {
		t.Fatalf("made %+v, %v", made, err)
	}
	own := as(made.Secret)
	if listed, err := own.OwnTokens(t.Context()); err != nil || len(listed) != 2 || listed[1].Identifier != made.Identifier || listed[1].Secret != "" {
		t.Errorf("listed %+v, %v", listed, err)
	}
	if err := own.RevokeOwnToken(t.Context(), made.Identifier); err != nil {
		t.Error(err)
	}
	if _, err := own.OwnTokens(t.Context()); !errors.Is(err, api.Unauthenticated) {
		t.Errorf("after the revocation: %v", err)
	}
}
