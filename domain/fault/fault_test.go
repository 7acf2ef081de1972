package fault

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const several = "several things are wrong with the request: see errors"

func TestListErr(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		kinds  []Kind
		want   Kind
		detail string
	}{
		{"one", []Kind{InvalidValue}, InvalidValue, "detail 0"},
		{"several of a kind", []Kind{UnknownField, UnknownField, UnknownField}, UnknownField, several},
		{"several kinds", []Kind{RequiredField, InvalidType}, ValidationFailed, several},
		{"the last differs", []Kind{InvalidType, InvalidType, InvalidValue}, ValidationFailed, several},
		{"the last agrees with the first", []Kind{InvalidType, InvalidValue, InvalidType}, ValidationFailed, several},
	} {
		var list List
		for i, kind := range c.kinds {
			list.Add(kind, Location{}.Element(i), "detail %d", i)
		}
		e, ok := errors.AsType[*Error](list.Err())
		if !ok || e.Kind != c.want || e.Detail != c.detail || !reflect.DeepEqual(List(e.Items), list) {
			t.Errorf("%s: Err() = %+v, want %s: %s", c.name, e, c.want, c.detail)
		}
	}
	for _, list := range []List{nil, {}} {
		if err := list.Err(); err != nil {
			t.Errorf("the error of no faults is %v", err)
		}
	}
}

// A list is bounded, but holds enough faults of each kind for the right kind of its
// error.
func TestListIsBounded(t *testing.T) {
	t.Parallel()
	var list List
	for i := range 1000 {
		list.Add(UnknownField, Location{}.Element(i), "is not known")
	}
	list.Add(InvalidType, At("title"), "must be a string")
	if len(list) != maxOfKind+1 || !strings.HasSuffix(list[maxOfKind-1].Detail, "it is not listed)") || !list.Covers(At("title")) {
		t.Errorf("%d faults are kept, the last of them %+v", len(list), list[len(list)-2:])
	}
	if err := list.Err(); KindOf(err) != ValidationFailed {
		t.Errorf("the kind is %s", KindOf(err))
	}
	var appended List
	appended.Append(list)
	appended.Append(list)
	if len(appended) > 2*maxOfKind+2 {
		t.Errorf("%d faults are kept of two lists", len(appended))
	}
}

func TestListErrIsACopy(t *testing.T) {
	t.Parallel()
	list := List{{Kind: InvalidType, At: At("a")}}
	err := list.Err()
	list[0].At = At("b")
	if e, _ := errors.AsType[*Error](err); !e.Items[0].At.Equal(At("a")) {
		t.Errorf("changing the list changed its error to %v", err)
	}
}

func TestListCovers(t *testing.T) {
	t.Parallel()
	member, body := List{{At: At("a")}}, List{{At: Location{}}}
	for _, c := range []struct {
		list List
		at   Location
		want bool
	}{
		{member, At("a"), true},
		{member, At("b"), false},
		{member, At("a").Member("b"), false},
		{member, Location{}, false},
		{body, At("a"), true},
		{nil, At("a"), false},
	} {
		if got := c.list.Covers(c.at); got != c.want {
			t.Errorf("%+v covers %q: %t", c.list, c.at, got)
		}
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want Kind
	}{
		{New(InUse, "…"), InUse},
		{fmt.Errorf("load: %w", New(Conflict, "…")), Conflict},
		{errors.Join(errors.New("x"), New(Closed, "…")), Closed},
		{Wrap(Internal, New(Conflict, "…"), "…"), Internal},
		{Wrap(Unavailable, context.Canceled, "…"), Unavailable},
		{List{{Kind: InvalidType}}.Err(), InvalidType},
		{context.Canceled, Unavailable},
		{fmt.Errorf("query: %w", context.DeadlineExceeded), Unavailable},
		{errors.New("x"), Internal},
	} {
		if got := KindOf(c.err); got != c.want || !Is(c.err, c.want) || Is(c.err, NotFound) {
			t.Errorf("%v: KindOf() = %s, want %s", c.err, got, c.want)
		}
	}
	if Is(nil, Internal) {
		t.Error("no error is of a kind")
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk full")
	err := Wrap(Unavailable, cause, "try again in %d s", 5)
	if got, want := err.Error(), "unavailable: try again in 5 s: disk full"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is not wrapped")
	}
	list := List{{InvalidType, "must be a string", At("title")}, {UnknownField, "no such member", At("x")}}
	for _, part := range []string{"validation-failed: ", `invalid-type at "title": must be a string`, `unknown-field at "x"`} {
		if got := list.Err().Error(); !strings.Contains(got, part) {
			t.Errorf("Error() = %q lacks %q", got, part)
		}
	}
}
