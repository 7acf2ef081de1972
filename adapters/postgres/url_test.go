package postgres

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"postgres://db/problems":                            "postgres://db/problems",
		"postgresql://ann@db:5433/problems?sslmode=disable": "postgresql://ann@db:5433/problems?sslmode=disable",
		"postgres://":                                                  "postgres://",
		"postgres://ann:hunter2@db":                                    "postgres://ann:xxxxx@db",
		"postgres://ann:hunter2@db/":                                   "postgres://ann:xxxxx@db/",
		"postgres://ann:@db/problems":                                  "postgres://ann:xxxxx@db/problems",
		"postgres://ann:hunter:2%40@db/problems":                       "postgres://ann:xxxxx@db/problems",
		"postgres://:hunter2@/problems":                                "postgres://:xxxxx@/problems",
		"postgres://ann:hunter2@a:1,[::1]:2,c/problems?sslmode=prefer": "postgres://ann:xxxxx@a:1,[::1]:2,c/problems?sslmode=prefer",
		"postgres://ann@%2Fvar%2Frun/problems":                         "postgres://ann@%2Fvar%2Frun/problems",
		"postgres:///problems?user=ann&password=hunter2&host=/run":     "postgres:///problems?user=ann&password=xxxxx&host=/run",
		"postgres:///problems?pass%77ord=hunter2":                      "postgres:///problems?pass%77ord=xxxxx",
		"postgres:///problems?Password=hunter2":                        "postgres:///problems?Password=xxxxx",
		"postgres:///problems?passwd=hunter2&search_path=tracker":      "postgres:///problems?passwd=xxxxx&search_path=tracker",
		"postgres://ann:hunter2@db/x?sslpassword=hunter2&sslkey=a":     "postgres://ann:xxxxx@db/x?sslpassword=xxxxx&sslkey=a",
	} {
		if err := CheckURL(text); err != nil {
			t.Errorf("CheckURL(%q): %v", text, err)
		}
		got := Mask(text)
		if got != want {
			t.Errorf("Mask(%q) = %q; want %q", text, got, want)
		}
		if CheckURL(got) != nil || Mask(got) != got {
			t.Errorf("Mask(%q) = %q, which is no URL any more", text, got)
		}
	}
}

func TestOtherFormsAreRefusedAndHidden(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"",
		"db",
		"host=db password=hunter2",
		"mysql://ann:hunter2@db/x",
		"postgres:ann:hunter2@db",
		"postgres://ann:hunter2/@db/x",
		"postgres://ann:hunter2?@db/x",
		"postgres://ann:hunter2#@db/x",
		"postgres://ann:@hunter2@db/x",
		"postgres://ann:hunter2%@db/x",
		"postgres://ann:hunter2%zz@db/x",
		"postgres://ann: hunter2@db/x",
		"postgres://ann@db:hunter2",
		"postgres://db/x@hunter2",
		"postgres://db/x?a#hunter2",
		"postgres://db/x?password=hunter2%",
		"postgres://ann:hunter2@db/x\n",
	} {
		if err := CheckURL(text); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("CheckURL(%q): %v; want an error that does not repeat it", text, err)
		}
		if got := Mask(text); strings.Contains(got, "hunter2") || !strings.HasSuffix(got, mask) {
			t.Errorf("Mask(%q) = %q", text, got)
		}
	}
}
