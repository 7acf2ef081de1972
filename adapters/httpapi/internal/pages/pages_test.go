package pages

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/httpframe/xsstest"
)

// documentOf returns a document that has a text in every place for one, and the same tags
// for any text.
func documentOf(text string) *huma.OpenAPI {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schemas.Map()["Lamp"] = &huma.Schema{Type: "object", Description: text, Properties: map[string]*huma.Schema{
		text: {Type: "string", Description: text, Format: text, Pattern: text, Default: text, Enum: []any{text}}}}
	schemas.Map()["Choice"] = &huma.Schema{Description: text, AnyOf: []*huma.Schema{{Ref: "#/components/schemas/Lamp"}, {Type: "null"}}}
	media := map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/Choice"}, Example: map[string]any{text: text}}, "text/plain": {Schema: &huma.Schema{Type: "string"}, Example: text}}
	return &huma.OpenAPI{
		Info:    &huma.Info{Title: text, Version: text, Description: text},
		Servers: []*huma.Server{{URL: "/api"}},
		Tags:    []*huma.Tag{{Name: "Lamps", Description: text, ExternalDocs: &huma.ExternalDocs{URL: "docs/lamps", Description: text}}},
		Components: &huma.Components{
			Schemas:         schemas,
			Parameters:      map[string]*huma.Param{"size": {Name: text, In: "query", Required: true, Description: text, Schema: &huma.Schema{Type: "string"}, Example: text}},
			Headers:         map[string]*huma.Param{"tag": {Description: text, Schema: &huma.Schema{Type: "string"}, Example: text}},
			Examples:        map[string]*huma.Example{"broken": {Value: map[string]string{"detail": text}}},
			SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Description: text}},
		},
		Paths: map[string]*huma.PathItem{"/lamps/{lamp}": {Post: &huma.Operation{
			OperationID: "light", Method: "POST", Path: "/lamps/{lamp}", Tags: []string{"Lamps"}, Summary: text, Description: text,
			Security:    []map[string][]string{{"token": {text}}},
			Parameters:  []*huma.Param{{Ref: "#/components/parameters/size"}, {Name: "lamp", In: "path", Description: text, Schema: &huma.Schema{Type: "string"}, Example: text}},
			RequestBody: &huma.RequestBody{Content: media},
			Responses: map[string]*huma.Response{
				"200": {Description: text, Content: media, Headers: map[string]*huma.Param{"Tag": {Ref: "#/components/headers/tag"}}},
				"400": {Description: "broken", Content: map[string]*huma.MediaType{"application/json": {Examples: map[string]*huma.Example{"broken": {Ref: "#/components/examples/broken"}}}}},
			},
		}}},
	}
}

// shown returns the page of a document as a browser reads it.
func shown(t *testing.T, document *huma.OpenAPI) *html.Node {
	t.Helper()
	page, err := Site{}.Reference(Reference{OpenAPI: document, Server: "https://example.org"})
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// schemeOf returns the scheme of an address as browsers find it, or "". They ignore tabs,
// ends of lines, and what comes before the first visible character.
func schemeOf(at string) string {
	at = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimLeftFunc(at, func(c rune) bool { return c <= ' ' }))
	if found := regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*):`).FindStringSubmatch(at); found != nil {
		return strings.ToLower(found[1])
	}
	return ""
}

// Texts of a document cannot become scripts, nor forms, nor anything that loads.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	ofMarkdown := strings.Fields("p a em strong code pre ul ol li blockquote h1 h2 h3 h4 h5 h6 hr br table thead tbody tr th td div del")
	frame := map[string]int{}
	for n := range shown(t, documentOf("harmless")).Descendants() {
		if n.Type == html.ElementNode {
			frame[n.Data]++
		}
	}
	for _, attempt := range append(xsstest.Attempts(), "[a](javascript:x)", "<javascript:alert(1)>", "![a](https://evil.example/a.png)", "<img src=x onerror=x>\n\n<script>x</script>", "`</code><script>x</script>`") {
		found := map[string]int{}
		for n := range shown(t, documentOf(attempt)).Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			found[n.Data]++
			for _, a := range n.Attr {
				known := slices.Contains([]string{"class", "id", "href", "lang", "charset", "name", "content", "rel", "type", "src", "alt", "width", "height", "tabindex", "role", "aria-label", "aria-labelledby", "aria-current", "title", "align", "start"}, a.Key)
				if !known {
					t.Fatalf("%q: <%s> has the attribute %s=%q", attempt, n.Data, a.Key, a.Val)
				}
				if a.Key == "href" && !slices.Contains([]string{"", "http", "https", "mailto"}, schemeOf(a.Val)) {
					t.Fatalf("%q leads to %q", attempt, a.Val)
				}
				if a.Key == "src" && a.Val != IconPath {
					t.Fatalf("%q loads %q", attempt, a.Val)
				}
			}
		}
		for name, times := range found {
			if times != frame[name] && !slices.Contains(ofMarkdown, name) {
				t.Fatalf("%q: there are %d <%s>, want %d", attempt, times, name, frame[name])
			}
		}
	}
}

// A status has to be a number.
func TestStatusWithoutNumber(t *testing.T) {
	t.Parallel()
	document := documentOf("x")
	document.Paths["/lamps/{lamp}"].Post.Responses["default"] = &huma.Response{}
	if _, err := (Site{}).Reference(Reference{OpenAPI: document}); err == nil || !strings.Contains(err.Error(), `"default"`) {
		t.Errorf("the fault is %v", err)
	}
}

// Operations are in the order of the caller, and then by path and method.
func TestOrder(t *testing.T) {
	t.Parallel()
	paths := map[string]*huma.PathItem{"/b": {Get: &huma.Operation{OperationID: "b"}}, "/a": {Patch: &huma.Operation{OperationID: "a2"}, Get: &huma.Operation{OperationID: "a1"}}, "/c": {Get: &huma.Operation{OperationID: "c"}}}
	for _, c := range []struct {
		order []string
		want  string
	}{{nil, "a1 a2 b c"}, {[]string{"c", "a2"}, "c a2 a1 b"}, {[]string{"c", "b", "a2", "a1"}, "c b a2 a1"}} {
		var got []string
		for _, op := range (Reference{OpenAPI: &huma.OpenAPI{Paths: paths}, Order: c.order}).operations() {
			got = append(got, op.OperationID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("the order %q gives %q, want %q", c.order, got, c.want)
		}
	}
}

func TestLayOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, ""},
		{"two\nlines", "two\nlines"},
		{json.RawMessage(`"text"`), `"text"`},
		{json.RawMessage(`null`), `null`},
		{json.RawMessage(`{"b":1,"a":[1,2,{"c":"<b>"}]}`), `{"b": 1, "a": [1, 2, {"c": "<b>"}]}`},
		{json.RawMessage(`{}`), `{}`},
		{map[string]int{"a": 1}, `{"a": 1}`},
		{json.RawMessage(`{"identifier":"0150d4f1-6000-7000-8000-00000000000e","name":"Ann","none":[],"members":[{"identifier":"0150d4f1-6000-7000-8000-00000000000e","n":1},2]}`), `{
  "identifier": "0150d4f1-6000-7000-8000-00000000000e",
  "name": "Ann",
  "none": [],
  "members": [
    {
      "identifier": "0150d4f1-6000-7000-8000-00000000000e",
      "n": 1
    },
    2
  ]
}`},
	} {
		if got := layOut(c.value); got != c.want {
			t.Errorf("%v is laid out as\n%s\nwant\n%s", c.value, got, c.want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a": "'a'", "$a": "'$a'", "it's": `"it's"`, `it's "$a"`: `'it'\''s "$a"'`, "it's `x`": "'it'\\''s `x`'", `it's \`: `'it'\''s \'`, "it's!": `'it'\''s!'`} {
		if got := quote(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	size := &huma.Param{Name: "size", In: "query", Example: 7}
	lamp := &huma.Param{Name: "lamp", In: "path", Required: true, Example: "a/b"}
	body := &huma.RequestBody{Content: map[string]*huma.MediaType{"text/plain": {Example: "x"}, "application/json": {Example: json.RawMessage(`"x"`)}}}
	for _, c := range []struct {
		op    huma.Operation
		asked []string
		want  string
	}{
		{huma.Operation{Method: "GET", Path: "/lamps"}, nil, `curl "$API/lamps" \` + "\n" + `  -H "Authorization: $TOKEN"`},
		{huma.Operation{Method: "GET", Path: "/lamps/{lamp}"}, []string{"size"}, `curl -G "$API/lamps/a%2Fb" \` + "\n" + `  --data-urlencode 'size=7' \` + "\n" + `  -H "Authorization: $TOKEN"`},
		{huma.Operation{Method: "POST", Path: "/lamps"}, nil, `curl -X POST "$API/lamps" \` + "\n" + `  -H "Authorization: $TOKEN"`},
		{huma.Operation{Method: "POST", Path: "/lamps", RequestBody: body}, []string{"size"}, `curl "$API/lamps?size=7" \` + "\n" + `  -H "Authorization: $TOKEN" \` + "\n" + `  -H 'Content-Type: application/json' \` + "\n" + `  -d '"x"'`},
		{huma.Operation{Method: "PUT", Path: "/lamps/{lamp}", RequestBody: body}, nil, `curl -X PUT "$API/lamps/a%2Fb" \` + "\n" + `  -H "Authorization: $TOKEN" \` + "\n" + `  -H 'Content-Type: application/json' \` + "\n" + `  -d '"x"'`},
	} {
		if got := command(&c.op, []*huma.Param{size, lamp}, c.asked); got != c.want {
			t.Errorf("%s %s is\n%s\nwant\n%s", c.op.Method, c.op.Path, got, c.want)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	one, ten, few, many := 1.0, 10.5, 2, 30
	for _, c := range []struct {
		schema      huma.Schema
		kind, facts string
	}{
		{huma.Schema{}, "any value", ""},
		{huma.Schema{Type: "integer", Format: "int64", Minimum: &one}, "integer", "at least 1"},
		{huma.Schema{Type: "number", Minimum: &one, Maximum: &ten, Default: 2}, "number", "1 to 10.5, default 2"},
		{huma.Schema{Type: "number", Maximum: &ten}, "number", "at most 10.5"},
		{huma.Schema{Type: "string", Nullable: true, MinLength: &few, MaxLength: &many}, "string or null", "2 to 30 characters"},
		{huma.Schema{Type: "string", MinLength: &few, Pattern: "^a"}, "string", "at least 2 characters, of the pattern ^a"},
		{huma.Schema{Type: "string", Format: "date-time"}, "date and time", ""},
		{huma.Schema{Type: "string", Format: "uuid", Nullable: true}, "UUID or null", ""},
		{huma.Schema{Type: "array", Nullable: true, MaxItems: &many, Items: &huma.Schema{Ref: "#/components/schemas/Lamp"}}, "array of #Lamp or null", "at most 30 elements"},
		{huma.Schema{AnyOf: []*huma.Schema{{Ref: "#/components/schemas/Lamp"}, {Type: "null"}}}, "#Lamp or null", ""},
	} {
		var kind string
		for _, w := range kindOf(&c.schema) {
			if w.Schema {
				kind += "#"
			}
			kind += w.Text
		}
		facts, _ := factsOf(&c.schema)
		if kind != c.kind || strings.Join(facts, ", ") != c.facts {
			t.Errorf("the type is %q and %q, want %q and %q", kind, facts, c.kind, c.facts)
		}
	}
}
