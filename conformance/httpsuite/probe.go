package httpsuite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
)

// probe finds out whether the server can be tested at all: whether it answers, takes the
// token, lets it make users, and knows the metadata of D2. Its findings are about the
// given target, not about the contract.
func (s *suite) probe(ctx context.Context) error {
	if err := s.target.check(); err != nil {
		return err
	}
	var found error
	o := engine.Do(ctx, "HTTP-PROBE", "", s.Limit, func(r *engine.Run) {
		// Core asks less of the answers: a server without the conventions
		// of 2026 can be tested, and fails.
		t := s.server.Trial(r, report.Core)
		t.Hurry() // the answers here are short, and a mistyped URL is reported at once
		found = look(session.New(t, s.server, s.Seed))
		t.Settle()
	})
	switch {
	case found != nil:
		return errors.New(session.Hide(found.Error(), s.target.AdminToken))
	case o.Status == report.NotRun:
		return errors.New("the run was ended before the first case")
	case o.Failure() != "":
		return errors.New(o.Failure())
	}
	return nil
}

// check returns the fault of the given target.
func (t Target) check() error {
	const want = "want the part before " + session.API + ", such as https://host or https://host/base"
	u, err := url.Parse(t.BaseURL)
	scheme, _, _ := strings.Cut(strings.ToLower(t.BaseURL), "://")
	switch {
	case scheme != "http" && scheme != "https": // the rest may have a password in it
		return fmt.Errorf("the base URL is no address of a server: http:// or https:// is missing at its beginning; %s", want)
	case err != nil: // it would repeat the URL, with a password in it
		return fmt.Errorf("the base URL cannot be read; %s", want)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("the base URL has more than scheme, host and path; %s", want)
	case u.Host == "":
		return fmt.Errorf("the base URL %q is no address of a server: it names no host; %s", t.BaseURL, want)
	case strings.Contains(u.Path, session.API):
		return fmt.Errorf("the base URL %q has the path of the API in it; %s", t.BaseURL, want)
	case t.AdminToken == "":
		return errors.New("there is no token; want one with the scope admin")
	case strings.ContainsFunc(t.AdminToken, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the token has characters that no header can carry, or a space; want the token alone")
	}
	return nil
}

// look asks the server for the needs of the cases.
func look(s *session.Session) error {
	me := s.Admin.Get("/me")
	if err := recognise(s, me); err != nil {
		return err
	}
	name := s.Unique("conformance")
	user := s.Admin.Post("/users", session.Encode(map[string]any{"name": name, "email": name + "@example.org"}))
	if err := granted(user, "make users"); err != nil {
		return err
	}
	who := map[string]any{"identifier": user.At("/identifier")}
	if err := granted(s.Admin.Post("/tokens", session.Encode(map[string]any{"user": who, "scope": "read"})), "issue tokens"); err != nil {
		return err
	}
	return furnished(s)
}

// recognise returns an error for a server without the API, or with another token.
func recognise(s *session.Session, me *session.Answer) error {
	where := s.Server.BaseURL + session.API
	var endless session.EndlessError
	switch {
	case errors.As(me.Err, &endless):
		return fmt.Errorf("%s/me: %w: is that a server of the API?", where, endless)
	case me.Status == 0:
		return fmt.Errorf("%s does not answer: %w; is the server running, and the base URL right?", where, me.Err)
	case me.Status/100 == 3:
		return fmt.Errorf("%s redirects to %s: want the base URL that it leads to", where, me.Header.Get("Location"))
	case me.Status == http.StatusUnauthorized && !session.TokenForm.MatchString(s.Admin.Token):
		return fmt.Errorf("the server refuses the token (401), which has not the form pts_ and 49 letters and digits (%s); want a token of this server with the scope admin", session.See("D17"))
	case me.Status == http.StatusUnauthorized:
		return fmt.Errorf("the server refuses the token (401); want one that this server has issued, is not revoked or expired, and has the scope admin")
	case me.Status == http.StatusNotFound:
		return fmt.Errorf("there is no %s/me (404): want the base URL of a server of the API 20151105, which is what stands before %s", where, session.API)
	case me.Status != http.StatusOK:
		return fmt.Errorf("%s/me was answered with %d instead of 200: %s", where, me.Status, session.Short(string(me.Body)))
	case me.Value == nil:
		return fmt.Errorf("%s/me was answered with something else than JSON (%q): is that a server of the API?", where, me.Header.Get("Content-Type"))
	case me.At("/scope") != "admin":
		return fmt.Errorf("the token has the scope %s; want admin, because the cases make users and tokens of their own", session.Encode(me.At("/scope")))
	}
	return nil
}

// granted returns an error for an administrator without the rights for the cases.
func granted(a *session.Answer, what string) error {
	if a.Status != http.StatusCreated {
		return fmt.Errorf("the cases need to %s, but %s was answered with %d instead of 201: %s", what, a.Request, a.Status, session.Short(string(a.Body)))
	}
	return nil
}

// furnished returns an error for missing metadata of D2's seed. A state without initial
// has another error.
func furnished(s *session.Session) error {
	need := [][2]string{
		{"state", "Open"}, {"state", "In Progress"}, {"state", "Closed"},
		{"priority", "Urgent"}, {"priority", "High"}, {"priority", "Normal"}, {"priority", "Low"},
		{"classification", "Feature"}, {"classification", "Task"},
	}
	var missing []string
	for _, n := range need {
		body := map[string]any{"title": s.Unique("Probe"), n[0]: map[string]string{"name": n[1]}}
		a := s.Admin.Post("/problems", session.Encode(body))
		if a.Status == http.StatusUnprocessableEntity {
			missing = append(missing, fmt.Sprintf("the %s %q", n[0], n[1]))
		}
	}
	if missing != nil {
		return fmt.Errorf("the server does not know %s; want the states, priorities and classifications of a new store, beside others that it may have (%s)", strings.Join(missing, ", "), session.See("D2"))
	}
	return nil
}
