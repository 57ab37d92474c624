import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type JsonObject, type JsonValue, SvcError } from "../../../contract/index.ts";
import type { DatastoreAccess } from "../../../language/templates/datastore.ts";
import { compileCriteria } from "./index.ts";

const now = Date.UTC(2031, 2, 4, 12, 0, 0) * 1_000;

const datastore: DatastoreAccess = {
	lookup: async (_scope, name) => ({ limit: "5", "a.b": "dotted" })[name],
	decrypt: async () => "clear",
};

const evaluate = async (criteria: JsonObject, payload: JsonObject) => compileCriteria(criteria).evaluate(payload, { now, datastore });

/** true, false, or "error" when the criterion cannot be decided. */
async function outcome(criteria: JsonObject, payload: JsonObject): Promise<boolean | "error"> {
	const verdict = await evaluate(criteria, payload);
	if (verdict.matched) return true;
	return verdict.error === undefined ? false : "error";
}

type Row = readonly [type: string, value: JsonValue | undefined, pattern: JsonValue, expected: boolean | "error"];

const rows: readonly Row[] = [
	["equals", "a", "a", true],
	["equals", 100, "100", false],
	["equals", 1, true, true],
	["equals", [1, { a: null }], [1, { a: null }], true],
	["equals", "grün 🦊", "grün 🦊", true],
	["equals", 0, 0, true],
	["equals", "", "", true],
	["eq", false, false, true],
	["nequals", "a", "b", true],
	["nequals", "a", "a", false],
	["neq", 100, "100", true],
	["iequals", "ÄB", "äb", true],
	["iequals", "a", "b", false],
	["ieq", 5, "5", "error"],
	["iequals", "a", 5, "error"],
	["contains", "haystack", "sta", true],
	["contains", ["a", 1], 1, true],
	["contains", { key: 1 }, "key", true],
	["contains", "x", 1, "error"],
	["contains", 5, 5, "error"],
	["contains", "grün 🦊", "🦊", true],
	["icontains", "HayStack", "STA", true],
	["icontains", ["a"], "a", "error"],
	["ncontains", "haystack", "zzz", true],
	["ncontains", ["a"], "a", false],
	["ncontains", 5, 5, "error"],
	["incontains", "HayStack", "zzz", true],
	["incontains", "HayStack", "STA", false],
	["incontains", 1, "a", "error"],
	["startswith", "prefix-x", "prefix", true],
	["startswith", "x", "prefix", false],
	["startswith", 5, "5", "error"],
	["istartswith", "PREFIX", "pre", true],
	["istartswith", [], "pre", "error"],
	["endswith", "a.log", ".log", true],
	["endswith", { a: 1 }, ".log", "error"],
	["iendswith", "A.LOG", ".log", true],
	["iendswith", 1, ".log", "error"],
	["lessthan", 1, 2, true],
	["lt", 2, 2, false],
	["lessthan", "a", "b", true],
	["lessthan", 1, "2", "error"],
	["lessthan", {}, {}, "error"],
	["lessthan", "￿", "🦊", true],
	["greaterthan", 2.5, 2, true],
	["gt", 2, 3, false],
	["greaterthan", "2", 1, "error"],
	["matchwildcard", "web-01.example", "web-*.example", true],
	["matchwildcard", "web-01", "web-0[1-3]", true],
	["matchwildcard", "web-04", "web-0[!1-3]", true],
	["matchwildcard", "Web", "web", false],
	["matchwildcard", "ab", "?", false],
	["matchwildcard", "🦊", "?", true],
	["matchwildcard", "a\nb", "a*b", true],
	["matchwildcard", "[x", "[x", true],
	["matchwildcard", "]", "[]]", true],
	["matchwildcard", 5, "*", "error"],
	["regex", "an error here", "err.r", true],
	["regex", "ERROR", "error", false],
	["regex", "größe", "^\\w+$", true],
	["regex", "x", "(", "error"],
	["regex", "x", "(?P<name>x)", true],
	["regex", 5, "5", "error"],
	["iregex", "ERROR", "error", true],
	["iregex", null, "x", "error"],
	["matchregex", "line\nnext", "line.next", true],
	["matchregex", "a line", "line", false],
	["matchregex", true, "x", "error"],
	["timediff_lt", "2031-03-04T11:59:00Z", 61, true],
	["timediff_lt", "2031-03-04 11:59:00", 60, false],
	["td_lt", "2031-03-04T13:59:00+02:00", "61", true],
	["timediff_gt", "Mar 4 2031 11:00", 3599.5, true],
	["td_gt", "Tue, 04 Mar 2031 11:59:30 GMT", 60, false],
	["timediff_gt", "yesterday-ish", 60, "error"],
	["timediff_gt", "2031-02-30", 60, "error"],
	["timediff_lt", 1_900_000_000, 60, false],
	["timediff_lt", true, 60, "error"],
	["timediff_lt", "2031-03-04", "soon", "error"],
	["exists", "", "x", true],
	["exists", false, "x", true],
	["nexists", 0, "x", false],
	["inside", "sta", "haystack", true],
	["in", 1, ["a", 1], true],
	["inside", "x", ["a"], false],
	["inside", 1, "123", "error"],
	["inside", "a", 5, "error"],
	["ninside", "x", "haystack", true],
	["nin", "a", ["a"], false],
];

test("every operator decides as documented", async () => {
	for (const [type, value, pattern, expected] of rows) {
		const actual = await outcome({ "trigger.v": { type, pattern } }, { v: value ?? null, other: 1 });
		assert.equal(actual, expected, JSON.stringify([type, value, pattern]));
	}
});

const whenNull: Readonly<Record<string, boolean | "error">> = {
	equals: false,
	eq: false,
	nequals: true,
	neq: true,
	exists: false,
	nexists: true,
};
const allTypes = [...new Set(rows.map(([type]) => type))].filter((type) => !/inside|^n?in$/.test(type));

test("a missing key and null are the same", async () => {
	const payloads: JsonObject[] = [{ other: 1 }, { v: null, other: 1 }];
	for (const payload of payloads) {
		for (const type of allTypes) {
			const actual = await outcome({ "trigger.v": { type, pattern: "x" } }, payload);
			assert.equal(actual, whenNull[type] ?? "error", type);
		}
		for (const [type, expected] of [
			["inside", false],
			["in", false],
			["ninside", true],
			["nin", true],
		] as const) {
			assert.equal(await outcome({ "trigger.v": { type, pattern: ["x"] } }, payload), expected, type);
			assert.equal(await outcome({ "trigger.v": { type, pattern: "text" } }, payload), "error", type);
		}
	}
});

test("a pattern that renders to null satisfies nothing, except that a value differs from it", async () => {
	for (const type of [...allTypes, "inside", "in", "ninside", "nin"]) {
		const criteria = { "trigger.v": { type, pattern: "{{ trigger.nothing }}" } };
		const expected = ["nequals", "neq", "exists"].includes(type);
		assert.equal(await outcome(criteria, { v: "x", nothing: null }), expected, type);
		assert.equal(await outcome(criteria, { v: null, nothing: null }), type === "nexists", type);
	}
});

test("keys are paths, of which the first match counts", async () => {
	const payload = {
		body: { name: "n", "a.b": "dotted", "x-y": "dash" },
		items: [{ id: 1 }, { id: 2 }, { id: 3 }],
		headers: { "X-Custom": "c" },
		größe: 5,
	};
	const keys: [string, JsonValue][] = [
		["trigger.body.name", "n"],
		["$.trigger.body.name", "n"],
		["trigger.items[0].id", 1],
		["trigger.items[-1].id", 3],
		["trigger.items[*].id", 1],
		["trigger.items[1:3].id", 2],
		["trigger.headers['X-Custom']", "c"],
		['trigger.body."a.b"', "dotted"],
		["trigger.body['a.b']", "dotted"],
		["trigger.body.x-y", "dash"],
		["trigger..id", 1],
		["trigger.größe", 5],
		["trigger.body.name#1", "n"],
		["trigger.body", payload.body],
	];
	for (const [key, pattern] of keys) assert.equal(await outcome({ [key]: { type: "equals", pattern } }, payload), true, key);
	for (const key of [
		"trigger.items.id",
		"system.limit",
		"body.name",
		"trigger.body.constructor",
		"trigger.__proto__",
		"trigger.items[9].id",
	]) {
		assert.equal(await outcome({ [key]: { type: "nexists", pattern: "x" } }, payload), true, key);
	}
	for (const key of ["trigger.0", "trigger.", "", "trigger[", "trigger.a[b", "trigger..", "trigger.items[1:2:3]"]) {
		assert.equal(await outcome({ [key]: { type: "nexists", pattern: "x" } }, payload), "error", key);
	}
});

test("one attribute can be tested twice, and every criterion must hold", async () => {
	const criteria = { "trigger.n#low": { type: "gt", pattern: 1 }, "trigger.n#high": { type: "lt", pattern: 5 } };
	assert.equal(await outcome(criteria, { n: 3 }), true);
	assert.deepEqual(await evaluate(criteria, { n: 9 }), {
		matched: false,
		failed: { key: "trigger.n#high", operator: "lt", pattern: 5, value: 9 },
	});
});

test("no criteria match everything, and an empty payload satisfies none", async () => {
	assert.equal(await outcome({}, {}), true);
	assert.equal(await outcome({}, { a: 1 }), true);
	assert.equal(await outcome({ "trigger.x": { type: "nexists", pattern: "x" } }, {}), false);
});

test("patterns are rendered and keep the type of a lone expression", async () => {
	const payload = { n: 3, limit: 3, name: "web", list: [1], flag: true, evil: "{{ trigger.name }}" };
	const cases: [string, JsonValue, boolean | "error"][] = [
		["trigger.n", "{{ trigger.limit }}", true],
		["trigger.n", "{{ trigger.limit + 1 - 1 }}", true],
		["trigger.list", "{{ trigger.list }}", true],
		["trigger.flag", "{{ trigger.flag }}", true],
		["trigger.name", "{{ 'WEB' | lower }}", true],
		["trigger.n", "{{ trigger.limit }} ", false],
		["trigger.n", "{{ trigger.missing }}", "error"],
		["trigger.n", "{{ trigger. }}", "error"],
		["trigger.n", "{{ svckv.system.limit | int - 2 }}", true],
		["trigger.n", "{{ svckv.system.limit }}", false],
		["trigger.n", "{{ system.limit | int - 2 }}", true],
		["trigger.n", "{{ svckv.user.limit }}", "error"],
		["trigger.name", "{{ trigger.evil }}", false],
	];
	for (const [key, pattern, expected] of cases) {
		assert.equal(await outcome({ [key]: { type: "equals", pattern } }, payload), expected, String(pattern));
	}
	assert.equal(await outcome({ "trigger.name": { type: "regex", pattern: "^w{1}e{1,2}b$" } }, payload), true);
});

test("search counts items that satisfy all or any of its criteria", async () => {
	const children = { "item.status": { type: "equals", pattern: "up" }, "item.load": { type: "lessthan", pattern: 5 } };
	const both = { status: "up", load: 1 };
	const one = { status: "up", load: 9 };
	const none = { status: "down", load: 9 };
	const cases: [string, JsonValue, boolean | "error"][] = [
		["any", [none, both], true],
		["any", [none, one], false],
		["all", [both, both], true],
		["all", [both, one], false],
		["any2any", [none, one], true],
		["any2any", [none], false],
		["all2any", [one, both], true],
		["all2any", [one, none], false],
		["any", [], false],
		["any2any", [], false],
		["all", [], true],
		["all2any", [], true],
		["all", both, true],
		["any", one, false],
		["any", "text", "error"],
		["any", null, "error"],
		["some", [both], "error"],
	];
	for (const [condition, list, expected] of cases) {
		const criteria = { "trigger.list": { type: "search", condition, pattern: children } };
		assert.equal(await outcome(criteria, { list, other: 1 }), expected, `${condition} ${JSON.stringify(list)}`);
	}
	assert.equal(await outcome({ "trigger.list": { type: "search", pattern: children } }, { list: [both] }), "error");
});

test("search takes tags, templates, nested searches and bare items", async () => {
	const nested = {
		"trigger.hosts": {
			type: "search",
			condition: "any",
			pattern: {
				"item.disks": { type: "search", condition: "all", pattern: { "item.free": { type: "gt", pattern: "{{ item.minimum }}" } } },
				"item.name#1": { type: "startswith", pattern: "web" },
				"item.name#2": { type: "Endswith", pattern: "{{ item.suffix }}" },
			},
		},
	};
	const host = { name: "web-1", suffix: "-1", disks: [{ free: 5, minimum: 1 }] };
	assert.equal(await outcome(nested, { hosts: [host] }), true);
	assert.equal(await outcome(nested, { hosts: [{ ...host, suffix: "x" }] }), false);
	const bare = { "trigger.tags": { type: "search", condition: "any", pattern: { item: { type: "equals", pattern: "prod" } } } };
	assert.equal(await outcome(bare, { tags: ["dev", "prod"] }), true);
	const raising = { "trigger.list": { type: "search", condition: "any", pattern: { "item.n": { type: "gt", pattern: 1 } } } };
	assert.equal(await outcome(raising, { list: [{ n: "x" }, { n: 2 }] }), true);
	assert.equal(await outcome(raising, { list: [{ n: "x" }] }), "error");
});

test("criteria that are none are refused by name", () => {
	const invalid: [JsonObject, RegExp][] = [
		[{ "trigger.a": "x" }, /criteria "trigger.a" must be an object/],
		[{ "trigger.a": { pattern: 1 } }, /must have a type that is one of .*equals/],
		[{ "trigger.a": { type: "Equals", pattern: 1 } }, /must have a type/],
		[{ "trigger.a": { type: "constructor", pattern: 1 } }, /must have a type/],
		[{ "trigger.a": { type: "exists" } }, /non-null pattern/],
		[{ "trigger.a": { type: "equals", pattern: null } }, /non-null pattern/],
		[{ "trigger.a": { type: "search", condition: "any", pattern: "x" } }, /object of criteria/],
		[
			{ "trigger.a": { type: "search", condition: "any", pattern: { "item.b": { type: "zzz", pattern: 1 } } } },
			/"item.b" must have a type/,
		],
	];
	for (const [criteria, message] of invalid) {
		assert.throws(
			() => compileCriteria(criteria),
			(error) => isSvcError(error, "SVC_INVALID") && message.test(error.message),
			JSON.stringify(criteria),
		);
	}
});

test("errors name types and no values", async () => {
	const verdict = await evaluate({ "trigger.v": { type: "gt", pattern: 1 } }, { v: "s3cret" });
	assert.ok(!verdict.matched && verdict.error !== undefined);
	assert.ok(!verdict.error.includes("s3cret"));
	assert.match(verdict.error, /criterion "trigger.v" \(gt\)/);
});

test("a datastore that is away is no verdict", async () => {
	const away: DatastoreAccess = {
		...datastore,
		lookup: async () => {
			throw new SvcError("SVC_UNAVAILABLE", "the store cannot be reached");
		},
	};
	const criteria = compileCriteria({ "trigger.v": { type: "equals", pattern: "{{ svckv.system.x }}" } });
	await assert.rejects(
		async () => criteria.evaluate({ v: 1 }, { now, datastore: away }),
		(error: unknown) => isSvcError(error, "SVC_UNAVAILABLE"),
	);
});

test("hostile patterns and payloads take bounded time", async () => {
	const long = "a".repeat(100_000);
	const attacks: [JsonObject, JsonObject][] = [
		[{ "trigger.v": { type: "regex", pattern: "^(a+)+$" } }, { v: `${long}!` }],
		[{ "trigger.v": { type: "regex", pattern: `${"a?".repeat(30)}${"a".repeat(30)}` } }, { v: "a".repeat(29) }],
		[{ "trigger.v": { type: "regex", pattern: "(a|a)*b" } }, { v: long }],
		[{ "trigger.v": { type: "matchwildcard", pattern: `${"*a".repeat(500)}b` } }, { v: long }],
		[{ [`trigger${"..*".repeat(30)}`]: { type: "equals", pattern: 1 } }, { v: nest(50) }],
		[
			{ "trigger.v": { type: "equals", pattern: "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}" } },
			{ v: 1 },
		],
	];
	for (const [criteria, payload] of attacks) {
		const start = performance.now();
		assert.notEqual(await outcome(criteria, payload), true);
		assert.ok(performance.now() - start < 3_000, Object.keys(criteria)[0]);
	}
});

function nest(depth: number): JsonValue {
	return depth === 0 ? [1, 2, 3] : { a: nest(depth - 1), b: [1, 2, 3] };
}

test.run();
