package user

import (
	"testing"

	"github.com/problemtracking/problems/domain/column"
)

func TestPreferences(t *testing.T) {
	t.Parallel()
	all := Choices{column.List("due,state"), true, "de", "Europe/Berlin", true}
	for text, want := range map[Preferences]Choices{
		"": {},
		"columns=due,state density=compact language=de timeZone=Europe/Berlin keys=off": all,
		"language=en": {Language: "en"}, "timeZone=Etc/GMT+5": {TimeZone: "Etc/GMT+5"},
	} {
		if got := text.Choices(); got != want || want.Preferences() != text || text.Check() != nil {
			t.Errorf("%q has %+v, want %+v, which is %q: %v", text, got, want, want.Preferences(), text.Check())
		}
	}
	if got := Preferences("font=large density=compact").Choices(); got != (Choices{Compact: true}) {
		t.Errorf("of a later version: %+v", got)
	}
	for _, text := range []Preferences{"x", "columns=colour", "language=tlh", "density=comfortable", "keys=on", "timeZone=../etc", "timeZone=Local", "density=compact columns=due", "keys=off ", "columns= keys=off", "timeZone=a=b"} {
		if text.Check() == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for name, valid := range map[string]bool{"Europe/Berlin": true, "UTC": true, "Europe/Nowhere": false, "": false, "Local": false, "../etc/passwd": false, "/etc/localtime": false} {
		if err := CheckTimeZone(name); (err == nil) != valid {
			t.Errorf("the time zone %q: %v", name, err)
		}
	}
}
