import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { FilterParser } from "ldapts";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { ldap } from "./index.ts";
import type { LdapOptions } from "./options.ts";
import { parseSettings, type Settings } from "./settings.ts";

const run = promisify(execFile);

const least: LdapOptions = {
	bind_dn: "cn=service,dc=example,dc=org",
	bind_password: "hidden s3cret",
	base_ou: "ou=people,dc=example,dc=org",
	group_dns: ["cn=users"],
	host: "ldap.example.org",
};

function parse(options: object): Settings {
	return parseSettings({ ...least, ...options }, (filter) => void FilterParser.parseString(filter));
}

test("defaults are those of the specification", () => {
	const settings = parse({});
	assert.deepEqual(settings.servers, [{ host: "ldap.example.org", port: 389, encryption: "none" }]);
	assert.equal(settings.groupBase, least.base_ou);
	assert.equal(settings.requirement.check, "and");
	assert.equal(settings.accountFilter({ username: "ann" }), "(uid=ann)");
	assert.equal(settings.groupFilter({ username: "ann", user_dn: "uid=ann" }), "(|(member=uid=ann)(uniqueMember=uid=ann)(memberUid=ann))");
	assert.equal(settings.scope, "sub");
	assert.equal(settings.timeout, 10_000);
	assert.equal(settings.chaseReferrals, false);
	assert.equal(settings.debug, false);
	assert.deepEqual(settings.groupCache, { ttl: 120, size: 100 });
});

test("null counts as not given, and options survive JSON", () => {
	const optional = {
		cacert: null,
		port: null,
		use_ssl: null,
		scope: null,
		client_options: null,
		group_pattern: null,
		network_timeout: null,
	};
	const given = JSON.parse(JSON.stringify({ ...least, ...optional })) as object;
	assert.equal(parse(given).servers[0]?.port, 389);
});

test("hosts are a list separated by commas, with one port that depends on the encryption", () => {
	const hosts = ({ servers }: Settings) => servers.map(({ host, port, encryption }) => `${host} ${port} ${encryption}`);
	assert.deepEqual(hosts(parse({ host: "a.example, 10.0.0.1 ,::1,[::2]", port: 3890 })), [
		"a.example 3890 none",
		"10.0.0.1 3890 none",
		"::1 3890 none",
		"::2 3890 none",
	]);
	assert.deepEqual(hosts(parse({ use_ssl: true })), ["ldap.example.org 636 ssl"]);
	assert.deepEqual(hosts(parse({ use_ssl: true, port: 0 })), ["ldap.example.org 636 ssl"]);
	assert.deepEqual(hosts(parse({ use_tls: true })), ["ldap.example.org 389 tls"]);
});

test("patterns fill in escaped values, and doubled braces stand for themselves", () => {
	const { accountFilter } = parse({ account_pattern: "(&(cn={{x}})(|(uid={username})(mail={username})))" });
	assert.equal(
		accountFilter({ username: "*)(\\\0ä{username}" }).replaceAll("\\2a\\29\\28\\5c\\00ä{username}", "V"),
		"(&(cn={x})(|(uid=V)(mail=V)))",
	);
	assert.equal(parse({ id_attr: "mail" }).accountFilter({ username: "a" }), "(mail=a)");
});

test("both names of the time to keep groups are understood", () => {
	assert.equal(parse({ cache_user_groups_ttl: 5 }).groupCache.ttl, 5);
	assert.equal(parse({ cache_user_groups_cache_ttl: 6, cache_user_groups_cache_max_size: 7 }).groupCache.ttl, 6);
	assert.equal(parse({ cache_user_groups_ttl: 5, cache_user_groups_response: false }).groupCache.ttl, 0);
});

const refused: readonly (readonly [options: object, reason: RegExp])[] = [
	...["bind_dn", "bind_password", "base_ou", "host"].flatMap((name): [object, RegExp][] =>
		[null, "", 5, undefined].map((value) => [{ [name]: value }, new RegExp(`${name}: (required, a|must be a) non-empty string`)]),
	),
	[{ group_dns: [] }, /group_dns: required, a list of one or more non-empty strings/],
	[{ group_dns: "cn=users" }, /group_dns: required, a list/],
	[{ group_dns: ["users"] }, /group_dns: "users" is not a distinguished name/],
	[{ group_dns_check: "xor" }, /group_dns_check: must be "and" or "or"/],
	[{ base_ou: "people" }, /base_ou: must be a distinguished name/],
	[{ host: "ldap://ldap.example.org" }, /host: must be a host name or address, or several/],
	[{ host: "a,,b" }, /host: must be/],
	[{ port: 70_000 }, /port: must be a whole number from 0 to 65535/],
	[{ port: "389" }, /port: must be/],
	[{ use_ssl: true, use_tls: true }, /use_ssl: only one of use_ssl and use_tls may be true/],
	[{ use_ssl: "yes" }, /use_ssl: must be true or false/],
	[{ scope: "everything" }, /scope: must be "subtree" or "onelevel" or "base"/],
	[{ network_timeout: 0 }, /network_timeout: must be a number from/],
	[{ network_timeout: Number.NaN }, /network_timeout: must be/],
	[{ account_pattern: "uid={user}" }, /account_pattern: only \{username\} is replaced/],
	[{ account_pattern: "uid={username}{" }, /account_pattern: only \{username\} is replaced/],
	[{ account_pattern: "uid=ann" }, /account_pattern: must hold \{username\}/],
	[{ account_pattern: "(uid={username}" }, /account_pattern: .*parens/],
	[{ group_pattern: "(member=*)" }, /group_pattern: must hold \{user_dn\} or \{username\}/],
	[{ id_attr: "uid)(cn" }, /id_attr: must be the name of an attribute/],
	[{ cacert: "/nowhere.pem" }, /cacert: file "\/nowhere.pem" cannot be read \(ENOENT\)/],
	[{ client_options: [] }, /client_options: must be an object/],
	[{ client_options: { "1": 1 } }, /client_options.1: unknown; allowed: 4 \(time limit/],
	[{ client_options: { "20485": 3 } }, /client_options.20485: is the option network_timeout/],
	[{ client_options: { "17": 2 } }, /client_options.17: must be: protocol version, 3/],
	[{ client_options: { "24582": 0 } }, /client_options.24582: must be: verification/],
	[{ client_options: { "24580": "/a.pem" } }, /client_options: 24580 \(client certificate\) and 24581 \(its key\) must be set together/],
	[{ cache_user_groups_ttl: -1 }, /cache_user_groups_ttl: must be a number from 0/],
	[{ cache_user_groups_ttl: 1, cache_user_groups_cache_ttl: 2 }, /cache_user_groups_ttl: is an alias of cache_user_groups_cache_ttl/],
	[{ bind_passwort: "x" }, /bind_passwort: unknown option; allowed: base_ou, .*bind_password/],
	[JSON.parse('{ "__proto__": 1 }') as object, /__proto__: unknown option/],
];

test("options that are not allowed are refused with their name and what is allowed, never with the password", () => {
	for (const [options, reason] of refused) {
		const given = { ...least, ...options };
		const attempt = () => parseSettings(given, (filter) => void FilterParser.parseString(filter));
		assert.throws(attempt, (error) => {
			assert.ok(isSvcError(error, "SVC_CONFIG"), String(error));
			assert.match(error.message, reason);
			assert.ok(!error.message.includes("hidden s3cret"));
			return true;
		});
	}
});

test("everything that is wrong is told at once, when the backend starts", async () => {
	const backend = ldap(JSON.parse('{ "bind_dn": "cn=a", "port": "x", "colour": 1 }') as LdapOptions).create();
	const ignore = () => undefined;
	const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
	const start = async () =>
		backend.start?.({ logger, clock: { now: () => 0 }, dataDirectory: "/tmp", nodeId: "test", options: createOptions() });
	await assert.rejects(start, (error) => {
		assert.ok(isSvcError(error, "SVC_CONFIG"));
		const problems = error.facts["problems"] as string[];
		const names = problems.map((problem) => problem.split(":")[0]).sort();
		assert.deepEqual(names, ["base_ou", "bind_password", "colour", "group_dns", "host", "port"]);
		return true;
	});
	await backend.stop?.();
	for (const nothing of [undefined, null, [], "text"]) {
		assert.throws(() => parseSettings(nothing, ignore), /must be an object of options/);
	}
});

test("without the package the start ends with its name", async () => {
	const hide = `data:text/javascript,export async function resolve(name, context, next) {
		if (name === "ldapts") throw new Error("not there");
		return next(name, context);
	}`;
	const program = `
		import { register } from "node:module";
		register(${JSON.stringify(hide.replace(/\s+/g, " "))});
		const { ldap } = await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
		await ldap({}).create().start({}).catch(({ code, message }) => console.log(code, message));
	`;
	const { stdout } = await run(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program]);
	assert.match(stdout, /^SVC_CONFIG auth backend ldap needs the package "ldapts", .*: npm install ldapts/);
});

test.run();
