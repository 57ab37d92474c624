import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { parseHosts } from "./host-list.ts";

const keys = (hosts: string | readonly string[]) => parseHosts(hosts as string).map(({ key }) => key);

test("hosts are separated by commas or lines, or are a list, with users and ports of their own", () => {
	const expected = [
		{ key: "web1", host: "web1", port: undefined, user: undefined },
		{ key: "web2", host: "web2", port: 2222, user: "deploy" },
		{ key: "2001:db8::1", host: "2001:db8::1", port: 22, user: "root" },
	];
	assert.deepEqual(parseHosts("web1, deploy@web2:2222,root@[2001:db8::1]:22"), expected);
	assert.deepEqual(parseHosts("web1\r\n deploy@web2:2222\n\nroot@[2001:db8::1]:22\n"), expected);
	assert.deepEqual(parseHosts(["web1", "deploy@web2:2222", "root@[2001:db8::1]:22"]), expected);
});

test("a host that is named more than once is called by as much as tells its entries apart", () => {
	assert.deepEqual(keys("web, web:22, web"), ["web", "web:22"]);
	assert.deepEqual(keys("a@web, b@web, web:22"), ["a@web", "b@web", "web:22"]);
	assert.deepEqual(keys("a@web:22, b@web:22"), ["a@web:22", "b@web:22"]);
});

test("what is no host is refused with what is allowed", () => {
	for (const hosts of ["a b", "@web", "-x@web", "a:b@web", "a@b@web", "web:0", "web:70000", "-web", "a/b", "u/@web", "a@", " , \n"]) {
		assert.throws(
			() => parseHosts(hosts),
			(error) => isSvcError(error, "SVC_INVALID") && error.message.includes('"hosts"'),
			hosts,
		);
	}
	assert.throws(() => parseHosts([{ a: 1 }] as unknown as string), /is not a host/);
	assert.equal(parseHosts([9007199254740993n])[0]?.key, "9007199254740993");
});

test.run();
