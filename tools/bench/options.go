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

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// options are the flags.
type options struct {
	binary      string
	versus      string // another build; "": none
	stores      []string
	mixes       []load.Mix
	problems    int64
	large       int64
	prepared    int
	connections []int
	rounds      int
	warmup      time.Duration
	duration    time.Duration
	limits      bool
	feed        bool
	history     int
	listeners   []int
	streams     int
	idle        time.Duration
	webhooks    int
	hang        time.Duration
	traces      []string // as PROBLEMS_TRACES_RATIO has them
	dir         string
	postgres    string
	json        string
	serverLog   string
}

// The names of stores.
const (
	inMemory   = "memory"
	onSQLite   = "sqlite"
	onPostgres = "postgres"
)

// parse reads the flags of a command line.
func parse(flags *flag.FlagSet, args []string) (o options, err error) {
	flags.StringVar(&o.binary, "problems-binary", "bin/problems", "the `FILE` to measure, as make build makes it")
	flags.StringVar(&o.versus, "versus", "", "another build of the program, a `FILE`: both get the same data over HTTP and the same mixes, in turns, and the exit code is 1 if this one is slower")
	stores := flags.String("stores", strings.Join([]string{inMemory, onSQLite, onPostgres}, ","), "which stores to measure, separated by commas")
	names := flags.String("mixes", "all", "which mixes to drive, separated by commas, all or none: "+strings.Join(load.MixNames(), ", "))
	flags.Int64Var(&o.problems, "problems", 10_000, "how many problems the data set has")
	flags.Int64Var(&o.large, "large", 0, "how many problems a second, large data set has, with which SQLite and Postgres are compared with the first one; 0 for none")
	flags.IntVar(&o.prepared, "prepared", 200, "how many problems with 10 log entries are loaded in turn")
	connections := flags.String("connections", "1,8,64", "how many connections to use at a time, separated by commas")
	flags.IntVar(&o.rounds, "rounds", 3, "how often to run everything; in each round all contenders take turns")
	flags.DurationVar(&o.warmup, "warmup", 500*time.Millisecond, "how long each run warms up")
	flags.DurationVar(&o.duration, "duration", 3*time.Second, "how long each run is measured")
	flags.BoolVar(&o.limits, "limits", true, "measure also what the machine could do: a bare handler, and syncs to the disk")
	flags.BoolVar(&o.feed, "feed", true, "measure also the feed of events: reading all of it, writes with listeners, and idle streams")
	flags.IntVar(&o.history, "history", 1_000_000, "how many events a reader has to catch up on")
	listeners := flags.String("listeners", "0,1,100,1000", "how many streams listen to writes, separated by commas")
	flags.IntVar(&o.streams, "streams", 1000, "how many idle streams to open")
	flags.DurationVar(&o.idle, "idle", 20*time.Second, "how long they stay open")
	flags.IntVar(&o.webhooks, "webhooks", 1000, "how many webhooks to have, of which a third hang; 0 to leave webhooks out")
	flags.DurationVar(&o.hang, "hang", leastHang, "how long to write with them")
	traces := flags.String("traces", "", "which parts of the requests to trace, separated by commas, such as 0.01,1: for each, another server on every store is measured beside the one without traces")
	flags.StringVar(&o.dir, "dir", os.TempDir(), "the `FOLDER` in which the data are, in one of their own that is removed; its disk is measured")
	flags.StringVar(&o.postgres, "postgres", "", "the `URL` of a PostgreSQL server to use, for who may create databases, instead of one of this machine's binaries")
	flags.StringVar(&o.json, "json", "", "a `FILE` for everything that was measured")
	flags.StringVar(&o.serverLog, "server-log", os.DevNull, "a `FILE` for what the servers log")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	o.stores = strings.Split(*stores, ",")
	for _, s := range o.stores {
		if !slices.Contains([]string{inMemory, onSQLite, onPostgres}, s) {
			return o, fmt.Errorf("-stores: there is no store %q", s)
		}
	}
	if o.mixes, err = load.ChooseMixes(*names); err != nil {
		return o, err
	}
	if o.connections, err = numbers("connections", *connections, 1); err != nil {
		return o, err
	}
	if o.listeners, err = numbers("listeners", *listeners, 0); err != nil {
		return o, err
	}
	for ratio := range strings.SplitSeq(*traces, ",") {
		if ratio == "" {
			continue
		}
		if part, err := strconv.ParseFloat(ratio, 64); err != nil || part <= 0 || part > 1 {
			return o, fmt.Errorf("-traces: %q is no part of the requests, above 0 and at most 1", ratio)
		}
		o.traces = append(o.traces, ratio)
	}
	switch {
	case o.webhooks < 0, o.webhooks > mostWebhooks, o.hang <= 0:
		return o, fmt.Errorf("-webhooks has to be 0 to %d, and -hang above 0", mostWebhooks)
	case o.history < 1, o.streams < 1, o.idle <= 0:
		return o, errors.New("-history, -streams and -idle have to be above 0")
	case slices.Max(append(o.listeners, o.streams)) > mostStreams:
		return o, fmt.Errorf("-listeners and -streams have to be at most %d: a server has no more streams by default", mostStreams)
	case o.versus != "" && (o.rounds < leastRounds || o.large > 0 || len(o.traces) > 0):
		return o, fmt.Errorf("-versus needs at least %d rounds, and goes without -large and -traces", leastRounds)
	case o.rounds < 1, o.duration <= 0, o.warmup < 0, o.prepared < 2:
		return o, errors.New("there has to be a round, a duration, and two prepared problems")
	case o.problems < int64(slices.Max(append(o.connections, load.MostWorkers))), o.large != 0 && o.large < o.problems:
		return o, fmt.Errorf("-problems has to be at least as many as -connections and %d, and at most -large", load.MostWorkers)
	}
	return o, nil
}

// mostStreams is the default limit of a server for its streams, less a few.
const mostStreams = 1900

// mostWebhooks is the largest number of webhooks of a store.
const mostWebhooks = 1000

// numbers reads the value of a flag with several numbers.
func numbers(flag, value string, least int) (all []int, err error) {
	for text := range strings.SplitSeq(value, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < least {
			return nil, fmt.Errorf("-%s: %q is no number from %d", flag, text, least)
		}
		all = append(all, n)
	}
	return all, nil
}
