package report

import (
	"encoding/xml"
	"testing"
)

// drawing is what is read of a badge.
type drawing struct {
	XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
	Width   int      `xml:"width,attr"`
	Label   string   `xml:"aria-label,attr"`
	Title   string   `xml:"title"`
	Rect    struct {
		Fill string `xml:"fill,attr"`
	} `xml:"rect"`
	Texts []struct {
		X      int    `xml:"x,attr"`
		Length int    `xml:"textLength,attr"`
		Text   string `xml:",chardata"`
	} `xml:"g>text"`
}

func draw(t *testing.T, r *Report) (d drawing) {
	t.Helper()
	if err := xml.Unmarshal([]byte(r.Badge()), &d); err != nil {
		t.Fatalf("the badge is no SVG: %v\n%s", err, r.Badge())
	}
	if len(d.Texts) != 2 {
		t.Fatalf("the badge has %d texts where 2 were expected:\n%s", len(d.Texts), r.Badge())
	}
	return d
}

func TestBadge(t *testing.T) {
	t.Parallel()
	broken := conformant()
	broken.Cases = append(broken.Cases, Case{Level: Core, Status: Broken})
	broken.Conclude()
	unreached := &Report{Cases: []Case{{Level: Core, Status: Broken}}}
	unreached.Conclude()
	empty := new(Report)
	empty.Conclude()
	server := conformant()
	server.Durability = nil
	for _, test := range []struct {
		name         string
		report       *Report
		text, colour string
	}{
		{"conformant", conformant(), "core 1/1 · extended 1/1 · L1", green},
		{"a server", server, "core 1/1 · extended 1/1", green},
		{"failed", example(plain), "not conformant · core 1/3 · extended 1/2 · L1", red},
		{"empty", empty, "not conformant · core 0/0", red},
		{"broken", broken, "incomplete · core 1/2 · extended 1/1 · L1", yellow},
		{"nothing passed", unreached, "incomplete · core 0/1", grey},
		{"not concluded", new(Report), "without a result · core 0/0", grey},
	} {
		d := draw(t, test.report)
		if d.Texts[0].Text != "conformance" || d.Texts[1].Text != test.text || d.Rect.Fill != test.colour {
			t.Errorf("%s: the badge is %+v where %q in %s was expected", test.name, d, test.text, test.colour)
		}
		if want := "conformance: " + test.text; d.Title != want || d.Label != want {
			t.Errorf("%s: the badge is titled %q, %q where %q was expected", test.name, d.Title, d.Label, want)
		}
		if first, last := d.Texts[0], d.Texts[1]; first.X+first.Length >= last.X || last.X+last.Length >= d.Width {
			t.Errorf("%s: the texts do not fit: %+v", test.name, d)
		}
	}
}

func TestBadgeOfHostileTexts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *Report) {
		r.Durability.Level = "L1 " + r.Durability.Reason
		d := draw(t, r)
		if want := "not conformant · core 1/3 · extended 1/2 · " + line(r.Durability.Level); d.Texts[1].Text != want {
			t.Errorf("the badge says %q where %q was expected", d.Texts[1].Text, want)
		}
	})
}
