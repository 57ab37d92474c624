import * as assert from "node:assert/strict";
import { test } from "uvu";
import { parseDn } from "./dn.ts";

const equal: readonly (readonly string[])[] = [
	["cn=Users,dc=example", "CN=users, DC=Example", " cn = users , dc = example "],
	["cn=a\\,b", "cn=a\\2Cb", "cn=a\\2cb", "CN=A\\,B"],
	["cn=ä", "cn=\\c3\\a4", "cn=\\C3\\A4", "cn=Ä"],
	["cn=a+ou=b,dc=c", "ou=b+cn=a,dc=c", "OU=b + CN=a , dc=c"],
	["cn=a\\ ", "cn=a\\20", "cn=a\\  "],
	["cn=\\ a", "cn=\\20a"],
	["cn=\\\\", "cn=\\5c", "cn=\\5C "],
	["2.5.4.3=a"],
	["cn=", "cn= "],
	["cn=\\ff", "cn=\\FF"],
	["cn=\\fe"],
	['cn=a"b', 'cn=a\\"b', "cn=a\\22b"],
];

test("names that mean the same have the same parts, and others have not", () => {
	const seen = new Map<string, string>();
	for (const group of equal) {
		const forms = new Set(group.map((text) => JSON.stringify(parseDn(text))));
		assert.equal(forms.size, 1, group.join(" | "));
		const [form = ""] = forms;
		assert.equal(seen.get(form), undefined, `${group[0]} is not ${seen.get(form)}`);
		seen.set(form, group[0] ?? "");
	}
});

test("the parts of a name are told apart, the innermost first", () => {
	assert.equal(parseDn("cn=a,ou=b,dc=c")?.length, 3);
	assert.equal(parseDn("cn=a\\,ou=b,dc=c")?.length, 2);
	assert.deepEqual(parseDn("cn=a,ou=b")?.[0], parseDn("cn=a")?.[0]);
});

test("what is no distinguished name has no parts", () => {
	for (const text of ["", " ", "users", "=a", "cn", "cn=a,", ",cn=a", "cn=a,,dc=b", "cn=a\\", "cn=a\\c", "cn=a+", "c n=a", "-=a"]) {
		assert.equal(parseDn(text), undefined, JSON.stringify(text));
	}
});

test("long names are read in no time", () => {
	const begin = performance.now();
	parseDn(`cn=${" ".repeat(100_000)}\\`);
	parseDn(`cn=${"\\5c".repeat(30_000)}`);
	parseDn("cn=a,".repeat(20_000));
	assert.ok(performance.now() - begin < 1_000);
});

test.run();
