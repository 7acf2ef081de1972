package session

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

	"github.com/problemtracking/problems/conformance/report"
)

// Answer is an answer of the server. Its methods are assertions in the form of sentences.
// Those with an answer as result can be chained.
type Answer struct {
	T       *Trial
	Request string
	base    string
	Status  int
	Header  http.Header
	Body    []byte
	Value   any   // the body when it is JSON, numbers as json.Number
	Err     error // why there is no answer; status is 0 then
}

// The forms of times (D9), identifiers (D2) and instances of errors (D18).
var (
	TimeForm     = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	UUIDForm     = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	instanceForm = regexp.MustCompile(`^urn:request:[!-~]+$`)
)

// universal checks the rules for every answer of the server: nothing broke inside; and,
// for extended cases, the security headers (D34) and the form of errors (D18). A missing
// answer was reported already.
func (a *Answer) universal() {
	a.T.Helper()
	if a.away() {
		return
	}
	if a.Status >= 500 {
		a.T.Errorf("%v\nis a failure of the server", a)
	}
	if a.T.level == report.Core {
		return
	}
	if a.Header.Get("X-Content-Type-Options") != "nosniff" {
		a.T.once("nosniff", "%v\nlacks X-Content-Type-Options: nosniff (%s)", a, See("D34"))
	}
	if a.Header.Get("Content-Security-Policy") == "" {
		a.T.once("policy", "%v\nlacks a Content-Security-Policy (%s)", a, See("D34"))
	}
	if a.Status >= 400 && !strings.HasPrefix(a.Request, http.MethodHead) {
		a.problemDetails()
	}
}

// problemDetails demands an error in the form of RFC 9457 (D18).
func (a *Answer) problemDetails() {
	a.T.Helper()
	if got := a.mediaType(); got != "application/problem+json" {
		a.T.once("problem+json", "%v\nis an error of type %q, want application/problem+json (%s)", a, got, See("D18"))
		return
	}
	for _, member := range []string{"type", "title", "detail", "instance"} {
		if text, _ := a.At("/" + member).(string); text == "" {
			a.T.Errorf("%v\nlacks the member %s (RFC 9457, %s)", a, member, See("D18"))
		}
	}
	if a.At("/status") != json.Number(strconv.Itoa(a.Status)) {
		a.T.Errorf("%v\nhas another status in its body (RFC 9457)", a)
	}
	if text, _ := a.At("/instance").(string); !instanceForm.MatchString(text) {
		a.T.Errorf("%v\nhas the instance %q, want urn:request: and an identifier (%s)", a, text, See("D18"))
	}
}

// mediaType is the type of the body without its parameters.
func (a *Answer) mediaType() string {
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		return a.Header.Get("Content-Type")
	}
	return kind
}

// isJSON reports whether the body is JSON of any kind.
func (a *Answer) isJSON() bool { return strings.HasSuffix(a.mediaType(), "json") }

// JSON demands a body of the type application/json.
func (a *Answer) JSON() *Answer {
	a.T.Helper()
	if got := a.mediaType(); got != "application/json" {
		a.T.Fatalf("%v\nhas the type %q, want application/json", a, got)
	}
	return a
}

// Revalidated demands the headers against shared caches: only the client may keep the
// answer, and it asks again before each use (D20).
func (a *Answer) Revalidated() *Answer {
	a.T.Helper()
	for _, want := range []struct{ header, token string }{{"Cache-Control", "private"}, {"Cache-Control", "no-cache"}, {"Vary", "authorization"}} {
		if !a.lists(want.header, want.token) {
			a.T.Fatalf("%v\nsends %s: %q, want %s in it (%s)", a, want.header, a.Header.Values(want.header), want.token, See("D20"))
		}
	}
	return a
}

// lists reports whether a header has a token in its comma list, in any letter case.
func (a *Answer) lists(header, token string) bool {
	for item := range strings.SplitSeq(strings.Join(a.Header.Values(header), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(item), token) {
			return true
		}
	}
	return false
}

// String shows the exchange in a failure message.
func (a *Answer) String() string {
	if a.Status == 0 {
		return Short(a.Request) + " was not answered"
	}
	text := fmt.Sprintf("%s answered %d", Short(a.Request), a.Status)
	body := bytes.TrimSpace(a.Body)
	if len(body) > 2000 {
		body = append(bytes.Clone(body[:2000]), "…"...)
	}
	if len(body) > 0 {
		text += "\n" + strings.ToValidUTF8(string(body), "�")
	}
	return text
}

// Is demands the status.
func (a *Answer) Is(status int) *Answer {
	a.T.Helper()
	if a.Status != status {
		a.T.Fatalf("%v\nwant %d", a, status)
	}
	return a
}

// Empty demands an answer without a body.
func (a *Answer) Empty() *Answer {
	a.T.Helper()
	if len(a.Body) > 0 {
		a.T.Fatalf("%v\nhas a body", a)
	}
	return a
}

// Refused demands an error of any kind. Extended cases ask for the kind.
func (a *Answer) Refused() *Answer {
	a.T.Helper()
	if a.Status/100 != 4 {
		a.T.Fatalf("%v\nwant a refusal", a)
	}
	return a
}

// Fault demands an error of the given kind, or of any kind when the slug is empty;
// and, when pointers are given, faults of the body at exactly these, in any order.
func (a *Answer) Fault(status int, slug string, pointers ...string) *Answer {
	a.T.Helper()
	if a.Status != status || slug != "" && a.Slug() != slug {
		a.T.Fatalf("%v\nwant %d %s", a, status, slug)
	}
	if len(pointers) > 0 {
		var got []string
		for _, item := range a.List("/errors") {
			got = append(got, fmt.Sprint(At(item, "/pointer")))
		}
		slices.Sort(got)
		slices.Sort(pointers)
		if !slices.Equal(got, pointers) {
			a.T.Fatalf("%v\npoints at %q, want %q", a, got, pointers)
		}
	}
	return a
}

// Slug returns the last part of the error's type if it is a page of this server (D18).
func (a *Answer) Slug() string {
	text, _ := a.At("/type").(string)
	base, err := url.Parse(a.base)
	if err != nil {
		return "no slug: " + text
	}
	page, err := base.Parse(text) // a type may be relative to the server
	if err != nil || page.Host != base.Host {
		return "no slug: " + text
	}
	slug, found := strings.CutPrefix(page.Path, strings.TrimSuffix(base.Path, API)+"/errors/")
	if !found {
		return "no slug: " + text
	}
	return slug
}

// Kinds returns the slugs of the faults of the body, by pointer.
func (a *Answer) Kinds() map[string]string {
	kinds := map[string]string{}
	for _, item := range a.List("/errors") {
		kind := fmt.Sprint(At(item, "/type"))
		kinds[fmt.Sprint(At(item, "/pointer"))] = kind[strings.LastIndex(kind, "/")+1:]
	}
	return kinds
}

// Sends demands the header.
func (a *Answer) Sends(name, want string) *Answer {
	a.T.Helper()
	if got := a.Header.Get(name); got != want {
		a.T.Fatalf("%v\nsends %s: %q, want %q", a, name, got, want)
	}
	return a
}

// Ignores demands exactly these members in the header Ignored-Members.
func (a *Answer) Ignores(names ...string) *Answer {
	a.T.Helper()
	var got []string
	for name := range strings.SplitSeq(strings.Join(a.Header.Values("Ignored-Members"), ","), ",") {
		if name = strings.TrimSpace(name); name != "" {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, names) {
		a.T.Fatalf("%v\nnames the ignored members %q, want %q", a, got, names)
	}
	return a
}

// Revision returns the header Problem-Revision of every answer about a problem (D10).
func (a *Answer) Revision() int64 {
	a.T.Helper()
	n, err := strconv.ParseInt(a.Header.Get("Problem-Revision"), 10, 64)
	if err != nil {
		a.T.Fatalf("%v\nlacks Problem-Revision (%s)", a, See("D10"))
	}
	return n
}

// ETag returns the strong entity tag.
func (a *Answer) ETag() string {
	a.T.Helper()
	tag := a.Header.Get("ETag")
	if len(tag) < 3 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		a.T.Fatalf("%v\nhas the ETag %q, want a strong one (%s)", a, tag, See("D20"))
	}
	return tag
}

// Offered demands the endpoint itself, with a clear message for servers without it.
func (a *Answer) Offered(source string) *Answer {
	a.T.Helper()
	if a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed {
		a.T.Fatalf("%v\nthe server lacks this endpoint (%s)", a, See(source))
	}
	return a
}
