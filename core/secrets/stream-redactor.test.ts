import * as assert from "node:assert/strict";
import { test } from "uvu";
import { maskRanges, Redactor } from "./redactor.ts";
import { StreamRedactor } from "./stream-redactor.ts";

const token = "0123456789abcdef0123456789abcdef";

function shown(pieces: readonly string[], values: readonly string[], options: { readonly token?: string } = {}) {
	const stream = new StreamRedactor(new Redactor(values, options));
	const released = [...pieces.map((piece) => stream.push(piece)), stream.end()];
	return {
		stored: released.map(({ data }) => data).join(""),
		seen: released
			.map(({ data, secretRanges }) => maskRanges(data, secretRanges))
			.join("")
			.replaceAll(/(\*{8})+/g, "#"),
	};
}

test("a secret is marked wherever the output was cut, and nothing else is changed", () => {
	const secrets = ["hunter2 and more", "überlänge 🔑 end", "aaaa", "aaab", "abcabcabd", "bcab"];
	for (const secret of secrets) {
		const text = `before ${secret} after h hunter überl abcabcab`;
		for (let first = 0; first <= text.length; first += 1) {
			for (let second = first; second <= text.length; second += 7) {
				const { stored, seen } = shown([text.slice(0, first), text.slice(first, second), text.slice(second)], secrets);
				assert.equal(stored, text);
				assert.ok(!seen.includes(secret), seen);
				assert.match(seen, /^before #/);
			}
		}
	}
});

test("character by character only what may become a secret is held back", () => {
	const stream = new StreamRedactor(new Redactor(["secret"]));
	assert.deepEqual(
		[..."a sec second secret."].map((character) => stream.push(character).data),
		["a", " ", "", "", "", "sec ", "", "", "", "seco", "n", "d", " ", "", "", "", "", "", "secret", "."],
	);
});

test("overlapping secrets are masked as one", () => {
	assert.equal(shown(["x abcdef y"], ["abcd", "cdef"]).seen, "x # y");
	assert.equal(shown(["x ab", "cde", "f y"], ["abcd", "cdef"]).seen, "x # y");
	assert.equal(shown(["aaaaaaaaa", "aaab"], ["aaaa"]).seen, "#b");
});

test("the token of a run is found where short lines stand before it, and where its end makes one", () => {
	for (const form of [token, Buffer.from(token).toString("base64")]) {
		for (let cut = 1; cut < form.length; cut += 1) {
			const { stored, seen } = shown(["hi\n", form.slice(0, cut), `${form.slice(cut)}\n`, "there\n"], [], { token });
			assert.ok(!stored.includes(token.slice(8, 24)) && !stored.includes(form.slice(8, 24)), stored);
			assert.match(seen, /^hi\n#.{0,2}\nthere\n$/);
		}
	}
});

test("the token of a run is gone, as is what somebody made base64 of, and its bytes are counted all the same", () => {
	const basic = Buffer.from(`ann:${token}`).toString("base64");
	for (const form of [token, basic]) {
		for (let cut = 0; cut < form.length; cut += 1) {
			const text = `<${form}>`;
			const { stored, seen } = shown([text.slice(0, cut), text.slice(cut)], ["cdef01"], { token });
			assert.ok(!stored.includes(token.slice(8, 24)) && !stored.includes(form.slice(8, -8)), stored);
			assert.equal(stored.length, text.length);
			assert.match(seen, /^<.{0,8}#.{0,2}>$/);
		}
	}
});

test("a beginning of a secret at the end of all is masked when it is long, or when others go on from there", () => {
	assert.equal(shown(["see: hunter"], ["hunter2 and more"]).seen, "see: hunter");
	assert.equal(shown(["see: hunter2 "], ["hunter2 and more"]).seen, "see: #");
	const secrets = new Redactor(["hunter2 and more"]);
	const first = new StreamRedactor(secrets);
	assert.equal(first.push("see: hun").data, "see: ");
	assert.deepEqual(first.end({ willContinue: true }), { data: "hun", secretRanges: [0, 3], tokenRanges: [] });
	const second = new StreamRedactor(secrets);
	second.restore("see: hun");
	assert.deepEqual(second.push("ter2 and more."), { data: "ter2 and more.", secretRanges: [0, 13], tokenRanges: [] });
});

test("where it is not known what is secret everything is, and nothing is held back", () => {
	const stream = new StreamRedactor(Redactor.unknown);
	assert.deepEqual(stream.push("anything"), { data: "anything", secretRanges: [0, 8], tokenRanges: [] });
});

test("whoever chooses secrets and output cannot make the search slow", () => {
	const secrets = new Redactor([`${"a".repeat(9_000)}b`, `${"ab".repeat(4_000)}c`]);
	const started = process.cpuUsage();
	const stream = new StreamRedactor(secrets);
	for (let count = 0; count < 64; count += 1) stream.push("a".repeat(65_536));
	stream.push("ab".repeat(1_000_000));
	// One comparison for each character of the longer one would take hours.
	assert.ok(process.cpuUsage(started).user < 5_000_000);
});

test.run();
