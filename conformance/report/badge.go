package report

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The colours of a badge. White text can be read on all of them.
const (
	green  = "#2e7d32"
	red    = "#c62828"
	yellow = "#8a6500"
	grey   = "#616161"
)

// Badge returns a small SVG picture of the verdict with its figures. It is green
// only if the implementation is conformant, red if it is not, and otherwise
// yellow, or grey if not one core case passed.
func (r *Report) Badge() string {
	const label, margin = "conformance", 6
	value := r.badge()
	left, right := width(label)+2*margin, width(value)+2*margin
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="%s: %s">`+"\n", left+right, label, escapeXML(value))
	fmt.Fprintf(&out, "  <title>%s: %s</title>\n", label, escapeXML(value))
	fmt.Fprintf(&out, `  <rect width="%d" height="20" rx="3" fill="%s"/>`+"\n", left+right, r.colour())
	fmt.Fprintf(&out, `  <path d="M3 0h%dv20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444"/>`+"\n", left-3)
	out.WriteString(`  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">` + "\n")
	for _, part := range []struct {
		at   int
		text string
	}{{margin, label}, {left + margin, value}} {
		fmt.Fprintf(&out, `    <text x="%d" y="14" textLength="%d">%s</text>`+"\n", part.at, width(part.text), escapeXML(part.text))
	}
	out.WriteString("  </g>\n</svg>\n")
	return out.String()
}

// badge returns the text of the badge. Not everybody sees the colours.
func (r *Report) badge() string {
	var parts []string
	if r.Result != Conformant {
		parts = append(parts, r.Result.words())
	}
	parts = append(parts, "core "+r.Count(Core).ratio())
	if extended := r.Count(Extended); extended.Applying() > 0 {
		parts = append(parts, "extended "+extended.ratio())
	}
	if r.Durability != nil && r.Durability.Level != "" {
		parts = append(parts, line(r.Durability.Level))
	}
	return strings.Join(parts, " · ")
}

func (r *Report) colour() string {
	switch {
	case r.Result == Conformant:
		return green
	case r.Result == NotConformant:
		return red
	case r.Count(Core).Passed > 0:
		return yellow
	}
	return grey
}

// width estimates the width of a text in pixels. The picture stretches the text to fit.
func width(text string) int { return len([]rune(text)) * 13 / 2 }

func escapeXML(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder takes everything
	return out.String()
}
