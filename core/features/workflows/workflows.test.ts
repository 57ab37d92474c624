import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ActionEntity, isSvcError, type Runner, SvcError, type TaskState } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { fakeDefinitions, toFakeDefinition } from "../../testing/http/fake-workflow.test-support.ts";
import { maskGraph, maskTasks } from "./routes.ts";
import { StoredWorkflows, type WorkflowDependencies } from "./workflows.ts";

const text = toFakeDefinition({
	fetch: { action: "core.http", next: [{ do: "store", when: "<% succeeded() %>" }, { do: "fail" }] },
	store: { action: "vault.keep" },
});

const task = (changes: Partial<TaskState>): TaskState => ({
	id: "66a1f0c29d3e4b7a51c08d30",
	name: "fetch",
	route: 0,
	status: "succeeded",
	action: "core.http",
	attempts: 1,
	start_timestamp: "2031-03-04T09:15:02.418273Z",
	end_timestamp: "2031-03-04T09:15:03.018273Z",
	execution_ids: [],
	items: null,
	next: [],
	...changes,
});

const action = (ref: string, changes: Partial<ActionEntity> = {}) =>
	({ ref, enabled: true, runner_type: "workflow", parameters: {}, ...changes }) as ActionEntity;

/** As the catalogue finds it, with a runner that has no parameters of its own. */
const toResolved = (found: ActionEntity | undefined) =>
	found === undefined ? undefined : ({ action: found, runnerType: { runner_parameters: {} } } as never);

/** Workflows of an engine with these actions, and an execution `run` of `vault.flow` with this journal. */
function create(journal: readonly object[] = [], changes: Partial<WorkflowDependencies> = {}): StoredWorkflows {
	const actions = [action("vault.flow"), action("core.http", { runner_type: "http" }), action("vault.keep", { runner_type: "http" })];
	const find = (ref: string) => actions.find((one) => one.ref === ref);
	const secrets = new Redactor(["swordfish"]);
	return new StoredWorkflows({
		runners: new Map([
			["workflow", { definitions: fakeDefinitions } as Runner],
			["http", {} as Runner],
		]),
		executions: {
			async get(id) {
				const runner_name = id === "plain" ? "http" : "workflow";
				return { entity: { id, action_ref: "vault.flow", runner_name }, secrets } as never;
			},
		},
		actions: {
			async get(ref) {
				const found = find(ref);
				if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `action "${ref}" cannot be found`);
				return found;
			},
			entryPoint: async () => ({ path: "flow.yaml", text }),
		},
		catalog: { resolve: async (ref) => toResolved(find(ref)) },
		access: { allows: (_principal, _permission, resource) => resource?.pack === "core" },
		expressions: { find: () => [], evaluate: async (value) => value },
		readJournal: async () => journal as never,
		...changes,
	});
}

const rejects = async (promise: Promise<unknown>, message: RegExp) => {
	const error = await promise.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	assert.ok(isSvcError(error, "SVC_INVALID"), String(error));
	assert.match(error.message, message);
};

test("a definition is inspected with the actions that whoever asks may view", async () => {
	const workflows = create();
	const principal: Principal = { username: "ann", isAdmin: false, authentication: { method: "none" } };
	assert.deepEqual(await workflows.inspect(text), []);
	assert.deepEqual(
		(await workflows.inspect(text, { principal })).map(({ message }) => message),
		['the action "vault.keep" is not registered'],
	);
	await rejects(
		workflows.inspect(text, { runner: "http" }),
		/^runner: runner "http" has no workflow definitions; the runners with definitions are "workflow"$/,
	);
	await rejects(workflows.inspect(text, { runner: "__proto__" }), /^runner: runner "__proto__" has no workflow definitions/);
	await rejects(create([], { runners: new Map() }).inspect(text), /no configured runner has them$/);
});

test("a finding cannot quote the secrets of an action", async () => {
	const parameters = { pin: { type: "string", secret: true, default: "swordfish", enum: ["swordfish", "trout"] } } as const;
	const seen: unknown[] = [];
	const definitions = {
		...fakeDefinitions,
		async inspect(_text: string, tools: { findAction?(ref: string): Promise<unknown> }) {
			seen.push(await tools.findAction?.("vault.keep"));
			return [];
		},
	};
	const runners = new Map([["workflow", { definitions } as unknown as Runner]]);
	const catalog: WorkflowDependencies["catalog"] = { resolve: async (ref) => toResolved(action(ref, { parameters })) };
	await create([], { runners, catalog }).inspect(text);
	assert.deepEqual(seen, [
		{
			ref: "vault.keep",
			enabled: true,
			parameters: { pin: { type: "string", secret: true, default: secretMask, enum: [secretMask, secretMask] } },
		},
	]);
});

test("an action that is no workflow has no graph, and its executions have no tasks", async () => {
	const workflows = create();
	assert.deepEqual(
		(await workflows.graph("vault.flow")).nodes.map(({ id, kind, is_start }) => [id, kind, is_start]),
		[
			["fetch", "task", true],
			["store", "task", false],
			["fail", "command", false],
		],
	);
	for (const asked of [workflows.graph("core.http"), workflows.runGraph("plain"), workflows.tasks("plain")]) {
		await rejects(asked, /^action "(core\.http|vault\.flow)" is not a workflow: runner "http" has no workflow definitions/);
	}
});

test("a run has the definition that it began with, and its tasks in it", async () => {
	const began = toFakeDefinition({ fetch: { next: [{ do: "fetch" }, { do: "fail" }] }, idle: {} });
	const first = task({ next: [{ to: "fetch", transition: 0 }] });
	const second = task({ id: "66a1f0c29d3e4b7a51c08d31", route: 1, status: "running", next: [{ to: "fetch", transition: 0 }] });
	const workflows = create([{ definition: began }, { task: { ...first, status: "running" } }, { task: second }, { task: first }]);
	const { value } = await workflows.runGraph("run");
	assert.deepEqual(
		value.nodes.map(({ id, tasks }) => [id, tasks.map(({ status }) => status)]),
		[
			["fetch", ["succeeded", "running"]],
			["idle", []],
			["fail", []],
		],
	);
	assert.deepEqual(
		value.edges.map(({ from, to, taken }) => [from, to, taken]),
		[
			["fetch", "fetch", 2],
			["fetch", "fail", 0],
		],
	);
	assert.deepEqual((await workflows.tasks("run")).value, [first, second]);
	// It has not begun.
	assert.deepEqual(
		(await create().runGraph("run")).value.nodes.map(({ id, tasks }) => [id, tasks]),
		[
			["fetch", []],
			["store", []],
			["fail", []],
		],
	);
});

test("what is secret is masked in tasks and graphs, and ids and states stay what they are", async () => {
	const began = toFakeDefinition({ fetch: { action: "<% ctx(swordfish) %>", next: [{ do: "fail", when: "swordfish" }] } });
	const given = task({
		action: "core.swordfish",
		next: [{ to: "fail", transition: 0 }],
		items: { total: 1, succeeded: 1, failed: 0, active: 0 },
	});
	const { value, secrets } = await create([{ definition: began }, { task: given }]).runGraph("run");
	const graph = maskGraph(value, secrets);
	assert.doesNotMatch(JSON.stringify(graph), /swordfish/);
	assert.deepEqual(graph.nodes[0]?.tasks, [{ ...given, action: `core.${secretMask}` }]);
	assert.deepEqual(graph.edges, [{ from: "fetch", to: "fail", transition: 0, when: secretMask, taken: 1 }]);
	// Where it is not known what is secret, what expressions have become may be; what the file says is no secret.
	const [hidden] = maskTasks([given], Redactor.unknown);
	assert.deepEqual(hidden, { ...given, action: secretMask });
	assert.equal(maskGraph(value, Redactor.unknown).edges[0]?.when, "swordfish");
});

test.run();
