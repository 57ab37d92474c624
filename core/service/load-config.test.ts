import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { loadConfig } from "./load-config.ts";

async function load(name: string, text: string): Promise<unknown> {
	const directory = await mkdtemp(join(tmpdir(), "svc-load-"));
	try {
		await writeFile(join(directory, name), text);
		return await loadConfig(join(directory, name));
	} finally {
		await rm(directory, { recursive: true });
	}
}

function isConfigError(...parts: readonly string[]): (error: unknown) => boolean {
	return (error) => {
		assert.ok(isSvcError(error, "SVC_CONFIG"), String(error));
		for (const part of parts) assert.ok(error.message.includes(part), `${part} is not in: ${error.message}`);
		return true;
	};
}

test("a TypeScript file gives its default export", async () => {
	assert.deepEqual(await load("svc.config.ts", "const port: number = 1;\nexport default { api: { port } };"), { api: { port: 1 } });
});

test("JavaScript files do as well", async () => {
	assert.deepEqual(await load("svc.config.mjs", "export default { api: {} };"), { api: {} });
	assert.deepEqual(await load("svc.config.cjs", "module.exports = { api: {} };"), { api: {} });
});

test("a missing file is named", async () => {
	await assert.rejects(loadConfig("/nowhere/svc.config.ts"), isConfigError('"/nowhere/svc.config.ts" does not exist', "--config"));
});

test("a file without a default export is refused with a hint", async () => {
	await assert.rejects(
		load("svc.config.ts", "export const api = {};"),
		isConfigError("svc.config.ts", "no default export", "export default defineConfig("),
	);
});

test("a syntax error is told with its place", async () => {
	await assert.rejects(load("svc.config.ts", "const a: number = 1;\nexport default { a, b: ];\n"), isConfigError("svc.config.ts", "2:23"));
});

test("an error thrown by the file is told with its place", async () => {
	await assert.rejects(
		load("svc.config.ts", 'const a: number = 1;\nif (a) throw new Error("no such luck");\nexport default {};'),
		isConfigError("no such luck", "(line 2:"),
	);
});

test("a package that is not there is named", async () => {
	await assert.rejects(
		load("svc.config.ts", 'import { x } from "svc-plugin-nowhere";\nexport default { x };'),
		isConfigError("svc-plugin-nowhere"),
	);
});

test("a copy in the cache directory spares the translation until the file changes", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-load-"));
	const cacheDirectory = join(directory, "cache");
	const file = join(directory, "svc.config.ts");
	const loader = JSON.stringify(new URL("../../dist/plugins/_shipped/index.js", import.meta.url).href);
	const program = `import { loadConfig } from ${loader};
		console.log(JSON.stringify(await loadConfig(${JSON.stringify(file)}, ${JSON.stringify({ cacheDirectory })})));`;
	// The built one, as Node that runs the tests reads TypeScript; in processes of their own, as a module is loaded once in each.
	const loadAnew = async () => {
		const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
			env: { PATH: process.env["PATH"] },
		});
		return JSON.parse(stdout) as unknown;
	};
	const toText = (port: number) => `const port: number = ${port};\nexport default { api: { port } };`;
	try {
		await writeFile(file, toText(1));
		assert.deepEqual(await loadAnew(), { api: { port: 1 } });
		// Newer Nodes read TypeScript themselves.
		if ("typescript" in process.features && process.features.typescript) return;
		const [name = ""] = await readdir(cacheDirectory);
		const copy = join(cacheDirectory, name);
		await writeFile(copy, (await readFile(copy, "utf8")).replace("port = 1", "port = 2"));
		assert.deepEqual(await loadAnew(), { api: { port: 2 } });
		await writeFile(file, toText(3));
		assert.deepEqual(await loadAnew(), { api: { port: 3 } });
	} finally {
		await rm(directory, { recursive: true });
	}
});

test.run();
