package everyday

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/problemtracking/problems/adapters/client"
)

// guard has a command write only under a claim.
type guard struct {
	Claim string `placeholder:"CLAIM" help:"Only while the problem has this claim."`
}

func (g guard) options() []client.Option {
	if g.Claim == "" {
		return nil
	}
	return []client.Option{client.UnderClaim(g.Claim)}
}

type claimCommand struct {
	Account
	guard

	Args      []string      `arg:"" optional:"" help:"Identifier of a problem. Without one, the next problem that is ready."`
	Predicate string        `short:"q" placeholder:"PREDICATE" help:"Condition for the next problem. Default: unresolved, not blocked and not claimed."`
	Sort      string        `placeholder:"KEYS" default:"priority.order,creationDate" help:"Order in which problems are next."`
	Lease     time.Duration `default:"30m" help:"How long nobody else gets the problem: 30s to 24h."`
	Wait      time.Duration `short:"w" help:"Longest wait for a problem, such as 5m."`
	Extend    string        `placeholder:"CLAIM" help:"Give this claim of the problem a new lease."`
	End       bool          `help:"End the claim of the problem: whoever has it, or with --claim this one."`
	JSON      bool          `name:"json" help:"Print JSON."`
}

// Help is shown by kong.
func (claimCommand) Help() string {
	return `Takes a problem to work on, so that nobody else gets it meanwhile. Prints the problem, its claim and its title; "problems done 12 --claim CLAIM" finishes it. Without a problem to claim, the exit code is 3.

Examples:

    problems claim
    problems claim -w 5m -q "component.name = 'web' AND state.resolved = NO"
    problems claim 12 --lease 2h
    problems claim 12 --end --claim 0150d4f1-6000-7000-8000-000000000021`
}

// Run is called by kong.
func (c *claimCommand) Run(ctx context.Context, e *Env) error {
	all, words := numbers(c.Args)
	switch {
	case len(words) > 0:
		return errNumber(words[0])
	case len(all) > 1:
		return misused("one problem is claimed at a time")
	case len(all) == 0 && (c.End || c.Extend != ""):
		return misused("--end and --extend need the identifier of a problem")
	case c.End && c.Extend != "":
		return misused("--end and --extend exclude each other")
	case c.Claim != "" && !c.End:
		return misused("--claim is for --end; --extend CLAIM gives a claim a new lease")
	case len(all) > 0 && (c.Predicate != "" || c.Wait != 0):
		return misused("--predicate and --wait are for the next problem: leave out the identifier")
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		p, found, err := server.ClaimNext(ctx, client.Next{Predicate: c.Predicate, Sort: c.Sort, Lease: c.Lease, Wait: c.Wait})
		switch {
		case err != nil:
			return err
		case !found:
			return &missing{errors.New("there is no problem to claim")}
		case c.JSON:
			return printJSON(e.Stdout, p)
		}
		_, err = fmt.Fprintf(e.Stdout, "%d\t%s\t%s\n", p.Identifier, p.Claim.Identifier, e.harmless(p.Title))
		return err
	}
	n := all[0]
	if c.End {
		if err := server.EndClaim(ctx, n, c.options()...); err != nil {
			return err
		}
		return e.say("Problem %d has no claim.", n)
	}
	var options []client.Option
	if c.Extend != "" {
		options = append(options, client.UnderClaim(c.Extend))
	}
	claim, err := server.Claim(ctx, n, c.Lease, options...)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Stdout, claim)
	}
	_, err = fmt.Fprintf(e.Stdout, "%d\t%s\t%s\n", n, claim.Identifier, claim.Expires.Format(time.RFC3339))
	return err
}
