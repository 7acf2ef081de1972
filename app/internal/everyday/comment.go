package everyday

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/problemtracking/problems/adapters/client"
)

type commentCommand struct {
	Account
	guard

	Args []string `arg:"" help:"Identifier of the problem, then the text. Without a text, the editor opens, or standard input has it."`
	Key  string   `placeholder:"KEY" help:"Idempotency-Key: another run with the same key within 24 hours adds nothing."`
}

// Help is shown by kong.
func (commentCommand) Help() string {
	return `Examples:

    problems comment 12 It was the fuse.
    problems comment 12
    ./report | problems comment 12 --key nightly-4711`
}

// Run is called by kong.
func (c *commentCommand) Run(ctx context.Context, e *Env) error {
	n, ok := number(c.Args[0])
	if !ok {
		return errNumber(c.Args[0])
	}
	options, err := key(c.Key)
	if err != nil {
		return err
	}
	server, err := c.Open(e.Getenv)
	if err != nil {
		return err
	}
	text, draft := strings.Join(c.Args[1:], " "), func() {}
	switch {
	case text == "" && e.InTerminal:
		text, draft, err = e.edit(ctx, fmt.Sprintf("A comment on problem %d. An empty file adds nothing.", n))
	default:
		text, err = e.given(cmp.Or(text, "-"))
	}
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return errors.New("the comment is empty: nothing was added")
	}
	if _, err := server.Comment(ctx, n, client.NewComment{Text: text}, append(options, c.options()...)...); err != nil {
		return err
	}
	draft()
	return e.say("Problem %d has the comment.", n)
}

// given returns a text of the command line, or standard input for "-".
func (e *Env) given(text string) (string, error) {
	if text != "-" {
		return text, nil
	}
	if e.Stdin == nil {
		return "", errors.New("there is no text on standard input")
	}
	read, err := io.ReadAll(e.Stdin)
	if err == nil && !utf8.Valid(read) {
		err = misused("standard input is not UTF-8: convert it, such as by iconv -f latin1 -t utf-8")
	}
	return strings.TrimRight(string(read), "\n"), err
}

// edit returns a text from the editor of the user. The file stays until done is called, so
// that nothing is lost when the server refuses the text.
func (e *Env) edit(ctx context.Context, hint string) (text string, done func(), err error) {
	f, err := os.CreateTemp("", "problems-*.md")
	if err != nil {
		return "", nil, err
	}
	comment := "\n\n<!-- " + hint + " -->\n"
	if _, err := io.WriteString(f, comment); err != nil {
		return "", nil, errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return "", nil, err
	}
	editor := cmp.Or(e.Getenv("VISUAL"), e.Getenv("EDITOR"), "vi")
	if err := e.Start(ctx, "sh", "-c", editor+` "$1"`, "sh", f.Name()); err != nil {
		return "", nil, fmt.Errorf("the editor %q failed: %w", editor, err)
	}
	content, err := os.ReadFile(f.Name())
	if err != nil {
		return "", nil, err
	}
	if !utf8.Valid(content) {
		return "", nil, misused("the text is not UTF-8: it is in %s, so convert it, and send it from standard input", f.Name())
	}
	text = strings.TrimSpace(strings.Replace(string(content), strings.TrimSpace(comment), "", 1))
	if text == "" {
		_ = os.Remove(f.Name()) // it has nothing of the user
		return "", nil, errors.New("the text is empty: nothing was sent")
	}
	if err := e.say("Your text is in %s until it is sent.", f.Name()); err != nil {
		return "", nil, err
	}
	return text, func() { _ = os.Remove(f.Name()) }, nil
}
