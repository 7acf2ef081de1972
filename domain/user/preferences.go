package user

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/column"
)

// Preferences are a user's choices for the pages (D58), as Choices.Preferences writes them; empty:
// the usual ones. Stores, archives and the audit log have this one text.
type Preferences string

// Choices are preferences, one by one. The zero value has the usual ones.
type Choices struct {
	// Columns are those of lists whose query has none.
	Columns column.List
	// Compact has rows take less room.
	Compact bool
	// Language is a tag of [Languages]; empty: that of the browser.
	Language string
	// TimeZone is a name of the IANA database, such as Europe/Berlin; empty: that of the browser.
	TimeZone string
	// KeysOff has the pages take no keys.
	KeysOff bool
}

// Languages are the languages of the pages.
var Languages = []string{"en", "de"}

// Density names the room that rows take: "comfortable" or "compact".
func (c Choices) Density() string {
	if c.Compact {
		return "compact"
	}
	return "comfortable"
}

// ParseDensity reports whether rows are compact. The text of the error ends a sentence for its
// author, as do those of the functions below.
func ParseDensity(name string) (compact bool, err error) {
	if name != "comfortable" && name != "compact" {
		return false, errors.New(`must be "comfortable" or "compact"`)
	}
	return name == "compact", nil
}

// CheckLanguage refuses a language that the pages do not have.
func CheckLanguage(tag string) error {
	if !slices.Contains(Languages, tag) {
		return fmt.Errorf("must be one of %s, or null for the language of the browser", strings.Join(Languages, ", "))
	}
	return nil
}

// CheckTimeZone refuses a text that is no name of a time zone.
func CheckTimeZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || !zoneName(name) {
		return errors.New("must be the name of a time zone in the IANA database, such as Europe/Berlin or UTC, or null for that of the browser")
	}
	return nil
}

// zoneName reports whether a text has the form of a name of a time zone.
func zoneName(name string) bool {
	return name != "" && name != "Local" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("/_-+", r)
	})
}

// Preferences returns the text of the choices.
func (c Choices) Preferences() Preferences {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	add("columns", string(c.Columns))
	if c.Compact {
		add("density", "compact")
	}
	add("language", c.Language)
	add("timeZone", c.TimeZone)
	if c.KeysOff {
		add("keys", "off")
	}
	return Preferences(strings.Join(parts, " "))
}

// Choices reads the text. What a later version has written counts for nothing.
func (p Preferences) Choices() (c Choices) {
	for part := range strings.FieldsSeq(string(p)) {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "columns":
			c.Columns = column.List(value)
		case "density":
			c.Compact = value == "compact"
		case "language":
			c.Language = value
		case "timeZone":
			c.TimeZone = value
		case "keys":
			c.KeysOff = value == "off"
		}
	}
	return c
}

// Check refuses a text that Choices.Preferences does not write. Time zones come and go, so any of
// the right form is taken.
func (p Preferences) Check() error {
	c := p.Choices()
	err := c.Columns.Check()
	if err == nil && c.Language != "" {
		err = CheckLanguage(c.Language)
	}
	if err == nil && (c.Preferences() != p || c.TimeZone != "" && !zoneName(c.TimeZone)) {
		err = errors.New("must be null, or a text such as columns=state,due density=compact language=de timeZone=Europe/Berlin keys=off, with some of these in this order")
	}
	return err
}
