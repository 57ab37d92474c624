import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findExportProblems } from "./check-exports.ts";
import { findTypeProblems } from "./check-types.ts";

const exports = {
	".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
	"./package.json": "./package.json",
};
const files = new Set(["dist/index.d.ts", "dist/index.js", "package.json"]);

function findTypes(declarations: Readonly<Record<string, string>>): string[] {
	return findTypeProblems(exports, {
		packages: ["knex", "@scope/kept", "h3"],
		declarations: Object.keys(declarations),
		read: (file) => declarations[file],
	});
}

test("exports that are complete and lead to files have no problem", () => {
	assert.deepEqual(findExportProblems(exports, { plugins: [], files }), []);
});

test("a plugin that exports leave out is named", () => {
	assert.match(findExportProblems(exports, { plugins: ["plugins/new"], files }).join(), /"\.\/plugins\/new" is missing/);
});

test("an export that leads to no file of the package is named, for types and for code", () => {
	const problems = findExportProblems(exports, { plugins: [], files: new Set(["package.json"]) });
	assert.equal(problems.length, 2);
	assert.match(problems.join(), /dist\/index\.d\.ts.*dist\/index\.js/);
});

test("an export with a pattern is refused, as it matches deeper folders too", () => {
	const wide = { "./plugins/*": { types: "./dist/index.d.ts", default: "./dist/index.js" } };
	assert.match(findExportProblems(wide, { plugins: [], files }).join(), /is a pattern/);
});

test("types may lead to declarations of the package, to Node and to dependencies", () => {
	const problems = findTypes({
		"dist/index.d.ts": `import type { A } from "./deep/a.ts";\nimport "node:tls";`,
		"dist/deep/a.d.ts": `export * from "../index.js";\nexport type K = import("knex").Knex;\nimport type { S } from "@scope/kept/inside";`,
	});
	assert.deepEqual(problems, []);
});

test("types that lead to a missing declaration are named, however deep", () => {
	const problems = findTypes({ "dist/index.d.ts": `export * from "./a.ts";`, "dist/a.d.ts": `import { B } from "./b.ts";` });
	assert.deepEqual(problems, ['dist/a.d.ts: "./b.ts" is not in the package']);
});

test("types that lead to a package which may not be installed are named", () => {
	assert.match(findTypes({ "dist/index.d.ts": `export type S = typeof import("ssh2");` }).join(), /"ssh2" is no dependency/);
});

test("types that lead to a package whose own types do not compile are named", () => {
	assert.match(findTypes({ "dist/index.d.ts": `import type { H3Event } from "h3";` }).join(), /"h3" has types that do not compile/);
});

test("a declaration that no export leads to is named", () => {
	assert.deepEqual(findTypes({ "dist/index.d.ts": `export * from "./a.ts";`, "dist/a.d.ts": "", "dist/b.d.ts": "" }), [
		"dist/b.d.ts is in the package, and no export leads to it; hint: npm run build",
	]);
});

test.run();
