import * as assert from "node:assert/strict";
import { test } from "uvu";
import { countStructure, findExceeded } from "./check-structure.ts";

const file = (path: string, text: string) => ({ path, text });

test("lines of code are those that are neither blank, nor comment, nor import", () => {
	const text = `import {\n\ta,\n\tb,\n} from "./a.ts";\nimport "./c.ts";\n\n/**\n * A comment.\n */\nexport const d = a; // code\n// comment\n`;
	const counts = countStructure([file("core/kernel/d.ts", text), file("core/http/e.ts", "work();\n")]);
	assert.deepEqual([counts.kernelFiles, counts.kernelLines, counts.kernelCode], [1, 11, 1]);
});

test("a small private file has exactly one importer, which lies in its folder, and fewer than 60 lines", () => {
	const importer = (...names: string[]) => names.map((name) => `import { x } from "${name}";\n`).join("");
	const counts = countStructure([
		file("core/a/main.ts", `${importer("./small.ts", "./large.ts", "./shared.ts")}await import("./late.ts");\n`),
		file("core/a/other.ts", importer("./shared.ts")),
		file("core/b/main.ts", importer("../a/foreign.ts")),
		file("core/a/small.ts", "x();\n"),
		file("core/a/late.ts", "x();\n".repeat(59)),
		file("core/a/large.ts", "x();\n".repeat(60)),
		file("core/a/shared.ts", "x();\n"),
		file("core/a/foreign.ts", "x();\n"),
	]);
	assert.equal(counts.smallPrivateFiles, 2);
});

test("types whose name ends with Parts are counted, and no uses of them", () => {
	const text = "export interface RunParts {}\ntype Parts = RunParts;\nfunction f(parts: RunParts): Parts {}\ninterface PartsOfIt {}\n";
	assert.equal(countStructure([file("core/a.ts", text)]).partsTypes, 2);
});

test("a count may reach its bound and not exceed it", () => {
	const counts = { kernelFiles: 2, kernelLines: 10, kernelCode: 5, smallPrivateFiles: 1, partsTypes: 0 };
	assert.deepEqual(findExceeded(counts, counts), []);
	assert.deepEqual(findExceeded(counts, { ...counts, kernelFiles: 1 }), ["kernelFiles is 2; 1 at most"]);
});

test.run();
