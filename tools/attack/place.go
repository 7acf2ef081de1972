package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/problemtracking/problems/domain/access"
)

// place is a prepared store.
type place struct {
	store    string
	url      string
	admin    string // a token, as all of these
	attacker string
	user     string
	problems []int64 // of the honest user
	asked    int     // honest requests so far
	made     map[string]int64
	notes    map[string][]string
}

// honestEmail is the address of the honest user.
const honestEmail = "honest@example.org"

func newPlace(store, url string) *place {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return &place{store: store, url: url, admin: access.NewSecret(random).Reveal(), made: map[string]int64{}, notes: map[string][]string{}}
}

// settle makes the users and the honest user's problems, unless they are there.
func (p *place) settle(ctx context.Context, server string, problems int) error {
	if p.problems != nil {
		return nil
	}
	admin := newClient(server, p.admin, 0)
	defer admin.close()
	var err error
	if p.user, err = newUser(ctx, admin, "Honest", honestEmail); err != nil {
		return err
	}
	if p.attacker, err = newUser(ctx, admin, "Attacker", "attacker@example.org"); err != nil {
		return err
	}
	user := newClient(server, p.user, 0)
	defer user.close()
	for n := range problems {
		var made struct{ Identifier int64 }
		create := sendJSON(http.MethodPost, "/problems", map[string]any{"title": fmt.Sprint("An honest problem, number ", n), "assignee": map[string]string{"email": honestEmail}})
		if err := mustMake(ctx, user, create, &made); err != nil {
			return err
		}
		p.problems = append(p.problems, made.Identifier)
	}
	return nil
}

// newUser makes a user and returns a token of the scope write.
func newUser(ctx context.Context, admin *client, name, email string) (token string, err error) {
	if err := mustMake(ctx, admin, sendJSON(http.MethodPost, "/users", map[string]string{"name": name, "email": email}), nil); err != nil {
		return "", err
	}
	var made struct{ Token string }
	err = mustMake(ctx, admin, sendJSON(http.MethodPost, "/tokens", map[string]any{"user": map[string]string{"email": email}, "scope": "write"}), &made)
	return made.Token, err
}

// mustMake sends a request and demands 201.
func mustMake(ctx context.Context, c *client, r request, into any) error {
	status, body, err := c.ask(ctx, r)
	if err != nil {
		return err
	}
	if status != http.StatusCreated {
		return fmt.Errorf("%s %s: %d %s", r.method, r.path, status, detail(body))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}
