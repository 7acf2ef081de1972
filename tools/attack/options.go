package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	program   string
	stores    []string
	attacks   []attack
	duration  time.Duration
	rate      int   // honest requests per second
	limit     int64 // bytes of memory; 0: none
	guard     int64 // bytes of memory
	short     bool
	dir       string
	postgres  string
	json      string
	serverLog string
}

// The names of stores.
const (
	inMemory   = "memory"
	onSQLite   = "sqlite"
	onPostgres = "postgres"
)

const mebibyte = 1 << 20

// shortDuration is how long a short attack takes unless -duration says otherwise.
const shortDuration = 300 * time.Millisecond

// parse reads the flags of a command line.
func parse(flags *flag.FlagSet, args []string) (o options, err error) {
	flags.StringVar(&o.program, "program", "bin/problems", "the `FILE` to attack, as make build makes it")
	stores := flags.String("stores", strings.Join([]string{onSQLite, inMemory, onPostgres}, ","), "which stores to use, separated by commas")
	names := flags.String("attacks", "", "which attacks to make, separated by commas; by default all, and with -short some: "+strings.Join(attackNames(), ", "))
	flags.DurationVar(&o.duration, "duration", 10*time.Second, "how long each attack takes; with -short "+shortDuration.String()+" by default")
	flags.IntVar(&o.rate, "rate", 20, "how many honest requests begin in a second, whatever became of those before")
	limit := flags.Int64("memory", 0, "how much resident memory in `MIB` the server may have; 0 for any. What the memory store holds before an attack comes on top")
	guard := flags.Int64("guard", 5<<10, "at how much resident memory in `MIB` the server is killed, to save the machine")
	flags.BoolVar(&o.short, "short", false, "make a dozen attacks that are small and take a moment each")
	flags.StringVar(&o.dir, "dir", os.TempDir(), "the `FOLDER` in which the data are, in one of their own that is removed")
	flags.StringVar(&o.postgres, "postgres", "", "the `URL` of a PostgreSQL server to use, for who may create databases, instead of one of this machine's binaries")
	flags.StringVar(&o.json, "json", "", "a `FILE` for everything that was measured")
	flags.StringVar(&o.serverLog, "server-log", os.DevNull, "a `FILE` for what the servers log")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	durationGiven := false
	flags.Visit(func(f *flag.Flag) { durationGiven = durationGiven || f.Name == "duration" })
	if o.short && !durationGiven {
		o.duration = shortDuration
	}
	o.limit, o.guard = *limit*mebibyte, *guard*mebibyte
	o.stores = strings.Split(*stores, ",")
	for _, s := range o.stores {
		if !slices.Contains([]string{inMemory, onSQLite, onPostgres}, s) {
			return o, fmt.Errorf("-stores: there is no store %q", s)
		}
	}
	if o.attacks, err = choose(*names, o.short); err != nil {
		return o, err
	}
	switch {
	case o.duration <= 0 || o.rate < 1:
		return o, errors.New("-duration and -rate have to be above 0")
	case o.limit < 0 || o.guard <= 0 || o.limit > o.guard:
		return o, errors.New("-memory has to be at least 0 and at most -guard")
	}
	return o, nil
}

// choose returns the attacks of these names, in the order of the table. Without names it
// returns all, or those of a short run.
func choose(names string, short bool) ([]attack, error) {
	if names == "" {
		return slices.DeleteFunc(slices.Clone(attacks), func(a attack) bool { return short && !a.short }), nil
	}
	wanted := strings.Split(names, ",")
	for _, name := range wanted {
		if !slices.Contains(attackNames(), name) {
			return nil, fmt.Errorf("-attacks: there is no attack %q", name)
		}
	}
	return slices.DeleteFunc(slices.Clone(attacks), func(a attack) bool { return !slices.Contains(wanted, a.name) }), nil
}

func attackNames() []string {
	names := make([]string, len(attacks))
	for i, a := range attacks {
		names[i] = a.name
	}
	return names
}

// sizes are how large attacks are.
type sizes struct {
	keywords   int // of one problem, 64 KiB each
	rewrites   int // of one keyword, 64 KiB each
	comments   int // of one problem, 1 MB each
	large      int // problems of almost 1 MiB
	related    int // relationships of one problem
	layer      int // problems in each layer of a family
	layers     int
	milestones int
	queries    int // saved ones of 16 KiB
	replies    int // kept for an Idempotency-Key, 1 MB each
	uploads    int // connections with a body under way
	streams    int // HTTP/2 streams of a connection
	few, many  int // requests at once
	honest     int // problems of the honest user
}

var (
	full  = sizes{keywords: 1000, rewrites: 1200, comments: 100, large: 100, related: 1000, layer: 16, layers: 8, milestones: 2000, queries: 500, replies: 200, uploads: 2000, streams: 100, few: 6, many: 20, honest: 200}
	small = sizes{keywords: 100, rewrites: 60, comments: 10, large: 10, related: 50, layer: 4, layers: 4, milestones: 50, queries: 20, replies: 5, uploads: 50, streams: 5, few: 4, many: 10, honest: 20}
)

// fill writes the sizes into a title, in place of their names in braces.
func (s sizes) fill(title string) string {
	var pairs []string
	for name, n := range map[string]int{
		"keywords": s.keywords, "rewrites": s.rewrites, "comments": s.comments, "large": s.large, "related": s.related, "layer": s.layer, "layers": s.layers,
		"milestones": s.milestones, "queries": s.queries, "replies": s.replies, "uploads": s.uploads, "streams": s.streams, "few": s.few, "many": s.many, "uploads/10": s.uploads / 10,
	} {
		pairs = append(pairs, "{"+name+"}", strconv.Itoa(n))
	}
	return strings.NewReplacer(pairs...).Replace(title)
}

func (o options) sizes() sizes {
	if o.short {
		return small
	}
	return full
}
