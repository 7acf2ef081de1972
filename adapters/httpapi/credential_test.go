package httpapi

import (
	"errors"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
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
