module github.com/problemtracking/problems/adapters/postgres

go 1.26.0

require (
	github.com/jackc/pgx/v5 v5.12.0
	github.com/problemtracking/problems/adapters v0.1.0
	github.com/problemtracking/problems/conformance v0.1.0
	github.com/problemtracking/problems/domain v0.1.0
	github.com/shirou/gopsutil/v4 v4.26.10
	github.com/uptrace/bun v1.3.0
	github.com/uptrace/bun/dialect/pgdialect v1.3.0
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/go-ole/go-ole v1.3.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/jinzhu/inflection v1.0.0 // indirect
	github.com/lufia/plan9stats v0.0.0-20260802145828-341c2f0c90b5 // indirect
	github.com/power-devops/perfstat v0.0.0-20260805114148-88456608a4f6 // indirect
	github.com/puzpuzpuz/xsync/v3 v3.5.1 // indirect
	github.com/tklauser/go-sysconf v0.4.0 // indirect
	github.com/tklauser/numcpus v0.12.0 // indirect
	github.com/tmthrgd/go-hex v0.0.0-20190904060850-447a3041c3bc // indirect
	github.com/vmihailenco/msgpack/v5 v5.4.1 // indirect
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
	github.com/yusufpapurcu/wmi v1.2.4 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace (
	github.com/problemtracking/problems/adapters => ..
	github.com/problemtracking/problems/adapters/client => ../client
	github.com/problemtracking/problems/adapters/memory => ../memory
	github.com/problemtracking/problems/conformance => ../../conformance
	github.com/problemtracking/problems/domain => ../../domain
)
