package main

import (
	"flag"
	"io"
	"slices"
	"strings"
	"testing"
)

func parsed(args ...string) (options, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return parse(flags, args)
}

func TestOptions(t *testing.T) {
	t.Parallel()
	o, err := parsed("-stores", "sqlite,memory", "-connections", "2,16", "-mixes", "create,load")
	if err != nil || !slices.Equal(o.stores, []string{onSQLite, inMemory}) || !slices.Equal(o.connections, []int{2, 16}) || o.problems != 10_000 || !o.limits {
		t.Errorf("%+v, %v", o, err)
	}
	if len(o.mixes) != 2 || o.mixes[0].Name != "load" || o.mixes[1].Name != "create" {
		t.Errorf("the mixes are %v; want load, create", o.mixes)
	}
	for args, want := range map[string]string{
		"-stores mysql":                   "mysql",
		"-mixes dance":                    "dance",
		"-connections 1,0":                `"0"`,
		"-connections many":               `"many"`,
		"-listeners 1,-1":                 "-listeners",
		"-listeners 5000":                 "1900",
		"-streams 0":                      "-streams",
		"-history 0":                      "-history",
		"-rounds 0":                       "round",
		"-problems 63":                    "-problems",
		"-problems 900 -large 800":        "-large",
		"-connections 1,100 -problems 99": "-problems",
		"-traces 1,2":                     `"2"`,
		"-traces all":                     `"all"`,
		"-versus old -rounds 5":           "6 rounds",
		"surplus":                         "surplus",
	} {
		if _, err := parsed(strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want an error about %s", args, err, want)
		}
	}
}
