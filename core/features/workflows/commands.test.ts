import * as assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { stringify } from "yaml";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { defineRunner } from "../../contract/index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { fakeDefinitions, fakeWorkflow, toFakeDefinition } from "../../testing/http/fake-workflow.test-support.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const tools = { expressions: { find: () => [], evaluate: async <T>(value: T) => value } };
const asked: unknown[] = [];
/** Reads definitions as the stand-in does. */
const definitions = async (options: unknown) => {
	asked.push(options);
	return {
		inspect: (text: string) => fakeDefinitions.inspect(text, tools),
		graph: (text: string) => fakeDefinitions.graph(text),
		test: async (text: string, cases: string) => (await fakeDefinitions.test?.(text, cases, tools)) ?? [],
	};
};

interface Ran {
	readonly exitCode: number;
	readonly stdout: string;
	readonly stderr: string;
}

async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}, terminal = {}): Promise<Ran> {
	const [stdout, stderr] = [new CapturedText(), Object.assign(new CapturedText(), terminal)];
	const exitCode = await runSvc(words, { stdout, stderr, env: { HOME: "/nonexistent", ...env }, definitions });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** With these files in a directory; gives their paths by name. */
async function withFiles(files: Readonly<Record<string, string>>, use: (path: (name: string) => string) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-workflow-"));
	try {
		for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
		await use((name) => join(directory, name));
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

const sound = toFakeDefinition({ one: { action: "yard.count", next: [{ do: "two" }] }, two: {} });
const files = {
	"sound.yaml": sound,
	"sound.test.yaml": stringify([{ name: "goes on", tasks: ["one", "two"] }]),
	"other.test.yaml": stringify([
		{ name: "stops", tasks: ["one"] },
		{ name: "goes on", tasks: ["one", "two"] },
	]),
	"doubtful.yaml": toFakeDefinition({ one: { next: [{ do: "one", when: "maybe" }] } }),
	"broken.yaml": "tasks: {",
};

test("a definition is validated without a service", () =>
	withFiles(files, async (path) => {
		const validate = (name: string, ...words: string[]) => run(["workflow", "validate", path(name), ...words]);
		assert.deepEqual(await validate("sound.yaml"), { exitCode: 0, stdout: "", stderr: `${path("sound.yaml")}: no problems found\n` });
		assert.deepEqual(asked.at(-1), { runner: "workflow" });
		const doubtful = await validate("doubtful.yaml", "--runner", "chain", "--config", "a.ts");
		assert.deepEqual(doubtful, {
			exitCode: 0,
			stdout: `${path("doubtful.yaml")}:2: warning: maybe is always true (tasks.one.next[0].when)\n`,
			stderr: "",
		});
		assert.deepEqual(asked.at(-1), { runner: "chain", config: "a.ts" });
		const broken = await validate("broken.yaml", "-j");
		assert.equal(broken.exitCode, 1);
		assert.deepEqual(JSON.parse(broken.stdout), [
			{ type: "syntax", message: "there are no tasks", spec_path: null, schema_path: null, line: null },
		]);
		assert.match((await validate("absent.yaml")).stderr, /absent\.yaml" does not exist/);
	}));

test("a definition is tested with the cases beside it, or with others", () =>
	withFiles(files, async (path) => {
		const passed = await run(["workflow", "test", path("sound.yaml")]);
		assert.deepEqual(passed, { exitCode: 0, stdout: "ok   goes on\n1 of 1 cases passed\n", stderr: "" });
		const failed = await run(["workflow", "test", path("sound.yaml"), path("other.test.yaml")]);
		assert.equal(failed.exitCode, 1);
		assert.equal(failed.stdout, "FAIL stops\n     tasks: expected one, got one, two\nok   goes on\n1 of 2 cases passed\n");
		const json = await run(["workflow", "test", path("sound.yaml"), path("other.test.yaml"), "-j"]);
		assert.equal(json.exitCode, 1);
		assert.deepEqual(
			(JSON.parse(json.stdout) as { name: string; tasks: unknown }[]).map(({ name, tasks }) => [name, tasks]),
			[
				["stops", ["one", "two"]],
				["goes on", ["one", "two"]],
			],
		);
		assert.match((await run(["workflow", "test", path("doubtful.yaml")])).stderr, /doubtful\.test\.yaml" does not exist/);
	}));

test("the graph of a file is drawn without a service", () =>
	withFiles(files, async (path) => {
		assert.equal((await run(["workflow", "graph", path("sound.yaml")])).stdout, "one  yard.count  starts\n└─ → two\ntwo\n");
		assert.match(
			(await run(["workflow", "graph", path("sound.yaml"), "--mermaid"])).stdout,
			/^flowchart TD\n {4}n0\(\["one<br\/>yard\.count"\]\)\n/,
		);
		assert.deepEqual(
			JSON.parse((await run(["workflow", "graph", path("sound.yaml"), "-j"])).stdout),
			JSON.parse(JSON.stringify(await fakeDefinitions.graph(sound))),
		);
	}));

const packs = {
	"yard/pack.yaml": stringify({ ref: "yard", name: "yard", description: "Flows.", version: "1.0.0", author: "somebody" }),
	"yard/actions/outer.yaml": stringify({ name: "outer", runner_type: "workflow", entry_point: "workflows/outer.yaml" }),
	"yard/actions/inner.yaml": stringify({ name: "inner", runner_type: "workflow", entry_point: "workflows/inner.yaml" }),
	"yard/actions/workflows/outer.yaml": toFakeDefinition({
		begin: { next: [{ do: "build" }] },
		build: { action: "yard.inner", next: [{ do: "say" }] },
		say: { action: "default.speak" },
	}),
	"yard/actions/hold.yaml": stringify({ name: "hold", runner_type: "hold" }),
	"yard/actions/slow.yaml": stringify({ name: "slow", runner_type: "workflow", entry_point: "workflows/slow.yaml" }),
	"yard/actions/workflows/slow.yaml": toFakeDefinition({
		wait: { action: "yard.hold", next: [{ do: "say" }] },
		say: { action: "default.speak" },
	}),
	"yard/actions/workflows/inner.yaml": toFakeDefinition({ compile: { action: "default.whisper" } }),
};

let letGo = () => {};
const released = new Promise<void>((resolve) => {
	letGo = resolve;
});
/** Waits until it is let go. */
const hold = defineRunner("hold", () => ({
	description: "Waits.",
	capabilities: {},
	parameters: {},
	async run() {
		await released;
		return { succeeded: true, result: {} };
	},
}));

const withYard = (use: (svc: (...words: string[]) => Promise<Ran>) => Promise<void>, terminal = {}) =>
	withGuardedService(
		async ({ urls, signIn }) => {
			const env = { SVC_API_URL: urls.api, SVC_STREAM_URL: urls.stream, SVC_AUTH_TOKEN: await signIn("root") };
			await use((...words) => run(words, env, terminal));
		},
		{ packs, runners: [fakeWorkflow(), hold()] },
	);

test("the service is asked about the definition of a file, and of an action", () =>
	withYard((svc) =>
		withFiles(files, async (path) => {
			assert.deepEqual(await svc("workflow", "inspect", "yard.outer"), {
				exitCode: 0,
				stdout: "",
				stderr: "yard.outer: no problems found\n",
			});
			const inspected = await svc("workflow", "inspect", path("sound.yaml"));
			assert.equal(inspected.exitCode, 1);
			assert.equal(inspected.stdout, `${path("sound.yaml")}:2: content: the action "yard.count" is not registered (tasks.one.action)\n`);
			assert.match((await svc("workflow", "inspect", "yard.none")).stderr, /action "yard\.none" is not found/);
			assert.match((await svc("workflow", "inspect", "default.speak", "--runner", "speak")).stderr, /has no readable entry point/);
			assert.match(
				(await svc("workflow", "inspect", path("sound.yaml"), "--runner", "speak")).stderr,
				/runner "speak" has no workflow definitions/,
			);
			assert.equal((await svc("workflow", "graph", "yard.inner")).stdout, "compile  default.whisper  starts\n");
		}),
	));

test("a run of a workflow shows its tasks, and those of the workflows inside of it", () =>
	withYard(async (svc) => {
		const ran = await svc("run", "yard.outer");
		assert.equal(ran.exitCode, 0, ran.stderr);
		assert.match(
			ran.stderr,
			/task begin began\ntask begin succeeded\ntask build began\ntask build succeeded\ntask say began\ntask say succeeded\n/,
		);
		const id = /^execution ([0-9a-f]{24}) requested/.exec(ran.stderr)?.[1] ?? "";
		const shown = await svc("execution", "get", id);
		const [header = "", ...rows] = shown.stdout.slice(shown.stdout.indexOf("tasks:\n") + 7).split("\n");
		const starts = [...header.matchAll(/\S+/g)].map(({ index }) => index);
		assert.deepEqual(
			rows
				.filter((row) => row !== "")
				.map((row) =>
					starts.slice(0, 4).map((start, index) =>
						row
							.slice(start, starts[index + 1])
							.trim()
							.replace(/^[\d.]+ s$/, "time"),
					),
				),
			[
				["├─ begin", "succeeded", "time", ""],
				["├─ build", "succeeded", "time", "yard.inner"],
				["│  └─ compile", "succeeded", "time", "default.whisper"],
				["└─ say", "succeeded", "time", "default.speak"],
			],
		);
		assert.doesNotMatch((await svc("execution", "get", id, "--depth", "1")).stdout, /compile/);
		assert.doesNotMatch((await svc("execution", "get", id, "--depth", "0")).stdout, /tasks:/);
		assert.match((await svc("workflow", "graph", id)).stdout, /^begin {2}starts {2}\[succeeded\]\n└─ → build \(taken\)\n/);
		assert.match((await svc("workflow", "graph", "last")).stdout, /^begin {2}starts {2}\[succeeded\]\n/);
	}));

test("on a terminal the tree of the tasks stands in the place of what the workflow prints", () =>
	withYard(
		async (svc) => {
			const { exitCode, stderr } = await svc("run", "yard.outer");
			assert.equal(exitCode, 0, stderr);
			assert.doesNotMatch(stderr, /task begin began/);
			const time = String.raw`[\d.]+ s`;
			const tree = [
				`├─ begin succeeded ${time}`,
				`├─ build succeeded ${time} yard.inner`,
				`│  └─ compile succeeded ${time} default.whisper`,
			];
			assert.match(
				stderr,
				new RegExp(`${tree.join("\n")}\n└─ say succeeded ${time} default.speak\nexecution [0-9a-f]{24} succeeded in ${time}\n$`),
			);
		},
		{ isTTY: true, columns: 80, rows: 24 },
	));

test("the output of tasks stands behind their names", () =>
	withYard(async (svc) => {
		const ran = await svc("run", "yard.outer", "--tail");
		assert.deepEqual(ran.stdout.match(/.+ \| .+/g)?.sort(), ["build.compile | a word aloud", "say | a word aloud"]);
		const id = /^execution ([0-9a-f]{24})/.exec(ran.stderr)?.[1] ?? "";
		const tailed = await svc("execution", "tail", id);
		assert.deepEqual(tailed.stdout.trim().split("\n").sort(), ["build.compile | a word aloud", "say | a word aloud"]);
		assert.match(tailed.stderr, /task say succeeded/);
	}));

test("a workflow is paused, and goes on where it was", () =>
	withYard(async (svc) => {
		const id = (await svc("run", "yard.slow", "-a")).stdout.trim();
		const statusOf = async () => JSON.parse((await svc("execution", "get", id, "-j", "--attr", "status")).stdout).status as string;
		const heard = async () => (await svc("execution", "get", id)).stdout;
		await until("the task to wait", 20, async () => /wait.*running/.test(await heard()) || undefined);
		assert.deepEqual(await svc("execution", "pause", id), { exitCode: 0, stdout: `execution ${id} pausing\n`, stderr: "" });
		letGo();
		await until("the pause", 20, async () => (await statusOf()) === "paused" || undefined);
		assert.doesNotMatch(await heard(), /say/);
		assert.deepEqual(await svc("execution", "resume", id), { exitCode: 0, stdout: `execution ${id} resuming\n`, stderr: "" });
		const tailed = await svc("execution", "tail", id);
		assert.equal(tailed.exitCode, 0, tailed.stderr);
		assert.match(tailed.stdout, /say \| a word aloud/);
		assert.match((await svc("execution", "pause", id)).stderr, /^error: /);
		assert.equal((await svc("execution", "resume", "0".repeat(24))).exitCode, 2);
	}));

test("chosen tasks run again without parameters, and begin anew unless that is not wanted", () =>
	withYard(async (svc) => {
		const ran = await svc("run", "yard.outer");
		const id = /^execution ([0-9a-f]{24})/.exec(ran.stderr)?.[1] ?? "";
		const again = await svc("execution", "re-run", id, "--tasks", "say");
		assert.equal(again.exitCode, 0, again.stderr);
		assert.match(again.stderr, /requested\ntask say began\ntask say succeeded\nexecution/);
		const anew = (await svc("execution", "re-run", id, "-a", "--tasks", "begin", "say", "--no-reset", "say", "--delay", "1")).stdout.trim();
		const { context } = JSON.parse((await svc("execution", "get", anew, "-j")).stdout) as { context: Record<string, unknown> };
		assert.deepEqual(context["re-run"], { ref: id, tasks: ["begin", "say"], reset: ["begin"] });
		assert.match((await svc("execution", "re-run", id, "--tasks", "none")).stderr, /tasks: none has not run/);
		assert.deepEqual(await svc("execution", "re-run", id, "cmd=x", "--tasks", "a"), {
			exitCode: 2,
			stdout: "",
			stderr: "error: --tasks: cannot be combined with parameters, because tasks keep their parameters; omit one of them\n",
		});
		assert.match(
			(await svc("execution", "re-run", id, "--tasks", "a", "--no-reset", "b")).stderr,
			/--no-reset: "b" must be one of the tasks in --tasks/,
		);
	}));

test.run();
