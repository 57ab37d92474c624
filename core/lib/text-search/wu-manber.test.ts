import * as assert from "node:assert/strict";
import { test } from "uvu";
import { AhoCorasick } from "./aho-corasick.ts";
import { MultiPatternSearch } from "./multi-pattern-search.ts";
import { WuManber } from "./wu-manber.ts";

/** Numbers below `most`, the same ones in every run. */
function createNumbers(seed: number): (most: number) => number {
	let state = seed;
	return (most) => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
		return (state >>> 8) % most;
	};
}

function createTexts(seed: number) {
	const next = createNumbers(seed);
	const alphabet = ["ab", "abc", "0123456789abcdef", "aé🔑\n"][seed % 4] as string;
	const toText = (length: number) => Array.from({ length }, () => alphabet[next(alphabet.length)]).join("");
	const patterns = Array.from({ length: 1 + next(12) }, () => toText(3 + next(seed % 3 === 0 ? 5 : 62)));
	const text = toText(next(2_000));
	// Short texts hold one of them by chance only.
	const place = next(text.length + 1);
	return { patterns, text: next(2) === 0 ? text : text.slice(0, place) + patterns[0] + text.slice(place) };
}

test("no pattern is passed over, whatever patterns and text are", () => {
	for (let seed = 1; seed <= 2_000; seed += 1) {
		const { patterns, text } = createTexts(seed);
		const isThere = patterns.some((pattern) => text.includes(pattern));
		if (isThere) assert.ok(new WuManber(patterns).mayContainMatch(text), `seed ${seed}`);
	}
});

test("no pattern is passed over in bytes either, and what is free of all of them leaves nothing open", () => {
	for (let seed = 1; seed <= 2_000; seed += 1) {
		const { patterns, text } = createTexts(seed);
		if (!/^[\0-\x7f]*$/.test(text)) continue;
		const bytes = Buffer.from(text);
		if (patterns.some((pattern) => text.includes(pattern))) assert.ok(new WuManber(patterns).mayContainMatchInBytes(bytes), `seed ${seed}`);
		const marked = new Map(patterns.map((pattern) => [pattern, true]));
		if (!new MultiPatternSearch(marked).cannotMatch(bytes)) continue;
		assert.deepEqual(new AhoCorasick(marked).find(text), { ranges: [], markedRanges: [], state: 0 }, `seed ${seed}`);
	}
});

test("bytes that end in a character of a pattern are free of it unless it begins one", () => {
	const isFree = (pattern: string) => new MultiPatternSearch(new Map([[pattern, true]])).cannotMatch(Buffer.from("x".repeat(1_000)));
	assert.equal(isFree("secret with x"), true);
	assert.equal(isFree("x is how it begins"), false);
	assert.equal(isFree("xxxxxx"), false);
});

test("a matcher finds what the search of every character finds, wherever the text was cut", () => {
	for (let seed = 1; seed <= 500; seed += 1) {
		const { patterns, text } = createTexts(seed);
		const marked = new Map(patterns.map((pattern, index) => [pattern, index % 2 === 0]));
		const [matcher, automaton] = [new MultiPatternSearch(marked), new AhoCorasick(marked)];
		const cut = createNumbers(seed)(text.length + 1);
		let [state, expectedState] = [0, 0];
		for (const piece of [text.slice(0, cut), text.slice(cut)]) {
			const found = matcher.find(piece, state);
			const expected = automaton.find(piece, expectedState);
			assert.deepEqual([found.ranges, found.markedRanges], [expected.ranges, expected.markedRanges], `seed ${seed}`);
			assert.equal(matcher.partialMatchLength(found.state), automaton.partialMatchLength(expected.state), `seed ${seed}`);
			[state, expectedState] = [found.state, expected.state];
		}
	}
});

test("a pattern is found in a text that was cut within one of its characters", () => {
	const matcher = new MultiPatternSearch(new Map([["key 🔑 end", false]]));
	const { state } = matcher.find("the key \ud83d");
	assert.deepEqual(matcher.find("\udd11 end", state).ranges, [-5, 5]);
});

test("a text without them is told from one with them", () => {
	const search = new WuManber(["hunter2 and more", "0123456789abcdef"]);
	const text = "the quick brown fox jumps over the lazy dog, 0123456789abcde times\n".repeat(1_000);
	assert.equal(search.mayContainMatch(text), false);
	assert.equal(search.mayContainMatch(`${text}hunter2 and more`), true);
	assert.equal(new WuManber([]).mayContainMatch(text), false);
});

test("a text that looks like a pattern everywhere is given up, which takes no longer than the text is long", () => {
	assert.equal(new WuManber(["aaaaaaaab"]).mayContainMatch("a".repeat(10_000)), false);
	assert.equal(new WuManber(["baaaaaaaa"]).mayContainMatch("a".repeat(10_000)), false);
	assert.equal(new WuManber(["aaaabaaaa"]).mayContainMatch("a".repeat(10_000)), true);
});

test.run();
