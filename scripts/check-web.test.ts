import * as assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "uvu";
import { bundleWeb } from "./build/bundle-web.ts";
import { findForeignImports, findTooLarge } from "./check-web.ts";

test("what the page imports of the engine is found, types and late imports as well", () => {
	const text = `import type { A } from "../../kernel/engine.ts";\nimport { x } from "../kit/x.ts";\nconst late = () => import("knex");\nimport "preact";`;
	assert.deepEqual(
		findForeignImports("plugins/feature-web-ui/web/runs/a.tsx", text).map((problem) => problem.split(":")[0]),
		["plugins/feature-web-ui/web/runs/a.tsx imports ../../kernel/engine.ts", "plugins/feature-web-ui/web/runs/a.tsx imports knex"],
	);
});

test("a page that is too large is told of with what makes it so", () => {
	const files = [{ name: "a.js", contents: randomBytes(9_000) }];
	assert.deepEqual(findTooLarge("everything", files, 10), []);
	assert.match(findTooLarge("everything", files, 8)[0] ?? "", /^web page: everything has 9\.0 kB, at most 8; the largest: a\.js 9\.0$/);
});

test("a text is in the files of the pages that show it, and is not loaded with other pages", async () => {
	const { files } = await bundleWeb();
	const find = (text: string) => files.filter(({ name, contents }) => name.endsWith(".js") && Buffer.from(contents).includes(text));
	assert.equal(find("Verify integrity").length, 1);
	assert.equal(find("Verify integrity")[0]?.isFirst, false);
	assert.ok(find("Sign in to svc").some(({ isFirst }) => isFirst));
});

test.run();
