import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type JsonValue, maxLargeNumbers, parseInteger, parseJson, stringifyJson, toCanonicalInteger } from "./json.ts";

const large = 1234567890123456789n;

test("whole numbers are read and written exactly, however large", () => {
	for (const digits of ["9007199254740993", "-9007199254740993", "18446744073709551615", "9".repeat(1_000), `-${"9".repeat(1_000)}`]) {
		const value = parseJson(`{"id": [${digits}]}`);
		assert.deepEqual(value, { id: [BigInt(digits)] });
		assert.equal(stringifyJson(value), `{"id":[${digits}]}`);
		assert.equal(parseJson(digits), BigInt(digits));
		assert.equal(parseJson(` \n${digits} `), BigInt(digits));
	}
});

test("whole numbers up to 2^53, fractions and exponents stay plain numbers", () => {
	const text = "[9007199254740991,-9007199254740991,0.12345678901234567,1234567890123456.5,1e300,12345678901234567e-3,1.5e+200,-0]";
	assert.deepEqual(parseJson(text), JSON.parse(text));
	assert.equal(stringifyJson(parseJson("[1e17]")), "[100000000000000000]");
});

test("texts keep their digits, quotes and escapes beside a large number", () => {
	const texts = ["1234567890123456789", ":1234567890123456789", '\\"', '"1234567890123456789', "\\\\", "a\\", "\u0000", ",1e400,", "ü 😀"];
	const value = { [": 1234567890123456789"]: texts, id: large, "\\": large };
	const text = `{${JSON.stringify(": 1234567890123456789")}:${JSON.stringify(texts)},"id":${large},"\\\\":${large}}`;
	assert.deepEqual(parseJson(text), value);
	assert.equal(stringifyJson(value), text);
});

test("members named __proto__ are ordinary", () => {
	const text = `{"__proto__":${large},"a":{"__proto__":{"b":${large}}}}`;
	const value = parseJson(text);
	assert.equal(Object.getPrototypeOf(value), Object.prototype);
	assert.equal(stringifyJson(value), text);
});

test("the last of several members with one name counts, as with JSON.parse", () => {
	assert.deepEqual(parseJson(`{"a":${large},"a":1}`), { a: 1 });
	assert.deepEqual(parseJson(`{"a":1,"a":${large}}`), { a: large });
});

test("numbers that cannot be represented are refused by name and position", () => {
	const refuse = (text: string, message: RegExp) => assert.throws(() => parseJson(text), { code: "SVC_INVALID", message });
	refuse('{"id": 1e400}', /^the number 1e400 at character 8 cannot be represented: the largest number is 1\.79/);
	refuse("-1e309", /the number -1e309 at character 1 /);
	refuse("[1, 1E+0400]", /the number 1E\+0400 at character 5 /);
	refuse(`[${"1".repeat(400)}.5]`, /the number 1{40}… at character 2 .* the largest number is/);
	refuse(`[${"1".repeat(1_001)}]`, /the number 1{40}… at character 2 .* at most 1000 digits/);
	assert.deepEqual(parseJson('["1e400", 1e-400]'), ["1e400", 0]);
});

test("large numbers beyond the count that is allowed are refused", () => {
	const list = (count: number) => `[${Array(count).fill("9007199254740993").join(",")}]`;
	assert.equal((parseJson(list(maxLargeNumbers), maxLargeNumbers) as unknown[]).length, maxLargeNumbers);
	assert.equal((parseJson(list(maxLargeNumbers + 1)) as unknown[]).length, maxLargeNumbers + 1);
	assert.throws(() => parseJson(list(maxLargeNumbers + 1), maxLargeNumbers), /at most 2500 integers beyond ±9007199254740991 are allowed/);
});

test("text that is not JSON is a syntax error also if it holds large numbers", () => {
	for (const text of [
		`{${large}: 1}`,
		"[012345678901234567890]",
		`[${large}`,
		`[${large}x]`,
		`"${large}`,
		`[+${large}]`,
		`${large} ${large}`,
	])
		assert.throws(() => parseJson(text), SyntaxError, text);
});

test("writing follows JSON.stringify for everything that is not a bigint", () => {
	const value = { a: [large, undefined, Number.NaN, new Date(0)], b: undefined, c: () => 1, toJSON: undefined, d: { toJSON: () => large } };
	assert.equal(stringifyJson(value), `{"a":[${large},null,null,"1970-01-01T00:00:00.000Z"],"d":${large}}`);
	assert.equal(stringifyJson({ a: [large] }, 2), `{\n  "a": [\n    ${large}\n  ]\n}`);
	assert.equal(stringifyJson({ a: 5n }), '{"a":5}');
	assert.equal(stringifyJson(undefined), undefined);
	const circular: { [name: string]: unknown } = { id: large };
	circular["self"] = circular;
	assert.throws(() => stringifyJson(circular), TypeError);
});

test("a value that is nested deeper than the stack is read", () => {
	const depth = 5_000;
	let value = parseJson(`${"[".repeat(depth)}${large}${"]".repeat(depth)}`) as JsonValue;
	while (Array.isArray(value)) value = value[0] as JsonValue;
	assert.equal(value, large);
});

test("whole numbers are plain numbers as long as these are exact", () => {
	assert.equal(toCanonicalInteger(2n ** 53n - 1n), Number.MAX_SAFE_INTEGER);
	assert.equal(toCanonicalInteger(-(2n ** 53n)), -(2n ** 53n));
	assert.equal(parseInteger("-12"), -12);
	assert.equal(parseInteger(String(large)), large);
	assert.throws(() => parseInteger("1".repeat(2_000)), { code: "SVC_INVALID", message: /1{20}… has more than 1000 digits/ });
});

test.run();
