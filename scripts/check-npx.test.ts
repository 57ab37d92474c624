import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findStrayNpx } from "./check-npx.ts";

test("npx svc is refused on a page that has not said where the command is installed", () => {
	assert.match(findStrayNpx("a.md", "# A\n\n```sh\nnpx svc create runner x\n```\n").join(), /^a\.md:4: "npx svc" before/);
	assert.match(findStrayNpx("a.md", "npx svc serve\nIn the project folder.\n").join(), /^a\.md:1: /);
});

test("npx svc is taken in a project folder, behind an installation, and with the package", () => {
	for (const text of [
		"From the project folder:\n\n```sh\nnpx svc serve\n```\n",
		"In the folder of a [project](x.md):\n\nnpx svc serve\n",
		"```sh\nnpm install\nnpx svc serve\n```\n",
		"npx --package svc-automation svc create project x\n",
		"In the project folder it is `npx svc`.\n",
	])
		assert.deepEqual(findStrayNpx("a.md", text), []);
});

test.run();
