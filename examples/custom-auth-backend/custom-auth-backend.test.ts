// test-suite: full
import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isSvcError } from "svc-automation";
import { createClient } from "svc-automation/client";
import { createOptions, testAuthBackend } from "svc-automation/testing";
import { test } from "uvu";
import { jsonFile } from "./json-file.ts";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const password = "made for this test";

/** Returns the text of `users.json` for users with these names. */
const files = new Map<string, string>();

testAuthBackend({
	test,
	name: "json file",
	create: async (users) => {
		const directory = await mkdtemp(join(tmpdir(), "svc-json-file-"));
		const backend = jsonFile({}).create();
		const ignore = () => undefined;
		const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
		await backend.start?.({ logger, clock: { now: () => 0 }, dataDirectory: directory, nodeId: "test", options: createOptions() });
		const names = users.map(({ username }) => username).join();
		const made = files.get(names);
		// Hashing is slow on purpose, so the text for equal users is cached.
		if (made !== undefined) await writeFile(join(directory, "users.json"), made);
		else for (const user of users) await backend.addUser?.(user);
		if (users.length > 0) files.set(names, await readFile(join(directory, "users.json"), "utf8"));
		return {
			backend,
			cutOff: async () => {
				await rm(join(directory, "users.json"));
				await mkdir(join(directory, "users.json"));
			},
			cleanUp: () => rm(directory, { recursive: true }),
		};
	},
});

/** Starts the service as the README describes, and stops it after `use`. Its first administrator has the password above. */
async function withService(directory: string, use: (apiUrl: string) => Promise<void>): Promise<void> {
	const child = spawn(process.execPath, [path("../../dist/plugins/_shipped/main.js"), "serve", "--config", path("svc.config.ts")], {
		stdio: ["ignore", "pipe", "pipe"],
		env: {
			...process.env,
			...{ SVC_DATA_DIR: directory, SVC_ADMIN_PASSWORD: password, SVC_LOG_LEVEL: "error" },
			...{ SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" },
		},
	});
	const ended = once(child, "exit");
	try {
		await use(await readAddress(child));
	} finally {
		child.kill();
		await ended;
	}
}

async function readAddress(child: ChildProcess): Promise<string> {
	const lines: string[] = [];
	child.stderr?.on("data", (piece: Buffer) => lines.push(String(piece)));
	for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
		const address = /^API\s+(\S+)\/v1$/.exec(line)?.[1];
		if (address !== undefined) return address;
		lines.push(line);
	}
	throw new Error(`the service has ended: ${lines.join("\n")}`);
}

test("the users of the file sign in to the whole service, and nobody else", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-custom-auth-backend-"));
	try {
		await withService(directory, async (apiUrl) => {
			const { token } = await createClient({ apiUrl }).signIn({ username: "admin", password });
			const created = await createClient({ apiUrl, token }).executions.create({ action: "core.local", parameters: { cmd: "true" } });
			assert.equal(created.context["user"], "admin");
			for (const credentials of [
				{ username: "admin", password: "wrong" },
				{ username: "nobody", password },
			]) {
				await assert.rejects(createClient({ apiUrl }).signIn(credentials), (error) => isSvcError(error, "SVC_UNAUTHORIZED"));
			}
			await rm(join(directory, "users.json"));
			await mkdir(join(directory, "users.json"));
			await assert.rejects(createClient({ apiUrl }).signIn({ username: "admin", password }), (error) =>
				isSvcError(error, "SVC_UNAVAILABLE"),
			);
		});
	} finally {
		await rm(directory, { recursive: true });
	}
});

test("the guide shows the backend as it is here", async () => {
	const guide = await readFile(path("../../docs/guides/write-an-auth-backend.md"), "utf8");
	assert.ok(guide.includes(await readFile(path("json-file.ts"), "utf8")));
});

test.run();
