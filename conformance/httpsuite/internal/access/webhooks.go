package access

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// webhookCases are about webhooks (D40). Their receivers do not exist.
func webhookCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-HOOK-001", "D40", "a webhook is made, loaded, changed, given another secret and deleted; a secret is shown once", webhookLife),
		session.Extended("HTTP-HOOK-002", "D18, D40", "the faults of a webhook, and of a change of one", faultsOfAWebhook),
		session.Extended("HTTP-HOOK-003", "D17, D30, D40", "only the scope admin sees webhooks, and what it changes is in the audit log", webhooksNeedAdmin),
		session.Extended("HTTP-HOOK-004", "D18, D40", "three secrets of a webhook sign at a time, until an administrator ends the earlier ones", rotationsOfASecret),
	}
}

// receiver is the URL of a receiver that nobody can have.
func receiver(s *session.Session) string {
	return "https://" + s.Unique("hook-") + ".example.invalid/problems"
}

// webhookSecret returns the secret of an answer.
func webhookSecret(s *session.Session, a *session.Answer) string {
	s.Helper()
	secret := a.Text("/secret")
	bytes, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if !strings.HasPrefix(secret, "whsec_") || err != nil || len(bytes) < 24 {
		s.Fatalf("%v\nhas no secret in the form of D40", a)
	}
	return secret
}

func webhookLife(s *session.Session) {
	url := receiver(s)
	made := s.Admin.Post("/webhooks", fmt.Sprintf(`{"url":%q,"types":["problem.created"],"predicate":"title = 'Never this one'"}`, url)).Is(201)
	first := webhookSecret(s, made)
	made.Has("/url", url).Has("/types/0", "problem.created").Has("/onFailure", "wait").Has("/active", true).Has("/state", "active").Has("/reason", nil).
		Has("/failures", 0.0).Has("/parked", 0.0).Has("/nextAttempt", nil)
	path := "/webhooks/" + made.Text("/identifier")
	defer s.Admin.Delete(path, "")
	s.Admin.Get(path).Is(200).Has("/url", url).Has("/cursor", made.Text("/cursor")).Lacks("/secret")
	s.Admin.Get(path+"/deliveries").Is(200).Counts("", 0)
	found := false
	list := s.Admin.Get("/webhooks").Is(200)
	if strings.Contains(string(list.Body), "whsec_") {
		s.Fatalf("the list shows a secret")
	}
	for i := range list.List("") {
		found = found || list.Text(fmt.Sprintf("/%d/identifier", i)) == made.Text("/identifier")
	}
	if !found {
		s.Fatalf("the list lacks %s", path)
	}
	s.Admin.Patch(path, `{"active":false}`).Is(200).Has("/active", false).Has("/state", "stopped")
	s.Admin.Patch(path, `{"types":null,"predicate":null,"onFailure":"park"}`).Is(200).Has("/types", nil).Has("/predicate", nil).Has("/onFailure", "park").Has("/active", false)
	s.Admin.Patch(path, `{"cursor":"oldest"}`).Is(200).Has("/active", false)
	s.Admin.Get(path).Is(200).Has("/types", nil).Has("/state", "stopped")
	rotated := s.Admin.Post(path+"/secret", "").Is(200)
	if webhookSecret(s, rotated) == first {
		s.Fatalf("the second secret is the first one")
	}
	s.Admin.Delete(path, "").Is(204)
	s.Admin.Get(path).Fault(404, "not-found")
	s.Admin.Delete(path, "").Fault(404, "not-found")
}

func faultsOfAWebhook(s *session.Session) {
	s.Admin.Post("/webhooks", `{}`).Fault(422, "required-field", "/url")
	for _, url := range []string{"ftp://example.invalid/", "example.invalid", "https://a:b@example.invalid/", "https://example.invalid/#a", "http://[fe80::1%25eth0]/", "http://0x7f.1/", "http://example..invalid/"} {
		s.Admin.Post("/webhooks", fmt.Sprintf(`{"url":%q}`, url)).Fault(422, "invalid-value", "/url")
	}
	s.Admin.Post("/webhooks", `{"url":7}`).Fault(422, "invalid-type", "/url")
	s.Admin.Post("/webhooks", `{"url":"https://example.invalid/","types":["problem.created","x"]}`).Fault(422, "invalid-value", "/types/1")
	s.Admin.Post("/webhooks", `{"url":"https://example.invalid/","types":[]}`).Fault(422, "invalid-value", "/types")
	s.Admin.Post("/webhooks", `{"url":"https://example.invalid/","predicate":"titel = 1"}`).Fault(422, "invalid-value", "/predicate")
	s.Admin.Post("/webhooks", `{"url":"https://example.invalid/","onFailure":"drop"}`).Fault(422, "invalid-value", "/onFailure")
	s.Admin.Post("/webhooks", `{"url":"https://example.invalid/","secret":"mine"}`).Fault(422, "unknown-field", "/secret")
	made := s.Admin.Post("/webhooks", fmt.Sprintf(`{"url":%q,"predicate":"title = 'Never this one'"}`, receiver(s))).Is(201)
	path := "/webhooks/" + made.Text("/identifier")
	defer s.Admin.Delete(path, "")
	s.Admin.Patch(path, `{"cursor":"yesterday"}`).Fault(422, "invalid-value", "/cursor")
	s.Admin.Patch(path, `{"active":null}`).Fault(422, "invalid-value", "/active")
	s.Admin.Patch(path, `{"url":null}`).Fault(422, "invalid-value", "/url")
	for _, unknown := range []string{"/webhooks/01890000-0000-7000-8000-000000000000", "/webhooks/x"} {
		s.Admin.Get(unknown).Fault(404, "not-found")
		s.Admin.Patch(unknown, `{"active":true}`).Fault(404, "not-found")
		s.Admin.Post(unknown+"/test", "").Fault(404, "not-found")
		s.Admin.Post(unknown+"/secret", "").Fault(404, "not-found")
	}
}

func rotationsOfASecret(s *session.Session) {
	made := s.Admin.Post("/webhooks", fmt.Sprintf(`{"url":%q,"predicate":"title = 'Never this one'"}`, receiver(s))).Is(201)
	path := "/webhooks/" + made.Text("/identifier")
	defer s.Admin.Delete(path, "")
	secrets := []string{webhookSecret(s, made)}
	rotate := func(body string) {
		secrets = append(secrets, webhookSecret(s, s.Admin.Post(path+"/secret", body).Is(200)))
	}
	rotate("")
	rotate(`{"endEarlier":false}`)
	for _, body := range []string{"", "{}", `{"endEarlier":false}`} {
		s.Admin.Post(path+"/secret", body).Fault(409, "in-use")
	}
	s.Admin.Post(path+"/secret", `{"endEarlier":"yes"}`).Fault(422, "invalid-type", "/endEarlier")
	s.Admin.Post(path+"/secret", `{"endEarlier":null}`).Fault(422, "invalid-value", "/endEarlier")
	s.Admin.Post(path+"/secret", `{"secret":"mine"}`).Fault(422, "unknown-field", "/secret")
	rotate(`{"endEarlier":true}`)
	rotate("{}")
	for i, secret := range secrets {
		if slices.Contains(secrets[:i], secret) {
			s.Fatalf("secret %d of the webhook is an earlier one", i+1)
		}
	}
}

func webhooksNeedAdmin(s *session.Session) {
	made := s.Admin.Post("/webhooks", fmt.Sprintf(`{"url":%q,"predicate":"title = 'Never this one'"}`, receiver(s))).Is(201)
	id := made.Text("/identifier")
	path := "/webhooks/" + id
	defer s.Admin.Delete(path, "")
	for _, p := range []session.Person{s.User(), s.UserWith("read")} {
		p.Get("/webhooks").Fault(403, "forbidden")
		p.Get(path).Fault(403, "forbidden")
		p.Get(path+"/deliveries").Fault(403, "forbidden")
		p.Post("/webhooks", `{"url":"https://example.invalid/"}`).Fault(403, "forbidden")
		p.Patch(path, `{"active":false}`).Fault(403, "forbidden")
		p.Post(path+"/secret", "").Fault(403, "forbidden")
		p.Delete(path, "").Fault(403, "forbidden")
	}
	s.Admin.Patch(path, `{"active":false}`).Is(200)
	s.Admin.Patch(path, `{"cursor":"oldest"}`).Is(200)
	s.Admin.Post(path+"/secret", "").Is(200)
	s.Admin.Delete(path, "").Is(204)
	var fields []string
	for page := range s.Admin.Pages("/audit") {
		if strings.Contains(string(page.Body), "whsec_") {
			s.Fatalf("the audit log has a secret")
		}
		for i := range page.List("") {
			if at := fmt.Sprintf("/%d", i); page.Text(at+"/object/identifier") == id {
				fields = append(fields, page.Text(at+"/kind")+" "+page.Text(at+"/type")+" "+fmt.Sprint(page.At(at+"/field")))
			}
		}
	}
	if got, want := strings.Join(fields, ", "), "webhook Created <nil>, webhook Changed active, webhook Changed cursor, webhook Changed secret, webhook Changed deleted"; got != want {
		s.Fatalf("the audit log has %q about the webhook, want %q", got, want)
	}
}
