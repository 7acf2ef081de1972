package webhook

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://hooks.example.org/problems", "http://example.org", "https://example.org:8443/a?b=c&d=%20", "https://[2606:4700::1111]/x",
		"http://10.0.0.1:9000/hook", "https://xn--bcher-kva.example/", "https://example.org/" + strings.Repeat("a", MostURL-len("https://example.org/")),
		"http://hook_receiver:8080/", "https://a--b.EXAMPLE.org/", "https://example.org./", "https://4chan.example/", "http://[::ffff:10.0.0.1]/", "http://[fe80::1]/",
		"https://" + strings.Repeat("a", 63) + ".example.org/", "http://0xa.example/", "http://7.example/",
	} {
		if err := CheckURL(url); err != nil {
			t.Errorf("%s is refused: it %v", url, err)
		}
		if err := CheckHost(url); err != nil {
			t.Errorf("the host of %s is refused: it %v", url, err)
		}
	}
	for url, why := range map[string]string{
		"":                                    "must be a URL",
		"example.org/hook":                    "must be a URL",
		"/hook":                               "must be a URL",
		"https:hook":                          "must be a URL",
		"https://":                            "must be a URL",
		"https://:443/":                       "must be a URL",
		"ftp://example.org/":                  "scheme must be https or http",
		"file:///etc/passwd":                  "must be a URL",
		"gopher://example.org/":               "scheme must be https or http",
		"https://ann:geheim@example.org/":     "no user and no password",
		"https://ann@example.org/":            "no user and no password",
		"https://example.org/#top":            "no fragment",
		"https://example.org:0/":              "port from 1 to 65535",
		"https://example.org:65536/":          "port from 1 to 65535",
		"https://example.org:/":               "port from 1 to 65535",
		"https://example.org/a b":             "visible ASCII",
		"https://example.org/\r\nHost: other": "visible ASCII",
		"https://bücher.example/":             "visible ASCII",
		"https://example.org/%zz":             "must be a URL",
		"http://[fe80::1%eth0]/":              "must be a URL",
		"http://[::gg]/":                      "must be a URL",
		"http://[fe80::1%25]/":                "must be a URL",
		"http://[127.0.0.1]/":                 "must be a URL",
		"http://[]/":                          "must be a URL",
		"http://2001:db8::1/":                 "must be a URL",
		"https://example.org/" + strings.Repeat("a", MostURL): "at most 2048 bytes",
	} {
		err := CheckURL(url)
		switch {
		case err == nil || !strings.Contains(err.Error(), why):
			t.Errorf("%q: got %v, want %q", url, err, why)
		case strings.Contains(err.Error(), "geheim"):
			t.Errorf("the error repeats the password: %v", err)
		}
	}
}

// An archive may have these hosts, and a new webhook may not.
func TestCheckHost(t *testing.T) {
	t.Parallel()
	for url, why := range map[string]string{
		"http://[fe80::1%25eth0]/hook":                         "IPv6 address without a zone",
		"http://[2606:4700::1111%25lo]/":                       "IPv6 address without a zone",
		"https://hooks..example.org/":                          "host such as hooks.example.org",
		"https://.example.org/":                                "host such as hooks.example.org",
		"https://./":                                           "host such as hooks.example.org",
		"https://example.org../":                               "host such as hooks.example.org",
		"https://-a.example.org/":                              "host such as hooks.example.org",
		"https://a-.example.org/":                              "host such as hooks.example.org",
		"https://exa!mple.org/":                                "host such as hooks.example.org",
		"https://*.example.org/":                               "host such as hooks.example.org",
		"https://b%C3%BCcher.example/":                         "host such as hooks.example.org",
		"https://" + strings.Repeat("a", 64) + ".example.org/": "host such as hooks.example.org",
		"http://0x7f.1/":                                       "four decimal numbers",
		"http://2130706433/":                                   "four decimal numbers",
		"http://0177.0.0.1/":                                   "four decimal numbers",
		"http://127.1:8080/":                                   "four decimal numbers",
		"http://0/":                                            "four decimal numbers",
		"http://0x7f000001/":                                   "four decimal numbers",
		"http://0X7F.0.0.0X1/":                                 "four decimal numbers",
		"http://256.1.1.1/":                                    "four decimal numbers",
		"http://192.0.2.1./":                                   "four decimal numbers",
		"http://1.2.3.4.5/":                                    "four decimal numbers",
		"http://example.7/":                                    "four decimal numbers",
	} {
		if err := CheckURL(url); err != nil {
			t.Errorf("%q has a wrong form: it %v", url, err)
		}
		if err := CheckHost(url); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: got %v, want %q", url, err, why)
		}
	}
}

func TestOnFailureCheck(t *testing.T) {
	t.Parallel()
	for value, ok := range map[OnFailure]bool{Wait: true, Park: true, "": false, "Wait": false, "drop": false} {
		if err := value.Check(); (err == nil) != ok {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestCheckType(t *testing.T) {
	t.Parallel()
	for _, known := range event.Types() {
		if err := CheckType(known); err != nil {
			t.Errorf("%s: %v", known, err)
		}
	}
	if CheckType("problem.deleted") == nil || CheckType("") == nil {
		t.Error("a type that no event has is taken")
	}
}

func TestWants(t *testing.T) {
	t.Parallel()
	changed := event.Event{Type: event.ProblemChanged, Problem: 7}
	user := event.Event{Type: "user.changed"}
	for name, c := range map[string]struct {
		endpoint      Endpoint
		problem, user bool
	}{
		"everything":           {Endpoint{}, true, true},
		"of its type":          {Endpoint{Types: []event.Type{event.ProblemCreated, event.ProblemChanged}}, true, false},
		"of another type":      {Endpoint{Types: []event.Type{event.ProblemCreated}}, false, false},
		"of administration":    {Endpoint{Types: []event.Type{"user.changed"}}, false, true},
		"under a predicate":    {Endpoint{Predicate: "watching = YES"}, true, false},
		"administration under": {Endpoint{Types: []event.Type{"user.changed"}, Predicate: "watching = YES"}, false, false},
	} {
		if c.endpoint.Wants(changed) != c.problem || c.endpoint.Wants(user) != c.user {
			t.Errorf("%s: wants a change of a problem: %t, of a user: %t", name, c.endpoint.Wants(changed), c.endpoint.Wants(user))
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	if plan, err := (Endpoint{}).Plan(noon, nil); plan != nil || err != nil {
		t.Errorf("without a predicate the plan is %v, %v", plan, err)
	}
	if plan, err := (Endpoint{Predicate: "watching = YES", Owner: ident.ID{1}}).Plan(noon, nil); plan == nil || err != nil {
		t.Errorf("a predicate has the plan %v, %v", plan, err)
	}
	if _, err := (Endpoint{Predicate: "titel = 'x'"}).Plan(noon, nil); err == nil {
		t.Error("an impossible predicate is compiled")
	}
}

func TestBegin(t *testing.T) {
	t.Parallel()
	from := event.Cursor{Number: 5, Index: 1, Batch: ident.ID{5}}
	next := Endpoint{Epoch: 3, URL: "https://example.org"}.Begin(from)
	if next.Epoch != 4 || next.From != from || !next.Active || next.URL != "https://example.org" {
		t.Errorf("got %+v", next)
	}
}
