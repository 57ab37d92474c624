import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createRandom } from "../testing/guarantees/random.test-support.ts";
import { Redactor } from "./redactor.ts";

const mask = "********";

test("a value is recognised in the ways it is written", () => {
	const value = `it's "50%" of\\ö / a+b=c`;
	const secrets = new Redactor([value]);
	const json = JSON.stringify(value);
	for (const text of [
		value,
		json,
		JSON.stringify(json),
		json.replace("ö", "\\u00f6"),
		`'it\\'s "50%" of\\\\ö / a+b=c'`,
		encodeURIComponent(value),
		new URLSearchParams({ q: value }).toString(),
		Buffer.from(value).toString("base64"),
		Buffer.from(`admin:${value}`).toString("base64"),
		Buffer.from(`x${value}`).toString("base64url"),
		`'it'\\''s "50%" of\\ö / a+b=c'`,
	]) {
		const shown = secrets.redactText(`<${text}>`);
		assert.ok(shown.includes(mask), text);
		assert.ok(!shown.includes("50%") && !shown.includes("a+b"), shown);
	}
});

test("each line of a value of several lines is one, but for short ones", () => {
	const secrets = new Redactor(["-----BEGIN KEY-----\r\nMIIEow\n  indented line \n}\n"]);
	assert.equal(secrets.redactText("a MIIEow b indented line c } d"), `a ${mask} b ${mask} c } d`);
});

test("a value of several lines is masked line by line, unless a text is nothing but the value", () => {
	const value = "first line\n\nsecond line";
	const secrets = new Redactor([value]);
	assert.equal(secrets.redactText(`a ${value} b\nc`), `a ${mask}\n\n${mask} b\nc`);
	assert.equal(secrets.redactText(`a ${value.slice(0, 17)}`), `a ${mask}\n\n${mask}`);
	assert.equal(secrets.redactText(value), mask);
	assert.deepEqual(secrets.redactJson({ key: value }), { key: mask });
});

test("values of four characters and more count, and blank ones do not", () => {
	const secrets = new Redactor(["abc", "    ", mask, "abcd"]);
	assert.deepEqual(secrets.values, ["abcd"]);
	assert.equal(secrets.redactText("abc abcd    "), `abc ${mask}    `);
});

test("names, numbers and nested texts of a value are replaced, and what holds none is the same", () => {
	const secrets = new Redactor(["secret", "12345"]);
	const value = { a: [{ "is secret": 12345, b: true, c: null, d: 1234 }], e: "no", f: "a secret" };
	assert.deepEqual(secrets.redactJson(value), { a: [{ [`is ${mask}`]: mask, b: true, c: null, d: 1234 }], e: "no", f: `a ${mask}` });
	const plain = { a: [{ b: "x" }] };
	assert.equal(secrets.redactJson(plain), plain);
});

test("a number is masked if it is as long as a secret, with its sign", () => {
	for (const [secret, value, shorter] of [
		["12345678", 12_345_678, 1_234_567],
		["-123", -123, -12],
		["-1234567", -1_234_567, -123_456],
		["9999", 9_999, 999],
	] as const) {
		assert.deepEqual(new Redactor([secret]).redactJson([value, shorter]), [mask, shorter]);
	}
});

test("a text that ends in the middle of a secret shows no longer beginning of it", () => {
	const secrets = new Redactor(["correct horse battery"]);
	assert.equal(secrets.redactText("see: correct horse"), `see: ${mask}`);
	assert.equal(secrets.redactText("see: correct"), "see: correct");
});

test("the plain search of a short text finds what the automaton finds", () => {
	const random = createRandom(7);
	const letters = (length: number) => Array.from({ length }, () => "ab"[random(2)]).join("");
	// So many other values that no plain search is tried. They have other letters than the texts.
	const others = Array.from({ length: 20 }, (_none, index) => `${"z".repeat(20)}${index}`);
	let masked = 0;
	for (let round = 0; round < 3_000; round += 1) {
		const [secret, text] = [letters(4 + random(12)), letters(random(40))];
		const shown = new Redactor([secret]).redactText(text);
		assert.equal(shown, new Redactor([secret, ...others]).redactText(text), `${secret} in ${text}`);
		if (shown !== text) masked += 1;
	}
	assert.ok(masked > 300 && masked < 2_700, String(masked));
});

test("where it is not known what is secret texts and numbers are masked whole", () => {
	for (const secrets of [Redactor.unknown, new Redactor(["x".repeat(70_000)]), Redactor.unknown.withValues(["short"])]) {
		assert.equal(secrets.redactText("anything"), mask);
		assert.deepEqual(secrets.redactJson({ a: "text", b: 7, c: { d: 1 }, ok: true, none: null }), {
			a: mask,
			b: mask,
			c: mask,
			ok: true,
			none: null,
		});
	}
});

test("an error says nothing of them, nor do its causes", () => {
	const error = new Redactor(["secret"]).redactError(new TypeError("a secret", { cause: new Error("the secret") }));
	assert.equal(error.message, `a ${mask}`);
	assert.ok(!String(error.stack).includes("secret") || String(error.stack).includes("known-secrets"));
	assert.equal((error.cause as Error).message, `the ${mask}`);
});

test.run();
