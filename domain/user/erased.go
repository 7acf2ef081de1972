package user

import "github.com/problemtracking/problems/domain/ident"

// ErasedDomain is the domain of the addresses of erased users. Nobody else has an address in it.
const ErasedDomain = "erased.invalid"

// Erase returns the user without name, address, mail and preferences, and inactive (D46). The identifier makes
// the new address unique.
func (u User) Erase() User {
	id := u.ID.String()
	u.Name, u.Email = "Erased user "+id[len(id)-8:], "erased-"+id+"@"+ErasedDomain
	u.Inactive, u.Mail, u.RobotOf, u.Preferences = true, MailNone, ident.None, ""
	return u
}

// Erased reports whether the user was erased.
func (u User) Erased() bool { return u.Email == u.Erase().Email }
