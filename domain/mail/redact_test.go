package mail

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/webhook"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	key, other := webhook.NewKey([32]byte{1}), webhook.NewKey([32]byte{2})
	for _, token := range []string{
		NewReplyToken(key, ann, 7), NewReplyToken(key, bob, problem.MaxID), strings.ToUpper(NewReplyToken(key, bob, 256)), NewToken(key, ann), NewToken(key, bob),
	} {
		for _, around := range [][2]string{{"", ""}, {"Write to reply+", "@example.org."}, {"(https://example.org/unsubscribe?token=", "&x)"}, {"\n> ", "\n"}} {
			if got, want := Redact(key, around[0]+token+around[1]), around[0]+"…"+around[1]; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	for _, text := range []string{"", "a", strings.Repeat("a", 50), strings.Repeat("a", 1000), NewReplyToken(other, ann, 7), NewToken(other, ann)} {
		if got := Redact(key, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
