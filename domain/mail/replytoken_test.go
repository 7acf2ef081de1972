package mail

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/webhook"
)

func TestReplyTokens(t *testing.T) {
	t.Parallel()
	key, other := webhook.NewKey([32]byte{1}), webhook.NewKey([32]byte{2})
	for _, id := range []problem.ID{1, 255, 256, 4_000_000_000, problem.MaxID} {
		token := NewReplyToken(key, ann, id)
		for _, form := range []string{token, strings.ToUpper(token)} {
			if who, of, ok := ReadReplyToken(key, form); !ok || who != ann || of != id {
				t.Errorf("%d: the token %s is that of %v for %d, %t", id, form, who, of, ok)
			}
		}
		if _, _, ok := ReadReplyToken(other, token); ok {
			t.Errorf("%d: the token holds for another key", id)
		}
		if local := MostLocal + len("+") + len(token); id < 1<<32 && local > 64 {
			t.Errorf("%d: the local part can have %d characters", id, local)
		}
	}
	token := NewReplyToken(key, ann, 7)
	if token == NewReplyToken(key, bob, 7) || token == NewReplyToken(key, ann, 8) || token != NewReplyToken(key, ann, 7) {
		t.Error("the token depends on something else than the user and the problem")
	}
}

func TestForgedReplyTokens(t *testing.T) {
	t.Parallel()
	key := webhook.NewKey([32]byte{1})
	token := NewReplyToken(key, ann, 7)
	zeros := append(ann[:], make([]byte, replyMac)...)
	forged := []string{"", "a", token[1:], token[:len(token)-1], token[:len(token)-2], token + "a", token + "aa", token + "=", token + "\n", ann.String(), NewToken(key, ann),
		replyText.EncodeToString(append(zeros, 7)), replyText.EncodeToString(zeros), NewReplyToken(webhook.Key{}, ident.None, 7)}
	for i := range token {
		for _, c := range []byte("abc") {
			if token[i] != c {
				forged = append(forged, token[:i]+string(c)+token[i+1:])
			}
		}
	}
	// The same number in another form.
	b, err := replyText.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	b = append(b[:len(b)-1:len(b)-1], 0, 7)
	forged = append(forged, replyText.EncodeToString(b))
	for _, text := range forged {
		if who, id, ok := ReadReplyToken(key, text); ok {
			t.Errorf("%q is a token of %v for %d", text, who, id)
		}
	}
}

func TestReplyAddresses(t *testing.T) {
	t.Parallel()
	if got := ReplyAddress("reply@example.org", "abc"); got != "reply+abc@example.org" {
		t.Errorf("the address is %s", got)
	}
	for address, want := range map[string]string{
		"reply+abc@example.org": "abc", "reply+a+abc@localhost": "abc", "reply+abc": "abc", "reply+@example.org": "", `"reply+abc"@example.org`: `abc"`,
	} {
		if got, ok := TokenOf(address); !ok || got != want {
			t.Errorf("the token of %s is %q, %t", address, got, ok)
		}
	}
	for _, address := range []string{"", "reply@example.org", "reply@example+abc.org"} {
		if got, ok := TokenOf(address); ok {
			t.Errorf("the token of %s is %q", address, got)
		}
	}
}
