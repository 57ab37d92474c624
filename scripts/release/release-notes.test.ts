import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "uvu";
import { findReleaseProblems, toNotes } from "./release-notes.ts";

const changelog = "# Changelog\n\n## 1.2.0 - 2031-03-04\n\n### Added\n\n- More\n\n## 1.1.0 - 2030-01-02\n\n- Less\n";
const ready = { version: "1.2.0", lockVersion: "1.2.0", changelog, changes: "", tags: ["v1.1.0"] };

test("a version whose changelog has its date can be released, from a clean tree, once", () => {
	assert.deepEqual(findReleaseProblems(ready), []);
	const wrong: readonly (readonly [object, RegExp])[] = [
		[{ changes: " M core/index.ts\n" }, /not committed:\n M core\/index\.ts$/],
		[{ lockVersion: "1.1.0" }, /package-lock\.json says 1\.1\.0/],
		[{ tags: ["v1.2.0"] }, /v1\.2\.0 is there already/],
		[{ changelog: changelog.replace("2031-03-04", "unreleased") }, /1\.2\.0 is unreleased/],
		[{ version: "1.3.0", lockVersion: "1.3.0" }, /begins with "## 1\.2\.0 - 2031-03-04", must be "## 1\.3\.0 - <date>"/],
		[{ changelog: "" }, /begins with ""/],
	];
	for (const [change, message] of wrong) {
		const problems = findReleaseProblems({ ...ready, ...change });
		assert.equal(problems.length, 1, problems.join("; "));
		assert.match(problems[0] ?? "", message);
	}
});

test("notes are what the changelog says of the version, and of no other", () => {
	assert.equal(toNotes(changelog, "1.2.0"), "### Added\n\n- More\n");
	assert.equal(toNotes(changelog, "1.1.0"), "- Less\n");
	assert.throws(() => toNotes(changelog, "1.2"), /says nothing of 1\.2$/);
	const own = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
	const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { readonly version: string };
	assert.match(toNotes(own, version), /^_The first version\._/);
});

test.run();
