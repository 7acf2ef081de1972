package everyday

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// style is the look of a text on a terminal: the parameter of an escape sequence.
type style string

const (
	plain style = ""
	faint style = "2"
	bold  style = "1"
	cyan  style = "36"
	red   style = "31"
)

// colours reports whether texts have styles.
func (e *Env) colours() bool {
	return e.Terminal && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// styled returns a text with its style.
func (e *Env) styled(s style, text string) string {
	if s == plain || text == "" || !e.colours() {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// cell is a text in a table.
type cell struct {
	text  string
	style style
}

// table is a table for people on a terminal. For programs, it has tabs and no header.
type table struct {
	header []string
	rows   [][]cell
}

// gap is the space between two columns.
const gap = 2

func (t table) print(e *Env) error {
	var b strings.Builder
	if !e.Terminal {
		for _, row := range t.rows {
			for i, c := range row {
				if i > 0 {
					b.WriteByte('\t')
				}
				b.WriteString(oneLine(c.text))
			}
			b.WriteByte('\n')
		}
		_, err := io.WriteString(e.Stdout, b.String())
		return err
	}
	head := make([]cell, len(t.header))
	for i, text := range t.header {
		head[i] = cell{text, faint}
	}
	rows := [][]cell{head}
	for _, row := range t.rows {
		shown := make([]cell, len(row))
		for i, c := range row {
			shown[i] = cell{e.harmless(oneLine(c.text)), c.style}
		}
		rows = append(rows, shown)
	}
	widths := make([]int, len(t.header))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	for _, row := range rows {
		left := e.Width
		for i, c := range row {
			text := c.text
			if last := i == len(row)-1; last && left > 0 {
				text = cut(text, left)
			} else if !last {
				text += strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(text)))
			}
			b.WriteString(e.styled(c.style, text))
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", gap))
				left = max(min(left, 20), left-widths[i]-gap)
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(e.Stdout, b.String())
	return err
}

// oneLine returns a text for one line of a table.
func oneLine(text string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ", "\r", " ").Replace(text)
}

// harmless is Harmless for a terminal. Programs get each text as it is.
func (e *Env) harmless(text string) string {
	if !e.Terminal {
		return text
	}
	return Harmless(text)
}

// Harmless returns a text with codes, such as <U+202E>, in place of characters that control a
// terminal or turn the direction of its line. Tabs and line ends stay.
func Harmless(text string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			fmt.Fprintf(&b, "<%U>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cut shortens a text to some columns.
func cut(text string, columns int) string {
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns-1]) + "…"
}

// printJSON prints a value for programs.
func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// moment returns a time for people, as its distance on a terminal, and in full otherwise.
func (e *Env) moment(t time.Time) string {
	if !e.Terminal {
		return t.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	ago := e.Now().Sub(t)
	switch {
	case ago < time.Minute:
		return "now"
	case ago < time.Hour:
		return fmt.Sprintf("%d min", ago/time.Minute)
	case ago < 48*time.Hour:
		return fmt.Sprintf("%d h", ago/time.Hour)
	case ago < 60*24*time.Hour:
		return fmt.Sprintf("%d days", ago/(24*time.Hour))
	}
	return t.Local().Format("2006-01-02")
}

// until returns the end of a lease.
func (e *Env) until(t time.Time) string {
	if !e.Terminal {
		return e.moment(t)
	}
	return t.Local().Format("2006-01-02 15:04")
}

// value returns a member of a record as text, by its dotted name; "" is the record itself.
func (e *Env) value(record json.RawMessage, name string) string {
	for step := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '.' }) {
		var members map[string]json.RawMessage
		if json.Unmarshal(record, &members) != nil {
			return ""
		}
		record = members[step]
	}
	var any any
	if json.Unmarshal(record, &any) != nil {
		return ""
	}
	return e.text(any)
}

// text returns a value of JSON as text: an object by its name.
func (e *Env) text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		if t, err := time.Parse(time.RFC3339, v); err == nil {
			return e.moment(t)
		}
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case map[string]any:
		for _, name := range []string{"fullName", "name"} {
			text, ok := v[name].(string)
			if value, has := v["value"].(string); ok && has {
				text += "=" + value
			}
			if ok {
				return text
			}
		}
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, e.text(one))
		}
		return strings.Join(all, ", ")
	case float64:
		return fmt.Sprintf("%.0f", v)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}
