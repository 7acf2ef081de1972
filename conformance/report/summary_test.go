package report

import (
	"slices"
	"testing"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	unnamed := new(Report)
	unnamed.Conclude()
	want := `| Implementation | Version | Result | Core | Extended | Durability | Duration |
| --- | --- | --- | ---: | ---: | --- | ---: |
| [boltstore plain](<reports/bolt%20%3Cstore%3E/report.md>) | v0.1.0 plain | conformant | 1/1 | 1/1 | L1 | 3.2 s |
| boltstore plain | v0.1.0 plain | not conformant | 1/3 | 1/2 | L1 | 3.2 s |
| without a name | unknown | not conformant | 0/0 | 0/0 | not examined | 0 ms |
`
	if got := Summary([]*Report{conformant(), example(plain), unnamed}, "reports/bolt <store>", ""); got != want {
		t.Errorf("the table is\n%s\nwhere this was expected\n%s", got, want)
	}
}

func TestSummaryOfHostileTexts(t *testing.T) {
	t.Parallel()
	want, _ := shape(t, Summary([]*Report{example(plain)}, "a"))
	each(t, func(t *testing.T, r *Report) {
		table := Summary([]*Report{r}, "folder "+r.Implementation.Name)
		if lines, _ := shape(t, table); !slices.Equal(lines, want) {
			t.Errorf("the table has the markup %q where %q was expected:\n%s", lines, want, table)
		}
	})
}
