package httpsuite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// answer is an answer of the server. Its methods are assertions in the form of sentences.
// Those with an answer as result can be chained.
type answer struct {
	t       *trial
	request string
	base    string
	status  int
	header  http.Header
	body    []byte
	value   any   // the body when it is JSON, numbers as json.Number
	err     error // why there is no answer; status is 0 then
}

var (
	timeForm     = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	uuidForm     = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	instanceForm = regexp.MustCompile(`^urn:request:[!-~]+$`)
)

// universal checks the rules for every answer of the server: nothing broke inside; and,
// for extended cases, the security headers (D34) and the form of errors (D18). A missing
// answer was reported already.
func (a *answer) universal() {
	a.t.Helper()
	if a.away() {
		return
	}
	if a.status >= 500 {
		a.t.Errorf("%v\nis a failure of the server", a)
	}
	if a.t.level == core {
		return
	}
	if a.header.Get("X-Content-Type-Options") != "nosniff" {
		a.t.once("nosniff", "%v\nlacks X-Content-Type-Options: nosniff (%s)", a, see("D34"))
	}
	if a.header.Get("Content-Security-Policy") == "" {
		a.t.once("policy", "%v\nlacks a Content-Security-Policy (%s)", a, see("D34"))
	}
	if a.status >= 400 && !strings.HasPrefix(a.request, http.MethodHead) {
		a.problemDetails()
	}
}

// problemDetails demands an error in the form of RFC 9457 (D18).
func (a *answer) problemDetails() {
	a.t.Helper()
	if got := a.mediaType(); got != "application/problem+json" {
		a.t.once("problem+json", "%v\nis an error of type %q, want application/problem+json (%s)", a, got, see("D18"))
		return
	}
	for _, member := range []string{"type", "title", "detail", "instance"} {
		if text, _ := a.at("/" + member).(string); text == "" {
			a.t.Errorf("%v\nlacks the member %s (RFC 9457, %s)", a, member, see("D18"))
		}
	}
	if a.at("/status") != json.Number(strconv.Itoa(a.status)) {
		a.t.Errorf("%v\nhas another status in its body (RFC 9457)", a)
	}
	if text, _ := a.at("/instance").(string); !instanceForm.MatchString(text) {
		a.t.Errorf("%v\nhas the instance %q, want urn:request: and an identifier (%s)", a, text, see("D18"))
	}
}

// mediaType is the type of the body without its parameters.
func (a *answer) mediaType() string {
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil {
		return a.header.Get("Content-Type")
	}
	return kind
}

// isJSON reports whether the body is JSON of any kind.
func (a *answer) isJSON() bool { return strings.HasSuffix(a.mediaType(), "json") }

// json demands a body of the type application/json.
func (a *answer) json() *answer {
	a.t.Helper()
	if got := a.mediaType(); got != "application/json" {
		a.t.Fatalf("%v\nhas the type %q, want application/json", a, got)
	}
	return a
}

// revalidated demands the headers against shared caches: only the client may keep the
// answer, and it asks again before each use (D20).
func (a *answer) revalidated() *answer {
	a.t.Helper()
	for _, want := range []struct{ header, token string }{{"Cache-Control", "private"}, {"Cache-Control", "no-cache"}, {"Vary", "authorization"}} {
		if !a.lists(want.header, want.token) {
			a.t.Fatalf("%v\nsends %s: %q, want %s in it (%s)", a, want.header, a.header.Values(want.header), want.token, see("D20"))
		}
	}
	return a
}

// lists reports whether a header has a token in its comma list, in any letter case.
func (a *answer) lists(header, token string) bool {
	for item := range strings.SplitSeq(strings.Join(a.header.Values(header), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(item), token) {
			return true
		}
	}
	return false
}

// String shows the exchange in a failure message.
func (a *answer) String() string {
	if a.status == 0 {
		return short(a.request) + " was not answered"
	}
	text := fmt.Sprintf("%s answered %d", short(a.request), a.status)
	body := bytes.TrimSpace(a.body)
	if len(body) > 2000 {
		body = append(bytes.Clone(body[:2000]), "…"...)
	}
	if len(body) > 0 {
		text += "\n" + strings.ToValidUTF8(string(body), "�")
	}
	return text
}

// is demands the status.
func (a *answer) is(status int) *answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%v\nwant %d", a, status)
	}
	return a
}

// empty demands an answer without a body.
func (a *answer) empty() *answer {
	a.t.Helper()
	if len(a.body) > 0 {
		a.t.Fatalf("%v\nhas a body", a)
	}
	return a
}

// refused demands an error of any kind. Extended cases ask for the kind.
func (a *answer) refused() *answer {
	a.t.Helper()
	if a.status/100 != 4 {
		a.t.Fatalf("%v\nwant a refusal", a)
	}
	return a
}

// fault demands an error of the given kind, or of any kind when the slug is empty;
// and, when pointers are given, faults of the body at exactly these, in any order.
func (a *answer) fault(status int, slug string, pointers ...string) *answer {
	a.t.Helper()
	if a.status != status || slug != "" && a.slug() != slug {
		a.t.Fatalf("%v\nwant %d %s", a, status, slug)
	}
	if len(pointers) > 0 {
		var got []string
		for _, item := range a.list("/errors") {
			got = append(got, fmt.Sprint(at(item, "/pointer")))
		}
		slices.Sort(got)
		slices.Sort(pointers)
		if !slices.Equal(got, pointers) {
			a.t.Fatalf("%v\npoints at %q, want %q", a, got, pointers)
		}
	}
	return a
}

// slug returns the last part of the error's type if it is a page of this server (D18).
func (a *answer) slug() string {
	text, _ := a.at("/type").(string)
	base, err := url.Parse(a.base)
	if err != nil {
		return "no slug: " + text
	}
	page, err := base.Parse(text) // a type may be relative to the server
	if err != nil || page.Host != base.Host {
		return "no slug: " + text
	}
	slug, found := strings.CutPrefix(page.Path, strings.TrimSuffix(base.Path, api)+"/errors/")
	if !found {
		return "no slug: " + text
	}
	return slug
}

// kinds returns the slugs of the faults of the body, by pointer.
func (a *answer) kinds() map[string]string {
	kinds := map[string]string{}
	for _, item := range a.list("/errors") {
		kind := fmt.Sprint(at(item, "/type"))
		kinds[fmt.Sprint(at(item, "/pointer"))] = kind[strings.LastIndex(kind, "/")+1:]
	}
	return kinds
}

// sends demands the header.
func (a *answer) sends(name, want string) *answer {
	a.t.Helper()
	if got := a.header.Get(name); got != want {
		a.t.Fatalf("%v\nsends %s: %q, want %q", a, name, got, want)
	}
	return a
}

// ignores demands exactly these members in the header Ignored-Members.
func (a *answer) ignores(names ...string) *answer {
	a.t.Helper()
	var got []string
	for name := range strings.SplitSeq(strings.Join(a.header.Values("Ignored-Members"), ","), ",") {
		if name = strings.TrimSpace(name); name != "" {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, names) {
		a.t.Fatalf("%v\nnames the ignored members %q, want %q", a, got, names)
	}
	return a
}

// revision returns the header Problem-Revision of every answer about a problem (D10).
func (a *answer) revision() int64 {
	a.t.Helper()
	n, err := strconv.ParseInt(a.header.Get("Problem-Revision"), 10, 64)
	if err != nil {
		a.t.Fatalf("%v\nlacks Problem-Revision (%s)", a, see("D10"))
	}
	return n
}

// etag returns the strong entity tag.
func (a *answer) etag() string {
	a.t.Helper()
	tag := a.header.Get("ETag")
	if len(tag) < 3 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		a.t.Fatalf("%v\nhas the ETag %q, want a strong one (%s)", a, tag, see("D20"))
	}
	return tag
}

// offered demands the endpoint itself, with a clear message for servers without it.
func (a *answer) offered(source string) *answer {
	a.t.Helper()
	if a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed {
		a.t.Fatalf("%v\nthe server lacks this endpoint (%s)", a, see(source))
	}
	return a
}
