package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// print prints the report as Markdown.
func (r *report) print(out io.Writer) {
	m := r.Machine
	fmt.Fprintf(out, "%s, built by %s from %s. %d cores of %s, %s", m.Version, m.Go, m.Commit, m.CPUs, m.CPU, m.Kernel)
	if m.Postgres != "" {
		fmt.Fprintf(out, ", %s", m.Postgres)
	}
	fmt.Fprintf(out, ". From %s to %s.\n\nFlags:", m.Began.Format("2006-01-02 15:04:05"), m.Ended.Format("15:04:05 UTC"))
	for _, name := range slices.Sorted(maps.Keys(m.Flags)) {
		if m.Flags[name] != "" {
			fmt.Fprintf(out, " -%s=%s", name, m.Flags[name])
		}
	}
	fmt.Fprintln(out)
	for _, note := range r.Notes {
		fmt.Fprintf(out, "\n%s\n", note)
	}
	fmt.Fprintln(out)
	r.printVersus(out)
	r.printCells(out)
	fmt.Fprintln(out)
	r.printStarts(out)
	fmt.Fprintln(out)
	r.printWebhooks(out)
	r.Feed.print(out)
	r.printTargets(out)
}

// printCells prints a row for each contender in each mix. The rate is the median of
// the rounds, with the least and the most.
func (r *report) printCells(out io.Writer) {
	rows := [][]string{{"mix", "conns", "contender", "requests/s", "least–most", "p50 ms", "p99 ms", "p99.9 ms", "errors",
		"CPU s per 1,000: server", "database", "client", "most MB", "syncs per write"}}
	for i := range r.Cells {
		c := &r.Cells[i]
		rows = append(rows, []string{c.Title, fmt.Sprint(c.Connections), c.Contender, fmt.Sprintf("%.0f", c.PerSecond), fmt.Sprintf("%.0f–%.0f", c.Least, c.Most),
			figure("%.2f", c.P50), figure("%.2f", c.P99), figure("%.2f", c.P999), fmt.Sprint(c.Errors),
			figure("%.3f", c.ServerCPU), figure("%.3f", c.DatabaseCPU), figure("%.3f", c.ClientCPU), megabytes(c.Peak), figure("%.3f", c.Transactions)})
	}
	table(out, rows)
}

// printStarts prints how data sets were loaded, and how servers start on them.
func (r *report) printStarts(out io.Writer) {
	rows := [][]string{{"contender", "problems", "loaded in s", "start to first answer, ms", "idle MB"}}
	for _, l := range r.Loaded {
		idle := int64(l.idle())
		rows = append(rows, []string{l.Contender, fmt.Sprint(l.Problems), fmt.Sprintf("%.1f", l.Seconds), fmt.Sprintf("%.0f", 1000*l.firstAnswer()), megabytes(&idle)})
	}
	table(out, rows)
}

func (r *report) printTargets(out io.Writer) {
	rows := [][]string{{"what", "target", "measured", "by CPU seconds", ""}}
	for _, t := range r.Targets {
		row := []string{t.What, t.Want, "", figure("%.2f", t.CPU), ""}
		switch {
		case t.Got != nil && t.Met:
			row[2], row[4] = strings.TrimSpace(fmt.Sprintf("%.2f %s", *t.Got, t.Unit)), "met"
		case t.Got != nil:
			row[2], row[4] = strings.TrimSpace(fmt.Sprintf("%.2f %s", *t.Got, t.Unit)), "**not met**"
		default:
			row[4] = strings.TrimSuffix("not measured: "+t.Why, ": ")
		}
		rows = append(rows, row)
	}
	table(out, rows)
}

// figure formats a number, or nothing when it is not known.
func figure(format string, n *float64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(format, *n)
}

func megabytes(n *int64) string {
	if n == nil || *n == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", float64(*n)/megabyte)
}

// table prints rows, the first of them as the head, with columns of fitting width: people
// read it as plain text, too.
func table(out io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for n, row := range rows {
		for i, text := range row {
			fmt.Fprintf(out, "| %s%s ", text, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)))
		}
		fmt.Fprintln(out, "|")
		if n == 0 {
			for _, width := range widths {
				fmt.Fprintf(out, "|%s", strings.Repeat("-", width+2))
			}
			fmt.Fprintln(out, "|")
		}
	}
}
