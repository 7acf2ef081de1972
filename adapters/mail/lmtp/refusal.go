package lmtp

import (
	"errors"
	"strings"

	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/domain/fault"
)

// Outcome is the outcome of a mail for one recipient.
type Outcome string

// The outcomes. The mail server bounces a mail with one of the refusals, and tries a deferred
// one again.
const (
	Comment   Outcome = "comment"
	Repeated  Outcome = "repeated"  // an earlier delivery is a comment already
	Automatic Outcome = "automatic" // taken, and dropped
	Deferred  Outcome = "deferred"

	Address    Outcome = "address"    // refused: not from a mail of the service
	Inactive   Outcome = "inactive"   // refused: the user is deactivated
	Missing    Outcome = "missing"    // refused: there is no such problem
	Empty      Outcome = "empty"      // refused: no text of its own, and no file
	TooLarge   Outcome = "too-large"  // refused: the mail, the comment, or a file
	Full       Outcome = "full"       // refused: no room for its files
	Unreadable Outcome = "unreadable" // refused: broken, or encrypted
	Other      Outcome = "other"      // refused: the rules of comments and attachments
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Comment, Repeated, Automatic, Deferred, Address, Inactive, Missing, Empty, TooLarge, Full, Unreadable, Other}
}

// refusal is why a mail was not taken.
type refusal struct {
	outcome Outcome
	code    int
	status  smtp.EnhancedCode // RFC 3463
	reason  string            // a sentence for the author of the mail
	cause   error             // for the log; nil: none
}

// smtp returns the answer to the mail server.
func (r *refusal) smtp() *smtp.SMTPError {
	return &smtp.SMTPError{Code: r.code, EnhancedCode: r.status, Message: inASCII(r.reason)}
}

// inASCII returns a text as one line of an answer.
func inASCII(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, text)
}

func unreadable(reason string) *refusal {
	return &refusal{outcome: Unreadable, code: 554, status: smtp.EnhancedCode{5, 6, 0}, reason: reason}
}

func tooLarge(reason string) *refusal {
	return &refusal{outcome: TooLarge, code: 552, status: smtp.EnhancedCode{5, 3, 4}, reason: reason}
}

func deferred(reason string, cause error) *refusal {
	return &refusal{outcome: Deferred, code: 451, status: smtp.EnhancedCode{4, 3, 0}, reason: reason, cause: cause}
}

// tooFast is the refusal of more replies than a person writes.
var tooFast = &refusal{outcome: Deferred, code: 450, status: smtp.EnhancedCode{4, 7, 1}, reason: "too many replies came to this address within ten minutes: send it again later"}

// refusalOf returns the refusal for a failure of the service.
func refusalOf(err error) *refusal {
	reason := "the mail cannot become a comment"
	if f, ok := errors.AsType[*fault.Error](err); ok {
		reason = f.Detail
	}
	switch fault.KindOf(err) {
	case fault.NotFound:
		return &refusal{outcome: Address, code: 550, status: smtp.EnhancedCode{5, 1, 1}, reason: reason}
	case fault.Forbidden:
		return &refusal{outcome: Inactive, code: 550, status: smtp.EnhancedCode{5, 7, 1}, reason: reason}
	case fault.ProblemNotFound:
		return &refusal{outcome: Missing, code: 550, status: smtp.EnhancedCode{5, 1, 1}, reason: reason}
	case fault.RequiredField:
		return &refusal{outcome: Empty, code: 554, status: smtp.EnhancedCode{5, 6, 0}, reason: reason}
	case fault.TooLarge:
		return tooLarge(reason)
	case fault.StorageFull:
		return &refusal{outcome: Full, code: 552, status: smtp.EnhancedCode{5, 2, 2}, reason: reason}
	case fault.InvalidValue, fault.InvalidType, fault.ValidationFailed, fault.IdempotencyConflict:
		return &refusal{outcome: Other, code: 554, status: smtp.EnhancedCode{5, 6, 0}, reason: reason}
	}
	// Nothing is lost by a defect of the service either: the mail server keeps the mail.
	return deferred("the service cannot store the comment now: send the mail again later", err)
}
