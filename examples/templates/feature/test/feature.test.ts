import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createEngine, createService, defineAuthBackend, type SvcConfig } from "svc-automation";
import { createClient } from "svc-automation/client";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { memoryStorage } from "svc-automation/plugins/storage-memory";
import { mockRunner } from "svc-automation/testing";
import { test } from "uvu";
import { templateName } from "../src/feature.ts";

const directory = mkdtempSync(join(tmpdir(), "template-name-"));
test.after(() => rmSync(directory, { recursive: true }));

/** Returns the configuration of a service with the feature. The service stores nothing on disk. */
const toConfig = (): SvcConfig => ({
	features: [templateName()],
	storage: memoryStorage(),
	event_bus: memoryBus(),
	runners: [mockRunner()],
	auth: { enable: false },
	log: { level: "error" },
	data_dir: directory,
});

async function withService(changes: Partial<SvcConfig>, use: (apiUrl: string) => Promise<void>): Promise<void> {
	const env = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const service = createService({ ...toConfig(), ...changes }, { env, directory });
	try {
		await use((await service.start()).addresses.api ?? "");
	} finally {
		await service.stop();
	}
}

test("notes are stored, and listed with the newest first", async () => {
	const engine = createEngine(toConfig(), { directory });
	await engine.start();
	try {
		for (const text of ["first", "second", "third"]) await engine.templateNameNotes.create(text, { username: "ann" });
		const { items, total } = await engine.templateNameNotes.list({ limit: 2 });
		assert.deepEqual(
			items.map(({ text, user }) => [text, user]),
			[
				["third", "ann"],
				["second", "ann"],
			],
		);
		assert.equal(total, 3);
	} finally {
		await engine.stop();
	}
});

/** Accepts users whose password is their name. */
const names = defineAuthBackend("names", () => ({
	authenticate: async ({ username, password }) => (username === password ? { username } : undefined),
}));

const guarded: Partial<SvcConfig> = {
	auth: { backend: names() },
	rbac: {
		enable: true,
		roles: [{ name: "writer", permission_grants: [{ permission_types: ["template_note_create"] }] }],
		assignments: [
			{ username: "ann", roles: ["observer"] },
			{ username: "max", roles: ["writer"] },
		],
	},
};

test("the routes require the permissions, and refuse wrong bodies", () =>
	withService(guarded, async (apiUrl) => {
		const request = async (username: string, method: string, body?: object) => {
			const { token } = await createClient({ apiUrl, authUrl: apiUrl }).signIn({ username, password: username });
			const headers = { "x-auth-token": token, "content-type": "application/json" };
			const response = await fetch(`${apiUrl}/v1/template-name/notes`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
			return response.status;
		};
		assert.equal(await request("ann", "GET"), 200);
		assert.equal(await request("ann", "POST", { text: "here" }), 403);
		assert.equal(await request("max", "POST", { text: "here" }), 201);
		assert.equal(await request("max", "GET"), 403);
		assert.equal(await request("max", "POST", { text: "" }), 400);
		assert.equal((await fetch(`${apiUrl}/v1/template-name/notes`)).status, 401);
	}));

/** Runs `svc` in a child process with the commands of the feature. */
async function svc(apiUrl: string, ...words: readonly string[]): Promise<string> {
	const manifest = fileURLToPath(import.meta.resolve("svc-automation/package.json"));
	const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly bin: { readonly svc: string } };
	const commands = join(import.meta.dirname, `../src/commands${extname(import.meta.filename)}`);
	const env = { ...process.env, SVC_API_URL: apiUrl, SVC_COMMANDS: commands, SVC_CLI_SKIP_CONFIG: "1" };
	const { stdout } = await promisify(execFile)(process.execPath, [join(dirname(manifest), bin.svc), ...words], { env });
	return stdout;
}

test("the web page has an entry that lists the notes", () =>
	withService({}, async (apiUrl) => {
		const { page_entries: entries = [] } = await createClient({ apiUrl }).user({ permissions: true });
		assert.deepEqual(
			entries.map(({ title, path, is_paged: isPaged }) => [title, path, isPaged]),
			[["template-name", "/template-name/notes", true]],
		);
	}));

test("the commands write notes and list them", () =>
	withService({}, async (apiUrl) => {
		assert.match(await svc(apiUrl, "template-name", "create", "The disk is new."), /^text: The disk is new\.$/m);
		assert.match(await svc(apiUrl, "template-name", "list"), /The disk is new\./);
	}));

test.run();
