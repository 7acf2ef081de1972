package httpapi

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/rules"
)

// storeKinds are those that only the store port and the service exchange.
var storeKinds = []fault.Kind{fault.Conflict, fault.Unsupported, fault.Abandoned, fault.Closed}

// allKinds returns every kind that the domain declares, read from its source: so
// that a new one cannot be forgotten here.
func allKinds(t *testing.T) []fault.Kind {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../domain/fault/fault.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []fault.Kind
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Kind" {
				text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, fault.Kind(text))
			}
		}
		return true
	})
	if len(kinds) < 30 {
		t.Fatalf("found only %d kinds", len(kinds))
	}
	return kinds
}

func TestEveryKindHasARow(t *testing.T) {
	t.Parallel()
	rows := map[fault.Kind]int{}
	for _, k := range httpframe.Failures() {
		rows[k.Kind]++
	}
	for _, kind := range allKinds(t) {
		want := 1
		if slices.Contains(storeKinds, kind) {
			want = 0
		}
		if rows[kind] != want {
			t.Errorf("%s has %d rows, not %d", kind, rows[kind], want)
		}
		delete(rows, kind)
	}
	for kind := range rows {
		t.Errorf("%s has a row, but is no kind", kind)
	}
}

func TestErrorTable(t *testing.T) {
	t.Parallel()
	byStatus := func(a, b httpframe.Failure) int { return a.Status - b.Status }
	if !slices.IsSortedFunc(httpframe.Failures(), byStatus) {
		t.Error("not in the order of D18")
	}
	slugs := map[string]bool{}
	for _, k := range httpframe.Failures() {
		if k.Slug == "" || slugs[k.Slug] || strings.Trim(k.Slug, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("%s has the slug %q, which is none or another kind's", k.Kind, k.Slug)
		}
		slugs[k.Slug] = true
		if http.StatusText(k.Status) == "" || k.Title == "" || !strings.HasSuffix(k.Description, ".") {
			t.Errorf("%s: %+v", k.Kind, k)
		}
	}
}

// What clients are told of failures inside, and what the log is.
func TestInternalErrorsAreNotShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		slug   fault.Kind
	}{
		"any error":   {errors.New("secret"), 500, fault.Internal},
		"internal":    {fault.Wrap(fault.Internal, errors.New("secret"), "secret"), 500, fault.Internal},
		"unsupported": {fault.New(fault.Unsupported, "secret"), 500, fault.Internal},
		"unavailable": {fault.Wrap(fault.Unavailable, errors.New("secret"), "the store is away"), 503, fault.Unavailable},
		"overdue":     {fmt.Errorf("secret: %w", context.DeadlineExceeded), 503, fault.Unavailable},
		"closed":      {fault.New(fault.Closed, "secret"), 503, fault.Unavailable},
		"conflict":    {fault.New(fault.Conflict, "secret"), 503, fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.err = c.err
			w := f.send(t, request("GET", api+"/problems/12", ""), c.status, c.slug)
			if strings.Contains(w.Body.String(), "secret") {
				t.Errorf("the answer shows the cause: %s", w.Body)
			}
			if !strings.Contains(f.log.String(), "secret") || !strings.Contains(f.log.String(), "r1") {
				t.Errorf("the log does not name the cause and the request: %s", f.log)
			}
			if c.status == 503 && w.Header().Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		})
	}
}

// A write of unknown outcome says what to do. Without Retry-After, nothing repeats it
// by itself (D18).
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.commitErr = fault.New(fault.UnknownOutcome, "secret")
	w := f.send(t, request("POST", api+"/problems", `{"title":"T"}`), 503, fault.UnknownOutcome)
	if retry, ok := w.Header()["Retry-After"]; ok {
		t.Errorf("Retry-After is %q", retry)
	}
	if body := w.Body.String(); !strings.Contains(body, "same Idempotency-Key") || strings.Contains(body, "secret") {
		t.Errorf("the answer does not say what to do, or shows the cause: %s", body)
	}
	if log := f.log.String(); !strings.Contains(log, "secret") || !strings.Contains(log, "r1") {
		t.Errorf("the log does not name the cause and the request: %s", log)
	}
}

// Only writes can have an unknown outcome, and a dry run of one stores nothing.
func TestOnlyWritesHaveAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, e := range endpoints() {
		if got := slices.Contains(kinds(e.Operation), fault.UnknownOutcome); got != writes(e.Operation) {
			t.Errorf("%s: outcome-unknown is documented %t", e.OperationID, got)
		}
	}
	f := setup(t)
	f.commitErr = fault.New(fault.UnknownOutcome, "the connection broke")
	f.send(t, request("POST", api+"/problems?dryRun=true", `{"title":"T"}`), 201, "")
	f.send(t, request("GET", api+"/problems/12", ""), 200, "")
}

// While the store is away, the log leaves out the causes of 503, and nothing else.
func TestOutagesAreQuiet(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{true, false} {
		f := setup(t, func(o *Options) { o.Quiet = func() bool { return quiet } })
		for kind, left := range map[fault.Kind]bool{fault.Unavailable: quiet, fault.UnknownOutcome: quiet, fault.Internal: false} {
			f.err = fault.New(kind, "because of %s", kind)
			f.do(request("GET", api+"/problems/12", ""))
			if logged := strings.Contains(f.log.String(), "because of "+string(kind)); logged == left {
				t.Errorf("quiet %t: the cause of %s is in the log: %t", quiet, kind, logged)
			}
		}
	}
}

func TestErrorPages(t *testing.T) {
	t.Parallel()
	f := setup(t)
	list := f.send(t, request("GET", "/errors", "", "Authorization", ""), 200, "").Body.String()
	for _, k := range httpframe.Failures() {
		w := f.send(t, request("GET", wire.ErrorType("", k.Kind), "", "Authorization", ""), 200, "")
		if !strings.Contains(w.Body.String(), k.Title) || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %s", k.Kind, w.Body)
		}
		d18, _ := rules.Find("D18")
		for page, html := range map[string]string{"its page": w.Body.String(), "the list": list} {
			if link := `<a href="` + d18.URL() + `">D18 Errors</a>`; !strings.Contains(html, link) {
				t.Errorf("%s: %s has no link to its rule: %s", k.Kind, page, link)
			}
		}
		if !strings.Contains(list, `"`+wire.ErrorType("", k.Kind)+`"`) {
			t.Errorf("%s is not in the list", k.Kind)
		}
	}
	for slug, tags := range map[string][]string{
		"transition-not-allowed": {"D18", "D19"}, "unauthenticated": {"D17", "D18"}, "forbidden": {"D17", "D18"},
		"idempotency-conflict": {"D18", "D21"}, "rate-limited": {"D18", "D22"}, "too-large": {"D18", "D22"},
		"query-too-expensive": {"D18", "query language section 6"}, "cursor-gone": {"D18", "D39"},
	} {
		page := f.send(t, request("GET", "/errors/"+slug, "", "Authorization", ""), 200, "").Body.String()
		for _, tag := range tags {
			if r, ok := rules.Find(tag); !ok || !strings.Contains(page, `"`+r.URL()+`"`) {
				t.Errorf("the page of %s has no link to the rule %s", slug, tag)
			}
		}
	}
}
