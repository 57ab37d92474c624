import { ownHook } from "./caller-names.ts";
import type { Callers } from "./callers.ts";
import type { JsonTree } from "./json-tree.ts";
import { toTree } from "./json-tree.ts";
import { Memory } from "./memory.ts";
import { memberNames } from "./schemas.ts";
import { Sender } from "./send.ts";
import { password, ServiceProcess } from "./service-process.ts";

/** A service with what the requests need. */
export interface Target {
	readonly service: ServiceProcess;
	readonly sender: Sender;
	readonly callers: Callers;
	readonly memory: Memory;
	/** What no answer may hold. */
	readonly secrets: readonly string[];
}

const canary = "canary-of-the-fuzzer";
const vault = { name: "vault", runner_type: "noop", parameters: { pin: { type: "string", secret: true, default: `${canary}-default` } } };

const anything = Object.fromEntries(memberNames.map((name) => [name, {}]));

/** Start a service, make the callers and a record of each kind. Rejects when it refuses one of them. */
export async function prepare(directory: string, planted: string): Promise<Target> {
	const service = await ServiceProcess.start(directory, planted);
	const sender = new Sender();
	const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>>, method = "POST") => {
		const sent = [["content-type", "application/json"] as const, ...Object.entries(headers)];
		const tree: JsonTree = toTree(body);
		const { status = 0, text, error } = await sender.send(service.api, { method, path: `/v1${path}`, headers: sent, tree });
		if (status < 200 || status > 299) throw new Error(`${method} ${path} was answered ${status} ${error ?? text}`);
		return JSON.parse(text) as Readonly<Record<string, unknown>>;
	};
	try {
		const basic = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString("base64")}` };
		const { token } = await post("/tokens", {}, basic);
		const admin = { "x-auth-token": String(token) };
		const single = await post("/apikeys", { user: "single" }, admin);
		const hook = await post("/apikeys", { scopes: [`webhook:${ownHook}`] }, admin);
		const memory = new Memory(["default.vault", "vault", "fuzz_pin", String(single["id"]), String(hook["id"])]);
		await post("/actions", vault, admin);
		await post("/executions", { action: "default.vault", parameters: { pin: `${canary}-parameter` } }, admin);
		await post("/keys/fuzz_pin", { value: `${canary}-item`, secret: true }, admin, "PUT");
		const made = async (path: string, body: unknown) => memory.learn(path, await post(path, body, admin));
		await made("/actions", { name: "fuzzed", runner_type: "noop", parameters: anything });
		await made("/actions", {
			name: "ask",
			runner_type: "inquirer",
			parameters: { ...anything, schema: { default: { properties: { a: {} } } } },
		});
		await made("/executions", { action: "default.fuzzed", parameters: { a: "a" } });
		await made("/executions", { action: "default.ask" });
		await made("/triggertypes", { name: "fuzzed", pack: "default" });
		await made("/rules", {
			name: "fuzzed",
			pack: "default",
			enabled: true,
			trigger: { type: "core.svc.webhook", parameters: { url: "fuzz" } },
			action: { ref: "default.fuzzed", parameters: { a: "{{ trigger.body }}" } },
		});
		const callers: Callers = {
			admin,
			single: { "svc-api-key": String(single["key"]) },
			"hook-key": { "svc-api-key": String(hook["key"]) },
			nobody: {},
			stranger: { "x-auth-token": "0".repeat(32) },
		};
		// What is done for the first time takes longer.
		await service.handles();
		service.takeStalls();
		return { service, sender, callers, memory, secrets: [canary, String(token), String(single["key"]), String(hook["key"])] };
	} catch (error) {
		sender.close();
		await service.kill();
		throw error;
	}
}
