package sqlite

import (
	"database/sql/driver"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// scanned is something that scans itself, but no text.
type scanned struct{ value any }

func (s *scanned) Scan(src any) error {
	if _, ok := src.(string); ok {
		return errText
	}
	s.value = src
	return nil
}

var errText = errors.New("a text")

func TestAssign(t *testing.T) {
	t.Parallel()
	pointer := func(n int64) *int64 { return &n }
	title := "A"
	for _, c := range []struct {
		value driver.Value
		into  any // a pointer
		want  any // what it then points to; nil: it cannot
	}{
		{"A", new(string), "A"},
		{nil, new(string), nil},
		{int64(1), new(string), nil},
		{int64(7), new(int64), int64(7)},
		{1.5, new(int64), nil},
		{int64(7), new(int), 7},
		{"7", new(int), nil},
		{int64(1), new(bool), true},
		{int64(0), new(bool), false},
		{nil, new(bool), nil},
		{[]byte("A"), new([]byte), []byte("A")},
		{"A", new([]byte), nil},
		{"A", new(*string), &title},
		{nil, pointerTo(&title), (*string)(nil)},
		{int64(7), new(*string), nil},
		{int64(7), new(*int64), pointer(7)},
		{nil, pointerTo(pointer(7)), (*int64)(nil)},
		{int64(7), new(scanned), scanned{int64(7)}},
		{nil, &scanned{7}, scanned{nil}},
		{"A", new(scanned), nil},
		{"A", new(float64), nil},
	} {
		err := assign([]any{c.into}, []driver.Value{c.value}, []string{"title"})
		if got := reflect.ValueOf(c.into).Elem().Interface(); (err == nil) != (c.want != nil) || err == nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v into %T: got %v, %v; want %v", c.value, c.into, got, err, c.want)
		}
	}
	if err := assign([]any{new(scanned)}, []driver.Value{"A"}, []string{"title"}); !errors.Is(err, errText) || !strings.Contains(err.Error(), "column title") {
		t.Errorf("the error of what scans itself is lost: %v", err)
	}
	for _, values := range [][]driver.Value{nil, {"A", "B"}} {
		if err := assign([]any{new(string)}, values, nil); err == nil {
			t.Errorf("a row of %d columns is read as one", len(values))
		}
	}
}

func pointerTo[T any](v T) *T { return &v }
