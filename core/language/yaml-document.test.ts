import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { assertYamlDepth, maxFileTokens, maxYamlDepth, parseYamlDocument } from "./yaml-document.ts";

const lists = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const blocks = (depth: number) => Array.from({ length: depth }, (_, index) => `${" ".repeat(index)}a:`).join("\n");
const refused = (message: RegExp) => (error: unknown) => isSvcError(error, "SVC_INVALID") && message.test(error.message);

for (const [name, text] of [
	["lists that are open", "[".repeat(200_000)],
	["lists that are closed", `a: 1\nb: ${lists(100_000)}`],
	["objects between braces", "{a: ".repeat(100_000)],
	["keys that are lists", `${"? ".repeat(100_000)}a`],
	["lists by signs", "- ".repeat(200_000)],
	["lines that are indented", blocks(900)],
	["one too many", lists(maxYamlDepth + 1)],
] as const) {
	test(`a text that is nested too deeply is refused before its values are made: ${name}`, () => {
		assert.throws(() => parseYamlDocument(text), refused(/^line \d+: objects and lists are nested more than 100 levels deep$/));
	});
}

test("what is nested as deeply as is allowed is read", () => {
	for (const text of [lists(maxYamlDepth), blocks(maxYamlDepth)]) {
		const { document } = parseYamlDocument(text);
		assert.deepEqual(document.errors, []);
		assertYamlDepth(document.toJS());
	}
});

test("references do not make it deeper than it may be", () => {
	const chain = ["- &x0 []", ...Array.from({ length: 200 }, (_, index) => `- &x${index + 1} [*x${index}]`)].join("\n");
	const { document } = parseYamlDocument(chain);
	assert.throws(() => assertYamlDepth(document.toJS()), refused(/more than 100/));
	assertYamlDepth(parseYamlDocument("- &a {b: 1}\n- [*a, *a, *a]\n").document.toJS());
});

test("mistakes of the notation are left to the caller, a second document is refused, and an empty text is one", () => {
	assert.equal(parseYamlDocument('a: "b').document.errors.length, 1);
	assert.throws(() => parseYamlDocument("a: 1\n---\nb: 2\n"), refused(/^line 2: only one document is allowed$/));
	assert.equal(parseYamlDocument("").document.toJS(), null);
});

test("names that stand twice are told, however many there are, in a time that grows with their number", () => {
	const before = process.cpuUsage();
	const names = Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join("\n");
	const { document } = parseYamlDocument(names, { merge: true, stringKeys: true });
	assert.deepEqual(document.errors, []);
	assert.equal(Object.keys(document.toJS({ maxAliasCount: 100 })).length, 50_000);
	const { user, system } = process.cpuUsage(before);
	assert.ok(user + system < 10_000_000, `${(user + system) / 1_000_000} s of the processor`);
	const twice = parseYamlDocument(`${names}\nlast:\n  - {a: 1, b: 2, a: 3}\n`, { merge: true });
	assert.deepEqual(
		twice.document.errors.map(({ code, pos }) => [code, twice.lines.linePos(pos[0])]),
		[["DUPLICATE_KEY", { line: 50_002, col: 18 }]],
	);
	assert.deepEqual(parseYamlDocument("<<: {a: 1}\n<<: {b: 2}\n", { merge: true }).document.errors, []);
});

test("more aliases than a thousand are refused at once, as the library looks through all of them for each one", () => {
	const referring = (count: number) => `a: [${Array.from({ length: count }, (_, index) => `&n${index} 1, *n${index}`).join(", ")}]\n`;
	assert.throws(() => parseYamlDocument(referring(1_001)), refused(/^line 1: the document has more than 1000 aliases$/));
	assert.equal(parseYamlDocument(referring(1_000)).document.toJS().a.length, 2_000);
	assert.equal(parseYamlDocument(`a:\n${"- '*a'\n".repeat(2_000)}`).document.toJS().a.length, 2_000);
});

test("a text with more words, signs and lines than its reader allows is refused; a long text is few of them", () => {
	const read = (text: string) => parseYamlDocument(text, { maxTokens: maxFileTokens }).document;
	for (const text of [`a: [${"1,".repeat(100_000)}1]`, "#\n".repeat(100_000), `a: [${"[],".repeat(40_000)}1]`]) {
		assert.throws(() => read(text), refused(/^line \d+: the document has more than 100000 words, signs and lines$/));
	}
	const values = Array.from({ length: 10_000 }, (_, index) => `  name_${index}: "value"`).join("\n");
	assert.equal(Object.keys(read(`a:\n${values}\n`).toJS().a).length, 10_000);
	assert.equal(read(`a: |\n${`  ${"x".repeat(98)}\n`.repeat(4_000)}`).toJS().a.length, 4_000 * 99);
});

test.run();
