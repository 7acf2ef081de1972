package report

import (
	"cmp"
	"net/url"
	"path"
)

// Summary returns one table in Markdown over several reports, in their order. folders[i]
// is the folder of reports[i], as seen from the page and with slashes; the
// implementation's name links to the page there. Reports without a folder get no link.
func Summary(reports []*Report, folders ...string) string {
	p := new(page)
	p.table("Implementation", "Version", "Result", "Core:", "Extended:", "Durability", "Duration:")
	for i, r := range reports {
		name := md(cmp.Or(r.Implementation.Name, "without a name"))
		if i < len(folders) && folders[i] != "" {
			page := &url.URL{Path: path.Join(folders[i], PageFile)}
			name = "[" + name + "](<" + target(page) + ">)"
		}
		p.row(name, md(cmp.Or(r.Implementation.Version, "unknown")), r.Result.words(),
			r.Count(Core).ratio(), r.Count(Extended).ratio(), md(r.Durability.words()), r.Duration)
	}
	return p.String()
}
