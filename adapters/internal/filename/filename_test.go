package filename

import "testing"

func TestParse(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		`attachment; filename=a.txt`:                                               "a.txt",
		`attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe`:                             "Grüße",
		`attachment; filename*=ISO-8859-1'en'na%EFve%20%2B.txt`:                    "naïve +.txt",
		`attachment; FileName* = "iso-8859-15''%A4"`:                               "€",
		`attachment; filename="plain"; filename*=shift_jis''%83e%83X%83g`:          "テスト",
		`attachment; filename*=koi8-r''%F0; filename="plain"`:                      "П",
		`attachment; filename*0*=gb2312''%CE; filename*1*=%C4; filename*2=.txt`:    "文.txt",
		`attachment; filename*1="b; c"; filename*0=a`:                              "ab; c",
		`attachment; filename="plain"; filename*=klingon''%41`:                     "plain",
		`attachment; filename="plain"; filename*0*=iso-2022-kr''%41; filename*1=b`: "plain",
		`attachment; filename*=iso-8859-1''%E9; other*=iso-8859-5''%B0`:            "é",
		`attachment; filename*=us-ascii''a`:                                        "a",
	} {
		if _, parameters, err := Parse(header); err != nil || parameters["filename"] != want {
			t.Errorf("%s: %q, %v, want %q", header, parameters["filename"], err, want)
		}
	}
}
