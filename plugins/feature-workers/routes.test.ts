import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner } from "../../core/contract/index.ts";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { type GuardedService, withGuardedService } from "../../core/testing/http/guarded-service.test-support.ts";

/** A runner of which workers are given nothing. */
const local = defineRunner("local", () => ({
	description: "Runs here.",
	capabilities: {},
	parameters: {},
	run: async () => ({ succeeded: true, result: { ran: "here" } }),
	runAtOnce: () => ({ succeeded: true, result: { ran: "here" } }),
}));
/** One that workers are given, unless nobody demands it. */
const quick = defineRunner("quick", () => ({
	description: "Runs nowhere, where it can.",
	capabilities: {},
	parameters: {},
	run: async () => ({ succeeded: true, result: {} }),
	runAtOnce: () => ({ succeeded: true, result: {} }),
}));

const options = {
	workers: { runners: ["speak", "quick"] },
	runners: [local(), quick()],
	rbac: {
		roles: [
			{ name: "starter", permission_grants: [{ resource_uid: "pack:default", permission_types: ["action_execute"] }] },
			{ name: "looker", permission_grants: [{ permission_types: ["worker_list"] }] },
		],
		assignments: [
			{ username: "ann", roles: ["starter"] },
			{ username: "lou", roles: ["looker"] },
			{ username: "maria", roles: ["admin"] },
		],
	},
} as const;

interface Job {
	readonly id: string;
	readonly fence: string;
	readonly spec: { readonly runner_parameters: Readonly<Record<string, unknown>> };
}

/** A service with a worker's way to it: its key, and what it asks. */
async function withWorkers(
	run: (service: GuardedService & ReturnType<typeof toWorkers> & { readonly root: string }) => Promise<void>,
): Promise<void> {
	await withGuardedService(async (service) => {
		const root = await service.signIn("root");
		for (const [name, runner_type] of [
			["far", "speak"],
			["farther", "speak"],
			["near", "local"],
			["quick", "quick"],
		] as const) {
			const labels = name === "far" ? ["blue"] : ["blue", "red"];
			const parameters = runner_type === "speak" ? { svc_worker_labels: { default: labels, immutable: true } } : {};
			const { status, body } = await service.ask(root, "POST", "/v1/actions", { name, runner_type, parameters });
			assert.equal(status, 201, JSON.stringify(body));
		}
		await run({ ...service, ...toWorkers(service, root), root });
	}, options as never);
}

function toWorkers({ urls, ask, log }: GuardedService, root: string) {
	const post = async (key: string, path: string, body: object) => {
		const headers = { "svc-api-key": key, "content-type": "application/json" };
		const response = await fetch(`${urls.api}/v1/workers/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
		return { status: response.status, body: (await response.json()) as Record<string, unknown> };
	};
	const poll = (key: string, { labels = ["blue"], name = "edge", jobs = [] as readonly object[], wait = 0 } = {}) =>
		post(key, "poll", {
			...{ instance: Buffer.from(name).toString("hex").padEnd(32, "0"), name, hostname: "edge", pid: 1, version: "0.1.0" },
			...{ draining: false, labels, runners: ["speak"], places: 4, free: 4, jobs, wait },
		});
	return {
		post,
		poll,
		async createKey(scopes: readonly string[]): Promise<{ readonly id: string; readonly key: string }> {
			return (await ask(root, "POST", "/v1/apikeys", { scopes })).body as never;
		},
		async take(key: string, labels = ["blue"]): Promise<Job> {
			return until("a job is given", 20, async () => ((await poll(key, { labels, wait: 2 })).body["jobs"] as Job[])[0]);
		},
		ended: (id: string) =>
			until("it has ended", 20, async () => {
				const { body } = await ask(root, "GET", `/v1/executions/${id}`);
				return body["end_timestamp"] === undefined ? undefined : body;
			}),
		refusals: () => log.filter((line) => line.includes("refused a worker's request about a job that is not assigned to it")).length,
	};
}

const outputOf = ({ fence }: Job, data: string, sequence = 1) => ({ fence, sequence, pieces: [{ type: "stdout", data }] });

test("a key that is another's, is revoked, or has no right to a running job changes and sees nothing of it", () =>
	withWorkers(async ({ urls, ask, root, createKey, take, post, poll, ended, refusals }) => {
		const own = await createKey(["worker:blue", "worker:red"]);
		const { body: execution } = await ask(root, "POST", "/v1/executions", {
			action: "default.farther",
			parameters: { pin: "a secret pin" },
		});
		const job = await take(own.key, ["blue", "red"]);
		assert.equal(job.spec.runner_parameters["pin"], "a secret pin", "what its run needs");
		const wrong = { ...job, fence: "f".repeat(32) };
		const requests = (of: Job) =>
			[
				["output", outputOf(of, "theirs")],
				["end", { ...outputOf(of, "theirs"), succeeded: true, result: {} }],
				["files", { fence: of.fence }],
				["bytes", { fence: of.fence, start: 0, length: 1 }],
			] as const;
		// Everything but the fence.
		for (const [verb, body] of requests(wrong)) assert.equal((await post(own.key, `jobs/${job.id}/${verb}`, body)).status, 409, verb);
		assert.equal(refusals(), 4);
		// The fence, and a part of the labels; the first label, and not the others.
		for (const scopes of [["worker:red"], ["worker:green"], ["execution_all"], ["worker:blue"]]) {
			const { key } = await createKey(scopes);
			for (const [verb, body] of requests(job))
				assert.equal((await post(key, `jobs/${job.id}/${verb}`, body)).status, 403, `${verb} ${scopes}`);
		}
		// Of another user, with all rights to labels.
		const other = await ask(root, "POST", "/v1/apikeys", { user: "maria", scopes: ["worker_take"] });
		const stranger = String(other.body["key"]);
		for (const [verb, body] of requests(job)) assert.equal((await post(stranger, `jobs/${job.id}/${verb}`, body)).status, 409, verb);
		assert.equal(refusals(), 8);
		// The same key, as another worker: it is given nothing, and renews nothing.
		const named = await poll(own.key, { name: "other", labels: ["blue", "red"], jobs: [{ id: job.id, fence: job.fence, told: false }] });
		assert.deepEqual([named.body["jobs"], named.body["lost"]], [[], [job.id]]);
		assert.equal((await post(own.key, `jobs/${job.id}/output`, outputOf(job, "mine\n"))).status, 200);
		await ask(root, "DELETE", `/v1/apikeys/${own.id}`);
		for (const [verb, body] of requests(job)) assert.equal((await post(own.key, `jobs/${job.id}/${verb}`, body)).status, 401, verb);
		await ask(root, "DELETE", `/v1/executions/${String(execution["id"])}`);
		const fresh = await createKey(["worker:blue", "worker:red"]);
		assert.equal(
			(await post(fresh.key, `jobs/${job.id}/end`, { ...outputOf(job, "over\n", 2), succeeded: false, result: {} })).status,
			200,
		);
		const record = await ended(String(execution["id"]));
		assert.equal(record["status"], "canceled");
		const output = await fetch(`${urls.api}/v1/executions/${String(execution["id"])}/output`, { headers: { "x-auth-token": root } });
		assert.equal(await output.text(), "mine\nover\n");
	}));

test("a worker is shown with what runs there, to whoever may list executions", () =>
	withWorkers(async ({ ask, root, signIn, createKey, poll }) => {
		const { key } = await createKey(["worker:blue"]);
		const { body: execution } = await ask(root, "POST", "/v1/executions", { action: "default.far" });
		const { body: later } = await ask(root, "POST", "/v1/executions", { action: "default.far" });
		await until("both run there", 20, async () => ((await poll(key)).body["jobs"] as Job[]).length === 2 || undefined);
		const { body: shown } = await ask(root, "GET", "/v1/workers/edge");
		const toShown = ({ id }: { readonly id?: unknown }) => ({ id, action_ref: "default.far", status: "running" });
		assert.deepEqual(shown["executions"], [later, execution].map(toShown), "newest first");
		assert.deepEqual([shown["state"], shown["labels"], shown["places"]], ["ready", ["blue"], 4]);
		assert.deepEqual((await ask(root, "GET", `/v1/workers/${String(shown["id"])}`)).body["name"], "edge");
		const { body: less } = await ask(await signIn("lou"), "GET", "/v1/workers/edge");
		assert.deepEqual([less["name"], less["executions"]], ["edge", []]);
		assert.equal((await ask(root, "GET", "/v1/workers/absent")).status, 404);
		assert.equal((await ask(await signIn("ann"), "GET", "/v1/workers/edge")).status, 403);
	}));

test("policies demand labels besides those of the action, of its pack and of users, and say so while it waits", () =>
	withWorkers(async ({ ask, root, signIn, createKey, poll, take, post, ended }) => {
		const ann = await signIn("ann");
		const policy = { pack: "default", policy_type: "action.workers" };
		const make = async (name: string, resource_ref: string, parameters: object) => {
			const { status, body } = await ask(root, "POST", "/v1/policies", { ...policy, name, resource_ref, parameters });
			assert.equal(status, 201, JSON.stringify(body));
		};
		await make("of_action", "default.far", { labels: ["site-a"] });
		await make("of_pack", "default.*", { user_labels: { ann: ["tight"] } });
		const start = async (token: string, action: string) => String((await ask(token, "POST", "/v1/executions", { action })).body["id"]);
		const id = await start(ann, "default.far");
		const toInfo = (waiting: string) =>
			until("it says what it waits for", 20, async () => {
				const { body } = await ask(root, "GET", `/v1/executions/${waiting}`);
				const { runner_info } = body["liveaction"] as { readonly runner_info?: Readonly<Record<string, unknown>> };
				return runner_info?.["waits_for"] === undefined ? undefined : runner_info;
			});
		const info = await toInfo(id);
		assert.equal(info["waits_for"], "no worker has the labels blue, site-a, tight and the runner speak");
		assert.deepEqual(info["policies"], ["default.of_action", "default.of_pack"]);
		const { key } = await createKey(["worker_take"]);
		assert.deepEqual((await poll(key, { labels: ["blue", "site-a"] })).body["jobs"], []);
		const job = await take(key, ["blue", "site-a", "tight"]);
		const end = { fence: job.fence, sequence: 1, pieces: [], succeeded: true, result: {} };
		assert.equal((await post(key, `jobs/${job.id}/end`, end)).status, 200);
		assert.equal((await ended(id))["status"], "succeeded");
		// Whoever else runs it needs no such worker, and what has no labels of its own is on workers by the policy alone.
		const other = await start(root, "default.far");
		const given = await take(key, ["blue", "site-a"]);
		assert.equal((await post(key, `jobs/${given.id}/end`, { ...end, fence: given.fence })).status, 200);
		assert.equal((await ended(other))["status"], "succeeded");
		const plain = await start(ann, "default.speak");
		const placed = await take(key, ["tight"]);
		assert.equal((await post(key, `jobs/${placed.id}/end`, { ...end, fence: placed.fence })).status, 200);
		assert.equal((await ended(plain))["status"], "succeeded");
		// What no worker can carry out does not run here instead.
		const refused = await ended(await start(ann, "default.near"));
		assert.equal(refused["status"], "failed");
		assert.match(
			JSON.stringify(refused["result"]),
			/policies require a worker with the labels tight \(default\.of_pack\).*runner type \\"local\\"/,
		);
		assert.equal((await ended(await start(root, "default.near")))["status"], "succeeded");
		// What would need no run where nothing is demanded waits for its worker all the same.
		assert.equal((await ended(await start(root, "default.quick")))["status"], "succeeded");
		const quick = await start(ann, "default.quick");
		assert.equal((await toInfo(quick))["waits_for"], "no worker has the labels tight and the runner quick");
		await ask(root, "DELETE", `/v1/executions/${quick}`);
		await ask(root, "DELETE", "/v1/policies/default.of_pack");
		assert.equal((await ended(await start(ann, "default.speak")))["status"], "succeeded");
	}));

test.run();
