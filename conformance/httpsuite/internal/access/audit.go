package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// auditOf returns the entries of the audit log about the object. The log is as long as
// the server is old: it is followed to its end.
func auditOf(s *session.Session, identifier string) (about []map[string]any) {
	s.Helper()
	for a := range s.Admin.Pages("/audit?limit=1000") {
		for _, e := range a.List("") {
			if session.At(e, "/object/identifier") == identifier {
				about = append(about, e.(map[string]any))
			}
		}
	}
	return about
}

// audited demands exactly these entries about the object, such as "Created : null → {…}"
// or "Changed name: "a" → "b"", oldest first.
func audited(s *session.Session, identifier string, want ...string) []map[string]any {
	s.Helper()
	entries := auditOf(s, identifier)
	lines := []string{}
	for _, e := range entries {
		field, _ := e["field"].(string)
		lines = append(lines, fmt.Sprintf("%v %s: %s → %s", e["type"], field, session.Encode(e["from"]), session.Encode(e["to"])))
	}
	if !slices.Equal(lines, want) {
		s.Fatalf("the audit log has of %s\n%s\nwant\n%s", identifier, strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	return entries
}

// auditCases are about the audit log (D17, D30).
func auditCases() []session.Case {
	const source = "D30"
	return []session.Case{
		session.Extended("HTTP-AUDIT-001", "D17, D30", "the audit log is for the scope admin, and has no other methods than reading", auditNeedsAdminAndIsReadOnly),
		session.Extended("HTTP-AUDIT-002", source, "each object that was created and each member that was changed is in the log: who, when, what, from, to", auditTellsEachChange),
		session.Extended("HTTP-AUDIT-003", source, "all kinds are logged: states, priorities, classifications, milestones, and users", auditCoversAllKinds),
		session.Extended("HTTP-AUDIT-004", source, "a write that is refused, a dry run, and one that changes nothing leave no entry", auditSkipsWhatChangedNothing),
		session.Extended("HTTP-AUDIT-005", source, "tokens are logged as they are issued and revoked, also by a user who is deactivated; never their secrets", auditTellsTokensWithoutSecrets),
		session.Extended("HTTP-AUDIT-006", source, "the log is read in pages, oldest first, without gaps and doubles", auditComesInPages),
	}
}

func auditNeedsAdminAndIsReadOnly(s *session.Session) {
	a := s.Admin.Get("/audit?limit=1").Offered("D30").Is(200).JSON()
	a.Members("/0", "identifier", "type", "creationDate", "author", "batchIdentifier", "kind", "object", "field", "from", "to").
		Members("/0/object", "identifier", "name").Timed("/0/creationDate")
	s.User().Get("/audit").Fault(403, "forbidden")
	s.UserWith("read").Get("/audit").Fault(403, "forbidden")
	s.As("").Get("/audit").Fault(401, "unauthenticated")
	s.Admin.Delete("/audit", "").Fault(405, "method-not-allowed")
	s.Admin.Post("/audit", `{}`).Fault(405, "method-not-allowed")
}

func auditTellsEachChange(s *session.Session) {
	boss := s.UserWith("admin")
	parent := s.Component()
	name, renamed := s.Unique("component"), s.Unique("renamed")
	id := boss.Post("/components", `{"name":`+session.Encode(name)+`}`).Offered("D30").Is(201).Text("/identifier")
	boss.Patch("/components/"+id, `{"name":`+session.Encode(renamed)+`,"closed":true}`).Is(200)
	boss.Patch("/components/"+id, `{"parent":`+parent.Part()+`}`).Is(200)
	boss.Patch("/components/"+id, `{"parent":null}`).Is(200)
	ref := session.Encode(map[string]any{"identifier": parent.Identifier, "name": parent.Name})
	entries := audited(s, id,
		`Created : null → `+session.Encode(map[string]any{"name": name, "closed": false}),
		`Changed name: `+session.Encode(name)+` → `+session.Encode(renamed),
		`Changed closed: false → true`,
		`Changed parent: null → `+ref,
		`Changed parent: `+ref+` → null`,
	)
	for i, e := range entries {
		want := renamed
		if i == 0 {
			want = name
		}
		if e["kind"] != "component" || session.Encode(e["author"]) != session.Encode(boss.Ref()) || session.At(e, "/object/name") != want || !session.TimeForm.MatchString(fmt.Sprint(e["creationDate"])) {
			s.Fatalf("the entry %s is not of a component %q, by %s", session.Encode(e), want, boss.Name)
		}
	}
	if entries[1]["batchIdentifier"] != entries[2]["batchIdentifier"] || entries[2]["batchIdentifier"] == entries[3]["batchIdentifier"] {
		s.Fatalf("the entries %s are not of one batch for each request", session.Encode(entries))
	}
}

func auditCoversAllKinds(s *session.Session) {
	for _, kind := range session.Kinds {
		o, renamed := s.Object(kind.List, "audited"), s.Unique("renamed")
		s.Admin.Patch(o.Path, `{"name":`+session.Encode(renamed)+`}`).Is(200)
		entries := auditOf(s, o.Identifier)
		if len(entries) != 2 || entries[0]["type"] != "Created" || entries[0]["from"] != nil || session.At(entries[0], "/to/name") != o.Name || entries[0]["field"] != nil ||
			entries[1]["type"] != "Changed" || entries[1]["field"] != "name" || entries[1]["from"] != o.Name || entries[1]["to"] != renamed || entries[1]["kind"] != kind.Field {
			s.Fatalf("of a %s that was made and renamed the log has %s", kind.Field, session.Encode(entries))
		}
	}
	bob := s.User()
	name, email := s.Unique("bob"), s.Unique("bob")+"@example.org"
	s.Admin.Patch("/users/"+bob.Identifier, session.Encode(map[string]any{"name": name, "email": email})).Is(200)
	audited(s, bob.Identifier,
		`Created : null → `+session.Encode(map[string]any{"name": bob.Name, "email": bob.Email, "inactive": false}),
		`Changed name: `+session.Encode(bob.Name)+` → `+session.Encode(name),
		`Changed email: `+session.Encode(bob.Email)+` → `+session.Encode(email),
	)
}

func auditSkipsWhatChangedNothing(s *session.Session) {
	o, other := s.Milestone(), s.Milestone()
	s.Admin.Patch(o.Path, `{}`).Is(200)
	s.Admin.Patch(o.Path, `{"name":`+session.Encode(o.Name)+`}`).Is(200)
	s.Admin.Patch(o.Path+"?dryRun=true", `{"name":`+session.Encode(s.Unique("dry"))+`}`).Is(200)
	s.Admin.Patch(o.Path, `{"name":`+session.Encode(other.Name)+`}`).Fault(409, "already-exists")
	s.UserWith("read").Patch(o.Path, `{"name":"x"}`).Fault(403, "forbidden")
	if entries := auditOf(s, o.Identifier); len(entries) != 1 {
		s.Fatalf("of a milestone that was only made the log has %s", session.Encode(entries))
	}
}

func auditTellsTokensWithoutSecrets(s *session.Session) {
	bob := s.User()
	issue := func() (string, string) {
		a := s.Admin.Post("/tokens", `{"user":{"identifier":`+session.Encode(bob.Identifier)+`},"scope":"read"}`).Is(201)
		return a.Text("/identifier"), session.Secret(a)
	}
	first, firstSecret := issue()
	second, secondSecret := issue()
	s.Admin.Delete("/tokens/"+first, "").Is(204)
	s.Deactivate(bob)
	for _, token := range []string{first, second} {
		entries := auditOf(s, token)
		if len(entries) != 2 || entries[0]["type"] != "Created" || entries[0]["kind"] != "token" || session.At(entries[0], "/to/scope") != "read" ||
			session.At(entries[0], "/to/user/identifier") != bob.Identifier || entries[1]["type"] != "Changed" || entries[1]["field"] != "revoked" || entries[1]["from"] != nil {
			s.Fatalf("of a token that was issued and revoked the log has %s", session.Encode(entries))
		}
	}
	for a := range s.Admin.Pages("/audit?limit=1000") {
		for _, hidden := range []string{firstSecret, secondSecret} {
			if strings.Contains(string(a.Body), hidden) || strings.Contains(string(a.Body), hidden[4:20]) {
				s.Fatalf("the audit log has the secret of a token, or a part of it")
			}
		}
	}
}

func auditComesInPages(s *session.Session) {
	var made []string
	for range 4 {
		made = append(made, s.Milestone().Identifier)
	}
	// walk returns the entries from the first page to the last.
	walk := func(limit string, most int) (all []string) {
		var mine []string
		for a := range s.Admin.Pages("/audit" + limit) {
			if n := len(a.List("")); n > most || n == 0 {
				s.Fatalf("GET /audit%s has a page of %d", limit, n)
			}
			for _, e := range a.List("") {
				all = append(all, fmt.Sprint(session.At(e, "/identifier")))
				if id, _ := session.At(e, "/object/identifier").(string); slices.Contains(made, id) {
					mine = append(mine, id)
				}
			}
		}
		if !slices.Equal(mine, made) {
			s.Fatalf("GET /audit%s tells of the milestones %q, want %q", limit, mine, made)
		}
		if distinct := slices.Sorted(slices.Values(all)); len(slices.Compact(distinct)) != len(all) {
			s.Fatalf("the pages of GET /audit%s have an entry twice", limit)
		}
		return all
	}
	first := walk("?limit=1000", 1000) // the begin of every later walk: the log only grows
	several := min(len(first)/3, 73)   // for several pages on a new server, too
	for limit, most := range map[string]int{"": 100, "?limit=" + fmt.Sprint(several): several} {
		if all, n := walk(limit, most), len(first); len(all) < n || !slices.Equal(all[:n], first) {
			s.Fatalf("the pages of GET /audit%s are not those of GET /audit?limit=1000, and more: %d entries, which do not begin with the %d of before", limit, len(all), n)
		}
	}
	for _, query := range []string{"?limit=0", "?limit=1001", "?limit=x", "?cursor=x", "?colour=red"} {
		s.Admin.Get("/audit"+query).Fault(400, "malformed-request")
	}
}
