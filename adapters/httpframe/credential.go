package httpframe

import (
	"net/http"
	"strings"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// ParseCredential reads the value of an Authorization header: the token alone, as the
// samples of the specification send it, or after one of the scheme words of the clients of
// this API family (spec section 5, D17). Scheme words ignore case (RFC 9110, section
// 11.1). The error is always access.ErrSecret.
func ParseCredential(header string) (access.Secret, error) {
	scheme, rest, found := strings.Cut(strings.Trim(header, " \t"), " ")
	if !found {
		return access.ParseSecret(scheme)
	}
	for _, known := range []string{"Bearer", "Token", "Ship"} {
		if strings.EqualFold(scheme, known) {
			return access.ParseSecret(strings.TrimLeft(rest, " "))
		}
	}
	return access.Secret{}, access.ErrSecret
}

// Credential returns the secret of a request. It is the zero Secret, of no token,
// unless the request has exactly one Authorization header with a secret.
func Credential(r *http.Request) access.Secret {
	lines := r.Header.Values("Authorization")
	if len(lines) != 1 {
		return access.Secret{}
	}
	secret, err := ParseCredential(lines[0])
	if err != nil {
		return access.Secret{}
	}
	return secret
}

// Unauthenticated is the refusal of a request without a valid token. It gives no
// reason (D17).
func Unauthenticated() error {
	return fault.New(fault.Unauthenticated, "a valid API token is needed in the Authorization header")
}
