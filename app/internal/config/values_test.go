package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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

func TestFilesURL(t *testing.T) {
	t.Parallel()
	for text, folder := range map[string]string{
		"": "", "none": "", "memory:": "", "postgres:": "", "file:///srv/files": "/srv/files", "file:/srv/files": "/srv/files", "file:files": "files",
		"s3://bucket": "", "s3://bucket/a/b?endpoint=https://s3.example.org:9000&region=eu&style=path&ca=/ca.pem&credentials=/key": "",
	} {
		var got, again config.FilesURL
		if err := got.UnmarshalText([]byte(text)); err != nil || got.Folder() != folder {
			t.Errorf("%q is read as folder %q, %v; want %q", text, got.Folder(), err, folder)
		}
		if err := again.UnmarshalText([]byte(fmt.Sprint(got))); err != nil || again != got {
			t.Errorf("%q is written as %v, which is read as %v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"files", "file:", "file://", "file://srv/files", "file:///a?b", "s3:", "s3://", "s3:bucket", "s3://key:secret@bucket", "s3://bucket?style=other", "s3://bucket?region=a&region=b", "s3://bucket?key=a", "s3://bucket?endpoint=host", "s3://bucket?endpoint=https://host/path"} {
		var got config.FilesURL
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v; want an error", text, got)
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

func TestPasswordIsHidden(t *testing.T) {
	t.Parallel()
	var password config.Password
	if err := password.UnmarshalText([]byte("hunter2")); err != nil || !password.Given() || password.Reveal() != "hunter2" {
		t.Fatalf("a password is not read: %v", err)
	}
	encoded, err := json.Marshal([]any{password})
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%v %+v %#v %s %q %x", password, password, password, password, password, password)
	if strings.Contains(all+string(encoded), "hunter2") || strings.Contains(all, fmt.Sprintf("%x", "hunter2")) {
		t.Errorf("the password shows: %s, %s", all, encoded)
	}
	if got := fmt.Sprint(config.Password{}); got != "" {
		t.Errorf("no password is written as %q", got)
	}
}

func TestPasswordFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want, err string }{
		"as it is":       {"hunter 2 ", "hunter 2 ", ""},
		"a line":         {"hunter2\n", "hunter2", ""},
		"another system": {"hunter2\r\n", "hunter2", ""},
		"empty":          {"\n", "", "is empty"},
		"two lines":      {"hunter2\n\n", "", "has more than one line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "password")
			if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := (&config.Storage{Database: config.Database{PasswordFile: file}}).Password()
			if got != c.want || (err == nil) != (c.err == "") {
				t.Errorf("the password is %q, %v; want %q", got, err, c.want)
			}
			if err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("got %v; want %q, and no password", err, c.err)
			}
		})
	}
	if _, err := (&config.Storage{Database: config.Database{PasswordFile: "/nowhere"}}).Password(); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("no file: %v", err)
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
