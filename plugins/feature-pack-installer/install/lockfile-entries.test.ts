import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { PackEntity } from "../../../core/contract/index.ts";
import { parsePackRequest } from "../sources/parse-request.ts";
import { toLockEntries, toLocked, toLockedRequest } from "./lockfile-entries.ts";

const content = "ab".repeat(32);
const source = { kind: "git", address: "https://git.example/disk", revision: "main", commit: "c".repeat(40), subdirectory: "packs/disk" };
const entry = { ref: "disk", version: "1.4.0", source, content };

function withSource(kind: string, address: string, more: object = {}) {
	return { ...entry, source: { kind, address, ...more } };
}

test("a lock file names what was installed, by ref, and nothing that was not", () => {
	const pack = (ref: string, more: Partial<PackEntity>) => ({ ref, version: "1.4.0", source: null, content: null, ...more }) as PackEntity;
	const installed = { content, source: { ...source, index: "https://index.example" } };
	assert.deepEqual(toLockEntries([pack("disk", installed), pack("core", {}), pack("a", installed)]), [{ ...entry, ref: "a" }, entry]);
});

test("what is asked for by a lock file is the commit, whatever the branch is now", () => {
	assert.deepEqual(toLockedRequest(toLocked([entry], parsePackRequest)[0] as never), {
		text: `https://git.example/disk=${"c".repeat(40)}#packs/disk`,
		kind: "git",
		address: "https://git.example/disk",
		revision: "c".repeat(40),
		subdirectory: "packs/disk",
	});
	const archive = { ...entry, source: { kind: "archive", address: "https://x.example/a.zip" } };
	assert.deepEqual(toLockedRequest(toLocked([archive], parsePackRequest)[0] as never), {
		text: "https://x.example/a.zip",
		kind: "archive",
		address: "https://x.example/a.zip",
	});
});

test("paths with characters that mean something elsewhere can be locked", () => {
	for (const address of ["/srv/a=b/disk", "file:///srv/a=b/disk/.git", "/srv/a#1/disk.zip", "user@git.example:disk.git"]) {
		const kind = address.endsWith(".zip") ? "archive" : /git$/.test(address) ? "git" : "directory";
		assert.equal(toLockedRequest(toLocked([withSource(kind, address)], parsePackRequest)[0] as never).address, address);
	}
});

for (const [given, problem] of [
	[["disk"], /locked\[0\]: "ref" must be/],
	[[{ ...entry, ref: "../x" }], /locked\[0\]: "ref" must be/],
	[[entry, entry], /locked\[1\]: pack "disk" occurs twice/],
	[[{ ...entry, content: "abc" }], /"content" must be the hash/],
	[[{ ...entry, source: { kind: "ext", address: "x" } }], /"source" must have an address and a kind of git, archive, directory/],
	[[{ ...entry, source: null }], /"source" must have an address/],
	// A path of the service's own directory, whatever content.source_directories allows.
	[[withSource("directory", "data")], /locked\[0\]: "source" must have a complete address/],
	[[withSource("directory", "../../etc")], /locked\[0\]: /],
	[[withSource("directory", "https://x.example/a")], /"source" must have a complete address/],
	[[withSource("archive", "a.zip")], /"source" must have a complete address/],
	[[withSource("git", "ext::sh -c id")], /locked\[0\]: .*git remote helper/],
	[[withSource("git", "--upload-pack=touch /tmp/evil")], /locked\[0\]: .*dash/],
	[[withSource("git", "org/disk")], /"source" must have a complete address/],
	[[withSource("git", "https://x.example/a", { commit: "--output=x" })], /locked\[0\]: .*is not a valid branch/],
	[[withSource("git", "https://x.example/a", { subdirectory: "../b" })], /locked\[0\]: .*is outside/],
	[[withSource("git", "https://me:secret@x.example/a")], /^(?!.*secret).*contains a password/],
	[[withSource("git", "https://secret@x.example/a")], /^(?!.*secret).*contains a user name/],
	[[withSource("archive", "https://secret@x.example/a.zip")], /^(?!.*secret).*contains a user name/],
] as const) {
	test(`an entry ${JSON.stringify(given).slice(0, 60)} is refused by name`, () => {
		assert.throws(() => toLocked(given, parsePackRequest), problem);
	});
}

test.run();
