package mail

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// State is the work as a server hands it on to the next one. It is stored before a mail is sent, and
// after it. So a server that dies sends a mail twice at worst, and loses none.
type State struct {
	// Cursor is a position in the feed. All changes up to it are in trays, or need none.
	Cursor event.Cursor
	// Ahead are the problems of which later changes are in trays, too.
	Ahead map[problem.ID]Mark
	// Trays are in the order of their making.
	Trays []Tray
	// Unread are the groups up to the Cursor without addressees: their problems cannot be read.
	Unread []Group
}

// Due returns the time until the next mail may be sent. ok is false when none waits.
func (s State) Due(now time.Time) (wait time.Duration, ok bool) {
	for _, t := range s.Trays {
		if t.Empty() {
			continue
		}
		if own := t.Wait(now); !ok || own < wait {
			wait, ok = own, true
		}
	}
	for _, g := range s.Unread {
		if own := g.Wait(now); !ok || own < wait {
			wait, ok = own, true
		}
	}
	return wait, ok
}

// stateVersion is the version of the form of State.Encode.
const stateVersion = 1

type encodedState struct {
	Version int            `json:"version"`
	Cursor  string         `json:"cursor"`
	Ahead   [][4]int64     `json:"ahead,omitempty"`
	Trays   []encodedTray  `json:"trays,omitempty"`
	Unread  []encodedGroup `json:"unread,omitempty"` // earlier versions forget it
}

type encodedGroup struct {
	Changes    [3]int64 `json:"changes"` // problem, from, through
	Authors    []string `json:"authors"`
	Unassigned []string `json:"unassigned,omitempty"`
	Since      int64    `json:"since"`
	Tries      [2]int64 `json:"tries"` // deferrals, next
}

type encodedTray struct {
	User     string     `json:"user"`
	Items    [][3]int64 `json:"items,omitempty"`
	Tries    [][4]int64 `json:"tries,omitempty"` // of items: place, deferrals, refusals, next
	More     int        `json:"more,omitzero"`
	Excess   [4]int64   `json:"excess,omitzero"`   // of more: since, deferrals, refusals, next
	Since    int64      `json:"since,omitzero"`    // milliseconds since 1970, as all times here
	Deferred int        `json:"failures,omitzero"` // earlier versions count refusals here, too
	Refused  int        `json:"refused,omitzero"`
	Next     int64      `json:"next,omitzero"`
	Sent     int        `json:"sent,omitzero"`
	Begun    int64      `json:"begun,omitzero"`
}

// Encode returns the text of the state. Equal states have equal texts.
func (s State) Encode() string {
	e := encodedState{Version: stateVersion, Cursor: s.Cursor.String()}
	for _, id := range slices.Sorted(maps.Keys(s.Ahead)) {
		m := s.Ahead[id]
		e.Ahead = append(e.Ahead, [4]int64{int64(id), m.Through, m.Number, int64(m.Index)})
	}
	for _, t := range s.Trays {
		tray := encodedTray{
			User: t.User.String(), More: t.More.Count, Since: millis(t.Since), Deferred: t.Deferred, Refused: t.Refused, Next: millis(t.Next), Sent: t.Sent, Begun: millis(t.Begun),
			Excess: [4]int64{millis(t.More.Since), int64(t.More.Deferred), int64(t.More.Refused), millis(t.More.Next)},
		}
		for n, i := range t.Items {
			tray.Items = append(tray.Items, [3]int64{int64(i.Problem), i.From, i.Through})
			if i.Any() {
				tray.Tries = append(tray.Tries, [4]int64{int64(n), int64(i.Deferred), int64(i.Refused), millis(i.Next)})
			}
		}
		e.Trays = append(e.Trays, tray)
	}
	for _, g := range s.Unread {
		e.Unread = append(e.Unread, encodedGroup{
			[3]int64{int64(g.Problem), g.From, g.Through}, textsOf(g.Authors), textsOf(g.Named), millis(g.first),
			[2]int64{int64(g.Deferred), millis(g.Next)},
		})
	}
	b, err := json.Marshal(e)
	if err != nil {
		panic("mail: the state cannot be encoded: " + err.Error())
	}
	return string(b)
}

// ParseState reads the text of Encode.
func ParseState(text string) (State, error) {
	var e encodedState
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return State{}, fmt.Errorf("mail: the state is damaged: %w", err)
	}
	if e.Version != stateVersion {
		return State{}, fmt.Errorf("mail: the state has version %d, and this program reads version %d: use the program that wrote it", e.Version, stateVersion)
	}
	cursor, err := event.ParseCursor(e.Cursor)
	if err != nil {
		return State{}, fmt.Errorf("mail: the state is damaged: %w", err)
	}
	s := State{Cursor: cursor}
	if len(e.Ahead) > 0 {
		s.Ahead = make(map[problem.ID]Mark, len(e.Ahead))
	}
	for _, m := range e.Ahead {
		s.Ahead[problem.ID(m[0])] = Mark{m[1], m[2], int(m[3])}
	}
	for _, t := range e.Trays {
		who, err := ident.Parse(t.User)
		if err != nil {
			return State{}, errors.New("mail: the state is damaged: a tray has no user")
		}
		tray := Tray{User: who, Since: timeOf(t.Since), Sent: t.Sent, Begun: timeOf(t.Begun)}
		tray.Tries = Tries{Deferred: t.Deferred, Refused: t.Refused, Next: timeOf(t.Next)}
		tray.More = Excess{Count: t.More, Since: timeOf(t.Excess[0]), Tries: triesOf(t.Excess[1], t.Excess[2], t.Excess[3])}
		for _, i := range t.Items {
			tray.Items = append(tray.Items, Item{Problem: problem.ID(i[0]), From: i[1], Through: i[2]})
		}
		for _, f := range t.Tries {
			if f[0] < 0 || f[0] >= int64(len(tray.Items)) {
				return State{}, fmt.Errorf("mail: the state is damaged: a tray has failures of item %d, and %d items", f[0], len(tray.Items))
			}
			tray.Items[f[0]].Tries = triesOf(f[1], f[2], f[3])
		}
		s.Trays = append(s.Trays, tray)
	}
	for _, g := range e.Unread {
		authors, err := idsOf(g.Authors)
		named, other := idsOf(g.Unassigned)
		if err != nil || other != nil {
			return State{}, errors.New("mail: the state is damaged: a group has authors or assignees without an identifier")
		}
		s.Unread = append(s.Unread, Group{
			Problem: problem.ID(g.Changes[0]), From: g.Changes[1], Through: g.Changes[2], Authors: authors, Named: named,
			Tries: triesOf(g.Tries[0], 0, g.Tries[1]), first: timeOf(g.Since),
		})
	}
	return s, nil
}

func textsOf(ids []ident.ID) (texts []string) {
	for _, id := range ids {
		texts = append(texts, id.String())
	}
	return texts
}

func idsOf(texts []string) (ids []ident.ID, err error) {
	for _, text := range texts {
		id, err := ident.Parse(text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func triesOf(deferred, refused, next int64) Tries {
	return Tries{Deferred: int(deferred), Refused: int(refused), Next: timeOf(next)}
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
