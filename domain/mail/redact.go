package mail

import (
	"regexp"

	"github.com/problemtracking/problems/domain/webhook"
)

// The forms of the two kinds of tokens: 32 bytes in base64, and 27 to 34 bytes in base32.
var (
	endingForm = regexp.MustCompile(`[A-Za-z0-9_-]{43,}`)
	replyForm  = regexp.MustCompile(`[A-Za-z2-7]{44,55}`)
)

// Redact returns a text without the tokens of mails, of all people and about all problems.
// Otherwise readers of the text could write in the name of these people.
func Redact(k webhook.Key, text string) string {
	text = endingForm.ReplaceAllStringFunc(text, func(form string) string {
		if _, ok := ReadToken(k, form); ok {
			return redacted
		}
		return form
	})
	return replyForm.ReplaceAllStringFunc(text, func(form string) string {
		if _, _, ok := ReadReplyToken(k, form); ok {
			return redacted
		}
		return form
	})
}

const redacted = "…"
