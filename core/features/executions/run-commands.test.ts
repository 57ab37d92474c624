import * as assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { parse, stringify } from "yaml";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { httpRequest } from "../../../plugins-runner/http-request/index.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { pythonScript } from "../../../plugins-runner/python-script/index.ts";
import type { CliContext } from "../../cli/context.ts";
import { createApi } from "../../client/api-client.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";
import { createExecutionClient } from "./client.ts";
import { followStarted } from "./run-commands.ts";

const packs = {
	"yard/pack.yaml": stringify({ ref: "yard", name: "yard", description: "Counts.", version: "1.0.0", author: "somebody" }),
	"yard/actions/count.yaml": stringify({
		name: "count",
		description: "Counts trees.",
		runner_type: "python-script",
		entry_point: "count.py",
		parameters: {
			note: { type: "string", description: "Printed at the end." },
			kind: { type: "string", required: true, description: "Which trees.\nAll of them when empty.", enum: ["oak", "elm"] },
			password: { type: "string", secret: true, default: "swordfish" },
			year: { type: "integer", default: 2031, immutable: true },
		},
	}),
	"yard/actions/count.py":
		"from svc.actions import Action\nclass Count(Action):\n    def run(self, kind, note=None, **rest):\n        print('counting')\n        return {'kind': kind, 'trees': 3} if note is None else None\n",
};

const withYard = (use: (svc: (...words: string[]) => Promise<{ exitCode: number; stdout: string; stderr: string }>) => Promise<void>) =>
	withGuardedService(
		async ({ urls, signIn }) => {
			const env = { HOME: "/nonexistent", SVC_API_URL: urls.api, SVC_STREAM_URL: urls.stream, SVC_AUTH_TOKEN: await signIn("root") };
			await use(async (...words) => {
				const [stdout, stderr] = [new CapturedText(), new CapturedText()];
				const exitCode = await runSvc(words, { stdout, stderr, env });
				return { exitCode, stdout: stdout.text, stderr: stderr.text };
			});
		},
		{ packs, runners: [httpRequest(), localCommand(), pythonScript()] },
	);

test("a run shows the data that it came to, and says its id before anything else", () =>
	withYard(async (svc) => {
		const server = createServer((_request, response) => void response.setHeader("content-type", "application/json").end('{"sum": 41}'));
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		try {
			const asked = await svc("run", "core.http", `url=http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
			assert.equal(asked.exitCode, 0, asked.stderr);
			const { result } = parse(asked.stdout);
			assert.deepEqual([result.status_code, result.body], [200, { sum: 41 }]);
			assert.match(asked.stderr, /^execution ([0-9a-f]{24}) requested\nexecution \1 succeeded in [\d.]+ s\n$/);
		} finally {
			server.close();
			server.closeAllConnections();
		}
		const counted = await svc("run", "yard.count", "kind=oak");
		assert.equal(counted.stdout, "counting\nresult:\n    kind: oak\n    trees: 3\n", counted.stderr);
		assert.equal((await svc("run", "yard.count", "kind=oak", "note=x")).stdout, "counting\n");
		assert.equal((await svc("run", "core.local", "cmd=echo out")).stdout, "out\n");
	}));

test("an execution that has ended before it is followed is summed up once, behind its output", () =>
	withGuardedService(
		async ({ urls, signIn }) => {
			const api = createApi({ apiUrl: urls.api, streamUrl: urls.stream, token: await signIn("root") });
			const client = createExecutionClient(api);
			const { id } = await client.executions.create({ action: "core.local", parameters: { cmd: "echo out" } });
			while ((await client.executions.get(id)).end_timestamp === undefined) await delay(10);
			const [stdout, stderr] = [new CapturedText(), new CapturedText()];
			await followStarted(api, id, {}, { stdout, stderr, env: {}, onInterrupt: () => () => {} } as unknown as CliContext);
			assert.equal(stdout.text, "out\n");
			assert.match(stderr.text, /^execution [0-9a-f]{24} succeeded in [\d.]+ s\n$/);
		},
		{ runners: [localCommand()] },
	));

test("who is no administrator lists all executions, also when they are more than a page", () =>
	withGuardedService(
		async ({ urls, signIn }) => {
			const { executions } = createExecutionClient(createApi({ apiUrl: urls.api, token: await signIn("root") }));
			const made = await Promise.all(Array.from({ length: 130 }, () => executions.create({ action: "core.noop" })));
			const env = { HOME: "/nonexistent", SVC_API_URL: urls.api, SVC_AUTH_TOKEN: await signIn("olga") };
			for (const order of ["asc", "desc"]) {
				const [stdout, stderr] = [new CapturedText(), new CapturedText()];
				assert.equal(await runSvc(["execution", "list", "-j", "-n", "-1", "-s", order], { stdout, stderr, env }), 0, stderr.text);
				const listed = JSON.parse(stdout.text) as { readonly id: string; readonly start_timestamp: string }[];
				assert.deepEqual(listed.map(({ id }) => id).sort(), made.map(({ id }) => id).sort());
				const times = listed.map(({ start_timestamp }) => start_timestamp);
				const rising = [...times].sort();
				assert.deepEqual(times, order === "asc" ? rising : rising.toReversed(), order);
			}
		},
		{ runners: [noop()], rbac: { assignments: [{ username: "olga", roles: ["observer"] }] } },
	));

test("run with -h says what an action takes", () =>
	withYard(async (svc) => {
		const { exitCode, stdout } = await svc("run", "yard.count", "-h");
		assert.equal(exitCode, 0);
		assert.match(
			stdout,
			/^yard\.count: Counts trees\.\n[^]*\nRequired parameters:\n {2}kind \(string; one of "oak", "elm"\)\n {6}Which trees\.\n {6}All of them when empty\.\n\nOptional parameters:\n/,
		);
		assert.match(stdout, /\n {2}note \(string\)\n {6}Printed at the end\.\n/);
		assert.match(stdout, /\n {2}timeout \(integer; default \d+\)\n/);
		assert.match(stdout, /\n {2}password \(string; secret\)\n/);
		assert.doesNotMatch(stdout, /year|swordfish/);
		assert.match((await svc("run", "yard.nothing", "--help")).stderr, /action "yard\.nothing" is not found/);
		assert.match((await svc("run", "--help")).stdout, /^Usage: svc run \[options\] <action>[^]*--trace-tag/);
		assert.deepEqual(await svc("run"), {
			exitCode: 2,
			stdout: "",
			stderr: "error: missing required argument 'action'\nRun `svc run --help` for its arguments and options.\n",
		});
	}));

test.run();
