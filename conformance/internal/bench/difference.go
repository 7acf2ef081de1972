package bench

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/relationship"
)

// Difference says where two values of one type differ first; it is empty when
// they are equal. Times have to be the same instant, in UTC. An empty slice is
// as good as none.
func Difference(want, got any) string {
	w, g := reflect.ValueOf(want), reflect.ValueOf(got)
	if w.Type() != g.Type() {
		return fmt.Sprintf("a %s was expected, a %s was seen", w.Type(), g.Type())
	}
	return differ("", w, g)
}

func differ(path string, want, got reflect.Value) string {
	if w, ok := want.Interface().(time.Time); ok {
		if g, ok := got.Interface().(time.Time); ok {
			return differTime(path, w, g)
		}
	}
	switch want.Kind() {
	case reflect.Struct:
		for i := range want.NumField() {
			name := want.Type().Field(i).Name
			if d := differ(path+"."+name, want.Field(i), got.Field(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Slice:
		if want.Type().Elem().Kind() == reflect.Uint8 && bytes.Equal(want.Bytes(), got.Bytes()) {
			return ""
		}
		return differSlice(path, want, got)
	case reflect.Map:
		return differMap(path, want, got)
	case reflect.Interface:
		if w, g := want.Elem(), got.Elem(); w.IsValid() && g.IsValid() {
			if w.Type() != g.Type() {
				return fmt.Sprintf("%s is a %s where a %s was expected", place(path), g.Type(), w.Type())
			}
			return differ(path, w, g)
		}
	}
	if want.Interface() == got.Interface() {
		return ""
	}
	return fmt.Sprintf("%s is %s where %s was expected", place(path), show(got), show(want))
}

func differSlice(path string, want, got reflect.Value) string {
	for i := range min(want.Len(), got.Len()) {
		if differ("", want.Index(i), got.Index(i)) == "" {
			continue // equal elements need no path, which takes longer than the comparison
		}
		d := differ(fmt.Sprintf("%s[%d]", path, i), want.Index(i), got.Index(i))
		if order, ok := reordered(want, got); ok {
			return fmt.Sprintf("%s has the %d expected elements in another order: those with the indices %s; so %s", place(path), want.Len(), order, d)
		}
		return d
	}
	if want.Len() != got.Len() {
		return fmt.Sprintf("%s has %d elements where %d were expected", place(path), got.Len(), want.Len())
	}
	return ""
}

// reordered reports whether both slices have the same elements, and returns the indices
// of got's elements in want.
func reordered(want, got reflect.Value) (order string, ok bool) {
	if want.Len() != got.Len() || want.Type().Elem().Kind() == reflect.Uint8 {
		return "", false
	}
	const most = 12
	taken := make([]bool, want.Len())
	for i := range got.Len() {
		at := -1
		for step := range want.Len() { // from its own place on, where most are
			j := (i + step) % want.Len()
			if !taken[j] && differ("", want.Index(j), got.Index(i)) == "" {
				at = j
				break
			}
		}
		if at < 0 {
			return "", false
		}
		taken[at] = true
		switch {
		case i == most:
			order += " …"
		case i < most:
			order += fmt.Sprint(" ", at)
		}
	}
	return strings.TrimPrefix(order, " "), true
}

func differTime(path string, want, got time.Time) string {
	if want.Equal(got) && got.Location() == time.UTC {
		return ""
	}
	return fmt.Sprintf("%s is %v where %v was expected", place(path), got, want)
}

func differMap(path string, want, got reflect.Value) string {
	if sameMap(want, got) {
		return ""
	}
	for _, key := range sortedKeys(want) {
		at := fmt.Sprintf("%s[%v]", path, key)
		if !got.MapIndex(key).IsValid() {
			return place(at) + " is missing"
		}
		if d := differ(at, want.MapIndex(key), got.MapIndex(key)); d != "" {
			return d
		}
	}
	for _, key := range sortedKeys(got) {
		if !want.MapIndex(key).IsValid() {
			return fmt.Sprintf("%s[%v] is there, but was not expected", path, key)
		}
	}
	return ""
}

// sameMap reports whether two maps are equal. It writes no key as a text, which takes far
// longer than a comparison.
func sameMap(want, got reflect.Value) bool {
	if want.Len() != got.Len() {
		return false
	}
	for entry := want.MapRange(); entry.Next(); {
		other := got.MapIndex(entry.Key())
		if !other.IsValid() || differ("", entry.Value(), other) != "" {
			return false
		}
	}
	return true
}

// sortedKeys returns the keys of a map in a fixed order.
func sortedKeys(m reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(m.MapKeys()), func(a, b reflect.Value) int {
		if a.CanInt() {
			return cmp.Compare(a.Int(), b.Int())
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
}

func place(path string) string { return cmp.Or(path, "it") }

// show writes a value, and makes similar texts look different.
func show(v reflect.Value) string {
	if v.Kind() != reflect.String {
		return fmt.Sprint(v.Interface())
	}
	const most = 200
	text := v.String()
	if len(text) <= most {
		return fmt.Sprintf("%+q", text)
	}
	return fmt.Sprintf("%+q… (%d bytes)", text[:most], len(text))
}

// CompareSides orders relationships of several problems.
func CompareSides(a, b relationship.Relationship) int {
	return cmp.Or(cmp.Compare(a.Owner, b.Owner), a.Compare(b))
}
