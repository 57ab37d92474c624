import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject, ParameterDefinitions } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { maskLogFields } from "../../secrets/log-redaction.ts";
import { collectSecrets, maskBySchema, maskParameters } from "./schema-masking.ts";

const schema: ParameterDefinitions = {
	plain: { type: "string" },
	pin: { type: "string", secret: true },
	account: {
		type: "object",
		properties: {
			user: { type: "string" },
			password: { type: "string", secret: true },
			keys: { type: "array", items: { type: "string", secret: true } },
		},
	},
	list: { type: "array", items: { type: "object", properties: { token: { secret: true } } } },
	whole: { type: "object", secret: true },
};

test("secret values of every type become the mask", () => {
	for (const pin of ["abc", 5, true, null, ["a"], { a: 1 }])
		assert.deepEqual(maskBySchema({ pin, plain: "x" }, schema), { pin: secretMask, plain: "x" });
	assert.equal(secretMask, "********");
});

test("secrets inside objects and lists are masked, their neighbours stay", () => {
	const values = {
		account: { user: "u", password: "p", keys: ["k1", "k2"], other: 1 },
		list: [{ token: "t", id: 1 }, 5],
		whole: { a: "b" },
	};
	assert.deepEqual(maskBySchema(values, schema), {
		account: { user: "u", password: secretMask, keys: [secretMask, secretMask], other: 1 },
		list: [{ token: secretMask, id: 1 }, 5],
		whole: secretMask,
	});
	assert.equal(values.account.password, "p", "the values themselves are not changed");
});

test("a structure of another kind than the one with secrets is masked whole: a record may hold values whose types were never checked", () => {
	const values = { account: [{ password: "p" }], list: { token: "t" } };
	assert.deepEqual(maskBySchema(values, schema), { account: secretMask, list: secretMask });
});

test("a member is masked when any of the definitions that describe it is secret", () => {
	const any: ParameterDefinitions = { a: { properties: { k: { type: "string" } }, patternProperties: { "^k": { secret: true } } } };
	assert.deepEqual(maskBySchema({ a: { k: "s", other: 1 } }, any), { a: { k: secretMask, other: 1 } });
	assert.deepEqual(maskBySchema({ a: "s" }, { a: { anyOf: [{ properties: { k: { secret: true } } }] } }), { a: secretMask });
});

test("nothing is copied when nothing is secret", () => {
	const values = { plain: "x", account: { user: "u" }, list: [{ id: 1 }], unknown: {} };
	assert.equal(maskBySchema(values, schema), values);
	assert.equal(maskParameters(values, schema, {}), values);
});

test("members that are absent are not added", () => {
	assert.deepEqual(maskBySchema({ account: {} }, schema), { account: {} });
});

test("secret in the schema of action or runner suffices", () => {
	assert.deepEqual(maskParameters({ a: 1, b: 2, c: 3 }, { a: { secret: true }, b: {} }, { a: {}, b: { secret: true } }), {
		a: secretMask,
		b: secretMask,
		c: 3,
	});
});

test("a text where an object with secrets should be is masked, as it may be that object not yet parsed", () => {
	assert.deepEqual(maskBySchema({ account: '{"password": "p"}', list: "[]", plain: "{}" }, schema), {
		account: secretMask,
		list: secretMask,
		plain: "{}",
	});
});

test("keys of prototypes are ordinary keys", () => {
	const values = JSON.parse('{"__proto__": {"password": 1}, "constructor": 1, "pin": 2}') as JsonObject;
	const masked = maskBySchema(values, schema);
	assert.equal(Object.getPrototypeOf(masked), Object.prototype);
	assert.deepEqual(JSON.stringify(masked), '{"__proto__":{"password":1},"constructor":1,"pin":"********"}');
	const proto = JSON.parse('{"__proto__": {"secret": true}}') as ParameterDefinitions;
	assert.equal(JSON.stringify(maskBySchema(values, proto)), '{"__proto__":"********","constructor":1,"pin":2}');
});

test("log fields are masked by name at every level", () => {
	const fields = {
		user: "u",
		password: "p",
		nested: { auth_token: "t", Token: 1, list: [{ secret: 2 }] },
		mine: "m",
		tokens: 3,
		error: new Error("x"),
	};
	assert.deepEqual(maskLogFields(fields, ["mine"]), {
		...fields,
		password: secretMask,
		nested: { auth_token: secretMask, Token: secretMask, list: [{ secret: secretMask }] },
		mine: secretMask,
	});
	for (const name of ["password", "auth_token", "token", "secret", "credentials", "st2_auth_token"])
		assert.deepEqual(maskLogFields({ [name]: "v" }), { [name]: secretMask });
	const harmless = { a: 1, b: { c: [1] } };
	assert.equal(maskLogFields(harmless), harmless);
});

test("log fields that are nested too deeply are masked as a whole", () => {
	const nest = (depth: number, fields: object): object => (depth === 0 ? fields : { a: nest(depth - 1, fields) });
	assert.ok(JSON.stringify(maskLogFields({ a: nest(90, { plain: "shown" }) })).includes("shown"));
	for (const secret of [{ plain: "hidden" }, { password: "hidden" }])
		assert.ok(!JSON.stringify(maskLogFields({ a: nest(150, secret) })).includes("hidden"));
	let list: unknown = "hidden";
	for (let depth = 0; depth < 20_000; depth++) list = [list];
	assert.ok(!JSON.stringify(maskLogFields({ list })).includes("hidden"));
});

test("log fields that hold themselves do not end the process", () => {
	const fields: Record<string, unknown> = { a: 1 };
	fields["self"] = fields;
	assert.ok(maskLogFields(fields));
});

test("the secrets among parameters are found, nested ones included", () => {
	const values = { pin: 12345, account: { password: "pp", user: "u" }, whole: { a: ["x", { b: "y" }] }, plain: "z", b: "runner" };
	assert.deepEqual(collectSecrets(values, schema, { b: { secret: true } }).sort(), ["12345", "pp", "runner", "x", "y"]);
});

test.run();
