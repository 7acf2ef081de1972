package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// publicPages are the paths of all pages. Of the errors, one page stands for all.
var publicPages = []string{"/docs", "/docs/predicates", "/errors", "/errors/stale-revision"}

// page loads a page as a browser reads it.
func (f *fixture) page(t *testing.T, path string) *html.Node {
	t.Helper()
	w := f.send(t, request("GET", path, "", "Authorization", "", "Accept", "text/html"), 200, "")
	header(t, w, map[string]string{"Content-Type": "text/html; charset=utf-8"})
	root, err := html.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// attribute returns an attribute of an element, or "".
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// elements returns the elements below a node with an attribute of this value.
func elements(below *html.Node, name, value string) []*html.Node {
	var found []*html.Node
	for n := range below.Descendants() {
		if n.Type == html.ElementNode && attribute(n, name) == value {
			found = append(found, n)
		}
	}
	return found
}

// textOf returns the text of a node, with single spaces.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Pages have no script, and load nothing but their style sheet and icon. Together they are
// small.
func TestDocsNeedNothingElse(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, path := range publicPages {
		w := f.send(t, request("GET", path, "", "Authorization", "", "Accept-Encoding", "gzip"), 200, "")
		if policy := w.Header().Get("Content-Security-Policy"); policy != pages.Policy || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") || !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s has the policy %s", path, policy)
		}
		total := w.Body.Len()
		loaded := map[string]bool{}
		for n := range f.page(t, path).Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			switch n.Data {
			case "script", "style", "iframe", "object", "form":
				t.Errorf("%s has <%s>", path, n.Data)
			case "link":
				loaded[attribute(n, "href")] = true
			case "img":
				loaded[attribute(n, "src")] = true
			}
		}
		for at := range loaded {
			total += f.send(t, request("GET", at, "", "Authorization", "", "Accept-Encoding", "gzip"), 200, "").Body.Len()
		}
		if len(loaded) != 2 || total > 60_000 {
			t.Errorf("%s loads %v, and takes %d bytes with them", path, loaded, total)
		}
	}
}

// All links of a page lead somewhere: to one place of the page, or to a path of the service.
func TestLinksOfDocs(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/tracker"} {
		f := setup(t, func(o *Options) { o.BasePath = base })
		tried := map[string]bool{}
		for _, path := range publicPages {
			root := f.page(t, base+path)
			places := map[string]int{}
			for n := range root.Descendants() {
				if id := attribute(n, "id"); id != "" {
					places[id]++
				}
			}
			for id, times := range places {
				if times > 1 {
					t.Errorf("%s has the place %q %d times", path, id, times)
				}
			}
			links := 0
			for n := range root.Descendants() {
				to := attribute(n, "href")
				if n.Data != "a" || strings.HasPrefix(to, "https://") {
					continue
				}
				links++
				if place, here := strings.CutPrefix(to, "#"); here {
					if places[place] == 0 {
						t.Errorf("%s has a link to %q, which is no place of it", path, place)
					}
				} else if to = strings.Replace(to, "docs/predicates", base+"/docs/predicates", 1); !tried[to] {
					tried[to] = true
					f.send(t, request("GET", "/"+strings.TrimLeft(strings.Replace(to, base+"/"+base, base, 1), "/"), "", "Authorization", ""), 200, "")
				}
			}
			if links < 5 {
				t.Errorf("%s has %d links", path, links)
			}
		}
	}
}

// Each operation has its place on the page, and all that the document says of it.
func TestDocsHaveOperations(t *testing.T) {
	t.Parallel()
	root := setup(t, func(o *Options) { o.Limits.RatePerMinute = 600 }).page(t, "/docs")
	all := endpoints()
	if got := len(elements(root, "class", "operation")); got != len(all) {
		t.Errorf("the page has %d operations, want %d", got, len(all))
	}
	for _, e := range all {
		places := elements(root, "id", e.OperationID)
		if len(places) != 1 || len(elements(root, "href", "#"+e.OperationID)) < 3 { // in both indexes, and its own
			t.Errorf("%s has %d places and %d links", e.OperationID, len(places), len(elements(root, "href", "#"+e.OperationID)))
			continue
		}
		text := textOf(places[0])
		wanted := []string{e.Method + " " + e.Path + " scope " + string(e.scope), e.Summary, strings.Join(strings.Fields(e.Description), " "), "Answers", "Errors: 400", "curl"}
		for _, p := range e.Parameters {
			wanted = append(wanted, p.Name)
			if !strings.Contains(p.Description, "](") {
				wanted = append(wanted, p.Description)
			}
		}
		for _, b := range e.bodies {
			wanted = append(wanted, b.media)
		}
		for status, a := range e.answers() {
			wanted = append(wanted, http.StatusText(status), a.Description)
		}
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", e.OperationID, want)
			}
		}
		for _, kind := range kinds(e.Operation) {
			if len(elements(places[0], "href", "/errors/"+string(kind))) != 1 {
				t.Errorf("%s does not lead to the error %s", e.OperationID, kind)
			}
		}
	}
}

// Each schema of the document has its place, with all its members.
func TestDocsHaveSchemas(t *testing.T) {
	t.Parallel()
	root := setup(t).page(t, "/docs")
	schemas, _ := at(openAPI(t), "/components/schemas")
	for name, schema := range schemas.(map[string]any) {
		places := elements(root, "id", "schema-"+name)
		if len(places) != 1 {
			t.Errorf("the schema %s has %d places", name, len(places))
			continue
		}
		var shown []string
		for n := range places[0].Descendants() {
			if n.Data == "dt" {
				shown = append(shown, textOf(n.FirstChild))
			}
		}
		members, _ := schema.(map[string]any)["properties"].(map[string]any)
		for member := range members {
			if !slices.Contains(shown, member) {
				t.Errorf("the schema %s lacks the member %s", name, member)
			}
		}
		if len(shown) != len(members) {
			t.Errorf("the schema %s has the members %v, want %d", name, shown, len(members))
		}
	}
}

// The example of each operation is a command that works, in a shell, with the problem and
// the objects of the samples.
func TestExamplesOfDocsWork(t *testing.T) {
	t.Parallel()
	root := setup(t, func(o *Options) { o.Origin = "https://example.org" }).page(t, "/docs")
	commands := elements(root, "class", "example copy")
	if start, _, _ := strings.Cut(commands[0].FirstChild.Data, "\n"); start != "API=https://example.org"+api {
		t.Fatalf("the examples begin with %q", start)
	}
	script := "TOKEN=" + secretOf(access.Admin).Reveal() + "\nAPI=" + api + "\ncurl() { printf '%s\\0' \"$@\"; printf '\\0'; }\n"
	for _, n := range commands[1:] {
		script += n.FirstChild.Data + "\n"
	}
	output, err := exec.Command("bash", "-euc", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	calls := strings.Split(strings.TrimSuffix(string(output), "\x00\x00"), "\x00\x00")
	all := elements(root, "class", "operation")
	if len(calls) != len(all) {
		t.Fatalf("there are %d commands for %d operations", len(calls), len(all))
	}
	f := setup(t)
	f.queries, f.feed = []query.Saved{samples.Query()}, feedOfHook()
	f.hits = []store.Hit{{ID: 12}} // to claim, without the wait
	content, erased := f.catalogue.Content(), user.User{ID: samples.Identifier(50)}.Erase()
	content.Users = append(slices.Clip(content.Users), erased)
	f.catalogue = metadata.NewCatalogue(f.catalogue.Version, content)
	operations := map[string]endpoint{}
	for _, e := range endpoints() {
		operations[e.OperationID] = e
	}
	for i, call := range calls {
		e := operations[attribute(all[i], "id")]
		r := called(t, strings.Split(call, "\x00"))
		if strings.HasSuffix(r.URL.Path, "/"+samples.Ann.ID.String()) || e.Tags[0] == tagWebhooks { // one example for objects of all kinds
			object := objectOf(e)
			switch e.Tags[0] {
			case tagQueries:
				object = samples.Query().ID
			case "Tokens":
				object = f.tokens[0].ID
			}
			r.URL.Path = strings.Replace(r.URL.Path, samples.Ann.ID.String(), object.String(), 1)
		}
		if e.OperationID == "getErasure" {
			r.URL.Path = strings.Replace(r.URL.Path, samples.Ann.ID.String(), erased.ID.String(), 1)
		}
		if w := f.do(r); w.Code >= 300 {
			t.Errorf("%s: %s %s is answered with %d: %s", e.OperationID, r.Method, r.URL, w.Code, w.Body)
		}
	}
}

// called returns the request that curl sends with these arguments.
func called(t *testing.T, arguments []string) *http.Request {
	t.Helper()
	method, at, body, headers, query := "GET", "", "", http.Header{}, ""
	for i := 0; i < len(arguments); i++ {
		option := arguments[i]
		if option == "-G" {
			continue
		}
		if !strings.HasPrefix(option, "-") {
			at = option
			continue
		}
		i++
		name, value, _ := strings.Cut(arguments[i], "=")
		switch option {
		case "-X":
			method = arguments[i]
		case "-H":
			key, content, _ := strings.Cut(arguments[i], ": ")
			headers.Set(key, content)
		case "-d":
			body = arguments[i]
			if method == "GET" {
				method = "POST"
			}
		case "--data-urlencode":
			query = "?" + name + "=" + strings.NewReplacer(" ", "%20", "$", "%24", "[", "%5B", "]", "%5D", "'", "%27").Replace(value)
		default:
			t.Fatalf("unknown option %s", option)
		}
	}
	r := httptest.NewRequest(method, at+query, strings.NewReader(body))
	r.Header = headers
	return r
}

// Clients keep the files: an unchanged one is not sent again. A file has the same content in both
// codings, and a tag for each.
func TestFilesAreKeptByClients(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for path, start := range map[string]string{
		"/openapi.json": "{", "/docs": "<!DOCTYPE html>", "/docs/style.css": "@layer", "/docs/icon.svg": "<svg", "/errors": "<!DOCTYPE html>", "/errors/forbidden": "<!DOCTYPE html>",
	} {
		w := f.send(t, request("GET", path, "", "Accept-Encoding", "gzip;q=0"), 200, "")
		if !strings.HasPrefix(w.Body.String(), start) || w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s begins with %.20q, in the coding %q", path, w.Body, w.Header().Get("Content-Encoding"))
		}
		if head := f.do(request("HEAD", path, "")); !reflect.DeepEqual(head.Header(), w.Header()) {
			t.Errorf("%s: HEAD has the header %v, not %v", path, head.Header(), w.Header())
		}
		zipped := f.send(t, request("GET", path, "", "Accept-Encoding", "gzip"), 200, "")
		if zipped.Header().Get("Content-Encoding") != "gzip" {
			t.Fatalf("%s comes without the coding gzip", path)
		}
		if zipped.Header().Get("ETag") == w.Header().Get("ETag") || zipped.Body.Len() >= w.Body.Len() {
			t.Errorf("%s: in the coding gzip it has the tag %s and %d bytes, else %s and %d", path, zipped.Header().Get("ETag"), zipped.Body.Len(), w.Header().Get("ETag"), w.Body.Len())
		}
		f.send(t, request("GET", path, "", "Accept-Encoding", "gzip", "If-None-Match", zipped.Header().Get("ETag")), 304, "")
		r, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := io.ReadAll(r); err != nil || !bytes.Equal(back, w.Body.Bytes()) {
			t.Errorf("%s: the coding gzip has another content (%v)", path, err)
		}
		if w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: Vary is %q", path, w.Header().Get("Vary"))
		}
		tag := w.Header().Get("ETag")
		if list, err := etag.Parse([]string{tag}); err != nil || !list.Has(tag) || strings.HasPrefix(tag, "W/") {
			t.Errorf("%s: the tag %s", path, tag)
		}
		f.send(t, request("GET", path, "", "If-None-Match", tag), 304, "")
		f.send(t, request("GET", path, "", "If-None-Match", `"another"`), 200, "")
	}
}
