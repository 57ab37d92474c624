import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { PackEntity } from "../../../contract/index.ts";
import { toLockEntries, toLocked, toLockedRequest } from "./lock-entries.ts";

const content = "ab".repeat(32);
const source = { kind: "git", address: "https://git.example/disk", revision: "main", commit: "c".repeat(40), subdirectory: "packs/disk" };
const entry = { ref: "disk", version: "1.4.0", source, content };

test("a lock file names what was installed, by ref, and nothing that was not", () => {
	const pack = (ref: string, more: Partial<PackEntity>) => ({ ref, version: "1.4.0", source: null, content: null, ...more }) as PackEntity;
	const installed = { content, source: { ...source, index: "https://index.example" } };
	assert.deepEqual(toLockEntries([pack("disk", installed), pack("core", {}), pack("a", installed)]), [{ ...entry, ref: "a" }, entry]);
});

test("what is asked for by a lock file is the commit, whatever the branch is now", () => {
	assert.deepEqual(toLockedRequest(toLocked([entry])[0] as never), {
		text: `https://git.example/disk=${"c".repeat(40)}#packs/disk`,
		kind: "git",
		address: "https://git.example/disk",
		revision: "c".repeat(40),
		subdirectory: "packs/disk",
	});
	const archive = { ...entry, source: { kind: "archive", address: "https://x.example/a.zip" } };
	assert.deepEqual(toLockedRequest(toLocked([archive])[0] as never), {
		text: "https://x.example/a.zip",
		kind: "archive",
		address: "https://x.example/a.zip",
	});
});

for (const [given, problem] of [
	[["disk"], /locked\[0\]: "ref" must be/],
	[[{ ...entry, ref: "../x" }], /locked\[0\]: "ref" must be/],
	[[entry, entry], /locked\[1\]: pack "disk" stands there twice/],
	[[{ ...entry, content: "abc" }], /"content" must be the hash/],
	[[{ ...entry, source: { kind: "ext", address: "x" } }], /"source" must have an address, and a kind of git, archive, directory/],
	[[{ ...entry, source: null }], /"source" must have an address/],
] as const) {
	test(`an entry ${JSON.stringify(given).slice(0, 60)} is refused by name`, () => {
		assert.throws(() => toLocked(given), problem);
	});
}

test.run();
