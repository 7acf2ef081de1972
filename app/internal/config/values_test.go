package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/access"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Size{
		"0": 0, "1": 1, "1000": 1000, "64KiB": 64 << 10, "65536": 64 << 10, "1MiB": 1 << 20, "1024KiB": 1 << 20,
	} {
		var got config.Size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s is read as %d, %v; want %d", text, got, err, want)
		}
		var again config.Size
		if err := again.UnmarshalText([]byte(got.String())); err != nil || again != want {
			t.Errorf("%d is written as %s, which is read as %d, %v", got, got, again, err)
		}
	}
	for _, text := range []string{"", "-1", "1.5MiB", "1MB", "1 MiB", "MiB", "9223372036854775807MiB"} {
		var got config.Size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %d; want an error", text, got)
		}
	}
}

func TestTokenIsHidden(t *testing.T) {
	t.Parallel()
	secret := access.NewSecret([32]byte{1, 2, 3})
	var token config.Token
	if err := token.UnmarshalText([]byte(secret.Reveal())); err != nil || !token.Given() {
		t.Fatalf("a token is not read: %v", err)
	}
	encoded, err := json.Marshal(token)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(token), fmt.Sprintf("%+v %#v %s %q %x", token, token, token, token, token), string(encoded)} {
		if strings.Contains(text, secret.Reveal()[4:]) {
			t.Errorf("the token shows: %s", text)
		}
	}
	if got := fmt.Sprint(config.Token{}); got != "" {
		t.Errorf("no token is written as %q", got)
	}
	bad := secret.Reveal()[:50] + "!!!"
	if err := token.UnmarshalText([]byte(bad)); err == nil || strings.Contains(err.Error(), bad[4:20]) {
		t.Errorf("a bad token gives the error %v", err)
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"":            "",
		"a/b-c.db":    "a/b-c.db",
		"a b":         "'a b'",
		"it's":        `'it'\''s'`,
		"$(rm -rf /)": "'$(rm -rf /)'",
	} {
		if got := config.Quote(word); got != want {
			t.Errorf("Quote(%q) = %s; want %s", word, got, want)
		}
	}
}

func TestDefaultDataDir(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/problems"},
		{map[string]string{"XDG_DATA_HOME": "relative", "HOME": "/h"}, "/h/.local/share/problems"}, // the XDG specification: ignore
		{map[string]string{"HOME": "/h"}, "/h/.local/share/problems"},
		{nil, ""},
	} {
		if got := config.DefaultDataDir(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("with %v the data directory is %q; want %q", c.env, got, c.want)
		}
	}
}
