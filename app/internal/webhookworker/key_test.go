package webhookworker

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/problemtracking/problems/domain/webhook"
)

// Whoever needs the key first makes it, and everybody gets the same.
func TestKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "problems.db")
	file := Beside("", store, false)
	var together sync.WaitGroup
	keys := make([]webhook.Key, 8)
	for i := range keys {
		together.Go(func() {
			var err error
			if keys[i], err = file.Keys(rand.Reader)(); err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	for _, k := range keys {
		if k.ID() != keys[0].ID() || k.ID() == (webhook.Key{}).ID() {
			t.Error("there are several keys")
		}
	}
	entries, err := os.ReadDir(filepath.Dir(store))
	if err != nil || len(entries) != 1 || entries[0].Name() != "problems.db.webhook-key" {
		t.Fatalf("the files are %v (%v)", entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v (%v)", info.Mode(), err)
	}
}

func TestGivenKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	want := webhook.NewKey([32]byte{1})
	good := Beside(write("good", want.Reveal()+"\n"), "problems.db", false)
	if k, err := good.Keys(rand.Reader)(); err != nil || k.ID() != want.ID() {
		t.Errorf("the key is %v, %v", k.ID(), err)
	}
	for path, reason := range map[string]string{
		filepath.Join(dir, "missing"):   "the file missing cannot be read: no such file or directory",
		dir + "/.":                      "cannot be read: is a directory",
		write("short", "aGVsbG8="):      "the file short is not a key for webhooks: it has to be at least 32 random bytes",
		write("other", "geheim geheim"): "the file other is not a key for webhooks: it has to be at least 32 random bytes",
	} {
		_, err := Beside(path, "problems.db", false).Keys(rand.Reader)()
		if err == nil || !strings.Contains(err.Error(), reason) || strings.Contains(err.Error(), "geheim") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Beside("", filepath.Join(dir, "nowhere", "problems.db"), false).Keys(rand.Reader)(); err == nil || err.Error() != "the file problems.db.webhook-key cannot be made: no such file or directory" {
		t.Errorf("in no folder: %v", err)
	}
	if _, err := Beside("", "", false).Keys(rand.Reader)(); err == nil || !strings.Contains(err.Error(), "openssl rand") {
		t.Errorf("without a file: %v", err)
	}
	passing := Beside("", "", true).Keys(rand.Reader)
	one, err := passing()
	two, again := passing()
	if err != nil || again != nil || one.ID() != two.ID() {
		t.Errorf("a store in memory has the keys %v and %v (%v, %v)", one.ID(), two.ID(), err, again)
	}
}
