// Attack measures the power of one client with a token. It starts the program on each
// store, attacks it in many ways, and measures the memory of the server and the waits of
// honest clients.
//
// "make attack" in the root runs it. In tools, outside of the workspace:
//
//	GOWORK=off go run ./attack -program ../bin/problems -stores sqlite -attacks keywords-load
//
// It prints Markdown, a row as soon as it is known. The exit code is 1 when a server
// died, took more memory than -memory allows, or gave a wrong answer. It does not depend
// on times.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if is, err := asChild(os.Args[1:], os.Stdin, os.Stdout); is {
		if err != nil {
			fmt.Fprintln(os.Stderr, "attack:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet("attack", flag.ContinueOnError)
	o, err := parse(flags, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err == nil:
		err = execute(ctx, o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		stop()
		os.Exit(1)
	}
}
