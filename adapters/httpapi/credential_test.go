package httpapi

import (
	"errors"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

func TestParseCredential(t *testing.T) {
	t.Parallel()
	secret := access.NewSecret([32]byte{1, 2, 3}).Reveal()
	for name, c := range map[string]struct {
		header string
		ok     bool
	}{
		"token alone":             {secret, true},
		"Bearer":                  {"Bearer " + secret, true},
		"Token":                   {"Token " + secret, true},
		"Ship":                    {"Ship " + secret, true},
		"scheme in lower case":    {"bearer " + secret, true},
		"scheme in capitals":      {"SHIP " + secret, true},
		"several spaces":          {"Bearer   " + secret, true},
		"white space around":      {" \tBearer " + secret + "\t ", true},
		"white space around it":   {"  " + secret + " ", true},
		"empty":                   {"", false},
		"scheme alone":            {"Bearer", false},
		"scheme and space":        {"Bearer ", false},
		"unknown scheme":          {"Basic " + secret, false},
		"scheme that only starts": {"Bear " + secret, false},
		"no space":                {"Bearer" + secret, false},
		"colon":                   {"Token: " + secret, false},
		"two schemes":             {"Bearer Token " + secret, false},
		"scheme behind":           {secret + " Bearer", false},
		"two tokens":              {secret + " " + secret, false},
		"quoted":                  {`Bearer "` + secret + `"`, false},
		"truncated":               {"Bearer " + secret[:len(secret)-1], false},
		"letter case changed":     {"Bearer " + strings.ToUpper(secret), false},
	} {
		got, err := httpframe.ParseCredential(c.header)
		if c.ok && (err != nil || got.Reveal() != secret) || !c.ok && (!errors.Is(err, access.ErrSecret) || got != access.Secret{}) {
			t.Errorf("%s: ParseCredential(%q) = %q, %v; want it accepted: %t", name, c.header, got.Reveal(), err, c.ok)
		}
	}
}

// D17: for each reason to refuse a token, the answer is the same, and repeats nothing of
// it. A good token is taken after each of the scheme words.
func TestCredentialRefused(t *testing.T) {
	t.Parallel()
	f := setup(t)
	good, unknown := secretOf(access.Read).Reveal(), access.NewSecret([32]byte{9}).Reveal()
	first := ""
	for name, header := range map[string]string{
		"missing":                         "",
		"of another scheme":               "Basic " + good,
		"cut short":                       good[:len(good)-1],
		"too long":                        good + "0",
		"with a wrong checksum":           unknown[:47] + good[47:],
		"unknown":                         unknown,
		"twice":                           good + " " + good,
		"of a scheme that is no such one": "Bearer Bearer " + good,
	} {
		body := f.send(t, request("GET", api+"/states", "", "Authorization", header), 401, fault.Unauthenticated).Body.String()
		if first == "" {
			first = body
		}
		if body != first || strings.Contains(body, "pts_") {
			t.Errorf("a token %s gets %s, another one %s", name, body, first)
		}
	}
	for _, scheme := range []string{"", "Bearer ", "bearer ", "Token ", "Ship "} {
		f.send(t, request("GET", api+"/states", "", "Authorization", scheme+good), 200, "")
	}
}
