package httpsuite

import (
	"fmt"
	"slices"
	"strings"
)

// auditOf returns the entries of the audit log about the object. The log is as long as
// the server is old: it is followed to its end.
func auditOf(s *session, identifier string) (about []map[string]any) {
	s.Helper()
	for a := range s.admin.pages("/audit?limit=1000") {
		for _, e := range a.list("") {
			if at(e, "/object/identifier") == identifier {
				about = append(about, e.(map[string]any))
			}
		}
	}
	return about
}

// audited demands exactly these entries about the object, such as "Created : null → {…}"
// or "Changed name: "a" → "b"", oldest first.
func audited(s *session, identifier string, want ...string) []map[string]any {
	s.Helper()
	entries := auditOf(s, identifier)
	lines := []string{}
	for _, e := range entries {
		field, _ := e["field"].(string)
		lines = append(lines, fmt.Sprintf("%v %s: %s → %s", e["type"], field, encode(e["from"]), encode(e["to"])))
	}
	if !slices.Equal(lines, want) {
		s.Fatalf("the audit log has of %s\n%s\nwant\n%s", identifier, strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	return entries
}

// auditCases are about the audit log (D17, D30).
func auditCases() []demand {
	const source = "D30"
	return []demand{
		{extended, "HTTP-AUDIT-001", "D17, D30", "the audit log is for the scope admin, and has no other methods than reading", auditNeedsAdminAndIsReadOnly},
		{extended, "HTTP-AUDIT-002", source, "each object that was created and each member that was changed is in the log: who, when, what, from, to", auditTellsEachChange},
		{extended, "HTTP-AUDIT-003", source, "all kinds are logged: states, priorities, classifications, milestones, and users", auditCoversAllKinds},
		{extended, "HTTP-AUDIT-004", source, "a write that is refused, a dry run, and one that changes nothing leave no entry", auditSkipsWhatChangedNothing},
		{extended, "HTTP-AUDIT-005", source, "tokens are logged as they are issued and revoked, also by a user who is deactivated; never their secrets", auditTellsTokensWithoutSecrets},
		{extended, "HTTP-AUDIT-006", source, "the log is read in pages, oldest first, without gaps and doubles", auditComesInPages},
	}
}

func auditNeedsAdminAndIsReadOnly(s *session) {
	a := s.admin.get("/audit?limit=1").offered("D30").is(200).json()
	a.members("/0", "identifier", "type", "creationDate", "author", "batchIdentifier", "kind", "object", "field", "from", "to").
		members("/0/object", "identifier", "name").timed("/0/creationDate")
	s.user().get("/audit").fault(403, "forbidden")
	s.userWith("read").get("/audit").fault(403, "forbidden")
	s.as("").get("/audit").fault(401, "unauthenticated")
	s.admin.delete("/audit", "").fault(405, "method-not-allowed")
	s.admin.post("/audit", `{}`).fault(405, "method-not-allowed")
}

func auditTellsEachChange(s *session) {
	boss := s.userWith("admin")
	parent := s.component()
	name, renamed := s.unique("component"), s.unique("renamed")
	id := boss.post("/components", `{"name":`+encode(name)+`}`).offered("D30").is(201).text("/identifier")
	boss.patch("/components/"+id, `{"name":`+encode(renamed)+`,"closed":true}`).is(200)
	boss.patch("/components/"+id, `{"parent":`+parent.part()+`}`).is(200)
	boss.patch("/components/"+id, `{"parent":null}`).is(200)
	ref := encode(map[string]any{"identifier": parent.identifier, "name": parent.name})
	entries := audited(s, id,
		`Created : null → `+encode(map[string]any{"name": name, "closed": false}),
		`Changed name: `+encode(name)+` → `+encode(renamed),
		`Changed closed: false → true`,
		`Changed parent: null → `+ref,
		`Changed parent: `+ref+` → null`,
	)
	for i, e := range entries {
		want := renamed
		if i == 0 {
			want = name
		}
		if e["kind"] != "component" || encode(e["author"]) != encode(boss.ref()) || at(e, "/object/name") != want || !timeForm.MatchString(fmt.Sprint(e["creationDate"])) {
			s.Fatalf("the entry %s is not of a component %q, by %s", encode(e), want, boss.name)
		}
	}
	if entries[1]["batchIdentifier"] != entries[2]["batchIdentifier"] || entries[2]["batchIdentifier"] == entries[3]["batchIdentifier"] {
		s.Fatalf("the entries %s are not of one batch for each request", encode(entries))
	}
}

func auditCoversAllKinds(s *session) {
	for _, kind := range kinds {
		o, renamed := s.object(kind.list, "audited"), s.unique("renamed")
		s.admin.patch(o.path, `{"name":`+encode(renamed)+`}`).is(200)
		entries := auditOf(s, o.identifier)
		if len(entries) != 2 || entries[0]["type"] != "Created" || entries[0]["from"] != nil || at(entries[0], "/to/name") != o.name || entries[0]["field"] != nil ||
			entries[1]["type"] != "Changed" || entries[1]["field"] != "name" || entries[1]["from"] != o.name || entries[1]["to"] != renamed || entries[1]["kind"] != kind.field {
			s.Fatalf("of a %s that was made and renamed the log has %s", kind.field, encode(entries))
		}
	}
	bob := s.user()
	name, email := s.unique("bob"), s.unique("bob")+"@example.org"
	s.admin.patch("/users/"+bob.identifier, encode(map[string]any{"name": name, "email": email})).is(200)
	audited(s, bob.identifier,
		`Created : null → `+encode(map[string]any{"name": bob.name, "email": bob.email, "inactive": false}),
		`Changed name: `+encode(bob.name)+` → `+encode(name),
		`Changed email: `+encode(bob.email)+` → `+encode(email),
	)
}

func auditSkipsWhatChangedNothing(s *session) {
	o, other := s.milestone(), s.milestone()
	s.admin.patch(o.path, `{}`).is(200)
	s.admin.patch(o.path, `{"name":`+encode(o.name)+`}`).is(200)
	s.admin.patch(o.path+"?dryRun=true", `{"name":`+encode(s.unique("dry"))+`}`).is(200)
	s.admin.patch(o.path, `{"name":`+encode(other.name)+`}`).fault(409, "already-exists")
	s.user().patch(o.path, `{"name":"x"}`).fault(403, "forbidden")
	if entries := auditOf(s, o.identifier); len(entries) != 1 {
		s.Fatalf("of a milestone that was only made the log has %s", encode(entries))
	}
}

func auditTellsTokensWithoutSecrets(s *session) {
	bob := s.user()
	issue := func() (string, string) {
		a := s.admin.post("/tokens", `{"user":{"identifier":`+encode(bob.identifier)+`},"scope":"read"}`).is(201)
		return a.text("/identifier"), secret(a)
	}
	first, firstSecret := issue()
	second, secondSecret := issue()
	s.admin.delete("/tokens/"+first, "").is(204)
	s.deactivate(bob)
	for _, token := range []string{first, second} {
		entries := auditOf(s, token)
		if len(entries) != 2 || entries[0]["type"] != "Created" || entries[0]["kind"] != "token" || at(entries[0], "/to/scope") != "read" ||
			at(entries[0], "/to/user/identifier") != bob.identifier || entries[1]["type"] != "Changed" || entries[1]["field"] != "revoked" || entries[1]["from"] != nil {
			s.Fatalf("of a token that was issued and revoked the log has %s", encode(entries))
		}
	}
	for a := range s.admin.pages("/audit?limit=1000") {
		for _, hidden := range []string{firstSecret, secondSecret} {
			if strings.Contains(string(a.body), hidden) || strings.Contains(string(a.body), hidden[4:20]) {
				s.Fatalf("the audit log has the secret of a token, or a part of it")
			}
		}
	}
}

func auditComesInPages(s *session) {
	var made []string
	for range 4 {
		made = append(made, s.milestone().identifier)
	}
	// walk returns the entries from the first page to the last.
	walk := func(limit string, most int) (all []string) {
		var mine []string
		for a := range s.admin.pages("/audit" + limit) {
			if n := len(a.list("")); n > most || n == 0 {
				s.Fatalf("GET /audit%s has a page of %d", limit, n)
			}
			for _, e := range a.list("") {
				all = append(all, fmt.Sprint(at(e, "/identifier")))
				if id, _ := at(e, "/object/identifier").(string); slices.Contains(made, id) {
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
		s.admin.get("/audit"+query).fault(400, "malformed-request")
	}
}
