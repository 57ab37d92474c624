import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test as everyTest } from "uvu";
import { withPackOnDisk } from "../../core/testing/packs/pack-on-disk.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { checkPacks } from "./check-packs.ts";
import { testPacks } from "./test-packs.ts";

const { test } = requires(everyTest, { command: "python3" });
const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/build\/tests\/$/, "");
const { signal } = new AbortController();

/** Files whose name stands in front of their text. */
function readFiles(page: string): Readonly<Record<string, string>> {
	const text = readFileSync(`${root}${page}`, "utf8");
	const blocks = text.matchAll(/`([\w./]+)`:\n\n```\w+\n([^]*?)```/g);
	return Object.fromEntries([...blocks].map(([, path = "", content = ""]) => [path, content]));
}

test("the pack of the guide has no faults, and its tests pass", () => {
	const files = readFiles("docs/guides/write-a-pack.md");
	assert.ok(Object.keys(files).length >= 12);
	return withPackOnDisk(files, async ({ directory }) => {
		const [check] = await checkPacks({ directories: [directory], signal });
		assert.deepEqual([check?.pack, check?.findings], ["door", []]);
		const [tests] = await testPacks({ directories: [directory], signal });
		assert.deepEqual(
			tests?.results.map(({ kind, problems }) => [kind, problems]),
			[...["rule", "rule", "alias", "alias", "alias", "python", "python"].map((kind) => [kind, []])],
		);
	});
});

everyTest.run();
