package access

import "strings"

// ParseCredential reads the value of an Authorization header: the token alone,
// as the specification's samples send it, or after one of the scheme words that
// clients of this API family use (spec section 5, D17). Scheme words ignore
// case (RFC 9110, section 11.1).
func ParseCredential(header string) (Secret, error) {
	scheme, rest, found := strings.Cut(strings.Trim(header, " \t"), " ")
	if !found {
		return ParseSecret(scheme)
	}
	for _, known := range []string{"Bearer", "Token", "Ship"} {
		if strings.EqualFold(scheme, known) {
			return ParseSecret(strings.TrimLeft(rest, " "))
		}
	}
	return Secret{}, ErrSecret
}
