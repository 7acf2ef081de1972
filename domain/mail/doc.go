// Package mail holds the rules of e-mail about problems: its addressees, its time, and the number
// of mails. A mail tells a person of changes by others. The package knows no SMTP.
//
// The way of a change: an event of the feed joins the Group of its
// problem. Once the problem is quiet, each addressee gets an Item in a Tray. The mails of a
// Tray are sent one after the other.
package mail
