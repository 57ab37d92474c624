import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../contract/index.ts";
import { createTrustedProxies, toClientAddress } from "./trusted-proxies-exports.ts";

test("addresses and networks of both families are trusted, IPv4 also where it is mapped into IPv6", () => {
	const isTrusted = createTrustedProxies(["127.0.0.1", "::1", "10.1.0.0/16", "2001:db8::/32", "::ffff:192.0.2.7"]);
	for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "::FFFF:10.1.2.3", "::1", "10.1.255.255", "2001:db8:1::2", "192.0.2.7"]) {
		assert.equal(isTrusted(address), true, address);
	}
	for (const address of [
		"127.0.0.2",
		"10.2.0.0",
		"::ffff:10.2.0.0",
		"::2",
		"2001:db9::",
		"192.0.2.8",
		"fe80::1%eth0",
		"",
		"x",
		undefined,
	]) {
		assert.equal(isTrusted(address), false, address);
	}
});

test("without entries nobody is trusted, with /0 everybody of that family", () => {
	assert.equal(createTrustedProxies([])("127.0.0.1"), false);
	assert.equal(createTrustedProxies(["0.0.0.0/0"])("8.8.8.8"), true);
	assert.equal(createTrustedProxies(["0.0.0.0/0"])("::1"), false);
});

test("what is no address or network is refused", () => {
	for (const entry of ["", "proxy", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/8/9", "10.0.0.0/-1", "10.0.0", "::1/129", "/8", "fe80::1%eth0"]) {
		assert.throws(
			() => createTrustedProxies([entry]),
			(error) => isSvcError(error, "SVC_CONFIG") && error.message.startsWith(`auth.trusted_proxies: "${entry}"`),
			entry,
		);
	}
});

test("the client is the last hop that no trusted proxy has, whatever the client claims", () => {
	const isTrusted = createTrustedProxies(["127.0.0.1", "10.0.0.0/8"]);
	for (const [peer, forwarded, client] of [
		["192.0.2.1", "198.51.100.1", "192.0.2.1"],
		["127.0.0.1", null, "127.0.0.1"],
		["127.0.0.1", "198.51.100.1", "198.51.100.1"],
		["127.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
		["::ffff:127.0.0.1", "1.1.1.1,198.51.100.1 , 10.0.0.9", "198.51.100.1"],
		["127.0.0.1", "10.0.0.8, 10.0.0.9", "10.0.0.8"],
		["127.0.0.1", "unknown", "127.0.0.1"],
		["127.0.0.1", "1.1.1.1, <script>, 10.0.0.9", "10.0.0.9"],
		["127.0.0.1", "2001:db8::1", "2001:db8::1"],
		[undefined, "198.51.100.1", undefined],
	] as const) {
		assert.equal(toClientAddress(peer, forwarded, isTrusted), client, String(forwarded));
	}
});

test.run();
