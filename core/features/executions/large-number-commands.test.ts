import * as assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { defineRunner, type JsonObject, parseJson, stringifyJson } from "../../contract/index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

/** `JSON.parse` reads it as 9007199254740992. */
const large = 9007199254740993n;

/** Returns its parameters. */
const returns = defineRunner("returns", () => ({
	description: "Returns its parameters.",
	capabilities: {},
	parameters: {},
	run: async ({ actionParameters }) => ({ succeeded: true, result: { given: actionParameters, type: typeof actionParameters["id"] } }),
}));

const action = {
	name: "returns",
	pack: "default",
	runner_type: "returns",
	parameters: { id: { type: "integer" }, ids: { type: "array", items: { type: "integer" } }, more: { type: "object" }, any: {} },
};

interface Commands {
	/** Runs a command that must succeed; its stdout. */
	readonly svc: (...words: readonly string[]) => Promise<string>;
	/** Writes a file; its path. */
	readonly file: (name: string, content: unknown) => Promise<string>;
	readonly deliver: (body: string) => Promise<void>;
}

const withCommands = (use: (commands: Commands) => Promise<void>) =>
	withGuardedService(
		async ({ urls, signIn, ask }) => {
			const directory = await mkdtemp(join(tmpdir(), "svc-large-numbers-"));
			const token = await signIn("root");
			const env = { HOME: "/nonexistent", SVC_API_URL: urls.api, SVC_STREAM_URL: urls.stream, SVC_AUTH_TOKEN: token };
			const svc: Commands["svc"] = async (...words) => {
				const [stdout, stderr] = [new CapturedText(), new CapturedText()];
				assert.equal(await runSvc(words, { stdout, stderr, env }), 0, `${words.join(" ")}: ${stderr.text}`);
				return stdout.text;
			};
			const file: Commands["file"] = async (name, content) => {
				await writeFile(join(directory, name), typeof content === "string" ? content : stringifyJson(content));
				return join(directory, name);
			};
			const deliver: Commands["deliver"] = async (body) => {
				const headers = { "x-auth-token": token, "content-type": "application/json" };
				const answer = await fetch(`${urls.api}/v1/webhooks/orders`, { method: "POST", headers, body });
				assert.equal(answer.status, 202, await answer.text());
			};
			try {
				assert.equal((await ask(token, "POST", "/v1/actions", action)).status, 201);
				await use({ svc, file, deliver });
			} finally {
				await rm(directory, { recursive: true });
			}
		},
		{ runners: [returns()] },
	);

/** Each form that a command prints a record in holds the digits, and the two forms for programs hold numbers rather than texts. */
async function assertExact(svc: Commands["svc"], ...words: readonly string[]): Promise<void> {
	const json = await svc(...words, "-j");
	assert.match(json, /: 9007199254740993(?!\d)/, json);
	const yaml = await svc(...words, "-y");
	assert.match(yaml, /: 9007199254740993$/m, yaml);
	for (const text of [json, yaml, await svc(...words)]) assert.doesNotMatch(text, /9007199254740992/);
}

test("a whole number beyond 2^53 is printed with its exact digits by the commands that run and show an execution", () =>
	withCommands(async ({ svc }) => {
		const words = ["id=9007199254740993", "ids=9007199254740993,1", 'more={"id": 9007199254740993}', "any=9007199254740993"];
		await assertExact(svc, "run", "default.returns", ...words);
		assert.match(await svc("run", "default.returns", ...words), /id: 9007199254740993\n/);
		const { id, parameters, result } = parseJson(await svc("execution", "get", "last", "-j")) as JsonObject;
		const given = { id: large, ids: [large, 1], more: { id: large }, any: "9007199254740993" };
		assert.deepEqual([parameters, result], [given, { given, type: "bigint" }]);
		await assertExact(svc, "execution", "get", String(id));
		await assertExact(svc, "execution", "list", "-a", "id,parameters,result");
		assert.match(await svc("execution", "get", String(id), "-a", "result.given.id"), /^result\.given\.id: 9007199254740993$/m);
		assert.match(await svc("execution", "get", String(id), "-o", "table"), /id: 9007199254740993/);
		await assertExact(svc, "execution", "re-run", String(id));
	}));

test("a whole number beyond 2^53 is printed with its exact digits by the commands that show an event and a rule", () =>
	withCommands(async ({ svc, file, deliver }) => {
		const trigger = { type: "core.svc.webhook", parameters: { url: "orders" } };
		const criteria = { "trigger.body.id": { type: "equals", pattern: large } };
		const rule = { name: "orders", enabled: true, trigger, criteria, action: { ref: "default.returns", parameters: { id: large } } };
		await svc("rule", "create", await file("rule.json", rule));
		await assertExact(svc, "rule", "get", "default.orders");
		await deliver(`{"id": ${large}, "list": [${large}]}`);
		await until("the rule has run its action", 60, async () => (await svc("execution", "list")).includes("default.returns") || undefined);
		const [{ id = "" } = {}] = JSON.parse(await svc("trigger-instance", "list", "--trigger-type", "core.svc.webhook", "-j")) as {
			id?: string;
		}[];
		await assertExact(svc, "trigger-instance", "get", id);
		assert.match(await svc("trigger-instance", "get", id, "-a", "payload"), /id: 9007199254740993$/m);
		await assertExact(svc, "execution", "get", "last");
	}));

test.run();
