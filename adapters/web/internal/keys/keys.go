// Package keys has the keys of the keyboard that work on the pages.
package keys

import (
	"html/template"
	"strings"
)

// Places are the groups of keys: the pages on which they work.
var Places = []string{"all", "list", "problem"}

// Key is a key, or two of them one after the other.
type Key struct {
	// Name is what the key does: a part of the key of its text, and its name in templates.
	Name string
	// Keys are the keys as browsers name them, with a space between two: "x", "X" for Shift+x, or "g l".
	Keys string
	// Place is where it works. "both" is the list and a problem.
	Place string
}

// Table has all keys. The help, the templates and the script take them from here.
var Table = []Key{
	{"search", "/", "all"},
	{"find", "Control+k", "all"},
	{"create", "c", "all"},
	{"help", "?", "all"},
	{"leave", "Escape", "all"},
	{"send", "Control+Enter", "all"},
	{"to-list", "g l", "all"},
	{"to-board", "g b", "all"},
	{"to-milestones", "g m", "all"},
	{"to-mine", "g w", "all"},
	{"to-changes", "g t", "all"},
	{"down", "j", "list"},
	{"up", "k", "list"},
	{"open", "Enter", "list"},
	{"pick", "x", "list"},
	{"pick-range", "X", "list"},
	{"assignee", "a", "both"},
	{"state", "s", "both"},
	{"priority", "p", "both"},
	{"edit", "e", "both"},
	{"comment", "m", "problem"},
	{"previous", "[", "problem"},
	{"next", "]", "problem"},
}

// moves are the keys for the rows of a list, in the order of the script.
var moves = []string{"down", "up", "pick", "pick-range"}

// Of returns the keys that work at a place.
func Of(place string) (all []Key) {
	for _, k := range Table {
		if k.Place == place || k.Place == "both" && place != "all" {
			all = append(all, k)
		}
	}
	return all
}

// Named returns the keys with this name, and "" without any: a field of a problem may have none.
func Named(name string) string {
	for _, k := range Table {
		if k.Name == name {
			return k.Keys
		}
	}
	return ""
}

// Attribute returns the attribute of a control that a key presses, or focuses. It is empty for a
// control without a key.
func Attribute(name string) template.HTMLAttr {
	k := Named(name)
	if k == "" {
		return ""
	}
	return template.HTMLAttr(` data-key="` + template.HTMLEscapeString(k) + `"`) // constant, and escaped
}

// Moves returns the attribute of a list with the keys for its rows.
func Moves() template.HTMLAttr {
	var all []string
	for _, name := range moves {
		all = append(all, Named(name))
	}
	return template.HTMLAttr(` data-moves="` + strings.Join(all, " ") + `"`)
}

// Caps returns the keys as they are written on a keyboard.
func (k Key) Caps() []string {
	var caps []string
	for key := range strings.FieldsSeq(strings.ReplaceAll(k.Keys, "+", " ")) {
		switch {
		case key == "Control":
			key = "Ctrl"
		case key == "Escape":
			key = "Esc"
		case len(key) == 1 && strings.ToLower(key) != key:
			caps, key = append(caps, "Shift"), strings.ToLower(key)
		}
		caps = append(caps, key)
	}
	return caps
}
