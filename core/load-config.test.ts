import * as assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "./contract/index.ts";
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

test.run();
