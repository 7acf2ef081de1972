package user

import (
	"errors"
	"net/mail"
	"strings"
)

// Mail is a user's choice of e-mail from the service.
type Mail string

// The choices.
const (
	// MailEverything is for mail about all problems with the user as watcher, originator
	// or assignee.
	MailEverything Mail = ""
	// MailMine leaves out problems with the user as watcher only.
	MailMine Mail = "mine"
	// MailNone is for no mail at all.
	MailNone Mail = "none"
)

// Check refuses any other value.
func (m Mail) Check() error {
	if m != MailEverything && m != MailMine && m != MailNone {
		return errors.New(`must be "mine", "none" or null`)
	}
	return nil
}

const everything = "everything"

// String returns the name of the choice: "everything", "mine" or "none".
func (m Mail) String() string {
	if m == MailEverything {
		return everything
	}
	return string(m)
}

// ParseMail reads the form of String. The text of the error ends a sentence for its author.
func ParseMail(name string) (Mail, error) {
	if name == everything {
		return MailEverything, nil
	}
	if m := Mail(name); m != MailEverything && m.Check() == nil {
		return m, nil
	}
	return MailNone, errors.New(`must be "everything", "mine" or "none"`)
}

// CanGetMail reports whether mail can be sent to an address. The rules for stored addresses
// are looser: see StoredEmail. A host without a dot is a placeholder, as in admin@localhost.
func CanGetMail(email string) bool {
	at := strings.LastIndexByte(email, '@')
	if at < 0 || !strings.Contains(strings.Trim(email[at+1:], "."), ".") {
		return false
	}
	parsed, err := mail.ParseAddress(email)
	return err == nil && parsed.Name == "" && parsed.Address == email
}
