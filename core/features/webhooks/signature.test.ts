import * as assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "uvu";
import type { SignatureSettings } from "./hook-parameters-exports.ts";
import { findSignatureProblem } from "./signature.ts";

const now = 1_700_000_000;
const secret = "correct horse";
const bytes = Buffer.from('{"id": "évènement"}\n');

const sign = (text: string, key: string | Buffer = secret, encoding: "hex" | "base64" = "hex", algorithm = "sha256") =>
	createHmac(algorithm, key).update(text).update(bytes).digest(encoding);

/** Headers of a good delivery at a time, signed with a key. */
const senders: Readonly<
	Record<string, { settings: Partial<SignatureSettings>; headers(time: number, key: string): Record<string, string> }>
> = {
	standard: {
		settings: { scheme: "standard" },
		headers: (time, key) => ({
			"webhook-id": "msg_1",
			"webhook-timestamp": String(time),
			"webhook-signature": `v2,x v1,${sign(`msg_1.${time}.`, key, "base64")}`,
		}),
	},
	github: { settings: { scheme: "github" }, headers: (_time, key) => ({ "x-hub-signature-256": `sha256=${sign("", key)}` }) },
	gitlab: { settings: { scheme: "gitlab" }, headers: (_time, key) => ({ "x-gitlab-token": key }) },
	slack: {
		settings: { scheme: "slack" },
		headers: (time, key) => ({ "x-slack-request-timestamp": String(time), "x-slack-signature": `v0=${sign(`v0:${time}:`, key)}` }),
	},
	stripe: {
		settings: { scheme: "stripe" },
		headers: (time, key) => ({ "stripe-signature": `t=${time},v1=${sign("other", key)},v1=${sign(`${time}.`, key)},v0=x` }),
	},
	"hmac with its defaults": { settings: { scheme: "hmac" }, headers: (_time, key) => ({ "x-signature": sign("", key) }) },
	"hmac with everything set": {
		settings: { scheme: "hmac", header: "X-My-Sign", algorithm: "sha512", encoding: "base64", prefix: "sig=" },
		headers: (_time, key) => ({ "x-my-sign": `sig=${sign("", key, "base64", "sha512")}` }),
	},
};
const timed = new Set(["standard", "slack", "stripe"]);

for (const [name, { settings, headers }] of Object.entries(senders)) {
	const all = { scheme: "hmac", secret_keys: [], ...settings } as const;
	const check = (given: Record<string, string>, body: Uint8Array = bytes, secrets = [secret]) =>
		findSignatureProblem({ headers: given, bytes: body }, all, secrets, now);

	test(`${name}: a delivery signed with a live secret is good`, () => {
		assert.equal(check(headers(now, secret)), undefined);
		assert.equal(check(headers(now, secret), bytes, ["new secret", secret]), undefined);
		assert.equal(check(headers(now, "new secret"), bytes, ["new secret", secret]), undefined);
	});

	test(`${name}: another secret, a missing header and an empty one are refused`, () => {
		assert.match(check(headers(now, "wrong")) ?? "", /does not match/);
		assert.match(check({}) ?? "", /is missing/);
		for (const header of Object.keys(headers(now, secret)))
			assert.ok(check({ ...headers(now, secret), [header]: "" }) !== undefined, header);
		assert.match(check(headers(now, secret), bytes, []) ?? "", /datastore/);
	});

	if (name !== "gitlab") {
		test(`${name}: a body that differs by one byte is refused`, () => {
			assert.match(check(headers(now, secret), Buffer.concat([bytes, Buffer.from(" ")])) ?? "", /does not match/);
		});
	}

	if (timed.has(name)) {
		test(`${name}: a delivery signed too long ago or too far ahead is refused`, () => {
			assert.equal(check(headers(now - 299, secret)), undefined);
			assert.match(check(headers(now - 301, secret)) ?? "", /300 seconds/);
			assert.match(check(headers(now + 301, secret)) ?? "", /300 seconds/);
			assert.match(check(headers(Number.NaN, secret)) ?? "", /not a number/);
		});
	}
}

for (const [name, { settings, headers }] of Object.entries(senders)) {
	test(`${name}: nobody can sign with a secret that is empty or too short to be one`, () => {
		const all = { scheme: "hmac", secret_keys: [], ...settings } as const;
		const check = (key: string | Buffer, stored: readonly string[]) =>
			findSignatureProblem({ headers: headers(now, key as string), bytes }, all, stored, now) ?? "";
		for (const key of ["", " ", "x", "7 bytes", "            "]) assert.match(check(key, [key]), /empty or shorter than 8 bytes/, key);
		assert.match(check("x", ["x", secret]), /does not match/);
		assert.equal(check(secret, ["x", secret]), "");
		assert.equal(check("8 bytes.", ["8 bytes."]), "");
		if (name === "gitlab") return;
		for (const key of ["whsec_", "whsec_ ", "whsec_!!!!!!!!!!", "whsec_YWJj", "whsec_AAAAAAAAAAAAAAAA"]) {
			if (name !== "standard" && key.length >= 8) continue;
			const decoded = Buffer.from(key.slice("whsec_".length), "base64");
			assert.match(check(name === "standard" ? decoded : key, [key]), /empty or shorter than 8 bytes/, key);
		}
	});
}

/** What senders make of one signature; the last is that of another secret. */
const severalForms = [
	(good: string, other: string) => `${other}, ${good}`,
	(good: string, other: string) => `${good},${other}`,
	(good: string, other: string) => `${other} ${good}`,
];
const upperHex = (text: string) => text.replace(/[0-9a-f]{40,}/g, (digits) => digits.toUpperCase());

for (const [name, { settings, headers }] of Object.entries(senders)) {
	if (name === "gitlab") continue;
	const all = { scheme: "hmac", secret_keys: [], ...settings } as const;
	const check = (given: Record<string, string>) => findSignatureProblem({ headers: given, bytes }, all, [secret], now);
	const good = headers(now, secret);
	const other = headers(now, "another secret");
	const header = Object.keys(good).find((key) => good[key] !== other[key]) ?? "";

	test(`${name}: one good signature among several in a header is enough`, () => {
		for (const form of severalForms) {
			assert.equal(check({ ...good, [header]: form(good[header] ?? "", other[header] ?? "") }), undefined, form("good", "other"));
			assert.match(check({ ...good, [header]: form(other[header] ?? "", other[header] ?? "") }) ?? "", /does not match/);
		}
		const late = [...Array(100).fill(other[header]), good[header]].join(", ");
		assert.notEqual(check({ ...good, [header]: late }), undefined, "no more than a few are compared");
	});

	test(`${name}: hexadecimal digits may be upper-case`, () => {
		assert.equal(check({ ...good, [header]: upperHex(good[header] ?? "") }), undefined);
	});
}

test("the examples that the senders publish are good", () => {
	const check = (scheme: SignatureSettings["scheme"], key: string, headers: Record<string, string>, body: string, time = now) =>
		findSignatureProblem({ headers, bytes: Buffer.from(body) }, { scheme, secret_keys: [] }, [key], time);
	const github = { "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" };
	assert.equal(check("github", "It's a Secret to Everybody", github, "Hello, World!"), undefined);
	const slack = {
		"x-slack-request-timestamp": "1531420618",
		"x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
	};
	const body =
		"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
	assert.equal(check("slack", "8f742231b10e8888abcd99yyyzzz85a5", slack, body, 1_531_420_618), undefined);
	const standard = {
		"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
		"webhook-timestamp": "1614265330",
		"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	};
	assert.equal(check("standard", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", standard, '{"test": 2432232314}', 1_614_265_330), undefined);
});

test.run();
