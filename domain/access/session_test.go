package access

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSessionKey(t *testing.T) {
	t.Parallel()
	var random [32]byte
	for i := range random {
		random[i] = byte(i * 7)
	}
	key := NewSessionKey(random)
	text := key.Reveal()
	if len(text) != 43 || strings.Trim(text, alphabet+"-_") != "" {
		t.Fatalf("the text is %q", text)
	}
	again, err := ParseSessionKey(text)
	if err != nil || again.Reveal() != text || again.Digest() != key.Digest() {
		t.Errorf("the text is read as %q (%v)", again.Reveal(), err)
	}
	last := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", text[42])
	other := text[:42] + string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[last^1]) // the same bytes, but for unused bits
	for _, wrong := range []string{"", text[:42], text + "A", text[:42] + "=", text[:42] + " ", "\n" + text[1:], text[:42] + "+", other, "pts_" + text[4:] + "x"} {
		if k, err := ParseSessionKey(wrong); err != ErrSessionKey || k != (SessionKey{}) {
			t.Errorf("%q is read as a key (%v)", wrong, err)
		}
	}
	if (SessionKey{}).Reveal() != "" {
		t.Error("the zero key has a text")
	}
}

func TestSessionKeyIsMasked(t *testing.T) {
	t.Parallel()
	key := NewSessionKey([32]byte{1, 2, 3})
	encoded, err := json.Marshal(map[string]any{"key": key})
	if err != nil {
		t.Fatal(err)
	}
	type holder struct{ k SessionKey }
	for _, shown := range []string{fmt.Sprint(key), fmt.Sprintf("%#v %x %q %+v", key, key, key, &key), fmt.Sprintf("%v", holder{key}), string(encoded)} {
		if strings.Contains(shown, key.Reveal()) || strings.Contains(shown, key.Reveal()[:8]) {
			t.Errorf("the key is shown: %s", shown)
		}
	}
}

func TestSessionValid(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)
	s := Session{Expires: at}
	if !s.Valid(at.Add(-1)) || s.Valid(at) || s.Valid(at.Add(1)) {
		t.Error("a session ends at another time than its expiry")
	}
}
