// test-suite: full
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createEngine, createService, defineAuthBackend, loadConfig, type Service, type SvcConfig } from "svc-automation";
import { createClient } from "svc-automation/client";
import { defineFeature } from "svc-automation/feature";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { memoryStorage } from "svc-automation/plugins/storage-memory";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { test } from "uvu";
import { board } from "./board/index.ts";
import { routes } from "./board/routes.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-custom-feature-"));
const program = fileURLToPath(new URL("../../dist/plugins/_shipped/main.js", import.meta.url));
const file = join(import.meta.dirname, "svc.config.ts");

async function withService(
	{ variables = {}, ...changes }: Partial<SvcConfig> & { readonly variables?: Record<string, string> },
	use: (apiUrl: string, service: Service) => Promise<void>,
): Promise<void> {
	const env = {
		...variables,
		SVC_DATA_DIR: directory,
		SVC_LOG_LEVEL: "error",
		SVC_AUTH_PORT: "0",
		SVC_API_PORT: "0",
		SVC_STREAM_PORT: "0",
	};
	const service = createService({ ...(await loadConfig(file)), ...changes }, { env, directory: import.meta.dirname });
	try {
		await use((await service.start()).addresses.api ?? "", service);
	} finally {
		await service.stop();
	}
}

async function svc(apiUrl: string, ...words: readonly string[]): Promise<string> {
	const env = { ...process.env, SVC_API_URL: apiUrl, SVC_COMMANDS: join(import.meta.dirname, "board/commands.ts"), SVC_CONFIG_FILE: "" };
	return (await promisify(execFile)(process.execPath, [program, ...words], { env })).stdout;
}

test("its command puts a note into a table of its own, and a rule reacts to the event", () =>
	withService({}, async (apiUrl) => {
		assert.match(await svc(apiUrl, "note", "post", "There is cake."), /There is cake\./);
		assert.match(await svc(apiUrl, "note", "list"), /There is cake\./);
		const { executions } = createClient({ apiUrl });
		for (;;) {
			const [execution] = (await executions.list({ action: "core.echo" })).items;
			if (execution?.status === "succeeded") {
				assert.match(String(execution.result?.["stdout"]), /says: There is cake\.$/);
				return;
			}
			await delay(20);
		}
	}));

const names = defineAuthBackend("names", () => ({
	authenticate: async ({ username, password }) => (username === password ? { username } : undefined),
}));

/** Returns options with which ann may only read, and max has these permissions. The password of each user is the name of the user. */
const guarded = (...permissions: readonly string[]): Pick<SvcConfig, "auth" | "rbac"> => ({
	auth: { backend: names() },
	rbac: {
		enable: true,
		roles: [{ name: "writer", permission_grants: [{ permission_types: permissions }] }],
		assignments: [
			{ username: "ann", roles: ["observer"] },
			{ username: "max", roles: ["writer"] },
		],
	},
});

test("its routes ask for its permissions, and refuse what they do not take", () =>
	withService({ storage: memoryStorage(), ...guarded("note_create") }, async (apiUrl) => {
		const ask = async (name: string, method: string, body?: object) => {
			const { token } = await createClient({ apiUrl, authUrl: apiUrl }).signIn({ username: name, password: name });
			const headers = { "x-auth-token": token, "content-type": "application/json" };
			const response = await fetch(`${apiUrl}/v1/notes`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
			return response.status;
		};
		assert.equal(await ask("ann", "GET"), 200);
		assert.equal(await ask("ann", "POST", { text: "here" }), 403);
		assert.equal(await ask("max", "POST", { text: "here" }), 201);
		assert.equal(await ask("max", "POST", { text: 1 }), 400);
		assert.equal(await ask("max", "POST", { text: "here", pinned: true }), 403);
		assert.equal((await fetch(`${apiUrl}/v1/notes`)).status, 401);
	}));

test("a pinned note requires a permission of its own, which the feature access checks", () =>
	withService({ storage: memoryStorage(), ...guarded("note_create", "note_pin") }, async (apiUrl) => {
		const { token } = await createClient({ apiUrl, authUrl: apiUrl }).signIn({ username: "max", password: "max" });
		assert.match(await svc(apiUrl, "note", "post", "No deployments on Fridays.", "--pin", "--token", token), /^pinned: true$/m);
	}));

test("the description of the API has its routes, and what they answer", () =>
	withService({}, async (apiUrl) => {
		const response = await fetch(`${apiUrl}/v1/openapi.json`);
		const { paths, components } = (await response.json()) as {
			paths: Record<string, Record<string, { responses: object }>>;
			components: { schemas: object };
		};
		assert.deepEqual(Object.keys(paths["/v1/notes"]?.["post"]?.responses ?? {}), ["201", "400", "401", "403", "413", "415", "500", "503"]);
		assert.ok("Note" in components.schemas);
	}));

test("roles may name its permissions, and no others", async () => {
	const config = await loadConfig(file);
	createEngine({ ...config, ...guarded("note_create") }, { directory });
	assert.throws(() => createEngine({ ...config, ...guarded("note_shred") }, { directory }), /"note_shred" is not a permission/);
});

test("its loop deletes notes that are older than its options say, except pinned ones", async () => {
	const stored = memoryStorage().create();
	const storage = { ...memoryStorage(), create: () => stored };
	const changes = { storage, features: [board()], board: { keep_days: 30 }, variables: { SVC_BOARD_DELETION_INTERVAL: "0.005" } };
	await withService(changes, async (_apiUrl, { engine }) => {
		const old = { id: "0".repeat(24), text: "old", user: "ann", posted_at: "2020-01-01T00:00:00.000000Z", pinned: false };
		await stored.insert("note", [old, { ...old, id: "1".repeat(24), text: "old and pinned", pinned: true }]);
		await engine.board.post({ text: "new" }, { username: "ann", isAdmin: true, authentication: { method: "none" } });
		while ((await engine.board.list()).length > 2) await delay(5);
		assert.deepEqual(
			(await engine.board.list()).map(({ text }) => text),
			["new", "old and pinned"],
		);
	});
});

test("its options are checked at the start, and belong to it only", async () => {
	const config = await loadConfig(file);
	const refused = (changes: object, env: Record<string, string>, message: RegExp) =>
		assert.throws(() => createEngine({ ...config, ...changes }, { directory, env }), message);
	refused(
		{ board: { keep_days: -1, keep_day: 2 } },
		{},
		/board\.keep_day: unknown option \(2\); did you mean "keep_days"\? allowed in board/,
	);
	refused({ board: { keep_days: -1 } }, {}, /board\.keep_days: -1 is out of range; allowed: a number, at least 0/);
	refused({}, { SVC_BOARD_KEEP_DAYS: "ever" }, /environment variable SVC_BOARD_KEEP_DAYS: expected a number, at least 0, got "ever"/);
	refused({ features: [], board: {} }, {}, /board: unknown section/);
	refused({ features: [board(), { ...board(), name: "other" }] }, {}, /the feature "board" has a section "board"/);
});

test("the plan of a start tells of it", async () => {
	const env = { ...process.env, SVC_DATA_DIR: join(directory, "plan"), SVC_BOARD_KEEP_DAYS: "7" };
	const { stdout } = await promisify(execFile)(process.execPath, [program, "plan", "--config", file, "--json"], { env });
	const { content, options } = JSON.parse(stdout) as {
		content: { trigger_types: readonly { ref: string; state: string }[] };
		options: readonly { path: string }[];
	};
	assert.deepEqual(
		options.filter(({ path }) => path.startsWith("board.")),
		[{ path: "board.keep_days", value: 7, variable: "SVC_BOARD_KEEP_DAYS" }],
	);
	assert.deepEqual(
		content.trigger_types.filter(({ ref }) => ref.startsWith("board.")),
		[{ ref: "board.note_posted", state: "new" }],
	);
});

test("what it has stored serves a service without it, and features that are left out are not served", async () => {
	await withService({ features: [] }, async (apiUrl) => {
		assert.equal((await fetch(`${apiUrl}/v1/notes`)).status, 404);
		assert.equal((await fetch(`${apiUrl}/v1/audit/entries`)).status, 404);
		assert.equal((await fetch(`${apiUrl}/v1/executions`)).status, 200);
	});
});

test("a second feature with the same route is refused", async () => {
	const other = defineFeature({ name: "other", create: () => ({ api: {}, routes }) });
	const config = { ...(await loadConfig(file)), features: [board(), other] };
	assert.throws(() => createService(config, { directory: import.meta.dirname }), /features: two features define the route GET \/notes/);
});

test("a program may have the engine with the board and no HTTP", async () => {
	const engine = createEngine(
		{
			features: [board()],
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [localCommand()],
			auth: { enable: false },
			log: { level: "error" },
			data_dir: join(directory, "embedded"),
		},
		{ directory },
	);
	await engine.start();
	await engine.board.post({ text: "hello" }, { username: "ann", isAdmin: true, authentication: { method: "none" } });
	assert.equal((await engine.board.list()).length, 1);
	await engine.stop();
});

test.after(() => rmSync(directory, { recursive: true }));

test.run();
