import * as assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { test } from "uvu";
import { findFiles } from "../find-files.ts";
import { removeOthers } from "./files.ts";
import { modulePlaces } from "./module-places.ts";

/** The compiler; where there is a file `interrupt`, the build is killed before one of the declarations is written. */
const interruptible = `
const { spawnSync } = require("node:child_process");
const { existsSync, rmSync } = require("node:fs");
const compiler = ${JSON.stringify(resolve("node_modules/typescript/bin/tsc"))};
const { status } = spawnSync(process.execPath, [compiler, ...process.argv.slice(2)], { stdio: "inherit" });
if (existsSync("interrupt")) {
	for (const file of ["interrupt", "build/declarations/core/second.d.ts"]) rmSync(file);
	process.kill(process.ppid, "SIGKILL");
}
process.exit(status ?? 1);
`;
const tsx = import.meta.resolve("tsx");
const project = {
	"package.json": JSON.stringify({ type: "module", exports: { ".": { types: "./dist/core/index.d.ts" } } }),
	"core/index.ts": 'export * from "./second.ts";\n',
	"core/second.ts": "export const second = 2;\n",
	"node_modules/typescript/bin/tsc": interruptible,
};

async function withFiles(files: Readonly<Record<string, string>>, use: (directory: string) => unknown): Promise<void> {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), "svc-build-")));
	try {
		for (const [file, text] of Object.entries(files)) {
			mkdirSync(dirname(join(directory, file)), { recursive: true });
			writeFileSync(join(directory, file), text);
		}
		await use(directory);
	} finally {
		rmSync(directory, { recursive: true });
	}
}

test("declarations that an interrupted build has not written are written by the next one", () =>
	withFiles(project, (directory) => {
		for (const name of ["tsconfig.json", "tsconfig.build.json"]) cpSync(name, join(directory, name));
		mkdirSync(join(directory, "node_modules/@types"));
		symlinkSync(resolve("node_modules/@types/node"), join(directory, "node_modules/@types/node"));
		const steps = pathToFileURL(resolve("scripts/build/declarations.ts")).href;
		const program = `import { makeDeclarations } from ${JSON.stringify(steps)}; makeDeclarations();`;
		const declare = () =>
			spawnSync(process.execPath, ["--import", tsx, "--input-type=module", "-e", program], { cwd: directory, stdio: "inherit" });
		writeFileSync(join(directory, "interrupt"), "");
		assert.equal(declare().signal, "SIGKILL");
		assert.ok(!existsSync(join(directory, "dist/core/second.d.ts")));
		assert.equal(declare().status, 0);
		assert.match(readFileSync(join(directory, "dist/core/second.d.ts"), "utf8"), /second = 2/);
	}));

test("a module in a bundle finds what stands beside it, in a chunk as well, and text is left alone", () => {
	const shared = 'export const found = [import.meta.url, import.meta.filename, import.meta.dirname, "import.meta.url"];\n';
	const entry = (path: string) => `import { found } from "${path}";\nconsole.log(JSON.stringify([...found, import.meta.url]));\n`;
	const sources = { "a/b/shared.ts": shared, "a/one.ts": entry("./b/shared.ts"), "c/two.ts": entry("../a/b/shared.ts") };
	return withFiles({ ...sources, "package.json": '{ "type": "module" }' }, async (directory) => {
		await build({
			...{ absWorkingDir: directory, entryPoints: ["a/one.ts", "c/two.ts"], outdir: "out", outbase: ".", logLevel: "error" },
			...{ bundle: true, splitting: true, format: "esm", platform: "node", chunkNames: "deep/chunks/[name]-[hash]" },
			plugins: [modulePlaces("deep/chunks")],
		});
		const at = (file: string) => join(directory, "out", file);
		for (const file of ["a/one.js", "c/two.js"]) {
			const printed = execFileSync(process.execPath, [join(directory, "out", file)], { encoding: "utf8" });
			const found = [pathToFileURL(at("a/b/shared.js")).href, at("a/b/shared.js"), at("a/b"), "import.meta.url"];
			assert.deepEqual(JSON.parse(printed), [...found, pathToFileURL(at(file)).href]);
		}
	});
});

test("what an earlier build has left goes, with its folders, and caches of Python stay", () =>
	withFiles({ "kept/a.js": "", "kept/old.js": "", "old/deep/b.js": "", "kept/__pycache__/c.pyc": "" }, (directory) => {
		removeOthers(directory, new Set([join(directory, "kept/a.js")]));
		const left = findFiles([directory], () => true).map((file) => file.slice(directory.length + 1));
		assert.deepEqual(left, ["kept/__pycache__/c.pyc", "kept/a.js"]);
		assert.ok(!existsSync(join(directory, "old")));
	}));

test("each program that a module starts by its path is in the build", () => {
	const sources = findFiles(["core", "plugins", "plugins-auth", "plugins-runner"], (file) => /(?<!\.test|\.test-support)\.ts$/.test(file));
	const programs = sources.flatMap((file) =>
		[...readFileSync(file, "utf8").matchAll(/["`](\.\/[\w/-]+)\.(?:js|\$\{isFromSource[^}]*\})["`], import\.meta\.url/g)].map(([, name]) =>
			posix.join("dist", dirname(file), `${name}.js`),
		),
	);
	assert.equal(programs.length, 4, programs.join());
	for (const file of programs) assert.ok(existsSync(file), `${file} is not there; hint: programs of scripts/build/bundle.mjs`);
});

test("no file of the build has a character above U+00FF, with which V8 would hold its source with two bytes for each character", () => {
	const wide = findFiles(["dist"], (file) => file.endsWith(".js")).filter((file) => /[\u0100-\uffff]/.test(readFileSync(file, "utf8")));
	assert.deepEqual(wide, [], "hint: esbuild escapes strings but not regular expressions; write \\u there");
});

test.run();
