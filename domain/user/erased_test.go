package user

import (
	"testing"

	"github.com/problemtracking/problems/domain/ident"
)

func TestErase(t *testing.T) {
	t.Parallel()
	ann := User{ID: ident.ID{0: 1, 15: 0xab}, Name: "Ann Lee", Email: "ann@example.org", RobotOf: ident.ID{15: 8}}
	want := User{
		ID: ann.ID, Name: "Erased user 000000ab", Email: "erased-01000000-0000-0000-0000-0000000000ab@erased.invalid", Inactive: true, Mail: MailNone,
	}
	got := ann.Erase()
	if got != want || got.Erase() != want {
		t.Errorf("Erase() = %+v, want %+v", got, want)
	}
	if stored, err := StoredEmail(got.Email); stored != got.Email || err != nil || CanGetMail("x@"+ErasedDomain) != CanGetMail(got.Email) {
		t.Errorf("the address is stored as %q, %v", stored, err)
	}
	other := got
	other.ID = ident.ID{15: 7} // another user with this address is not erased
	if !got.Erased() || ann.Erased() || other.Erased() {
		t.Error("Erased() is wrong")
	}
}
