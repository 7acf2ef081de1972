// Package links makes the addresses of lists of problems.
package links

import "net/url"

// List returns the address of the list of a predicate.
func List(base, predicate string) string {
	return base + "/problems?" + url.Values{"predicate": {predicate}}.Encode()
}

// Suffix returns parameters as the end of a URL.
func Suffix(q url.Values) string {
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// With returns a copy of the parameters with other values. An empty value removes one.
func With(q url.Values, pairs ...string) url.Values {
	changed := url.Values{}
	for name, values := range q {
		changed[name] = values
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if changed.Del(pairs[i]); pairs[i+1] != "" {
			changed.Set(pairs[i], pairs[i+1])
		}
	}
	return changed
}
