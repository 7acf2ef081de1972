// Package crash has the cases of durability. A child process commits, dies or loses
// its power, and the store must show every acknowledged Change.
package crash
