// test-suite: full
import "../../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { flatFile } from "../../../plugins-auth/flat-file/index.ts";
import { createService, defineConfig, type Service } from "../../index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-access-"));
const services: Service[] = [];
let first: Record<string, string> = {};
let second: Record<string, string> = {};

/** Start a service with access control; the environment of commands that talk to it as its administrator. */
async function start(name: string): Promise<Record<string, string>> {
	const service = createService(
		defineConfig({
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [],
			data_dir: join(home, name),
			auth: { backend: flatFile(), port: 0 },
			rbac: {
				enable: true,
				roles: [{ name: "maker", description: "Makes keys.", permission_grants: [{ permission_types: ["api_key_create"] }] }],
				assignments: [
					{ username: "admin", roles: ["admin"] },
					{ username: "robot", roles: ["maker"], description: "A machine." },
				],
			},
			api: { port: 0 },
			stream: { port: 0 },
			log: { level: "error" },
		}),
		{ adminPassword: "a password" },
	);
	services.push(service);
	const environment = { HOME: join(home, name), SVC_API_URL: (await service.start()).addresses.api ?? "" };
	const { stdout } = await svc(["auth", "admin", "-p", "a password", "-t"], environment);
	return { ...environment, SVC_AUTH_TOKEN: stdout.trim() };
}

async function svc(words: readonly string[], env: Record<string, string> = first) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([]), env, onInterrupt: () => () => {} });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** The only record of JSON output. */
async function read(words: readonly string[], env?: Record<string, string>): Promise<Record<string, unknown>> {
	const { stdout, stderr } = await svc([...words, "-j"], env);
	assert.equal(stderr, "");
	return [JSON.parse(stdout)].flat()[0];
}

test.before(async () => {
	first = await start("first");
	second = await start("second");
});

test.after(async () => {
	for (const service of services) await service.stop();
	rmSync(home, { recursive: true });
});

test("apikey create shows the key once, which then serves instead of a token", async () => {
	const { stdout, stderr, exitCode } = await svc([
		"apikey",
		"create",
		"-m",
		'{"used_by": "build farm"}',
		"--expires",
		"2090-01-01T00:00:00Z",
	]);
	assert.equal(exitCode, 0, stderr);
	assert.match(stdout, /user: admin\n[^]*used_by: build farm[^]*2090-01-01/);
	assert.match(stderr, /cannot be shown again/);
	const key = /^key: (\S+)$/m.exec(stdout)?.[1] ?? "";
	const { SVC_AUTH_TOKEN: _token, ...environment } = first;
	assert.match((await svc(["whoami", "--api-key", key], environment)).stdout, /username: admin\n[^]*API key/);
	assert.match((await svc(["whoami"], { ...environment, SVC_API_KEY: key })).stdout, /username: admin/);
	assert.ok(!(await svc(["apikey", "list", "-d"])).stdout.includes(key));
});

test("apikey create -k prints nothing but the key, and refuses what is no JSON object", async () => {
	assert.match((await svc(["apikey", "create", "-k", "-u", "robot", "--scopes", "action_list,webhook:deploy"])).stdout, /^[\w-]{86}\n$/);
	const { exitCode, stderr } = await svc(["apikey", "create", "-m", "[]"]);
	assert.equal(exitCode, 2);
	assert.match(stderr, /Must be a JSON object/);
	assert.match((await svc(["apikey", "create", "--scopes", "fly"])).stderr, /scopes: "fly"/);
});

test("apikey disable, enable and delete act on ids and on keys", async () => {
	const { id, key } = (await read(["apikey", "create"])) as Record<string, string>;
	const { SVC_AUTH_TOKEN: _token, ...environment } = first;
	const enters = async () => (await svc(["action", "list", "--api-key", key ?? ""], environment)).exitCode === 0;
	assert.match((await svc(["apikey", "disable", id ?? ""])).stdout, /enabled: false/);
	assert.equal(await enters(), false);
	assert.match((await svc(["apikey", "enable", "--", key ?? ""])).stdout, /enabled: true/);
	assert.equal(await enters(), true);
	assert.equal((await read(["apikey", "get", id ?? ""]))["key_hash"], "********");
	assert.equal((await svc(["apikey", "delete", id ?? ""])).stdout, `API key ${id} deleted\n`);
	for (const command of ["get", "disable", "enable", "delete"]) {
		const { exitCode, stdout, stderr } = await svc(["apikey", command, "--", key ?? ""]);
		assert.equal(exitCode, 2);
		assert.match(stderr, /API key "…" is not found/);
		assert.ok(!`${stdout}${stderr}`.includes(key ?? ""));
	}
});

test("keys that were listed with their hashes are loaded into another service, twice without harm", async () => {
	const key = (await svc(["apikey", "create", "-k", "-u", "mover"])).stdout.trim();
	const file = join(home, "keys.json");
	writeFileSync(file, (await svc(["apikey", "list", "-u", "mover", "--show-secrets", "-j"])).stdout);
	const { id } = await read(["apikey", "list", "-u", "mover"]);
	assert.equal((await svc(["apikey", "load", file], second)).stdout, `${id} loaded\n`);
	assert.equal((await svc(["apikey", "load", file], second)).stdout, `${id} already exists\n`);
	const { SVC_AUTH_TOKEN: _token, ...environment } = second;
	assert.match((await svc(["whoami", "--api-key", key], environment)).stdout, /username: mover/);
	assert.equal((await svc(["apikey", "load", join(home, "nothing")])).exitCode, 2);
	writeFileSync(file, '[{"id": "x"}]');
	assert.match((await svc(["apikey", "load", file])).stderr, /"id" and "key_hash"/);
});

test("role list and role-assignment list show roles and who has them", async () => {
	const { stdout } = await svc(["role", "list"]);
	for (const name of ["system_admin", "observer", "maker"]) assert.match(stdout, new RegExp(`\\b${name}\\b`));
	assert.doesNotMatch((await svc(["role", "list", "-s"])).stdout, /maker/);
	const assignments = await svc(["role-assignment", "list", "-u", "robot"]);
	assert.match(assignments.stdout, /maker[^]*robot[^]*rbac\.assignments\[1\][^]*A machine/);
	assert.match((await svc(["role-assignment", "list", "--remote"])).stdout, /No matching records/);
	const { id } = await read(["role-assignment", "list", "-r", "maker"]);
	assert.match((await svc(["role-assignment", "get", String(id)])).stdout, /role: maker/);
	assert.equal((await svc(["role-assignment", "get", "x"])).exitCode, 2);
});

test.run();
