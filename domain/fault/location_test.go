package fault

import (
	"slices"
	"testing"
)

func TestLocation(t *testing.T) {
	t.Parallel()
	keywords := At("keywords")
	for _, c := range []struct {
		at    Location
		text  string
		steps []Step
	}{
		{Location{}, "", nil},
		{At("title"), "title", []Step{{Name: "title"}}},
		{Location{}.Member("title"), "title", []Step{{Name: "title"}}},
		{At(""), "", []Step{{}}},
		{keywords.Element(0).Member("name"), "keywords[0].name", []Step{{Name: "keywords"}, {Element: true}, {Name: "name"}}},
		{keywords.Element(12), "keywords[12]", []Step{{Name: "keywords"}, {Index: 12, Element: true}}},
		{keywords.Member("12"), "keywords.12", []Step{{Name: "keywords"}, {Name: "12"}}},
	} {
		if got := c.at.Steps(); c.at.String() != c.text || !slices.Equal(got, c.steps) {
			t.Errorf("%q has the steps %v, want %q and %v", c.at, got, c.text, c.steps)
		}
		if c.at.Whole() != (len(c.steps) == 0) {
			t.Errorf("%v is the whole: %t", c.steps, c.at.Whole())
		}
	}
	if !keywords.Element(1).Equal(At("keywords").Element(1)) || At("").Equal(Location{}) || keywords.Element(0).Equal(keywords.Member("0")) {
		t.Error("locations are equal if, and only if, all their steps are")
	}
	first := keywords.Element(0)
	first.Member("value")
	if name := first.Member("name"); name.String() != "keywords[0].name" {
		t.Errorf("a member is at %v", name)
	}
}
