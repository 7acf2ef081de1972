package mail

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/webhook"
)

func TestStateIsReadAgain(t *testing.T) {
	t.Parallel()
	failed := Item{Problem: 1, From: 1, Through: 1, Tries: Tries{Deferred: 2, Refused: 1, Next: noon.Add(time.Hour)}}
	for name, s := range map[string]State{
		"empty":    {},
		"position": {Cursor: cursor(7), Ahead: map[problem.ID]Mark{3: {4, 5, 1}, 1: {2, 9, 3}}},
		"trays": {Cursor: cursor(7), Trays: []Tray{
			{User: bob, Items: []Item{item(1, 2, 3), item(2, 1, 1), failed}, More: Excess{Count: 4, Since: noon.Add(time.Second), Tries: Tries{Deferred: 2, Refused: 1, Next: noon.Add(time.Hour)}}, Since: noon, Tries: Tries{Deferred: 2, Refused: 1, Next: noon.Add(time.Minute)}, Sent: 3, Begun: noon.Add(-time.Minute)},
			{User: ann, Sent: 1, Begun: noon},
		}},
		"unread": {Cursor: cursor(7), Unread: []Group{
			{Problem: 3, From: 4, Through: 5, Authors: []ident.ID{ann, bob}, Named: []ident.ID{cy}, Tries: Tries{Deferred: 2, Next: noon.Add(time.Hour)}, first: noon},
			{Problem: 4, From: 1, Through: 1, Authors: []ident.ID{ann}, first: noon},
		}},
	} {
		got, err := ParseState(s.Encode())
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A server of an earlier version may have stored the state. Its failures are of both kinds, and
// end no mail early.
func TestStateOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	text := strings.Replace(State{Trays: []Tray{{User: ann, Items: []Item{item(1, 2, 3)}, Since: noon}}}.Encode(), `"since"`, `"failures":2,"next":60000,"since"`, 1)
	s, err := ParseState(text)
	if err != nil || len(s.Trays) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	got := s.Trays[0]
	if want := (Tries{Deferred: 2, Next: time.UnixMilli(60000).UTC()}); got.Tries != want || len(got.Items) != 1 {
		t.Errorf("the tray is %+v", got)
	}
	if _, lost := got.Failed(next(got, noon), noPerson, noon); lost {
		t.Error("the first refusal ends the mail")
	}
}

// An earlier version forgot changes that it had only counted, when they came during a digest.
// It may have stored them. They are told of.
func TestExcessOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	text := strings.Replace(State{Trays: []Tray{{User: ann}}}.Encode(), `"}]`, `","more":4,"sent":1,"begun":60000}]`, 1)
	s, err := ParseState(text)
	if err != nil || len(s.Trays) != 1 || s.Encode() != text {
		t.Fatalf("%s becomes %s, %v", text, s.Encode(), err)
	}
	if d, ok := s.Trays[0].Resumed(noon).Mail(noon); !ok || d.More.Count != 4 || len(d.Items) != 0 {
		t.Errorf("the next mail is %+v", d)
	}
}

func TestStateOfAnotherVersion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "damaged",
		"{":                            "damaged",
		`{"version":2,"cursor":"x"}`:   "has version 2, and this program reads version 1",
		`{"version":1,"cursor":"now"}`: "damaged",
		strings.Replace(State{Trays: []Tray{{User: ann}}}.Encode(), `"}]`, `","items":[[1,2,3]],"tries":[[1,1,1,1]]}]`, 1):            "failures of item 1, and 1 items",
		strings.Replace(State{Trays: []Tray{{User: ann}}}.Encode(), ann.String(), "ann", 1):                                           "a tray has no user",
		strings.Replace(State{Unread: []Group{{Problem: 3, Authors: []ident.ID{ann}, first: noon}}}.Encode(), ann.String(), "ann", 1): "a group has authors or assignees without an identifier",
	} {
		if _, err := ParseState(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	key, other := webhook.NewKey([32]byte{1}), webhook.NewKey([32]byte{2})
	token := NewToken(key, ann)
	if who, ok := ReadToken(key, token); !ok || who != ann {
		t.Fatalf("the token is that of %v, %t", who, ok)
	}
	if token == NewToken(key, bob) || token != NewToken(key, ann) {
		t.Error("the token depends on something else than the user")
	}
	if _, ok := ReadToken(other, token); ok {
		t.Error("the token holds for another key")
	}
	forged := []string{"", "a", token[1:], token + "A", token + "=", strings.ToUpper(token), ann.String()}
	for i := range token {
		other := byte('A')
		if token[i] == other {
			other = 'B'
		}
		forged = append(forged, token[:i]+string(other)+token[i+1:])
	}
	for _, text := range forged {
		if who, ok := ReadToken(key, text); ok {
			t.Errorf("%q is a token of %v", text, who)
		}
	}
	if token == NewToken(key, ident.None) {
		t.Error("nobody has the same token as somebody")
	}
}
