module github.com/problemtracking/problems/adapters/sqlite

go 1.26.0

require (
	github.com/gofrs/flock v0.13.2
	github.com/problemtracking/problems/adapters v0.1.0
	github.com/problemtracking/problems/conformance v0.1.0
	github.com/problemtracking/problems/domain v0.1.0
	github.com/uptrace/bun v1.3.0
	github.com/uptrace/bun/dialect/sqlitedialect v1.3.0
	golang.org/x/sys v0.50.0
	modernc.org/sqlite v1.62.0
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/jinzhu/inflection v1.0.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/puzpuzpuz/xsync/v3 v3.5.1 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/tmthrgd/go-hex v0.0.0-20190904060850-447a3041c3bc // indirect
	github.com/vmihailenco/msgpack/v5 v5.4.1 // indirect
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)

replace (
	github.com/problemtracking/problems/adapters => ..
	github.com/problemtracking/problems/adapters/client => ../client
	github.com/problemtracking/problems/adapters/memory => ../memory
	github.com/problemtracking/problems/conformance => ../../conformance
	github.com/problemtracking/problems/domain => ../../domain
)
