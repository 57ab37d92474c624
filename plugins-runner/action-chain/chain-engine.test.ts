import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { type ExecutionEntity, isSvcError, type JsonObject } from "../../core/contract/index.ts";
import { principal, startEngine, type TestEngine, type TestEngineOptions } from "../../core/testing/engine/engine.test-support.ts";
import { flaky } from "../../core/testing/engine/flaky.test-support.ts";
import { inquirer } from "../inquirer/index.ts";
import { noop } from "../noop/index.ts";
import { tasksOf } from "./chain.test-support.ts";
import { actionChain } from "./index.ts";

const pack = realpathSync(mkdtempSync(join(tmpdir(), "svc chain pack ")));
test.after(() => rmSync(pack, { recursive: true }));

mkdirSync(join(pack, "tests/actions/chains"), { recursive: true });
writeFileSync(join(pack, "tests/pack.yaml"), "name: tests\nversion: 1.0.0\nref: tests\ndescription: d\nauthor: a\nemail: a@example.com\n");

/** An action of the pack that is a chain, and its file. */
function writeChain(name: string, chain: JsonObject, more: JsonObject = {}): void {
	const action = { name, runner_type: "action-chain", entry_point: `chains/${name}.yaml`, ...more };
	writeFileSync(join(pack, `tests/actions/${name}.yaml`), JSON.stringify(action));
	writeFileSync(join(pack, `tests/actions/chains/${name}.yaml`), JSON.stringify(chain));
}

const say = (text: string) => ({ ref: "tests.say", parameters: { lines: [text] } });

const typed = {
	flag: { type: "boolean" },
	count: { type: "integer" },
	list: { type: "array" },
	object: { type: "object" },
	text: { type: "string" },
};
writeFileSync(join(pack, "tests/actions/typed.yaml"), JSON.stringify({ name: "typed", runner_type: "noop", parameters: typed }));
writeFileSync(join(pack, "tests/actions/say.yaml"), JSON.stringify({ name: "say", runner_type: "scripted" }));
writeChain(
	"simple",
	{
		vars: { greeting: "{{ who }}, hello" },
		chain: [
			{ name: "one", ...say("{{ greeting }}"), publish: { said: "{{ one.stdout | trim }}" }, "on-success": "two" },
			{ name: "two", ...say("{{ said }}! {{ action_context.parent.execution_id }}") },
		],
	},
	{ parameters: { who: { type: "string", required: true } } },
);
writeChain(
	"casts",
	{
		chain: [
			{
				name: "one",
				ref: "tests.typed",
				parameters: { flag: "{{ flag }}", count: "{{ count }}", list: ["{{ count }}", "x"], object: "{{ object }}", text: "{{ count }}" },
			},
		],
	},
	{ parameters: typed },
);
writeChain(
	"optional",
	{
		vars: { first: "{{ count }}", label: "count {{ count }}" },
		chain: [
			{
				name: "one",
				ref: "tests.typed",
				parameters: { flag: "{{ flag }}", count: "{{ count }}", list: "{{ list }}", object: "{{ object }}", text: "{{ text }}" },
				publish: { count: "{{ count }}", first: "{{ first }}", label: "{{ label }}", has: "{{ text is none }}" },
			},
		],
	},
	{ parameters: typed },
);
writeChain("asks", {
	chain: [
		{ name: "ask", ref: "core.ask", "on-success": "after" },
		{ name: "after", ...say("{{ ask.result.response.continue }}") },
	],
});
writeChain("outer", {
	chain: [
		{ name: "inner", ref: "tests.asks", "on-success": "after" },
		{ name: "after", ...say("{{ inner.tasks | length }}") },
	],
});
writeChain("hangs", {
	chain: [
		{ name: "one", ...say("one"), "on-success": "two" },
		{ name: "two", ref: "tests.say", parameters: { outcome: "hang" }, "on-success": "three", "on-failure": "three" },
		{ name: "three", ...say("three") },
	],
});
writeChain("nested", { chain: [{ name: "inner", ref: "tests.hangs" }] });
writeFileSync(join(pack, "tests/actions/flaky.yaml"), JSON.stringify({ name: "flaky", runner_type: "flaky" }));
writeChain("retried", {
	chain: [
		{ name: "one", ref: "tests.flaky", parameters: { failures: 2 }, "on-success": "two" },
		{ name: "two", ...say("{{ one.stdout }}") },
	],
});
writeChain("reads", {
	vars: { own: "{{ svckv.system.word }}" },
	chain: [{ name: "one", ...say("{{ own }} {{ svckv.system.word }} {{ system.word }} at {{ config_context.url }}") }],
});
writeFileSync(join(pack, "tests/config.schema.yaml"), JSON.stringify({ url: { type: "string", default: "http://localhost" } }));

const given: TestEngineOptions = { runners: [actionChain(), inquirer(), noop(), flaky()], options: { packs: [pack] } };

async function withEngine(run: (engine: TestEngine) => Promise<void>): Promise<void> {
	const started = await startEngine(given);
	try {
		await run(started);
	} finally {
		await started.stop();
	}
}

async function childrenOf({ storage }: Pick<TestEngine, "storage">, parent: string): Promise<readonly ExecutionEntity[]> {
	return storage.find("execution", { where: { parent_id: parent }, orderBy: [["start_timestamp", "asc"]] });
}

const toEnd = ({ result, status }: ExecutionEntity) => ({ status, tasks: tasksOf({ result: result ?? {} }) });

test("a chain runs as executions of its own, which know their node", async () => {
	await withEngine(async (engine) => {
		const { id } = await engine.submit({ who: "you" }, { action: "tests.simple" });
		const ended = await engine.settled(id);
		assert.deepEqual(toEnd(ended), { status: "succeeded", tasks: ["one succeeded", "two succeeded"] });
		assert.deepEqual(ended.result?.["published"], { said: "you, hello" });
		const children = await childrenOf(engine, id);
		assert.deepEqual(
			children.map(({ result }) => result?.["stdout"]),
			["you, hello\n", `you, hello! ${id}\n`],
		);
		assert.deepEqual(
			children.map(({ context }) => (context["chain"] as JsonObject)["name"]),
			["one", "two"],
		);
		const { tasks } = (ended.result ?? {}) as { readonly tasks: readonly JsonObject[] };
		assert.deepEqual(
			tasks.map(({ execution_id, liveaction_id }) => [execution_id, liveaction_id]),
			children.map((child) => [child.id, child.liveaction_id]),
		);
	});
});

test("an optional parameter that is not given is null wherever a chain reads it", async () => {
	await withEngine(async (engine) => {
		const { id } = await engine.submit({}, { action: "tests.optional" });
		const ended = await engine.settled(id);
		assert.deepEqual(toEnd(ended), { status: "succeeded", tasks: ["one succeeded"] }, JSON.stringify(ended.result));
		assert.deepEqual(ended.result?.["published"], { count: null, first: null, label: "count None", has: "True" });
		const [child] = await childrenOf(engine, id);
		assert.deepEqual(Object.values(child?.parameters ?? {}), [null, null, null, null, null]);
	});
});

test("a task whose action a policy has run again ends with the last run", async () => {
	await withEngine(async (engine) => {
		const policy = { name: "again", pack: "tests", resource_ref: "tests.flaky", policy_type: "action.retry" };
		await engine.engine.policies.create({ ...policy, parameters: { retry_on: "failure" } });
		const { id } = await engine.submit({}, { action: "tests.retried" });
		const ended = await engine.settled(id);
		assert.deepEqual(toEnd(ended), { status: "succeeded", tasks: ["one succeeded", "two succeeded"] });
		const children = await childrenOf(engine, id);
		assert.deepEqual(
			children.map(({ status, result }) => [status, result?.["stdout"]]),
			[
				["failed", "run 0"],
				["failed", "run 1"],
				["succeeded", "run 2"],
				["succeeded", "run 2\n"],
			],
		);
		const { tasks } = (ended.result ?? {}) as { readonly tasks: readonly JsonObject[] };
		assert.deepEqual([tasks[0]?.["execution_id"], tasks[0]?.["liveaction_id"]], [children[2]?.id, children[2]?.liveaction_id]);
	});
});

test("templates read the datastore and the configuration of the pack", async () => {
	await withEngine(async (engine) => {
		await engine.engine.datastore.set("word", { value: "{{ hello }}" }, principal);
		const { id } = await engine.submit({}, { action: "tests.reads" });
		assert.equal((await engine.settled(id)).status, "succeeded");
		const [child] = await childrenOf(engine, id);
		assert.equal(child?.result?.["stdout"], "{{ hello }} {{ hello }} {{ hello }} at http://localhost\n");
	});
});

test("a chain is paused and resumed over the API, with the chain that it runs", async () => {
	await withEngine(async (engine) => {
		const { executions } = engine.engine;
		const { id } = await engine.submit({}, { action: "tests.nested" });
		const inner = await whenRunning(engine, id, 0);
		const task = await whenRunning(engine, inner, 1);
		await executions.setStatus(id, { status: "pausing" }, principal);
		await engine.settled(inner, "pausing");
		// What is no workflow is waited for.
		await executions.setStatus(task, { status: "succeeded" }, principal);
		assert.deepEqual(toEnd(await engine.settled(id, "paused")), { status: "paused", tasks: ["inner paused"] });
		await executions.setStatus(id, { status: "resuming" }, principal);
		assert.deepEqual(toEnd(await engine.settled(id)), { status: "succeeded", tasks: ["inner succeeded"] });
		assert.deepEqual(toEnd(await engine.settled(inner)), {
			status: "succeeded",
			tasks: ["one succeeded", "two succeeded", "three succeeded"],
		});
	});
});

test("a chain that waits for an answer cannot be resumed, and can be canceled", async () => {
	await withEngine(async (engine) => {
		const { executions } = engine.engine;
		const { id } = await engine.submit({}, { action: "tests.asks" });
		await engine.settled(id, "paused");
		const [question] = await childrenOf(engine, id);
		await assert.rejects(
			executions.setStatus(id, { status: "resuming" }, principal),
			(error) => isSvcError(error, "SVC_CONFLICT") && error.message.includes(`svc inquiry respond ${question?.id}`),
		);
		assert.equal((await childrenOf(engine, id)).length, 1);
		await executions.cancel(id, principal);
		assert.deepEqual(toEnd(await engine.settled(id)), { status: "canceled", tasks: ["ask canceled"] });
	});
});

test("what templates yield is cast to the types of the called action", async () => {
	await withEngine(async (engine) => {
		const { id } = await engine.submit({ flag: true, count: 3, list: [], object: { a: [1, null, "it's"] } }, { action: "tests.casts" });
		assert.equal((await engine.settled(id)).status, "succeeded");
		const [child] = await childrenOf(engine, id);
		assert.deepEqual(child?.parameters, { flag: true, count: 3, list: ["3", "x"], object: { a: [1, null, "it's"] }, text: "3" });
	});
});

/** Id of the child with this number, once it runs. */
async function whenRunning(engine: TestEngine, parent: string, number: number): Promise<string> {
	for (;;) {
		const child = (await childrenOf(engine, parent))[number];
		if (child?.status === "running") return child.id;
		await new Promise((resolve) => setImmediate(resolve));
	}
}

test("a question pauses the chain, and the answer lets it go on", async () => {
	await withEngine(async (engine) => {
		const { id } = await engine.submit({}, { action: "tests.asks" });
		const paused = await engine.settled(id, "paused");
		assert.deepEqual(toEnd(paused), { status: "paused", tasks: ["ask pending"] });
		const [ask] = await childrenOf(engine, id);
		await engine.engine.inquiries.respond(ask?.id ?? "", { continue: true }, principal);
		assert.deepEqual(toEnd(await engine.settled(id)), { status: "succeeded", tasks: ["ask succeeded", "after succeeded"] });
		const [, after] = await childrenOf(engine, id);
		assert.equal(after?.result?.["stdout"], "True\n");
	});
});

test("a question in a chain in a chain pauses both, and the answer lets both go on", async () => {
	await withEngine(async (engine) => {
		const { id } = await engine.submit({}, { action: "tests.outer" });
		await engine.settled(id, "paused");
		const [inner] = await childrenOf(engine, id);
		assert.equal((await engine.settled(inner?.id ?? "", "paused")).status, "paused");
		const [ask] = await childrenOf(engine, inner?.id ?? "");
		await engine.engine.inquiries.respond(ask?.id ?? "", { continue: false }, principal);
		assert.deepEqual(toEnd(await engine.settled(id)), { status: "succeeded", tasks: ["inner succeeded", "after succeeded"] });
	});
});

test("a chain that is canceled ends the task that runs", async () => {
	await withEngine(async (engine) => {
		const { id } = await engine.submit({}, { action: "tests.hangs" });
		await whenRunning(engine, id, 1);
		await engine.engine.executions.cancel(id, principal);
		assert.deepEqual(toEnd(await engine.settled(id)), { status: "canceled", tasks: ["one succeeded", "two canceled"] });
	});
});

test("a task that is canceled ends the chain as canceled", async () => {
	await withEngine(async (engine) => {
		const { id } = await engine.submit({}, { action: "tests.hangs" });
		await engine.engine.executions.cancel(await whenRunning(engine, id, 1), principal);
		assert.deepEqual(toEnd(await engine.settled(id)), { status: "canceled", tasks: ["one succeeded", "two canceled"] });
	});
});

test.run();
