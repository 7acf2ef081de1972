package kinds

import (
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/user"
)

// Users are the users.
var Users = Rules[user.User, metadata.UserPatch]{
	Kind:  metadata.Users,
	List:  func(c *metadata.Content) *[]user.User { return &c.Users },
	Find:  (*metadata.Catalogue).User,
	ID:    func(o *user.User) *ident.ID { return &o.ID },
	Name:  func(o *user.User) string { return o.Name },
	Sent:  func(p *metadata.UserPatch) patch.Field[string] { return p.Name },
	Blank: func(*metadata.Catalogue, time.Time) user.User { return user.User{} },
	Apply: applyUser,
	Check: checkUser,
	Members: func(o user.User, c *metadata.Catalogue) []problem.LogMember {
		return []problem.LogMember{
			{Name: "name", Value: problem.LogText(o.Name)},
			{Name: "email", Value: problem.LogText(o.Email)},
			{Name: "inactive", Value: problem.LogFlag(o.Inactive)},
			{Name: "robotOf", Value: problem.LogRef(o.RobotOf, c.Name(metadata.Users, o.RobotOf))},
			{Name: "mail", Value: auditedChoice(string(o.Mail))},
			{Name: "preferences", Value: auditedChoice(string(o.Preferences))},
		}
	},
	Put: func(o user.User) store.Effect { return store.PutUser{User: o} },
}

func applyUser(p metadata.UserPatch, u user.User, c *metadata.Catalogue, faults *fault.List) user.User {
	body.SetName(&u.Name, p.Name, faults)
	body.Require(faults, p.Email.Sent || !u.ID.IsNone(), fault.At("email"), "a user needs an e-mail address")
	if p.Email.Sent {
		if sent := body.Line(text.Name, p.Email, fault.At("email"), faults); sent != u.Email {
			stored, err := user.StoredEmail(sent)
			if err == nil && user.IsOf(stored, []string{user.ErasedDomain}) {
				err = errors.New("must not be in the domain of erased users")
			}
			body.AddInvalid(faults, fault.At("email"), err)
			u.Email = stored
		}
	}
	body.SetFlag(&u.Inactive, p.Inactive, fault.At("inactive"), faults)
	body.SetReference(&u.RobotOf, metadata.Users, p.RobotOf, fault.At("robotOf"), c, faults)
	if body.Given(p.RobotOf) && !faults.Covers(fault.At("robotOf")) {
		body.AddInvalid(faults, fault.At("robotOf"), c.CheckRobot(u))
	}
	if p.Mail.Sent {
		choice, err := user.ParseMail(p.Mail.Value)
		body.AddInvalid(faults, fault.At("mail"), err)
		u.Mail = choice
	}
	if p.Preferences.Sent {
		u.Preferences = p.Preferences.Value
	}
	return u
}

// checkUser refuses any change of an erased user (D46).
func checkUser(c *metadata.Catalogue, u user.User) error {
	if old, ok := c.User(u.ID); ok && old.Erased() {
		return fault.New(fault.InUse, "this user is erased, for good: make a new user, whatever the name and the address")
	}
	return c.CheckUser(u)
}

// auditedChoice returns a user's choice for the audit log: null for the usual one.
func auditedChoice(text string) problem.LogValue {
	if text == "" {
		return ""
	}
	return problem.LogText(text)
}
